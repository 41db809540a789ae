#include <stdio.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "routing/updown/updown.h"

enum { TIERS = 64 }; /* ranks counted when a new switch gets its tier */

static bool
is_root(const struct updown *u, uint64_t guid)
{
	for (size_t i = 0; i < u->nroots; i++)
		if (u->roots[i] == guid)
			return true;
	return false;
}

/* Configured roots are binding: if they are not the ones of the recorded ranks,
 * or there are none any more, the recorded ranks are void. */
static bool
roots_agree(const struct updown *u, const bool *known)
{
	if (u->nroots == 0)
		return u->order != ROUTE_ROOTS;
	if (u->order != ROUTE_ROOTS)
		return false;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		uint64_t guid = u->graph.t->node[u->graph.t->sw[s].node].guid;

		if (known[s] && u->graph.live[s] &&
			is_root(u, guid) != (u->rank[s] == 0))
			return false;
	}
	return true;
}

/* A new switch joins the tier of the switches that a fresh order ranks like it:
 * it gets the rank that most of them have. */
static void
join_tiers(struct updown *u, bool *known)
{
	struct updown v = *u;
	uint32_t *count =
		arena_array(u->graph.a, (size_t)TIERS * TIERS, sizeof(*count));

	v.rank = arena_array(u->graph.a, u->graph.nsw, sizeof(*v.rank));
	order_make_fresh(&v, false);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (known[s] && v.rank[s] < TIERS && u->rank[s] < TIERS)
			count[v.rank[s] * TIERS + u->rank[s]]++;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint32_t *c = count + (size_t)v.rank[s] * TIERS;
		uint32_t best = 0;

		if (known[s] || v.rank[s] >= TIERS)
			continue;
		for (uint32_t r = 1; r < TIERS; r++)
			if (c[r] > c[best])
				best = r;
		if (c[best] == 0)
			continue;
		u->rank[s] = best;
		known[s] = true;
	}
}

bool
rank_keep(struct updown *u)
{
	bool *known = arena_array(u->graph.a, u->graph.nsw, sizeof(*known));
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));
	uint32_t n = 0, fresh = 0, heirs;

	u->order = u->graph.job->prev != NULL ? u->graph.job->prev->order
					      : u->graph.job->ranks_order;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		u->rank[s] = ROUTE_NO_RANK;
		known[s] = tree_previous_rank(u->graph.job, s, &u->rank[s]);
		n += known[s];
		fresh += !known[s] && u->graph.live[s];
	}
	if (n == 0 || !roots_agree(u, known))
		return false;
	if (fresh > 0 && u->order != ROUTE_SINGLE)
		join_tiers(u, known);
	/* A switch that is still unknown goes below its neighbours. */
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		good[s] = known[s] || !u->graph.live[s];
	(void)rank_repair_lower(u, good);
	order_sort(u);
	u->reranked = 0;
	if (u->order == ROUTE_TIERS)
		rank_repair_tops(u);
	heirs = u->reranked;
	rank_repair(u);
	u->reranked += heirs;
	(void)snprintf(u->note, sizeof(u->note),
		"order kept, %u new switches, %u with a new rank", fresh,
		u->reranked);
	return true;
}
