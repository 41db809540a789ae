#include "routing/updown/down_path_priv.h"

#include <string.h>

#include "routing/graph/multi_port_node.h"

/*
 * LIDs by the node that they lead to: open addressing, a slot holds the last
 * LID index of a ring.
 */
struct rings {
	uint32_t *slot; /* index + 1 */
	uint32_t mask;
	uint64_t *key;
};

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 32;
}

/* Join LID i to the ring of its key. */
static void
join(struct rings *r, struct dest_table *d, uint32_t i)
{
	uint32_t at = (uint32_t)mix(r->key[i]) & r->mask;

	while (r->slot[at] != 0 && r->key[r->slot[at] - 1] != r->key[i])
		at = (at + 1) & r->mask;
	if (r->slot[at] != 0) {
		uint32_t last = r->slot[at] - 1;

		d->home[i] = d->home[last];
		d->home[last] = i;
	}
	r->slot[at] = i + 1;
}

/* Whose LID this is: ports of a node have the n-th LIDs of theirs in common. */
static uint64_t
key_of(const struct updown *u, struct dest_table *d, uint32_t i)
{
	const struct engine_options *o = u->graph.job->options;
	const struct topo *t = u->graph.t;
	unsigned path = 0;
	port_ix p = topo_by_lid(t, d->lid[i], &path);
	const struct route_multi_port *h;

	if (p == TOPO_NONE)
		return 0;
	h = multi_port_node_option(o, t->port[p].guid);
	if (h != NULL && h->passive)
		d->other[i] = 1;
	return multi_port_node_key(t, o, p) + mix(path);
}

bool
multi_port_is_passive(const struct dest_table *d, uint32_t i)
{
	return d->other[i] && d->home[i] != i;
}

/* Where all others are gone, passive ports are what there is. */
static void
take_over(struct dest_table *d, uint32_t i)
{
	uint32_t j = i;

	do {
		if (!d->other[j])
			return;
		j = d->home[j];
	} while (j != i);
	do {
		d->other[j] = 0;
		j = d->home[j];
	} while (j != i);
}

void
multi_port_find(const struct updown *u, struct dest_table *d)
{
	struct rings r = {.mask = 1};

	while (r.mask < 2 * d->n)
		r.mask = r.mask * 2 + 1;
	r.slot = arena_array(u->graph.a, (size_t)r.mask + 1, sizeof(*r.slot));
	r.key = arena_array(u->graph.a, d->n, sizeof(*r.key));
	for (uint32_t i = 0; i < d->n; i++) {
		d->home[i] = i;
		if (d->other[i])
			continue;
		r.key[i] = key_of(u, d, i);
		if (r.key[i] != 0)
			join(&r, d, i);
	}
	for (uint32_t i = 0; i < d->n; i++) {
		d->nhomes += d->home[i] != i;
		if (r.key[i] != 0)
			take_over(d, i);
	}
}

/* Where load leaves the choice, the LIDs of one port come from other tops. */
static void
avoid_own(struct down_path_search *w, uint32_t i)
{
	const struct dest_table *d = w->d;

	for (uint32_t j = i; j > d->at[d->dest[i]]; j--) {
		const struct down_path *c = &d->chain[j - 1];

		if (d->out[j - 1] != d->out[i] || w->napex == UPDN_HOMES)
			return;
		if (c->len > 1)
			w->apex[w->napex++] = c->sw[c->len - 1];
	}
}

void
multi_port_avoid(struct down_path_search *w, uint32_t i)
{
	const struct dest_table *d = w->d;

	w->stamp++;
	w->napex = 0;
	for (uint32_t j = d->home[i]; j != i; j = d->home[j]) {
		const struct down_path *c = &d->chain[j];

		if (multi_port_is_passive(d, j) && !d->other[i])
			continue; /* it comes after this one */
		for (uint32_t k = 0; k < c->len; k++)
			w->taken[c->sw[k]] = w->stamp;
		if (c->len > 1 && w->napex < UPDN_HOMES)
			w->apex[w->napex++] = c->sw[c->len - 1];
	}
	avoid_own(w, i);
}

unsigned
multi_port_shared(const struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;

	if (w->taken[s] == w->stamp)
		return 2;
	for (uint32_t k = 0; k < w->napex; k++)
		if (bitset_has(u->tier_above[s], w->apex[k]))
			return 1;
	return 0;
}
