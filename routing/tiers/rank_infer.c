/*
 * rank_infer: from hosts and links to heights above the leaves, by the three
 * steps that tree_priv.h describes. Then a refinement switch by switch and,
 * where the heights contradict the fabric, further attempts without the links
 * that contradict. All of it is one inference: no other file calls a part of
 * it.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/tiers/tree_priv.h"

/* ---- leaves ---- */

/* True if a is clearly closer to the hosts than b, or above it by role. */
static bool
host_dist_is_above(const struct tree_work *w, sw_ix a, sw_ix b)
{
	if (w->roles && w->role[a] != ROUTE_ROLE_NONE &&
		w->role[b] != ROUTE_ROLE_NONE && w->role[a] != w->role[b])
		return w->role[a] > w->role[b];
	return w->far[a] < w->closer[b];
}

/* The switches that share neighbours with a switch at the bottom. */
struct sharers {
	uint32_t *count; /* [nsw] neighbours shared */
	sw_ix *seen;	 /* switches that share any */
	uint32_t n;
};

/* The most neighbours that a switch of one kind shares, and this switch. */
struct best {
	uint32_t shared;
	sw_ix sw;
};

/*
 * The numbers of neighbours of each switch that are clearly above it and below
 * it.
 */
struct around {
	uint32_t *above, *below;
};

static void
count_above_below(const struct tree_work *w, struct around *r)
{
	const struct swgraph *g = &w->g;

	r->above = arena_array(g->a, g->nsw, sizeof(*r->above));
	r->below = arena_array(g->a, g->nsw, sizeof(*r->below));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t above = 0, below = 0;

		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			above += host_dist_is_above(w, peer, s);
			below += host_dist_is_above(w, s, peer);
		}
		r->above[s] = above;
		r->below[s] = below;
	}
}

/*
 * The number of neighbours of s that are below it and have hosts or a switch
 * below themselves. A neighbour with neither may be far from hosts because it
 * has lost its links up, or because another tree is nearer.
 */
static uint32_t
count_below(const struct tree_work *w, const struct around *r, sw_ix s)
{
	const struct swgraph *g = &w->g;
	uint32_t n = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix peer = g->group[i].peer;

		n += (tree_has_hosts(w, peer) || r->below[peer] > 0) &&
		     host_dist_is_above(w, s, peer);
	}
	return n;
}

/* The number of neighbours of s that are known leaves. */
static uint32_t
count_leaves(const struct tree_work *w, sw_ix s)
{
	const struct swgraph *g = &w->g;
	uint32_t n = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		n += w->leaf[g->group[i].peer];
	return n;
}

static uint32_t
count_neighbours(const struct tree_work *w, sw_ix s)
{
	return w->g.first[s + 1] - w->g.first[s];
}

static void
find_sharers(const struct tree_work *w, sw_ix s, struct sharers *k)
{
	const struct swgraph *g = &w->g;

	while (k->n > 0)
		k->count[k->seen[--k->n]] = 0;
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix n = g->group[i].peer;

		for (uint32_t j = g->first[n]; j < g->first[n + 1]; j++) {
			sw_ix x = g->group[j].peer;

			if (x != s && k->count[x]++ == 0)
				k->seen[k->n++] = x;
		}
	}
}

/*
 * True if x is on the far side of a neighbour that it shares with s, clearly
 * above it.
 */
static bool
is_beyond_shared(const struct tree_work *w, sw_ix s, sw_ix x)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix n = g->group[i].peer;

		for (uint32_t j = g->first[x]; j < g->first[x + 1]; j++)
			if (g->group[j].peer == n &&
				host_dist_is_above(w, x, n))
				return true;
	}
	return false;
}

static void
keep_best(const struct tree_work *w, const struct sharers *k, struct best *b,
	sw_ix x)
{
	if (k->count[x] < b->shared ||
		(k->count[x] == b->shared && b->sw != TOPO_NONE &&
			tree_guid(w, x) > tree_guid(w, b->sw)))
		return;
	*b = (struct best){k->count[x], x};
}

