#include <stdio.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "routing/updown/updown.h"

enum { TIERS = 64 }; /* ranks counted when a new switch gets its tier */

static bool
is_root(const struct engine_options *o, uint64_t guid)
{
	for (size_t i = 0; o != NULL && i < o->nroots; i++)
		if (o->roots[i] == guid)
			return true;
	return false;
}

/* Configured roots are binding: if they are not the ones of the recorded ranks,
 * or there are none any more, the recorded ranks are void. */
static bool
roots_agree(const struct updown *u, const bool *known)
{
	const struct engine_options *o = u->graph.job->options;

	if (o == NULL || o->nroots == 0)
		return u->order != ROUTE_ROOTS;
	if (u->order != ROUTE_ROOTS)
		return false;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		uint64_t guid = u->graph.t->node[u->graph.t->sw[s].node].guid;

		if (known[s] && u->graph.live[s] &&
			is_root(o, guid) != (u->rank[s] == 0))
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
rank_keep_lower(struct updown *u, bool *good)
{
	sw_ix *ready = arena_array(u->graph.a, u->graph.nsw, sizeof(*ready));
	uint32_t total = 0, n;

	do {
		n = 0;
		for (sw_ix s = 0; s < u->graph.nsw; s++) {
			uint32_t rank = UINT32_MAX;

			for (uint32_t g = u->graph.first[s];
				!good[s] && g < u->graph.first[s + 1]; g++) {
				sw_ix peer = u->graph.group[g].peer;

				if (good[peer] && u->rank[peer] < rank)
					rank = u->rank[peer];
			}
			if (rank == UINT32_MAX)
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
rank_keep_repair(struct updown *u)
{
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));

	find_good(u, good);
	u->reranked = 0;
	if (u->order == ROUTE_SINGLE)
		elect_roots(u, good);
	else
		(void)rank_keep_lower(u, good);
}

/*
 * Where all tops are lost together, there was only one. With the next tier as
 * tops a subtree would have to be reversed, which in a fabric that is no tree
 * is most of it.
 */
static void
replace_tops(struct updown *u)
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

bool
rank_keep(struct updown *u)
{
	bool *known = arena_array(u->graph.a, u->graph.nsw, sizeof(*known));
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));
	uint32_t n = 0, fresh = 0, heirs;

	u->order = u->graph.job->prev != NULL ? u->graph.job->prev->order
					      : u->graph.job->ranks_order;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		u->rank[s] = UINT32_MAX;
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
	(void)rank_keep_lower(u, good);
	order_sort(u);
	u->reranked = 0;
	if (u->order == ROUTE_TIERS)
		replace_tops(u);
	heirs = u->reranked;
	rank_keep_repair(u);
	u->reranked += heirs;
	(void)snprintf(u->note, sizeof(u->note),
		"order kept, %u new switches, %u with a new rank", fresh,
		u->reranked);
	return true;
}
