#include <string.h>

#include "routing/updown/row_priv.h"

/* True if LID i is at the switch where it was. */
static bool
lid_stayed(const struct row_job *f, uint32_t i)
{
	const struct topo *t = f->u->graph.t, *was = f->prev->topo;
	port_ix p = topo_by_lid(was, f->d->lid[i], NULL);
	sw_ix s = p == TOPO_NONE ? TOPO_NONE : topo_switch_of(was, p);

	return s != TOPO_NONE &&
	       was->node[was->sw[s].node].guid ==
		       t->node[t->sw[f->d->dest[i]].node].guid;
}

/* LIDs that moved get new entries, LIDs without an owner drop. */
void
lft_keep_init(struct row_job *f)
{
	bool *stays = arena_array(f->a, f->bytes, sizeof(*stays));

	f->stale = arena_array(f->a, f->d->n, sizeof(*f->stale));
	f->void_lid = arena_array(f->a, f->bytes, sizeof(*f->void_lid));
	for (uint32_t i = 0; i < f->d->n; i++)
		stays[f->d->lid[i]] = lid_stayed(f, i);
	for (uint32_t lid = 0; lid < f->bytes; lid++)
		if (!stays[lid])
			f->void_lid[f->nvoid++] = (uint16_t)lid;
}

static void
load_old(struct row_job *f, sw_ix prev_sw)
{
	size_t blocks = f->bytes / LFT_BLOCK;

	for (size_t b = 0; b < blocks; b++) {
		uint8_t *at = f->row + b * LFT_BLOCK;

		if (b < f->prev->nblocks)
			memcpy(at, routes_block(f->prev, prev_sw, (uint32_t)b),
				LFT_BLOCK);
		else
			memset(at, LFT_DROP, LFT_BLOCK);
	}
	for (uint32_t i = 0; i < f->nvoid; i++)
		f->row[f->void_lid[i]] = LFT_DROP;
}

/* How many of n consecutive entries do not lead to an allowed port. */
static uint32_t
count_stale(const uint8_t *row, uint32_t n, const uint8_t *allowed)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < n; i++)
		bad += !allowed[row[i]];
	return bad;
}

/* Entries that lead through a candidate are kept, the others go to f->stale. */
static void
find_stale(struct row_job *f, sw_ix dest)
{
	const struct dest_table *d = f->d;
	uint32_t i = d->at[dest];

	if (d->run[dest] > 1 &&
		count_stale(f->row + d->lid[i], d->run[dest], f->allowed) == 0)
		i += d->run[dest];
	for (; i < d->end[dest]; i++)
		if (!f->allowed[f->row[d->lid[i]]])
			f->stale[f->nstale++] = i;
}

/* Count what the kept entries put on each port: the base of new choices. */
static void
count_kept(struct row_job *f)
{
	for (uint32_t i = 0; i < f->d->n; i++) {
		uint8_t p = f->row[f->d->lid[i]];

		f->meant[f->d->other[i]][p]++;
		f->sum[f->d->other[i]][p]++;
	}
}

/* True if the previous entry for LID i carried load. */
static bool
carried_load(const struct row_job *f, sw_ix s, sw_ix prev_sw, uint32_t i)
{
	const struct topo *t = f->u->graph.t, *was = f->prev->topo;
	sw_ix old = next_hop_switch(
		was, prev_sw, routes_port(f->prev, prev_sw, f->d->lid[i]));
	node_ix n = old == TOPO_NONE
			    ? TOPO_NONE
			    : topo_by_node_guid(
				      t, was->node[was->sw[old].node].guid);

	return n != TOPO_NONE && next_hop_carries_load(f, s, i, t->node[n].sw);
}

/* Count in meant the kept entries that carry load. */
static void
weigh_kept(struct row_job *f, sw_ix s)
{
	memset(f->meant, 0, sizeof(f->meant));
	for (uint32_t i = 0; i < f->d->n; i++) {
		uint8_t p = f->row[f->d->lid[i]];
		sw_ix next = next_hop_switch(f->u->graph.t, s, p);

		f->meant[f->d->other[i]][p] +=
			next_hop_carries_load(f, s, i, next);
	}
	f->weighed = true;
}

void
lft_keep_row(
	struct row_job *f, sw_ix s, sw_ix prev_sw, const struct row_mask *up)
{
	load_old(f, prev_sw);
	f->nstale = 0;
	for (sw_ix x = 0; x < f->u->graph.nsw; x++) {
		if (x == s || f->d->at[x] == f->d->end[x])
			continue;
		next_hop_allow_ports(f, s, row_mask_of(f, up, x));
		find_stale(f, x);
	}
	if (f->nstale == 0)
		return;
	for (uint32_t k = 0; k < f->nstale; k++)
		f->row[f->d->lid[f->stale[k]]] = LFT_DROP;
	count_kept(f);
	f->weighed = false;
	for (uint32_t k = 0; k < f->nstale; k++) {
		uint32_t i = f->stale[k];
		bool carries = carried_load(f, s, prev_sw, i);

		if (carries && !f->weighed)
			weigh_kept(f, s);
		f->row[f->d->lid[i]] = next_hop_choose(
			f, s, i, row_mask_of(f, up, f->d->dest[i]), carries);
	}
}