/*
 * Whether s, a switch at the bottom, is a leaf. Four kinds of switches share
 * neighbours with it: leaves (leaf); others at the bottom (low); switches that
 * are below the same neighbours but have leaves of their own (mid); switches
 * above these neighbours (up). Where mid shares the most, s is in its tier:
 * like[].
 *
 * If s shares more with switches above, or more than twice as much with others
 * at the bottom, than with any leaf while there is one, it joins several pods:
 * it has lost links at the top. Where no leaf shares a neighbour, s is a leaf
 * itself, unless mid shares some and up more than low: some switch must be what
 * its neighbours join.
 */
static bool
is_leaf_by_resemblance(
	struct tree_work *w, sw_ix s, const bool *bottom, struct sharers *k)
{
	struct best leaf = {0, TOPO_NONE}, low = leaf, mid = leaf, up = leaf;

	find_sharers(w, s, k);
	for (uint32_t i = 0; i < k->n; i++) {
		sw_ix x = k->seen[i];

		if (w->leaf[x])
			keep_best(w, k, &leaf, x);
		else if (bottom[x])
			keep_best(w, k, &low, x);
		else if (count_leaves(w, x) * 4 < count_neighbours(w, x) &&
			 (w->role[x] == ROUTE_ROLE_ROOT ||
				 is_beyond_shared(w, s, x)))
			keep_best(w, k, &up, x);
		else
			keep_best(w, k, &mid, x);
	}
	if (mid.shared > leaf.shared && mid.shared >= low.shared &&
		mid.shared >= up.shared) {
		w->like[s] = mid.sw;
		return false;
	}
	if (leaf.shared == 0)
		return mid.shared == 0 || up.shared <= low.shared;
	return up.shared <= leaf.shared && low.shared <= 2 * leaf.shared;
}

/*
 * True if at least half of its neighbours are leaves: s joins them, so it is
 * above them.
 */
static bool
is_above_leaves(const struct tree_work *w, sw_ix s)
{
	uint32_t n = count_leaves(w, s);

	return n > 0 && n * 2 >= count_neighbours(w, s);
}

/* Fill leaf[] and like[]. */
static void
infer_leaves(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	bool *bottom = arena_array(g->a, g->nsw, sizeof(*bottom));
	bool *found = arena_array(g->a, g->nsw, sizeof(*found));
	struct sharers k = {.n = 0};
	struct around r;

	count_above_below(w, &r);
	k.count = arena_array(g->a, g->nsw, sizeof(*k.count));
	k.seen = arena_array(g->a, g->nsw, sizeof(*k.seen));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t n = count_neighbours(w, s);

		w->like[s] = TOPO_NONE;
		w->leaf[s] = w->role[s] == ROUTE_ROLE_LEAF;
		if (!g->live[s] || w->role[s] != ROUTE_ROLE_NONE)
			continue;
		if (tree_has_hosts(w, s)) {
			w->leaf[s] = count_below(w, &r, s) * 3 <= n;
			continue;
		}
		bottom[s] = r.above[s] * 2 >= n && count_below(w, &r, s) == 0;
	}
	for (sw_ix s = 0; s < g->nsw; s++)
		found[s] = bottom[s] && !is_above_leaves(w, s) &&
			   is_leaf_by_resemblance(w, s, bottom, &k);
	for (sw_ix s = 0; s < g->nsw; s++)
		w->leaf[s] |= found[s];
}

/* ---- heights ---- */

/* The round in progress. */
struct rising {
	bool *wait;  /* [nsw] candidates of this round */
	sw_ix *list; /* the same as a list */
	uint32_t n;
	uint32_t *down, *level; /* links to placed switches, to candidates */
};

/*
 * Whether s can be placed from below. Roots are placed when no other switch can
 * be.
 */
