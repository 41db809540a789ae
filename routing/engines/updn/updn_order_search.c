#include "routing/engines/updn/updn.h"

#include <stdio.h>
#include <string.h>

#include "sm/base/rng.h"

enum {
	EFFORT = 8000000, /* steps to spend, about a nanosecond or two each */
	FEWEST = 4,
	MOST = 24,
};

/* Numbers of one destination, by switch. */
struct flow {
	const struct updown *u;
	const struct reachability *r;
	uint8_t *level; /* steps to the destination */
	bool *down;	/* all of them down */
	uint32_t *list; /* switches, farthest first */
	double *pairs;	/* host pairs that pass */
	double *load;	/* per group, over all destinations */
};

/* Distances to dest, and the switches in order of falling distance. */
static uint32_t
find_levels(struct flow *f, sw_ix dest)
{
	const struct updown *u = f->u;
	uint32_t n = 0, most = f->r->path.n < 255 ? f->r->path.n : 255;

	memset(f->level, 255, u->graph.nsw);
	for (uint32_t k = most; k-- > 0;)
		for (sw_ix s = 0; s < u->graph.nsw; s++) {
			const uint64_t *now =
				f->r->path.row[(size_t)k * u->graph.nsw + s];
			const uint64_t *was =
				k > 0 ? f->r->path.row[(size_t)(k - 1) *
							       u->graph.nsw +
						       s]
				      : NULL;

			if (!bitset_has(now, dest) ||
				(was != NULL && bitset_has(was, dest)))
				continue;
			f->level[s] = (uint8_t)k;
			f->down[s] = bitset_has(
				f->r->dn.row[(size_t)(f->r->dn.n - 1) *
						     u->graph.nsw +
					     s],
				dest);
			f->pairs[s] = u->graph.weight[s];
			f->list[n++] = s;
		}
	return n;
}

static bool
is_next(const struct flow *f, sw_ix s, sw_ix peer)
{
	bool below = f->u->sw_order.pos[peer] > f->u->sw_order.pos[s];

	return below == f->down[s] && f->level[peer] + 1 == f->level[s] &&
	       (f->down[peer] || !below);
}

/* Everybody's traffic to dest, split evenly over what is legal. */
static void
flow_to(struct flow *f, sw_ix dest)
{
	const struct updown *u = f->u;
	uint32_t n = find_levels(f, dest);

	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = f->list[i];
		uint32_t ways = 0;

		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			if (is_next(f, s, u->graph.group[g].peer))
				ways += u->graph.group[g].n;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			double share;

			if (!is_next(f, s, u->graph.group[g].peer))
				continue;
			share = f->pairs[s] / ways;
			f->load[g] += share * u->graph.weight[dest];
			f->pairs[u->graph.group[g].peer] +=
				share * u->graph.group[g].n;
		}
	}
}

/*
 * The worst load of a cable under the order in u->line, if all were split, from
 * every stride-th destination.
 */
static double
estimate(struct updown *u, uint32_t stride)
{
	struct reachability r = reach_make_levels(u);
	struct flow f = {.u = u, .r = &r};
	double worst = 0;

	f.level = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.level));
	f.down = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.down));
	f.list = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.list));
	f.pairs = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.pairs));
	f.load = arena_array(
		u->graph.a, u->graph.first[u->graph.nsw], sizeof(*f.load));
	for (sw_ix d = 0; d < u->graph.nsw; d += stride)
		if (u->graph.live[d] && u->graph.weight[d] != 0)
			flow_to(&f, d);
	for (uint32_t g = 0; g < u->graph.first[u->graph.nsw]; g++)
		worst = f.load[g] > worst ? f.load[g] : worst;
	return worst;
}

/*
 * Local tops get rank 0, so that a later sweep knows them as tops; nothing
 * that is cabled changes its place thereby.
 */
static void
mark_tops(struct updown *u)
{
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		bool top = true;

		if (!u->graph.live[s])
			continue;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			top &= u->tier.pos[u->graph.group[g].peer] >
			       u->tier.pos[s];
		u->rank[s] = top ? 0 : u->rank[s] + 1;
	}
	order_sort(u);
}

/* Distances from hosts as ranks: as many different ones as there are. */
static void
rank_by_closeness(struct updown *u)
{
	uint64_t *far = order_host_distance(u);

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		u->rank[s] = u->graph.live[s] ? 0 : UINT32_MAX;
		for (sw_ix x = 0; u->graph.live[s] && x < u->graph.nsw; x++)
			u->rank[s] += u->graph.live[x] && far[x] < far[s];
	}
	order_sort(u);
}

/* Order number k of those that are tried. False: it cannot be completed. */
static bool
candidate(struct updown *u, uint32_t k)
{
	struct rng g = {u->graph.job->seed + k};

	u->reranked = 0;
	u->sftree_root = TOPO_NONE;
	if (k == 0) {
		order_make_fresh(u, false);
	} else if (k == 1) {
		order_make_fresh(u, true);
	} else if (k == 2) {
		rank_by_closeness(u);
	} else if (k == 3) {
		for (sw_ix s = 0; s < u->graph.nsw; s++)
			u->rank[s] = u->graph.live[s] ? 0 : UINT32_MAX;
		order_sort(u);
	} else {
		order_from_root(u, rng_below(&g, u->graph.nsw));
	}
	if (k == 2 || k == 3)
		u->order = ROUTE_TIERS;
	if (u->order == ROUTE_TIERS)
		mark_tops(u);
	return sftree_root_choose(u, false) != UINT64_MAX;
}

void
updn_order_search(struct updown *u)
{
	uint64_t cost = (uint64_t)u->graph.nsw *
			(u->graph.first[u->graph.nsw] + 20U * u->graph.nsw);
	uint32_t n = (uint32_t)(EFFORT / (cost + 1)), best = 1;
	uint32_t stride = (uint32_t)(cost / (EFFORT / FEWEST)) | 1;
	double least = -1;

	n = n < FEWEST ? FEWEST : n > MOST ? MOST : n;
	for (uint32_t k = 0; k < n; k++) {
		struct updown v = {.graph = {.job = u->graph.job,
					   .t = u->graph.t,
					   .like = &u->graph}};
		double load;

		v.graph.a = arena_new();
		order_begin(&v);
		load = candidate(&v, k) ? estimate(&v, stride) : -1;
		if (load >= 0 && (least < 0 || load < least)) {
			least = load;
			best = k;
		}
		arena_free(v.graph.a);
	}
	(void)candidate(u, best);
	(void)snprintf(u->note, sizeof(u->note),
		"not a tree: the best of %u orders, number %u", n, best);
}
