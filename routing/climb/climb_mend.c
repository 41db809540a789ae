/*
 * climb_mend: pairs without a common layer, where the orders are those of a
 * structure, or such pairs are few.
 *
 * In the tree of one of the two, or in both, the pair gets the path of a layer
 * that changes the least: next hops, and pairs of switches behind them that
 * would lose theirs. What hangs behind changed next hops gets other layers by
 * that. The change stays if the pairs that get a common layer by it weigh more
 * than those that lose theirs. A pair weighs as much as it has been tried, so
 * that the search does not end where no single change helps: what is hard to
 * mend takes its paths from what is easy to mend elsewhere, and keeps them.
 * This is breakout local search (Morris 1993).
 *
 * Pairs that have no layer after that get the paths of the layer in which they
 * change the least, whatever that breaks, and those paths are pinned: nothing
 * changes them any more, and the search goes on around them. If pinned paths
 * leave none in a tree, all its pins are up/down paths from then on, those of
 * the escape tree. A tree becomes one of these once, and otherwise pins only
 * grow; with all of them pinned every pair has that layer, so this ends.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/climb/climb_priv.h"
#include "sm/base/mem.h"

/* How often a pair is tried. */
enum { ATTEMPTS = 30 };

struct undo {
	size_t pair;
	uint32_t next;
	struct climb_layers layers;
};

/* Two switches, t > u. */
struct pair {
	sw_ix t, u;
};

struct climb_mend {
	struct climb *x;
	struct pair *left; /* all that have no layer, and some that have got
			      one; n of them */
	size_t nleft, left_room;
	bool *listed;	   /* [nsw * nsw] by pair: it is one of these */
	uint8_t *tried;	   /* [nsw * nsw] attempts, by pair */
	uint16_t *without; /* [nsw * nsw] layers in which no path was found, as
			      none will be: pins only take some */
	bool *escapes;	   /* [nsw] pins of the tree are the escape tree's */
	bool *dirty;	   /* [nsw] has got other layers */
	struct undo *undo; /* [2 * nsw] what was there; n of them */
	uint32_t n;
	bool *seen;	  /* [nsw] for walks; none is, in between */
	sw_ix *stack;	  /* [nsw] */
	uint32_t *breaks; /* [nsw] weights of pairs behind a switch that do not
			     have the layer searched in, but another */
	struct climb_search search;
};

static size_t
pair_of(const struct climb *x, sw_ix t, sw_ix u)
{
	return t > u ? climb_pair(x, t, u) : climb_pair(x, u, t);
}

/* List a pair, if it has no layer both ways. */
static void
list_pair(struct climb_mend *m, sw_ix t, sw_ix u)
{
	size_t pair = pair_of(m->x, t, u);

	if (climb_common_layers(m->x, t, u) != 0 || m->listed[pair])
		return;
	m->listed[pair] = true;
	m->left = mem_grow(m->left, m->nleft, &m->left_room, sizeof(*m->left));
	m->left[m->nleft++] = t > u ? (struct pair){t, u} : (struct pair){u, t};
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

/* Its switches again, parents first, with their layers. Those that have none in
 * common with t are listed. */
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
			list_pair(m, t, u);
		}
	}
	memset(m->seen, 0, x->g->nsw * sizeof(*m->seen));
}

/* ---- a change ---- */

/* What a pair weighs. */
static int
weigh_pair(const struct climb_mend *m, sw_ix t, sw_ix u)
{
	uint8_t tried = m->tried[pair_of(m->x, t, u)];

	return tried > 1 ? tried : 1;
}

/* u gets next hop c, or keeps its own, and its layers anew in the tree of t.
 * Returns what the pair weighs, if it is without a layer by that, or negative,
 * if it was. */
static int
change_switch(struct climb_mend *m, sw_ix t, sw_ix u, uint32_t c)
{
	struct climb *x = m->x;
	size_t p = climb_pair(x, t, u);
	bool had = climb_common_layers(x, t, u) != 0;
	struct climb_layers l;
	bool has;

	m->undo[m->n++] =
		(struct undo){p, x->next[p], {x->mask[p], x->tail[p]}};
	m->dirty[u] = true;
	x->next[p] = c;
	l = layers_of(x, t, u);
	x->mask[p] = l.mask;
	x->tail[p] = l.tail;
	has = climb_common_layers(x, t, u) != 0;
	return had == has ? 0 : ((int)had - (int)has) * weigh_pair(m, t, u);
}

