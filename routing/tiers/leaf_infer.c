#include <string.h>

#include "routing/tiers/tree_priv.h"

/* Who shares neighbours with a switch at the bottom. */
struct kin {
	uint32_t *count; /* [nsw] neighbours shared */
	sw_ix *seen;	 /* those that share any */
	uint32_t n;
};

/* The most that somebody of one kind shares, and who. */
struct best {
	uint32_t shared;
	sw_ix sw;
};

/* How many neighbours of each switch are clearly above it, or below. */
struct around {
	uint32_t *above, *below;
};

static void
look_around(const struct tree_work *w, struct around *r)
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
 * How many neighbours of s are below it and have hosts, or something below
 * themselves. What has neither may be far because it lost its cables upwards,
 * or because another tree is nearer.
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

/* How many neighbours of s are known leaves. */
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
neighbours(const struct tree_work *w, sw_ix s)
{
	return w->g.first[s + 1] - w->g.first[s];
}

static void
find_kin(const struct tree_work *w, sw_ix s, struct kin *k)
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

/* Is x on the far side of a neighbour that it shares with s? */
static bool
beyond(const struct tree_work *w, sw_ix s, sw_ix x)
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
better(const struct tree_work *w, const struct kin *k, struct best *b, sw_ix x)
{
	if (k->count[x] < b->shared ||
		(k->count[x] == b->shared && b->sw != TOPO_NONE &&
			tree_guid(w, x) > tree_guid(w, b->sw)))
		return;
	*b = (struct best){k->count[x], x};
}

/*
 * A switch at the bottom: is it a leaf? It shares neighbours with leaves, with
 * others at the bottom, with switches that are below the same ones but have
 * leaves of their own, with switches above those.
 *
 * Who shares more with switches above, or with others that are nearly lost,
 * than with any leaf while there is one, joins several pods: it lost cables at
 * the top. Where there is no leaf it is one itself: some switch must be what
 * its neighbours join.
 */
static bool
settle(struct tree_work *w, sw_ix s, const bool *bottom, struct kin *k)
{
	struct best leaf = {0, TOPO_NONE}, low = leaf, mid = leaf, up = leaf;

	find_kin(w, s, k);
	for (uint32_t i = 0; i < k->n; i++) {
		sw_ix x = k->seen[i];

		if (w->leaf[x])
			better(w, k, &leaf, x);
		else if (bottom[x])
			better(w, k, &low, x);
		else if (count_leaves(w, x) * 4 < neighbours(w, x) &&
			 (w->role[x] == ROUTE_ROLE_ROOT || beyond(w, s, x)))
			better(w, k, &up, x);
		else
			better(w, k, &mid, x);
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

/* Half its neighbours are leaves: it joins them, so it is above them. */
static bool
on_leaves(const struct tree_work *w, sw_ix s)
{
	uint32_t n = count_leaves(w, s);

	return n > 0 && n * 2 >= neighbours(w, s);
}

void
leaf_infer(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	bool *bottom = arena_array(g->a, g->nsw, sizeof(*bottom));
	bool *found = arena_array(g->a, g->nsw, sizeof(*found));
	struct kin k = {.n = 0};
	struct around r;

	look_around(w, &r);
	k.count = arena_array(g->a, g->nsw, sizeof(*k.count));
	k.seen = arena_array(g->a, g->nsw, sizeof(*k.seen));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t n = neighbours(w, s);

		w->like[s] = TOPO_NONE;
		w->leaf[s] = w->role[s] == ROUTE_ROLE_LEAF;
		if (!g->live[s] || w->role[s] != ROUTE_ROLE_NONE)
			continue;
		if (tree_has_hosts(w, s)) {
			w->leaf[s] = count_below(w, &r, s) * 3 <= n;
			continue;
		}
		bottom[s] = r.above[s] * 2 >= n && count_below(w, &r, s) == 0;
		w->restless |= bottom[s];
	}
	for (sw_ix s = 0; s < g->nsw; s++)
		found[s] = bottom[s] && !on_leaves(w, s) &&
			   settle(w, s, bottom, &k);
	for (sw_ix s = 0; s < g->nsw; s++)
		w->leaf[s] |= found[s];
}
