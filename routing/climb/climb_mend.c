/*
 * climb_mend: pairs without a common layer, where the orders are those of a
 * structure, or such pairs are few.
 *
 * In the tree of one of the two, or in both, the pair gets the path of a layer
 * that changes the least: next hops, and pairs of switches behind them that
 * would lose theirs. What hangs behind changed next hops gets other layers by
 * that. The change stays if few enough pairs are without a common layer then:
 * at first fewer than before, then as many, then a few more, so that the search
 * does not end where no single change helps.
 *
 * Pairs that have no layer after that get the paths of the layer in which they
 * change the least, whatever that breaks, and those paths are pinned: nothing
 * changes them any more, and the search goes on around them. If pinned paths
 * leave none in a tree, all its pins are up/down paths from then on, those of
 * the escape tree. A tree becomes one of these once, and otherwise pins only
 * grow; with all of them pinned every pair has that layer, so this ends.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"
#include "sm/base/mem.h"

/* Rounds allow a change to leave up to MORE - 1 pairs more without a layer; a
 * pair is tried at most ATTEMPTS times. */
enum { MORE = 5, ATTEMPTS = 6 };

struct undo {
	size_t pair;
	uint32_t next;
	struct climb_layers layers;
};

struct climb_mend {
	struct climb *x;
	int more;	/* pairs more that a change may leave without a layer */
	uint8_t *tried; /* [nsw * nsw] attempts, by pair */
	uint16_t *without; /* [nsw * nsw] layers in which no path was found, as
			      none will be: pins only take some */
	bool *escapes;	   /* [nsw] pins of the tree are the escape tree's */
	bool *dirty;	   /* [nsw] has got other layers */
	bool tries;	   /* of this round: there was one */
	struct undo *undo; /* [2 * nsw] what was there; n of them */
	uint32_t n;
	bool *seen;	  /* [nsw] for walks; none is, in between */
	sw_ix *stack;	  /* [nsw] */
	uint32_t *breaks; /* [nsw] pairs of switches behind one that do not have
			     the layer searched in, but another */
	struct climb_search search;
};

/* Whether u and t, which are linked somehow, have no layer both ways. */
static bool
is_left(const struct climb *x, sw_ix t, sw_ix u)
{
	const struct swgraph *g = x->g;

	return g->live[t] && g->live[u] && g->comp[t] == g->comp[u] &&
	       climb_common_layers(x, t, u) == 0;
}

static struct climb_layers
layers_of(const struct climb *x, sw_ix t, sw_ix u)
{
	size_t row = climb_pair(x, t, 0);
	uint32_t c = x->next[row + u];
	struct climb_onward o = climb_onward(
		x, t, x->g->group[c].peer, x->next + row, x->tail + row);

	return climb_step(x, c, &o);
}

/* ---- the tree as a whole ---- */

/* Its switches again, parents first, with their layers. */
static void
renew_tree(struct climb_mend *m, sw_ix t)
{
	struct climb *x = m->x;
	size_t row = climb_pair(x, t, 0);

	memset(m->seen, 0, x->g->nsw * sizeof(*m->seen));
	m->seen[t] = true;
	x->nseq[t] = 1;
	for (sw_ix s = 0; s < x->g->nsw; s++) {
		uint32_t n = 0;

		for (sw_ix u = s; x->g->live[s] &&
				  x->g->comp[s] == x->g->comp[t] && !m->seen[u];
			u = x->g->group[x->next[row + u]].peer) {
			m->seen[u] = true;
			m->stack[n++] = u;
		}
		while (n-- > 0) {
			sw_ix u = m->stack[n];
			struct climb_layers l = layers_of(x, t, u);

			x->mask[row + u] = l.mask;
			x->tail[row + u] = l.tail;
			x->seq[row + x->nseq[t]++] = u;
		}
	}
	memset(m->seen, 0, x->g->nsw * sizeof(*m->seen));
}

/* ---- a change ---- */

/* u gets next hop c, or keeps its own, and its layers anew in the tree of t.
 * Returns how many pairs more are without a layer. */
static int
change_switch(struct climb_mend *m, sw_ix t, sw_ix u, uint32_t c)
{
	struct climb *x = m->x;
	size_t p = climb_pair(x, t, u);
	bool had = climb_common_layers(x, t, u) != 0;
	struct climb_layers l;

	m->undo[m->n++] =
		(struct undo){p, x->next[p], {x->mask[p], x->tail[p]}};
	m->dirty[u] = true;
	x->next[p] = c;
	l = layers_of(x, t, u);
	x->mask[p] = l.mask;
	x->tail[p] = l.tail;
	return (int)had - (climb_common_layers(x, t, u) != 0);
}

/* The path found becomes that of its switches in the tree of t, and what hangs
 * behind them gets its layers anew. Returns how many pairs more are without a
 * layer. */
