/*
 * A cable that somebody put in the wrong port may bring together what is far
 * apart, and then distances say of its ends that they are in the middle of it
 * all. Such a cable is alone: in a tree each one has others beside it, from a
 * second switch below to a second one above. So a reading that contradicts the
 * fabric is made again without lone cables, and then without those that it
 * contradicts, while that leaves fewer contradictions. What hung on these
 * cables only is placed by them, last. Leaves are as high everywhere, so trees
 * that nothing else joins fit together.
 */
#include <string.h>

#include "routing/tiers/tree_priv.h"

enum { ROUNDS = 4 };

/* Of one component. */
struct against {
	uint64_t all;	 /* contradictions, */
	uint64_t plain;	 /* ... not only that somebody lacks hosts or cables, */
	uint64_t cables; /* ... that are cables: each from both ends */
};

typedef bool leave_out(const struct tree_work *w, sw_ix s, uint32_t group);

/* Have a and b a neighbour in common, but for one? Sorted by peer. */
static bool
meet(const struct swgraph *g, sw_ix a, sw_ix b, sw_ix but)
{
	uint32_t i = g->first[a], j = g->first[b];

	while (i < g->first[a + 1] && j < g->first[b + 1]) {
		sw_ix x = g->group[i].peer, y = g->group[j].peer;

		if (x == y && x != but)
			return true;
		i += x <= y;
		j += y <= x;
	}
	return false;
}

/* Its neighbour in the list mostly is the next one of the same tier. */
bool
rank_outliers_is_lone(const struct tree_work *w, sw_ix s, uint32_t group)
{
	const struct swgraph *g = &w->g;
	uint32_t n = g->first[s + 1] - g->first[s], at = group - g->first[s];
	sw_ix peer = g->group[group].peer;

	for (uint32_t k = 1; k < n; k++)
		if (meet(g, g->group[g->first[s] + (at + k) % n].peer, peer, s))
			return false;
	return true;
}

/* Do these cables lead elsewhere than to the next height? */
static bool
is_odd(const struct tree_work *w, sw_ix s, uint32_t group)
{
	uint32_t mine = w->high[s], other = w->high[w->g.group[group].peer];

	return other + 1 != mine && mine + 1 != other;
}

/* The graph without such cables; false: there are none. */
static bool
take_out(const struct tree_work *w, leave_out *out, struct swgraph *g)
{
	const struct swgraph *all = &w->g;
	uint32_t n = 0;

	*g = *all;
	g->first = arena_array(g->a, g->nsw + 1, sizeof(*g->first));
	g->group = arena_array(g->a, all->first[g->nsw], sizeof(*g->group));
	for (sw_ix s = 0; s < g->nsw; s++) {
		g->first[s] = n;
		for (uint32_t i = all->first[s]; i < all->first[s + 1]; i++)
			if (!out(w, s, i))
				g->group[n++] = all->group[i];
	}
	g->first[g->nsw] = n;
	return n < all->first[g->nsw];
}

/* Pieces without hosts say nothing about heights. */
static void
find_pieces(struct swgraph *g)
{
	bool *live = arena_array(g->a, g->nsw, sizeof(*live));

	swgraph_components(g);
	for (sw_ix s = 0; s < g->nsw; s++) {
		live[s] = g->live[s] && g->hosts[g->comp[s]] > 0;
		if (!live[s])
			g->weight[s] = 0;
	}
	g->live = live;
}

/* By the cables that were left out, who has no others. */
static void
put_back(const struct tree_work *w, struct tree_work *x)
{
	for (sw_ix s = 0; s < w->g.nsw; s++) {
		if (x->g.live[s])
			continue;
		x->far[s] = w->far[s];
		x->closer[s] = w->closer[s];
	}
	x->g = w->g;
	height_infer_rest(x);
}

static struct tree_work
read_again(const struct tree_work *w, const struct swgraph *g)
{
	struct tree_work x = *w;
	struct arena *a = g->a;

	x.g = *g;
	x.far = arena_array(a, g->nsw, sizeof(*x.far));
	x.closer = arena_array(a, g->nsw, sizeof(*x.closer));
	x.leaf = arena_array(a, g->nsw, sizeof(*x.leaf));
	x.like = arena_array(a, g->nsw, sizeof(*x.like));
	x.high = arena_array(a, g->nsw, sizeof(*x.high));
	find_pieces(&x.g);
	host_dist(&x);
	leaf_infer(&x);
	height_infer(&x);
	put_back(w, &x);
	rank_refine(&x);
	return x;
}

static struct against *
count(const struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	struct against *n = arena_array(g->a, g->ncomp, sizeof(*n));

	for (sw_ix s = 0; s < g->nsw; s++) {
		bool below = false, hosts = tree_has_hosts(w, s);
		uint64_t odd = 0;
		struct against *c;

		if (!g->live[s])
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			odd += is_odd(w, s, i) ? g->group[i].n : 0;
			below |= w->high[g->group[i].peer] < w->high[s];
		}
		c = &n[g->comp[s]];
		c->cables += odd;
		c->plain += odd;
		if (w->high[s] == 0)
			c->all += !hosts;
		else
			c->all += !below;
		if (w->high[s] > 0 && hosts)
			c->plain += g->weight[s];
	}
	for (uint32_t c = 0; c < g->ncomp; c++)
		n[c].all += n[c].plain;
	return n;
}

/* Take over what is better in the other reading; false: nothing is. */
static bool
prefer(struct tree_work *w, const struct tree_work *x, struct against **was)
{
	const struct against *is = count(x);
	bool any = false;

	for (sw_ix s = 0; s < w->g.nsw; s++) {
		uint32_t c = w->g.comp[s];

		if (!w->g.live[s] || is[c].plain > (*was)[c].plain ||
			is[c].all >= (*was)[c].all)
			continue;
		w->high[s] = x->high[s];
		w->leaf[s] = x->leaf[s];
		any = true;
	}
	if (any)
		*was = count(w);
	return any;
}

/* What cables mostly contradict is no tree, whatever is left out. */
static bool
is_worth_it(const struct tree_work *w, const struct against *n)
{
	const struct swgraph *g = &w->g;
	uint64_t cables = 0, odd = 0, plain = 0;

	for (uint32_t i = 0; i < g->first[g->nsw]; i++)
		cables += g->group[i].n;
	for (uint32_t c = 0; c < g->ncomp; c++) {
		odd += n[c].cables;
		plain += n[c].plain;
	}
	return plain > 0 && odd * 3 <= cables;
}

/* Is a cable odd, of any component? */
static bool
has_odd(const struct tree_work *w, const struct against *n)
{
	for (uint32_t c = 0; c < w->g.ncomp; c++)
		if (n[c].cables > 0)
			return true;
	return false;
}

void
rank_outliers(struct tree_work *w)
{
	struct against *n = count(w);
	struct tree_work x;
	struct swgraph g;

	w->restless |= has_odd(w, n);
	if (!is_worth_it(w, n))
		return;
	w->doubt = true;
	rank_refine(w);
	n = count(w);
	if (take_out(w, rank_outliers_is_lone, &g)) {
		w->restless = true;
		x = read_again(w, &g);
		(void)prefer(w, &x, &n);
	}
	for (unsigned i = 0; i < ROUNDS && has_odd(w, n); i++) {
		if (!take_out(w, is_odd, &g))
			return;
		x = read_again(w, &g);
		if (!prefer(w, &x, &n))
			return;
	}
}
