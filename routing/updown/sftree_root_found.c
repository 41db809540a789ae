/*
 * The sFtree root of tables that were found in the switches, made by a manager
 * of which no order is known. Packets between two switches that have no path in
 * tiers turn upwards above the root or in it: no other leaf passes them on. So
 * the leaf that most of them come through is the root of these tables, wherever
 * the manager is that reads them.
 */
#include "routing/updown/updown.h"

enum {
	PROBES = 8, /* paths that are followed from one switch */
	STEPS = 64, /* a longer path is none */
};

/* True for routes from the switches alone: no switch has a rank. */
static bool
is_orderless(const struct routes *r)
{
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		if (r->rank[s] != ROUTE_NO_RANK)
			return false;
	return true;
}

bool
sftree_root_unknown_order(const struct updown *u)
{
	const struct routes *prev = u->graph.job->prev;

	return prev != NULL && prev->topo->hash == u->graph.t->hash &&
	       is_orderless(prev);
}

bool
sftree_root_is_leaf(const struct updown *u, sw_ix s)
{
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (u->tier.pos[u->graph.group[g].peer] > u->tier.pos[s])
			return false;
	return u->graph.live[s];
}

/* The first leaf that passes on what x sends to y, or TOPO_NONE. */
static sw_ix
leaf_between(const struct updown *u, sw_ix x, sw_ix y)
{
	const struct routes *prev = u->graph.job->prev;
	const struct topo *t = u->graph.t;
	uint16_t lid = t->port[t->node[t->sw[y].node].first_port].lid;

	for (unsigned k = 0; k < STEPS; k++) {
		x = routes_next_switch(prev, x, lid);
		if (x == TOPO_NONE || x == y)
			return TOPO_NONE;
		if (sftree_root_is_leaf(u, x))
			return x;
	}
	return TOPO_NONE;
}

/* Count in votes the leaves between x and some switches to which it has no path
 * in tiers; returns how many. */
static uint32_t
follow_from(const struct updown *u, sw_ix x, uint32_t *votes)
{
	const struct swgraph *g = &u->graph;
	const uint64_t *all = u->tier_set.all[x];
	uint32_t n = 0;

	for (sw_ix i = 1; i < g->nsw && n < PROBES; i++) {
		sw_ix y = (x + i) % g->nsw, leaf;

		if (!g->live[y] || g->comp[y] != g->comp[x] ||
			bitset_has(all, y))
			continue;
		leaf = leaf_between(u, x, y);
		if (leaf == TOPO_NONE)
			continue;
		votes[leaf]++;
		n++;
	}
	return n;
}

sw_ix
sftree_root_found(const struct updown *u, uint32_t comp)
{
	uint32_t *votes, sum = 0;
	sw_ix best = 0;

	if (!sftree_root_unknown_order(u))
		return TOPO_NONE;
	votes = arena_array(u->graph.a, u->graph.nsw, sizeof(*votes));
	for (sw_ix x = 0; x < u->graph.nsw; x++)
		if (u->graph.live[x] && u->graph.comp[x] == comp)
			sum += follow_from(u, x, votes);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (votes[s] > votes[best])
			best = s;
	return sum > 0 && votes[best] * 2 > sum ? best : TOPO_NONE;
}