static bool
can_be_placed(const struct tree_work *w, sw_ix s, bool roots)
{
	return w->g.live[s] && w->high[s] == UINT32_MAX &&
	       w->like[s] == TOPO_NONE &&
	       (roots || w->role[s] != ROUTE_ROLE_ROOT);
}

/* True if a neighbour of s has height h. */
static bool
has_neighbour_at(const struct tree_work *w, sw_ix s, uint32_t h)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (w->high[g->group[i].peer] == h)
			return true;
	return false;
}

static void
gather_candidates(
	const struct tree_work *w, struct rising *r, uint32_t h, bool roots)
{
	const struct swgraph *g = &w->g;

	r->n = 0;
	for (sw_ix s = 0; s < g->nsw; s++) {
		r->wait[s] =
			can_be_placed(w, s, roots) && has_neighbour_at(w, s, h);
		if (r->wait[s])
			r->list[r->n++] = s;
	}
}

static void
count_links(const struct tree_work *w, struct rising *r)
{
	const struct swgraph *g = &w->g;

	for (uint32_t k = 0; k < r->n; k++) {
		sw_ix s = r->list[k];

		r->down[s] = r->level[s] = 0;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (w->high[peer] != UINT32_MAX)
				r->down[s] += g->group[i].n;
			else if (r->wait[peer])
				r->level[s] += g->group[i].n;
		}
	}
}

/*
 * Take out of the round the candidates that have the largest share of their
 * links to other candidates. False: there are none, or all candidates are such.
 */
static bool
defer_candidates(struct tree_work *w, struct rising *r)
{
	uint32_t level = 0, down = 1, left = 0;

	count_links(w, r);
	for (uint32_t k = 0; k < r->n; k++) {
		sw_ix s = r->list[k];

		if (r->level[s] > r->down[s] &&
			(uint64_t)r->level[s] * down >
				(uint64_t)level * r->down[s]) {
			level = r->level[s];
			down = r->down[s];
		}
	}
	if (level == 0)
		return false;
	for (uint32_t k = 0; k < r->n; k++) {
		sw_ix s = r->list[k];

		if ((uint64_t)r->level[s] * down !=
			(uint64_t)level * r->down[s])
			r->list[left++] = s;
	}
	if (left == 0)
		return false; /* all alike: a tier with links inside */
	for (uint32_t k = 0; k < r->n; k++)
		r->wait[r->list[k]] = false;
	memset(r->wait, 0, w->g.nsw * sizeof(*r->wait));
	for (uint32_t k = 0; k < left; k++)
		r->wait[r->list[k]] = true;
	r->n = left;
	return true;
}

/* Place switches tier by tier upwards until no switch is left to place. */
static void
place_upwards(struct tree_work *w, struct rising *r, bool roots)
{
	uint32_t top = 0;

	for (uint32_t h = 0; h <= top; h++) {
		for (sw_ix s = 0; s < w->g.nsw; s++)
			if (w->high[s] != UINT32_MAX && w->high[s] > top)
				top = w->high[s];
		gather_candidates(w, r, h, roots);
		while (defer_candidates(w, r))
			;
		for (uint32_t k = 0; k < r->n; k++)
			w->high[r->list[k]] = h + 1;
		top = r->n > 0 && h + 1 > top ? h + 1 : top;
	}
}

/* A root is above all placed switches that it has links to. */
static void
place_roots(struct tree_work *w)
{
	const struct swgraph *g = &w->g;

	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t h = UINT32_MAX;

		if (!can_be_placed(w, s, true) || w->role[s] != ROUTE_ROLE_ROOT)
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (w->role[peer] != ROUTE_ROLE_ROOT &&
				w->high[peer] != UINT32_MAX &&
				(h == UINT32_MAX || w->high[peer] >= h))
				h = w->high[peer] + 1;
		}
		w->high[s] = h;
	}
}

/*
 * The height that most links of s call for: one above, or one below, a placed
 * peer.
 */