/* The path found becomes that of its switches in the tree of t, and what hangs
 * behind them gets its layers anew. Returns what the pairs weigh that are
 * without a layer by that, less those that were. */
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

/* What the pairs weigh that would lose their layer if all that passes a switch
 * on its way to t could have this one alone. */
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

		if (can != 0 && (can >> layer & 1) == 0)
			m->breaks[s] += (uint32_t)weigh_pair(m, t, s);
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

	for (unsigned l = 0; !found && l < m->x->job->orders->n; l++) {
		if ((back >> l & 1) == 0 || !find_path(m, t, u, l))
			continue;
		found = hang_path(m, t) < 0;
		if (!found)
			undo_changes(m);
		m->n = 0;
	}
	if (found)
		renew_tree(m, t);
	return found;
}

/* A change in both trees that gives a pair a common layer. */
static bool
mend_trees(struct climb_mend *m, sw_ix t, sw_ix u)
{
	bool found = false;

	for (unsigned l = 0; !found && l < m->x->job->orders->n; l++) {
		int more;

		if (!find_path(m, t, u, l))
			continue;
		more = hang_path(m, t);
		found = find_path(m, u, t, l) && more + hang_path(m, u) < 0;
		if (!found)
			undo_changes(m);
		m->n = 0;
	}
	if (found) {
		renew_tree(m, t);
		renew_tree(m, u);
	}
	return found;
}

/* ---- all pairs ---- */

/* A change for a pair that not too many were looked for already; false: there
 * were. */
static bool
try_pair(struct climb_mend *m, const struct pair *p)
{
	uint8_t *tried = &m->tried[pair_of(m->x, p->t, p->u)];

	if (*tried == ATTEMPTS)
		return false;
	++*tried;
	if (!mend_tree(m, p->t, p->u) && !mend_tree(m, p->u, p->t))
		(void)mend_trees(m, p->t, p->u);
	return true;
}

/* One look at each pair without a layer, also at those that lose theirs
 * meanwhile; false: none was tried. */
static bool
mend_round(struct climb_mend *m)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < m->nleft; i++) {
		struct pair p = m->left[i];

		if (climb_common_layers(m->x, p.t, p.u) == 0)
			any |= try_pair(m, &p);
		if (climb_common_layers(m->x, p.t, p.u) == 0)
			m->left[kept++] = p;
		else
			m->listed[pair_of(m->x, p.t, p.u)] = false;
	}
	m->nleft = kept;
	return any;
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
}

/* The first pair without a layer is pinned to paths in one. */
static void
force_first(struct climb_mend *m)
{
	struct pair p = m->left[0];
	unsigned layer = choose_layer(m, p.t, p.u);

	force_path(m, p.t, p.u, layer);
	force_path(m, p.u, p.t, layer);
}

static void
list_all(struct climb_mend *m)
{
	const struct swgraph *g = m->x->g;

	for (sw_ix t = 0; t < g->nsw; t++)
		for (sw_ix u = 0; u < t && g->live[t]; u++)
			if (g->live[u] && g->comp[u] == g->comp[t])
				list_pair(m, t, u);
}

/* The load of links, by all trees as they are now. */
static void
renew_load(struct climb *x)
{
	memset(x->load, 0, x->d->n * sizeof(*x->load));
	for (sw_ix t = 0; t < x->g->nsw; t++)
		if (x->g->live[t])
			climb_add_load(x, t, true);
}

void
climb_mend(struct climb *x)
{
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U;
	struct climb_mend m = {.x = x,
		.listed = arena_array(a, n * n, sizeof(*m.listed)),
		.tried = arena_array(a, n * n, sizeof(*m.tried)),
		.without = arena_array(a, n * n, sizeof(*m.without)),
		.escapes = arena_array(a, n, sizeof(*m.escapes)),
		.dirty = arena_array(a, n, sizeof(*m.dirty)),
		.undo = arena_array(a, 2 * n, sizeof(*m.undo)),
		.seen = arena_array(a, n, sizeof(*m.seen)),
		.stack = arena_array(a, n, sizeof(*m.stack)),
		.breaks = arena_array(a, n, sizeof(*m.breaks))};

	list_all(&m);
	if (m.nleft == 0)
		return;
	m.search = (struct climb_search){
		.x = x, .of = &m, .next_hop = next_hop, .breaks = breaks_of};
	climb_search_room(&m.search);
	while (m.nleft > 0)
		if (!mend_round(&m) && m.nleft > 0)
			force_first(&m);
	free(m.left);
	renew_load(x);
}
