/*
 * Routes that were read back from the switches after a restart, in the fabric
 * that they were made for: their order is restored as it is. It depends on the
 * history of the fabric, on changes and repairs that are not recorded. A fresh
 * order of the same fabric may have other tiers, other trees or another sFtree
 * root, and would rewrite tables that serve well. The restored order is
 * verified like any other.
 */
#include <stdio.h>
#include <string.h>

#include "routing/tiers/topo_class.h"
#include "routing/updown/updown_state.h"

/*
 * Trees, their leaves and crossing leaves; false: mark does not describe any.
 */
static bool
take_trees(struct updown *u, const uint8_t *mark)
{
	uint8_t *plane = arena_alloc(u->graph.a, u->graph.t->nsw);
	bool *leaf = arena_array(u->graph.a, u->graph.t->nsw, sizeof(*leaf));
	uint32_t apexes = 0;

	u->crossing_leaf =
		arena_array(u->graph.a, ROUTE_PARTS, sizeof(*u->crossing_leaf));
	for (sw_ix s = 0; s < u->graph.t->nsw; s++) {
		uint32_t p = mark[s] & ROUTE_PART;

		plane[s] = (uint8_t)p;
		leaf[s] = (mark[s] & UPDN_TREE_LEAF) != 0;
		u->nplanes = p >= u->nplanes ? p + 1 : u->nplanes;
		if (!(mark[s] & ROUTE_GATE))
			continue;
		u->crossing_leaf[p] = s;
		apexes |= 1U << p;
	}
	u->graph.plane = plane;
	u->leaf = leaf;
	return u->nplanes > 1 && apexes == (1U << u->nplanes) - 1;
}

/* The engine that made the routes which were read back, or NULL. */
static const char *
routes_maker(const struct route_job *job)
{
	const struct topo_class *was = topo_class_previous(job);

	return job->prev != NULL && job->restored && was != NULL ? was->engine
								 : NULL;
}

bool
order_is_of_other_engine(const struct route_job *job, const char *engine)
{
	const char *by = routes_maker(job);

	return by != NULL && strcmp(by, engine) != 0;
}

bool
order_restore(struct updown *u, const char *engine)
{
	const struct routes *prev = u->graph.job->prev;
	const struct updown_state *was = updown_state_of(prev);
	const char *by = routes_maker(u->graph.job);

	if (by == NULL || strcmp(by, engine) != 0)
		return false;
	if (was != NULL && was->tree != NULL && !take_trees(u, was->tree))
		return false;
	order_begin(u);
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		u->rank[s] = prev->rank[s];
		if (u->graph.live[s] && u->rank[s] == ROUTE_NO_RANK)
			return false;
	}
	u->order = prev->order;
	order_sort(u);
	(void)snprintf(u->note, sizeof(u->note), "order restored");
	if (u->graph.plane != NULL)
		return sftree_root_set(u, true, u->crossing_leaf, u->nplanes);
	return sftree_root_choose(u, true) != UINT64_MAX;
}
