/* Ranks repaired where switches have no path up to a top. */
#include <string.h>

#include "routing/updown/updown.h"

/*
 * good: tops, and switches with a path up to a top. Every component has a top.
 */
static void
find_good(const struct updown *u, bool *good)
{
	uint32_t *top = arena_array(u->graph.a, u->graph.ncomp, sizeof(*top));

	memset(top, 0xff, u->graph.ncomp * sizeof(*top));
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		bool first;

		good[s] = !u->graph.live[s];
		if (!u->graph.live[s])
			continue;
		first = top[u->graph.comp[s]] == UINT32_MAX;
		if (first)
			top[u->graph.comp[s]] = u->rank[s];
		good[s] = first || (u->order != ROUTE_SINGLE &&
					   u->rank[s] == top[u->graph.comp[s]]);
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix peer = u->graph.group[g].peer;

			good[s] |= u->tier.pos[peer] < i && good[peer];
		}
	}
}

uint32_t
rank_repair_lower(struct updown *u, bool *good)
{
	sw_ix *ready = arena_array(u->graph.a, u->graph.nsw, sizeof(*ready));
	uint32_t total = 0, n;

	do {
		n = 0;
		for (sw_ix s = 0; s < u->graph.nsw; s++) {
			uint32_t rank = ROUTE_NO_RANK;

			for (uint32_t g = u->graph.first[s];
				!good[s] && g < u->graph.first[s + 1]; g++) {
				sw_ix peer = u->graph.group[g].peer;

				if (good[peer] && u->rank[peer] < rank)
					rank = u->rank[peer];
			}
			if (rank == ROUTE_NO_RANK)
				continue;
			u->rank[s] = rank + 1;
			ready[n++] = s;
		}
		for (uint32_t i = 0; i < n; i++)
			good[ready[i]] = true;
		total += n;
	} while (n > 0);
	if (total > 0)
		order_sort(u);
	u->reranked += total;
	return total;
}

/* A new root for each component in which some switch is not good. */
static void
elect_roots(struct updown *u, const bool *good)
{
	bool *done = arena_array(u->graph.a, u->graph.ncomp, sizeof(*done));

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (good[s] || done[u->graph.comp[s]])
			continue;
		u->reranked += root_elect(u, u->graph.comp[s]);
		done[u->graph.comp[s]] = true;
	}
	if (u->reranked > 0)
		order_sort(u);
}

void
rank_repair(struct updown *u)
{
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));

	find_good(u, good);
	u->reranked = 0;
	if (u->order == ROUTE_SINGLE)
		elect_roots(u, good);
	else
		(void)rank_repair_lower(u, good);
}

/*
 * Where all tops are lost together, there was only one. With the next tier as
 * tops a subtree would have to be reversed, which in a fabric that is no tree
 * is most of it.
 */
void
rank_repair_tops(struct updown *u)
{
	bool *topped = arena_array(u->graph.a, u->graph.ncomp, sizeof(*topped));
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s] && u->rank[s] == 0)
			topped[u->graph.comp[s]] = true;
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		good[s] = !u->graph.live[s] || topped[u->graph.comp[s]];
	elect_roots(u, good);
}