static uint32_t
vote_height(const struct tree_work *w, sw_ix s)
{
	const struct swgraph *g = &w->g;
	uint32_t best = UINT32_MAX, most = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t says = UINT32_MAX, n = 0;

		for (uint32_t j = i; j < g->first[s + 1]; j++) {
			sw_ix peer = g->group[j].peer;
			uint32_t h = w->high[peer];

			if (h == UINT32_MAX)
				continue;
			h += h == 0 || host_dist_is_above(w, s, peer) ? 1U
								      : -1U;
			if (says == UINT32_MAX)
				says = h;
			n += says == h ? g->group[j].n : 0;
		}
		if (n > most || (n == most && says < best)) {
			most = n;
			best = says;
		}
	}
	return best;
}

/*
 * Switches without a height, which have lost their path from below, get the
 * height of the switch that they resemble, or the one by vote.
 */
static void
infer_rest_of_heights(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	uint32_t *to = arena_array(g->a, g->nsw, sizeof(*to));
	bool more = true;

	while (more) {
		more = false;
		for (sw_ix s = 0; s < g->nsw; s++) {
			to[s] = w->high[s];
			if (!g->live[s] || w->high[s] != UINT32_MAX)
				continue;
			if (w->like[s] != TOPO_NONE)
				to[s] = w->high[w->like[s]];
			if (to[s] == UINT32_MAX)
				to[s] = vote_height(w, s);
			more |= to[s] != UINT32_MAX;
		}
		memcpy(w->high, to, g->nsw * sizeof(*to));
	}
}

/* Fill high[]; where the height stays unknown, no path leads to a leaf. */
static void
infer_heights(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	struct rising r;

	r.wait = arena_array(g->a, g->nsw, sizeof(*r.wait));
	r.list = arena_array(g->a, g->nsw, sizeof(*r.list));
	r.down = arena_array(g->a, g->nsw, sizeof(*r.down));
	r.level = arena_array(g->a, g->nsw, sizeof(*r.level));
	for (sw_ix s = 0; s < g->nsw; s++)
		w->high[s] = g->live[s] && w->leaf[s] ? 0 : UINT32_MAX;
	place_upwards(w, &r, false);
	place_roots(w);
	place_upwards(w, &r, true);
	infer_rest_of_heights(w);
}

/* ---- refinement, switch by switch ---- */

/*
 * Inference judges by distances across the whole fabric. A switch that then
 * stands among its neighbours as no switch of a tree does is judged again by
 * its own links: it moves to the height at which the fewest of them lead
 * elsewhere than to the next height. The largest gain comes first, and each
 * step leaves fewer contradictions.
 */

struct refining {
	struct tree_work *w;
	uint32_t *most; /* [ncomp] the greatest height */
	uint32_t *gain; /* [nsw] contradictions fewer by moving to to[] */
	uint32_t *to;
};

/*
 * The contradictions of s at this height: a link to elsewhere than the next
 * height counts for more than hosts do.
 */
static uint32_t
count_contradictions(const struct tree_work *w, sw_ix s, uint32_t high)
{
	const struct swgraph *g = &w->g;
	uint32_t n = high > 0 && tree_has_hosts(w, s);

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t other = w->high[g->group[i].peer];

		if (other != high + 1 && high != other + 1)
			n += 2U * g->group[i].n;
	}
	return n;
}

/* True if most links of s lead elsewhere than to the next height. */
static bool
is_astray(const struct tree_work *w, sw_ix s, uint32_t wrong)
{
	const struct swgraph *g = &w->g;
	uint32_t n = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		n += g->group[i].n;
	return wrong > n;
}

/*
 * Whether s may move to this height. Only a switch with hosts may become a
 * leaf; it stays one, however few of its links lead up.
 */