static int
hang_path(struct climb_mend *m, sw_ix t)
{
	struct climb *x = m->x;
	size_t row = climb_pair(x, t, 0);
	uint32_t n = m->search.length;
	int more = 0;

	memset(m->dirty, 0, x->g->nsw * sizeof(*m->dirty));
	while (n > 0 &&
		m->search.path[n - 1] ==
			x->next[row + x->d->from[m->search.path[n - 1]]])
		n--;
	while (n-- > 0)
		more += change_switch(
			m, t, x->d->from[m->search.path[n]], m->search.path[n]);
	for (uint32_t k = 1; k < x->nseq[t]; k++) {
		sw_ix u = x->seq[row + k];
		uint32_t c = x->next[row + u];

		if (!m->dirty[u] && m->dirty[x->g->group[c].peer])
			more += change_switch(m, t, u, c);
	}
	return more;
}

static void
undo_changes(struct climb_mend *m)
{
	struct climb *x = m->x;

	while (m->n > 0) {
		const struct undo *b = &m->undo[--m->n];

		x->next[b->pair] = b->next;
		x->mask[b->pair] = b->layers.mask;
		x->tail[b->pair] = b->layers.tail;
	}
}

/* ---- paths that change little ---- */

/* Pairs that would lose their layer if all that passes a switch on its way to t
 * could have this one alone. */
static void
count_breaks(struct climb_mend *m, sw_ix t, unsigned layer)
{
	const struct climb *x = m->x;
	const sw_ix *seq = x->seq + climb_pair(x, t, 0);

	for (uint32_t k = 0; k < x->nseq[t]; k++)
		m->breaks[seq[k]] = 0;
	for (uint32_t k = x->nseq[t]; k-- > 1;) {
		sw_ix s = seq[k];
		uint32_t c = x->next[climb_pair(x, t, s)];
		uint16_t can = climb_common_layers(x, t, s);

		m->breaks[s] += can != 0 && (can >> layer & 1) == 0;
		m->breaks[x->g->group[c].peer] += m->breaks[s];
	}
}

static uint32_t
next_hop(void *of, sw_ix s)
{
	const struct climb_mend *m = of;

	return m->x->next[climb_pair(m->x, m->search.t, s)];
}

static uint32_t
breaks_of(void *of, sw_ix s)
{
	const struct climb_mend *m = of;

	return m->x->pinned[climb_pair(m->x, m->search.t, s)] ? CLIMB_COST_MOST
							      : m->breaks[s];
}

/* The path of u to t that climbs in a layer and changes the least in the tree
 * of t; false: there is none. */
static bool
find_path(struct climb_mend *m, sw_ix t, sw_ix u, unsigned layer)
{
	uint16_t *without = &m->without[climb_pair(m->x, t, u)];
	bool found;

	if ((*without >> layer & 1) != 0)
		return false;
	count_breaks(m, t, layer);
	found = climb_search_path(&m->search, t, u, layer);
	if (!found && m->search.cost == CLIMB_COST_MOST)
		*without |= (uint16_t)(1U << layer);
	return found;
}

/* ---- a pair ---- */

/* A change in the tree of t that gives u a common layer with it. */
static bool
mend_tree(struct climb_mend *m, sw_ix t, sw_ix u)
{
	uint16_t back = m->x->mask[climb_pair(m->x, u, t)];
	bool found = false;

	climb_add_load(m->x, t, false);
	for (unsigned l = 0; !found && l < m->x->job->orders->n; l++) {
		if ((back >> l & 1) == 0 || !find_path(m, t, u, l))
			continue;
		found = hang_path(m, t) <= m->more;
		if (!found)
			undo_changes(m);
		m->n = 0;
	}
	if (found)
		renew_tree(m, t);
	climb_add_load(m->x, t, true);
	return found;
}

/* A change in both trees that gives a pair a common layer. */
static bool
mend_trees(struct climb_mend *m, sw_ix t, sw_ix u)
{
	bool found = false;

	climb_add_load(m->x, t, false);
	climb_add_load(m->x, u, false);
	for (unsigned l = 0; !found && l < m->x->job->orders->n; l++) {
		int more;

		if (!find_path(m, t, u, l))
			continue;
		more = hang_path(m, t);
		found = find_path(m, u, t, l) &&
			more + hang_path(m, u) <= m->more;
		if (!found)
			undo_changes(m);
		m->n = 0;
	}
	if (found) {
		renew_tree(m, t);
		renew_tree(m, u);
	}
	climb_add_load(m->x, t, true);
	climb_add_load(m->x, u, true);
	return found;
}

/* ---- all pairs ---- */

