#include <string.h>

#include "routing/tree_priv.h"

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

/* How many neighbours of s are clearly above it, and how many below. */
static void
look_around(
	const struct tree_work *w, sw_ix s, uint32_t *above, uint32_t *below)
{
	const struct updn *g = &w->g;

	*above = *below = 0;
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		*above += tree_far_above(w, g->group[i].peer, s);
		*below += tree_far_above(w, s, g->group[i].peer);
	}
}

static bool
has_hosts(const struct tree_work *w, sw_ix s)
{
	return w->g.weight[s] > 0 && w->g.hosts[w->g.comp[s]] > 0;
}

static void
find_kin(const struct tree_work *w, sw_ix s, struct kin *k)
{
	const struct updn *g = &w->g;

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
	const struct updn *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix n = g->group[i].peer;

		for (uint32_t j = g->first[x]; j < g->first[x + 1]; j++)
			if (g->group[j].peer == n && tree_far_above(w, x, n))
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
 * leaves of their own, with switches above those. It is none of the last where
 * there is nobody else below: some switch must be what those neighbours join.
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
		else if (w->role[x] == ROUTE_ROLE_ROOT || beyond(w, s, x))
			better(w, k, &up, x);
		else
			better(w, k, &mid, x);
	}
	if (leaf.shared + mid.shared > 0 && up.shared > leaf.shared &&
		up.shared > low.shared && up.shared > mid.shared)
		w->like[s] = up.sw;
	else if (mid.shared > leaf.shared && mid.shared >= low.shared)
		w->like[s] = mid.sw;
	else
		return true;
	return false;
}

/* All neighbours are leaves: it joins them, so it is above them. */
static bool
on_leaves(const struct tree_work *w, sw_ix s)
{
	const struct updn *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (!w->leaf[g->group[i].peer])
			return false;
	return g->first[s] < g->first[s + 1];
}

void
tree_leaf(struct tree_work *w)
{
	const struct updn *g = &w->g;
	bool *bottom = arena_array(g->a, g->nsw, sizeof(*bottom));
	bool *found = arena_array(g->a, g->nsw, sizeof(*found));
	struct kin k = {.n = 0};
	uint32_t above, below;

	k.count = arena_array(g->a, g->nsw, sizeof(*k.count));
	k.seen = arena_array(g->a, g->nsw, sizeof(*k.seen));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t n = g->first[s + 1] - g->first[s];

		w->like[s] = TOPO_NONE;
		w->leaf[s] = w->role[s] == ROUTE_ROLE_LEAF;
		if (!g->live[s] || w->role[s] != ROUTE_ROLE_NONE)
			continue;
		look_around(w, s, &above, &below);
		if (has_hosts(w, s))
			w->leaf[s] = below * 3 <= n;
		else
			bottom[s] = below == 0 && above * 3 >= n * 2;
	}
	for (sw_ix s = 0; s < g->nsw; s++)
		found[s] = bottom[s] && !on_leaves(w, s) &&
			   settle(w, s, bottom, &k);
	for (sw_ix s = 0; s < g->nsw; s++)
		w->leaf[s] |= found[s];
}