static bool
can_move_to(const struct tree_work *w, sw_ix s, uint32_t high)
{
	if (tree_has_hosts(w, s))
		return high == 0;
	return high > 0 &&
	       is_astray(w, s, count_contradictions(w, s, w->high[s]));
}

static void
weigh_move(struct refining *l, sw_ix s)
{
	const struct tree_work *w = l->w;
	uint32_t now = count_contradictions(w, s, w->high[s]);

	l->gain[s] = 0;
	if (now <= 1 || w->role[s] != ROUTE_ROLE_NONE)
		return; /* only hosts contradict: distances have placed them */
	for (uint32_t h = 0; h <= l->most[w->g.comp[s]]; h++) {
		uint32_t n = count_contradictions(w, s, h);

		if (n >= now || now - n <= l->gain[s] || !can_move_to(w, s, h))
			continue;
		l->gain[s] = now - n;
		l->to[s] = h;
	}
}

static sw_ix
best_move(const struct refining *l)
{
	const struct tree_work *w = l->w;
	sw_ix best = TOPO_NONE;

	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (l->gain[s] > 0 &&
			(best == TOPO_NONE || l->gain[s] > l->gain[best] ||
				(l->gain[s] == l->gain[best] &&
					tree_guid(w, s) < tree_guid(w, best))))
			best = s;
	return best;
}

static void
begin_refining(struct refining *l)
{
	const struct tree_work *w = l->w;
	const struct swgraph *g = &w->g;

	l->most = arena_array(g->a, g->ncomp, sizeof(*l->most));
	l->gain = arena_array(g->a, g->nsw, sizeof(*l->gain));
	l->to = arena_array(g->a, g->nsw, sizeof(*l->to));
	for (sw_ix s = 0; s < g->nsw; s++)
		if (w->high[s] != UINT32_MAX &&
			w->high[s] > l->most[g->comp[s]])
			l->most[g->comp[s]] = w->high[s];
	for (sw_ix s = 0; s < g->nsw; s++)
		if (w->high[s] != UINT32_MAX)
			weigh_move(l, s);
}

static void
refine_heights(struct tree_work *w)
{
	struct refining l = {.w = w};
	const struct swgraph *g = &w->g;

	begin_refining(&l);
	for (sw_ix s = best_move(&l); s != TOPO_NONE; s = best_move(&l)) {
		w->high[s] = l.to[s];
		w->leaf[s] = l.to[s] == 0;
		weigh_move(&l, s);
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			if (w->high[g->group[i].peer] != UINT32_MAX)
				weigh_move(&l, g->group[i].peer);
	}
}

/* ---- without links that contradict ---- */

/*
 * A link plugged into the wrong port may join switches that are far apart, and
 * then the host distances of its ends say that they are in the middle of the
 * fabric. Such a link is lone: in a tree each link has others beside it, from a
 * second switch below to a second one above. So where the heights contradict
 * the fabric, inference is repeated without lone links, and then without the
 * links that contradict, while that leaves fewer contradictions. Switches that
 * only these links connect are placed by them, last. Leaves have the same
 * height everywhere, so trees that no other link joins fit together.
 */

enum { ROUNDS = 4 };

/* The contradictions of one component; a link counts from both ends. */
struct against {
	uint64_t all;	/* of every kind */
	uint64_t plain; /* but for missing hosts and missing links down */
	uint64_t links; /* only links to elsewhere than the next height */
};

typedef bool leave_out(const struct tree_work *w, sw_ix s, uint32_t group);

/*
 * True if a and b have a neighbour in common other than but. Groups are sorted
 * by peer.
 */
static bool
has_common_neighbour(const struct swgraph *g, sw_ix a, sw_ix b, sw_ix but)
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

/*
 * Begins with the group behind the given one: its peer mostly is the next
 * switch of the same tier.
 */
