#include "discovery/dest_lids.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/topo_match.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"

/* The lowest LID of a compute host on a switch; 0: there is none. */
static uint16_t
lowest_lid(const struct topo *t, sw_ix s)
{
	const struct topo_switch *sw = &t->sw[s];
	uint16_t lowest = 0;

	for (uint32_t e = sw->end; e < sw->end + sw->nend; e++) {
		uint16_t lid = t->port[t->end[e].port].lid;

		if (t->end[e].host && lid != 0 && (lowest == 0 || lid < lowest))
			lowest = lid;
	}
	return lowest;
}

/* Number the destination switches of t; other switches get the count of them,
 * which is returned. */
static uint32_t
number_switches(const struct topo *t, uint32_t *number)
{
	sw_ix *at = mem_alloc((t->max_lid + 1U) * sizeof(*at));
	uint32_t n = 0, i = 0;

	memset(at, 0xff, (t->max_lid + 1U) * sizeof(*at));
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint16_t lid = topo_sw_live(t, s) ? lowest_lid(t, s) : 0;

		number[s] = TOPO_NONE;
		n += lid != 0;
		if (lid != 0)
			at[lid] = s;
	}
	for (uint32_t lid = 1; lid <= t->max_lid; lid++)
		if (at[lid] != TOPO_NONE)
			number[at[lid]] = i++;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (number[s] == TOPO_NONE)
			number[s] = n;
	free(at);
	return n;
}

/* A LID of destination number n, which is the last one so far. */
static void
add_lid(struct dest_lids *d, uint32_t lid, size_t *nruns, size_t *room)
{
	struct dest_run *last =
		*nruns > d->first[d->n] ? &d->run[*nruns - 1] : NULL;

	if (last == NULL || last->block != lid / DEST_BLOCK) {
		d->run = mem_grow(d->run, *nruns, room, sizeof(*d->run));
		last = &d->run[(*nruns)++];
		*last = (struct dest_run){lid / DEST_BLOCK, 0};
		if (d->nblocks <= last->block)
			d->nblocks = last->block + 1;
	}
	last->lids |= UINT64_C(1) << lid % DEST_BLOCK;
}

static void
add_switch(struct dest_lids *d, const struct topo *t, sw_ix s, size_t *nruns,
	size_t *room)
{
	const struct topo_switch *sw = &t->sw[s];

	for (uint32_t e = sw->end; e < sw->end + sw->nend; e++) {
		const struct topo_port *p = &t->port[t->end[e].port];

		for (unsigned k = 0;
			t->end[e].host && p->lid != 0 && k < 1U << p->lmc; k++)
			add_lid(d, p->lid + k, nruns, room);
	}
	d->first[++d->n] = (uint32_t)*nruns;
}

/* The other way round: destinations by block. */
static void
sort_by_block(struct dest_lids *d)
{
	uint32_t nruns = d->first[d->n];

	d->at = mem_zalloc(d->nblocks + 2U, sizeof(*d->at));
	d->in_block = mem_alloc((nruns + 1U) * sizeof(*d->in_block));
	for (uint32_t r = 0; r < nruns; r++)
		d->at[d->run[r].block + 2]++;
	for (uint32_t b = 2; b < d->nblocks + 2; b++)
		d->at[b] += d->at[b - 1];
	for (uint32_t i = 0; i < d->n; i++)
		for (uint32_t r = d->first[i]; r < d->first[i + 1]; r++)
			d->in_block[d->at[d->run[r].block + 1]++] = i;
}

void
dest_lids_open(struct dest_lids *d, const struct topo *t)
{
	size_t nruns = 0, room = 0;
	uint32_t n;

	*d = (struct dest_lids){0};
	d->sw = mem_alloc((t->nsw + 1U) * sizeof(*d->sw));
	d->number = mem_alloc((t->nsw + 1U) * sizeof(*d->number));
	d->first = mem_zalloc(t->nsw + 1U, sizeof(*d->first));
	n = number_switches(t, d->number);
	for (sw_ix s = 0; s < t->nsw; s++)
		if (d->number[s] < n)
			d->sw[d->number[s]] = s;
	for (uint32_t i = 0; i < n; i++)
		add_switch(d, t, d->sw[i], &nruns, &room);
	d->words = (d->n + 255) / 256 * 4;
	sort_by_block(d);
}

void
dest_lids_close(struct dest_lids *d)
{
	free(d->sw);
	free(d->number);
	free(d->run);
	free(d->first);
	free(d->in_block);
	free(d->at);
	*d = (struct dest_lids){0};
}

/* True if number i has the same LIDs in both. */
static bool
has_same_lids(const struct dest_lids *a, const struct dest_lids *b, uint32_t i)
{
	const struct dest_run *x = a->run + a->first[i];
	const struct dest_run *y = b->run + b->first[i];
	uint32_t n = a->first[i + 1] - a->first[i];

	if (n != b->first[i + 1] - b->first[i])
		return false;
	for (uint32_t r = 0; r < n; r++)
		if (x[r].block != y[r].block || x[r].lids != y[r].lids)
			return false;
	return true;
}

bool
dest_lids_compare(const struct dest_lids *d, const struct dest_lids *was,
	const struct topo_match *before, uint64_t *changed)
{
	if (d->n != was->n)
		return false;
	for (uint32_t i = 0; i < d->n; i++) {
		if (before->sw[d->sw[i]] != was->sw[i])
			return false;
		if (!has_same_lids(d, was, i))
			bitset_add(changed, i);
	}
	return true;
}
