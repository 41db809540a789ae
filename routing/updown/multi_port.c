#include "routing/updown/down_path_priv.h"

#include <string.h>

#include "routing/graph/multi_port_node.h"
#include "sm/base/hash.h"

/* LIDs by the node that they belong to: open addressing, a slot holds the last
 * LID index of a ring. */
struct rings {
	uint32_t *slot; /* index + 1 */
	uint32_t mask;
	uint64_t *key;
};

/* Join LID i to the ring of its key. */
static void
join_ring(struct rings *r, struct dest_table *d, uint32_t i)
{
	uint32_t at = (uint32_t)hash_spread(r->key[i]) & r->mask;

	while (r->slot[at] != 0 && r->key[r->slot[at] - 1] != r->key[i])
		at = (at + 1) & r->mask;
	if (r->slot[at] != 0) {
		uint32_t last = r->slot[at] - 1;

		d->next_port[i] = d->next_port[last];
		d->next_port[last] = i;
	}
	r->slot[at] = i + 1;
}

/* The node of LID i, as a key; 0: none. The n-th LIDs of all ports of a node
 * have the same key. */
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
	return multi_port_node_key(t, o, p) + hash_spread(path);
}

bool
multi_port_is_passive(const struct dest_table *d, uint32_t i)
{
	return d->other[i] && d->next_port[i] != i;
}

/* Passive ports of a node without any active port serve as active ones. */
static void
promote_passive(struct dest_table *d, uint32_t i)
{
	uint32_t j = i;

	do {
		if (!d->other[j])
			return;
		j = d->next_port[j];
	} while (j != i);
	do {
		d->other[j] = 0;
		j = d->next_port[j];
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
		d->next_port[i] = i;
		if (d->other[i])
			continue;
		r.key[i] = key_of(u, d, i);
		if (r.key[i] != 0)
			join_ring(&r, d, i);
	}
	for (uint32_t i = 0; i < d->n; i++) {
		d->nmulti_port += d->next_port[i] != i;
		if (r.key[i] != 0)
			promote_passive(d, i);
	}
}

/*
 * Where load leaves the choice, the LIDs of one port get different path tops.
 */
static void
avoid_own(struct down_path_search *w, uint32_t i)
{
	const struct dest_table *d = w->d;

	for (uint32_t j = i; j > d->at[d->dest[i]]; j--) {
		const struct down_path *c = &d->path[j - 1];

		if (d->out[j - 1] != d->out[i] ||
			w->navoid_tops == UPDN_AVOID_MAX)
			return;
		if (c->len > 1)
			w->avoid_top[w->navoid_tops++] = c->sw[c->len - 1];
	}
}

void
multi_port_avoid(struct down_path_search *w, uint32_t i)
{
	const struct dest_table *d = w->d;

	w->stamp++;
	w->navoid_tops = 0;
	for (uint32_t j = d->next_port[i]; j != i; j = d->next_port[j]) {
		const struct down_path *c = &d->path[j];

		if (multi_port_is_passive(d, j) && !d->other[i])
			continue; /* its path is chosen after this one */
		for (uint32_t k = 0; k < c->len; k++)
			w->taken[c->sw[k]] = w->stamp;
		if (c->len > 1 && w->navoid_tops < UPDN_AVOID_MAX)
			w->avoid_top[w->navoid_tops++] = c->sw[c->len - 1];
	}
	avoid_own(w, i);
}

unsigned
multi_port_overlap(const struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;

	if (w->taken[s] == w->stamp)
		return 2;
	for (uint32_t k = 0; k < w->navoid_tops; k++)
		if (bitset_has(u->tier_above[s], w->avoid_top[k]))
			return 1;
	return 0;
}