static bool
is_lone_link(const struct tree_work *w, sw_ix s, uint32_t group)
{
	const struct swgraph *g = &w->g;
	uint32_t n = g->first[s + 1] - g->first[s], at = group - g->first[s];
	sw_ix peer = g->group[group].peer;

	for (uint32_t k = 1; k < n; k++)
		if (has_common_neighbour(g,
			    g->group[g->first[s] + (at + k) % n].peer, peer, s))
			return false;
	return true;
}

/* True if these links lead elsewhere than to the next height. */
static bool
is_odd_link(const struct tree_work *w, sw_ix s, uint32_t group)
{
	uint32_t mine = w->high[s], other = w->high[w->g.group[group].peer];

	return other + 1 != mine && mine + 1 != other;
}

/*
 * The graph without the groups for which out says true; false: there are none.
 */
static bool
remove_links(const struct tree_work *w, leave_out *out, struct swgraph *g)
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

/*
 * Components without hosts say nothing about heights: their switches are not
 * live.
 */
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

/*
 * Place the switches that have no path to hosts but by the links left out: by
 * these links.
 */
static void
place_cut_off(const struct tree_work *w, struct tree_work *x)
{
	for (sw_ix s = 0; s < w->g.nsw; s++) {
		if (x->g.live[s])
			continue;
		x->far[s] = w->far[s];
		x->closer[s] = w->closer[s];
	}
	x->g = w->g;
	infer_rest_of_heights(x);
}

static struct tree_work
infer_again(const struct tree_work *w, const struct swgraph *g)
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
	host_dist_measure(&x);
	infer_leaves(&x);
	infer_heights(&x);
	place_cut_off(w, &x);
	refine_heights(&x);
	return x;
}

static struct against *
count_against(const struct tree_work *w)
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
			odd += is_odd_link(w, s, i) ? g->group[i].n : 0;
			below |= w->high[g->group[i].peer] < w->high[s];
		}
		c = &n[g->comp[s]];
		c->links += odd;
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

/*
 * Take over the components for which the other reading is better; false: there
 * are none.
 */
static bool
take_better_reading(
	struct tree_work *w, const struct tree_work *x, struct against **was)
{
	const struct against *is = count_against(x);
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
		*was = count_against(w);
	return any;
}

/*
 * True if the reading contradicts the fabric and leaving out links may help.
 * Where more than a third of the links contradict, it is no tree, whatever is
 * left out.
 */
static bool
is_retry_worthwhile(const struct tree_work *w, const struct against *n)
{
	const struct swgraph *g = &w->g;
	uint64_t links = 0, odd = 0, plain = 0;

	for (uint32_t i = 0; i < g->first[g->nsw]; i++)
		links += g->group[i].n;
	for (uint32_t c = 0; c < g->ncomp; c++) {
		odd += n[c].links;
		plain += n[c].plain;
	}
	return plain > 0 && odd * 3 <= links;
}

/* True if a link of any component leads elsewhere than to the next height. */
static bool
has_odd_link(const struct tree_work *w, const struct against *n)
{
	for (uint32_t c = 0; c < w->g.ncomp; c++)
		if (n[c].links > 0)
			return true;
	return false;
}

/*
 * Where the reading contradicts the fabric, infer again without the links that
 * contradict.
 */
static void
retry_without_outliers(struct tree_work *w)
{
	struct against *n = count_against(w);
	struct tree_work x;
	struct swgraph g;

	if (!is_retry_worthwhile(w, n))
		return;
	refine_heights(w);
	n = count_against(w);
	if (remove_links(w, is_lone_link, &g)) {
		x = infer_again(w, &g);
		(void)take_better_reading(w, &x, &n);
	}
	for (unsigned i = 0; i < ROUNDS && has_odd_link(w, n); i++) {
		if (!remove_links(w, is_odd_link, &g))
			return;
		x = infer_again(w, &g);
		if (!take_better_reading(w, &x, &n))
			return;
	}
}

void
rank_infer(struct tree_work *w)
{
	host_dist_measure(w);
	infer_leaves(w);
	infer_heights(w);
	retry_without_outliers(w);
}
