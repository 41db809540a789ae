#include "routing/engines/updn/updn.h"

#include <stdio.h>
#include <string.h>

#include "sm/base/rng.h"

enum {
	EFFORT = 8000000, /* steps to spend, about a nanosecond or two each */
	FEWEST = 4,
	MOST = 24,
};

/* The traffic to one destination, by switch. */
struct flow {
	const struct updown *u;
	const struct reachability *r;
	uint8_t *level;	  /* steps to the destination */
	bool *down;	  /* all of these steps go down */
	uint32_t *list;	  /* switches, farthest first */
	double *pairs;	  /* host pairs that pass */
	double *load;	  /* per group, over all destinations */
	uint64_t strange; /* see struct order_value */
};

/* What is known of an order. */
struct order_value {
	double load;	  /* the greatest of a link, estimated; < 0: no order */
	uint64_t strange; /* entries of tables found in the switches that are
			     not legal in it */
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

/* Count the entries found for the LID of dest that are not legal; n: switches
 * in the list. */
static void
count_strange(struct flow *f, sw_ix dest, uint32_t n)
{
	const struct topo *t = f->u->graph.t;
	uint16_t lid = t->port[t->node[t->sw[dest].node].first_port].lid;

	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = f->list[i];
		sw_ix next = s == dest ? dest
				       : routes_next_switch(
						 f->u->graph.job->prev, s, lid);

		f->strange += s != dest &&
			      (next == TOPO_NONE || !is_next(f, s, next));
	}
}

/*
 * The traffic of all switches to dest, split evenly over the legal next hops.
 * n: switches in the list.
 */
static void
add_flows_to(struct flow *f, sw_ix dest, uint32_t n)
{
	const struct updown *u = f->u;

	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = f->list[i];
		uint32_t links = 0;

		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			if (is_next(f, s, u->graph.group[g].peer))
				links += u->graph.group[g].n;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			double share;

			if (!is_next(f, s, u->graph.group[g].peer))
				continue;
			share = f->pairs[s] / links;
			f->load[g] += share * u->graph.weight[dest];
			f->pairs[u->graph.group[g].peer] +=
				share * u->graph.group[g].n;
		}
	}
}

/*
 * The greatest load of a link under the order in u->sw_order, if traffic is
 * split over all legal paths, from every stride-th destination; and how well
 * the order goes with tables whose own order is not known.
 */
static struct order_value
evaluate_order(struct updown *u, uint32_t stride)
{
	struct reachability r = reach_make_levels(u);
	struct flow f = {.u = u, .r = &r};
	bool found = sftree_root_unknown_order(u);
	double worst = 0;

	f.level = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.level));
	f.down = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.down));
	f.list = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.list));
	f.pairs = arena_array(u->graph.a, u->graph.nsw, sizeof(*f.pairs));
	f.load = arena_array(
		u->graph.a, u->graph.first[u->graph.nsw], sizeof(*f.load));
	for (sw_ix d = 0; d < u->graph.nsw; d += stride) {
		uint32_t n;

		if (!u->graph.live[d] || u->graph.weight[d] == 0)
			continue;
		n = find_levels(&f, d);
		add_flows_to(&f, d, n);
		if (found)
			count_strange(&f, d, n);
	}
	for (uint32_t g = 0; g < u->graph.first[u->graph.nsw]; g++)
		worst = f.load[g] > worst ? f.load[g] : worst;
	return (struct order_value){worst, f.strange};
}

/*
 * Local tops get rank 0, so that a later sweep recognises them as tops; no
 * switch with links changes its place by that.
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

/*
 * Ranks by the distance from hosts: as many ranks as there are different
 * distances.
 */
static void
rank_by_closeness(struct updown *u)
{
	uint64_t *far = order_host_distance(u);

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		u->rank[s] = u->graph.live[s] ? 0 : ROUTE_NO_RANK;
		for (sw_ix x = 0; u->graph.live[s] && x < u->graph.nsw; x++)
			u->rank[s] += u->graph.live[x] && far[x] < far[s];
	}
	order_sort(u);
}

/*
 * Make order number k of those that are tried: the same ones wherever the
 * subnet manager is. False: it cannot be completed.
 */
static bool
make_candidate_order(struct updown *u, uint32_t k)
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
	} else {
		for (sw_ix s = 0; s < u->graph.nsw; s++)
			u->rank[s] = u->graph.live[s] ? 0 : ROUTE_NO_RANK;
		order_sort(u);
		if (k > 3)
			order_from_root(
				u, u->tier.seq[rng_below(&g, u->graph.nsw)]);
	}
	if (k == 2 || k == 3)
		u->order = ROUTE_TIERS;
	if (u->order == ROUTE_TIERS)
		mark_tops(u);
	return sftree_root_choose(u, false) != UINT64_MAX;
}

/* The order that the tables found go with is as good as in force. */
static bool
is_better_order(const struct order_value *a, const struct order_value *b)
{
	if ((a->load < 0) != (b->load < 0))
		return b->load < 0;
	if ((a->strange == 0) != (b->strange == 0))
		return a->strange == 0;
	return a->load < b->load;
}

void
updn_order_search(struct updown *u)
{
	uint64_t cost = (uint64_t)u->graph.nsw *
			(u->graph.first[u->graph.nsw] + 20U * u->graph.nsw);
	uint32_t n = (uint32_t)(EFFORT / (cost + 1)), best = 1;
	uint32_t stride = (uint32_t)(cost / (EFFORT / FEWEST)) | 1;
	struct order_value least = {.load = -1};

	n = n < FEWEST ? FEWEST : n > MOST ? MOST : n;
	for (uint32_t k = 0; k < n; k++) {
		struct updown v = {.graph = {.job = u->graph.job,
					   .t = u->graph.t,
					   .like = &u->graph}};
		struct order_value is = {.load = -1};

		v.graph.a = arena_new();
		order_begin(&v);
		if (make_candidate_order(&v, k))
			is = evaluate_order(&v, stride);
		if (is_better_order(&is, &least)) {
			least = is;
			best = k;
		}
		arena_free(v.graph.a);
	}
	(void)make_candidate_order(u, best);
	(void)snprintf(u->note, sizeof(u->note),
		"not a tree: the best of %u orders, number %u", n, best);
}