/* A change for a pair that not too many were looked for already. */
static bool
try_pair(struct climb_mend *m, sw_ix t, sw_ix u)
{
	uint8_t *tried = &m->tried[climb_pair(m->x, t, u)];

	if (*tried == ATTEMPTS)
		return false;
	++*tried;
	m->tries = true;
	return mend_tree(m, t, u) || mend_tree(m, u, t) || mend_trees(m, t, u);
}

/* One look at each pair without a layer; false: none is left. */
static bool
mend_round(struct climb_mend *m)
{
	struct climb *x = m->x;
	bool left = false;

	m->tries = false;
	for (sw_ix t = 0; t < x->g->nsw; t++)
		for (sw_ix u = 0; u < t; u++)
			if (is_left(x, t, u) && !try_pair(m, t, u))
				left = true;
	/* others may have lost theirs by that */
	for (sw_ix t = 0; t < x->g->nsw && !left; t++)
		for (sw_ix u = 0; u < t && !left; u++)
			left = is_left(x, t, u);
	return left;
}

/* Pin u to its escape path in the tree of t. */
static void
hang_escape(const struct climb_mend *m, sw_ix t, sw_ix u)
{
	struct climb *x = m->x;

	climb_escape_make(x, t);
	while (u != t && !x->pinned[climb_pair(x, t, u)]) {
		x->pinned[climb_pair(x, t, u)] = true;
		x->next[climb_pair(x, t, u)] = x->escape[u];
		u = x->g->group[x->escape[u]].peer;
	}
}

/* The layer in which the paths of a pair change the least; that of up/down
 * paths, if there is no other, or a tree is pinned to these. */
static unsigned
choose_layer(struct climb_mend *m, sw_ix t, sw_ix u)
{
	const struct layer_orders *o = m->x->job->orders;
	uint32_t least = UINT32_MAX;
	unsigned best = o->escape;

	for (unsigned l = 0; l < o->n && !m->escapes[t] && !m->escapes[u];
		l++) {
		uint32_t cost;

		if (!find_path(m, t, u, l))
			continue;
		cost = m->search.cost;
		if (!find_path(m, u, t, l) || cost + m->search.cost >= least)
			continue;
		least = cost + m->search.cost;
		best = l;
	}
	return best;
}

/* u is pinned to a path of a layer in the tree of t, or to its escape path. */
static void
force_path(struct climb_mend *m, sw_ix t, sw_ix u, unsigned layer)
{
	struct climb *x = m->x;
	bool *pinned = x->pinned + climb_pair(x, t, 0);

	climb_add_load(x, t, false);
	if (!m->escapes[t] && find_path(m, t, u, layer)) {
		(void)hang_path(m, t);
		m->n = 0;
		for (uint32_t i = 0; i < m->search.length; i++)
			pinned[x->d->from[m->search.path[i]]] = true;
	} else {
		if (!m->escapes[t]) {
			memset(pinned, 0, x->g->nsw * sizeof(*pinned));
			memset(m->without + climb_pair(x, t, 0), 0,
				x->g->nsw * sizeof(*m->without));
		}
		m->escapes[t] = true;
		hang_escape(m, t, u);
	}
	renew_tree(m, t);
	climb_add_load(x, t, true);
}

/* The first pair without a layer is pinned to paths in one; false: there is no
 * such pair. */
static bool
force_first(struct climb_mend *m)
{
	struct climb *x = m->x;

	for (sw_ix t = 0; t < x->g->nsw; t++)
		for (sw_ix u = 0; u < t; u++) {
			unsigned layer;

			if (!is_left(x, t, u))
				continue;
			layer = choose_layer(m, t, u);
			force_path(m, t, u, layer);
			force_path(m, u, t, layer);
			return true;
		}
	return false;
}

void
climb_mend(struct climb *x)
{
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U;
	struct climb_mend m = {.x = x,
		.tried = arena_array(a, n * n, sizeof(*m.tried)),
		.without = arena_array(a, n * n, sizeof(*m.without)),
		.escapes = arena_array(a, n, sizeof(*m.escapes)),
		.dirty = arena_array(a, n, sizeof(*m.dirty)),
		.undo = arena_array(a, 2 * n, sizeof(*m.undo)),
		.seen = arena_array(a, n, sizeof(*m.seen)),
		.stack = arena_array(a, n, sizeof(*m.stack)),
		.breaks = arena_array(a, n, sizeof(*m.breaks))};
	bool left = true;

	m.search = (struct climb_search){
		.x = x, .of = &m, .next_hop = next_hop, .breaks = breaks_of};
	climb_search_room(&m.search);
	while (left) {
		m.tries = true; /* without a try the next round has none */
		for (m.more = -1; left && m.tries && m.more < MORE; m.more++)
			left = mend_round(&m);
		left = left && force_first(&m);
	}
}
