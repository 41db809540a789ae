/*
 * climb_mend: pairs without a common layer, where layers have a map of VLs.
 *
 * A few next hops are changed in the tree of one of the two: from the switch of
 * the pair on, up to a switch that goes on as before. What hangs behind them
 * gets other layers by that. The change stays if fewer pairs are without a
 * common layer then. Where no change helps any more, the first pair left gets
 * its escape paths in both trees, which nothing changes any more; with all of
 * them pinned every pair has layer 0, so this ends.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"
#include "sm/base/mem.h"

enum { DEPTH = 4, TRIES = 2000, ATTEMPTS = 3 };

struct undo {
	sw_ix u;
	uint32_t next;
	struct climb_layers layers;
};

struct mend {
	struct climb *x;
	sw_ix t, u;	/* the tree at work, and the switch */
	unsigned depth; /* next hops that may change */
	int most;	/* pairs more without a layer that a change may leave */
	uint32_t link[DEPTH]; /* the new ones, from the switch of the pair on */
	bool *dirty;	      /* [nsw] has got other layers */
	struct undo *undo;    /* [nsw] what it had; n of them */
	uint32_t n;
	bool *seen;	/* [nsw] for walks */
	sw_ix *stack;	/* [nsw] */
	uint8_t *tried; /* [nsw * nsw] attempts, by pair */
};

static bool
has_layer(const struct climb *x, sw_ix t, sw_ix u)
{
	return (x->mask[climb_pair(x, t, u)] & x->mask[climb_pair(x, u, t)]) !=
	       0;
}

/* Whether u and t, which are linked somehow, have no layer both ways. */
static bool
is_left(const struct climb *x, sw_ix t, sw_ix u)
{
	const struct swgraph *g = x->g;

	return g->live[t] && g->live[u] && g->comp[t] == g->comp[u] &&
	       !has_layer(x, t, u);
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
renew_tree(struct mend *m, sw_ix t)
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
}

/* ---- a change ---- */

/* u gets next hop c, or keeps its own, and its layers anew. Returns how many
 * pairs more are without a layer. */
static int
change_switch(struct mend *m, sw_ix u, uint32_t c)
{
	struct climb *x = m->x;
	size_t p = climb_pair(x, m->t, u);
	bool had = has_layer(x, m->t, u);
	struct climb_layers l;

	m->undo[m->n++] =
		(struct undo){u, x->next[p], {x->mask[p], x->tail[p]}};
	m->dirty[u] = true;
	x->next[p] = c;
	l = layers_of(x, m->t, u);
	x->mask[p] = l.mask;
	x->tail[p] = l.tail;
	return (int)had - (int)has_layer(x, m->t, u);
}

/* What hangs behind changed switches; more: of them. Returns the sum, or a
 * positive number as soon as it is clear that it is not negative. */
static int
change_behind(struct mend *m, int more)
{
	struct climb *x = m->x;
	size_t row = climb_pair(x, m->t, 0);

	for (uint32_t k = 1; k < x->nseq[m->t]; k++) {
		sw_ix u = x->seq[row + k];
		uint32_t c = x->next[row + u];

		if (!m->dirty[u] && m->dirty[x->g->group[c].peer])
			more += change_switch(m, u, c);
	}
	return more;
}

static void
undo_change(struct mend *m)
{
	struct climb *x = m->x;

	while (m->n > 0) {
		const struct undo *b = &m->undo[--m->n];
		size_t p = climb_pair(x, m->t, b->u);

		m->dirty[b->u] = false;
		x->next[p] = b->next;
		x->mask[p] = b->layers.mask;
		x->tail[p] = b->layers.tail;
	}
}

static void
keep_change(struct mend *m)
{
	while (m->n > 0)
		m->dirty[m->undo[--m->n].u] = false;
	renew_tree(m, m->t);
}

/* Whether the path of v in the tree leads through a changed switch; they are
 * dirty. */
static bool
leads_back(const struct mend *m, sw_ix v)
{
	const struct climb *x = m->x;

	while (v != m->t && !m->dirty[v])
		v = x->g->group[x->next[climb_pair(x, m->t, v)]].peer;
	return m->dirty[v];
}

/* Try the n new next hops from u on. */
static bool
try_links(struct mend *m, unsigned n)
{
	struct climb *x = m->x;
	const struct link_group *group = x->g->group;
	int more = 0;

	for (unsigned i = 0; i < n; i++)
		m->dirty[x->d->from[m->link[i]]] = true;
	if (leads_back(m, group[m->link[n - 1]].peer)) {
		for (unsigned i = 0; i < n; i++)
			m->dirty[x->d->from[m->link[i]]] = false;
		return false;
	}
	for (unsigned i = n; i-- > 0;)
		more += change_switch(m, x->d->from[m->link[i]], m->link[i]);
	if (has_layer(x, m->t, m->u) && change_behind(m, more) < m->most) {
		keep_change(m);
		return true;
	}
	undo_change(m);
	return false;
}

/* Whether s is on the way from u by the first n new next hops, up to the end of
 * the last one. */
static bool
is_passed(const struct mend *m, sw_ix s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (m->x->d->from[m->link[i]] == s)
			return true;
	return false;
}

/* Layers in which group c comes after the first `at` new next hops. */
static uint16_t
layers_after(const struct mend *m, unsigned at, uint32_t c)
{
	const uint8_t *in = m->x->job->orders->in;

	if (at == 0)
		return m->x->all;
	return climb_dep(
		m->x, at == 1 ? 0 : in[m->link[at - 2]], m->link[at - 1], c);
}

/* Try all count on that have n new next hops, of which there are `at`; layers
 * in which u has a common layer if they climb in it. */
static bool
search_links(struct mend *m, unsigned at, unsigned n, uint16_t can)
{
	struct climb *x = m->x;
	const struct swgraph *g = x->g;
	sw_ix s = at == 0 ? m->u : g->group[m->link[at - 1]].peer;

	if (s == m->t || x->pinned[climb_pair(x, m->t, s)] ||
		is_passed(m, s, at))
		return false;
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint16_t may = can & layers_after(m, at, i);

		m->link[at] = i;
		if (at + 1 == n && g->group[i].peer != m->t)
			may &= layers_after(m, n,
				x->next[climb_pair(x, m->t, g->group[i].peer)]);
		if (may != 0 && (at + 1 < n ? search_links(m, at + 1, n, may)
					    : try_links(m, n)))
			return true;
	}
	return false;
}

/* A change in the tree of t that gives u a common layer with it; the fewest
 * next hops first. */
static bool
mend_tree(struct mend *m, sw_ix t, sw_ix u)
{
	uint16_t back = m->x->mask[climb_pair(m->x, u, t)];
	bool found = false;

	m->t = t;
	m->u = u;
	climb_add_load(m->x, t, false);
	for (unsigned n = 1; !found && n <= m->depth; n++)
		found = search_links(m, 0, n, back != 0 ? back : m->x->all);
	climb_add_load(m->x, t, true);
	return found;
}

/* ---- all pairs ---- */

/* A change for a pair that not too many were looked for already. */
static bool
try_pair(struct mend *m, sw_ix t, sw_ix u)
{
	uint8_t *tried = &m->tried[climb_pair(m->x, t, u)];

	if (*tried == ATTEMPTS)
		return false;
	++*tried;
	return mend_tree(m, t, u) || mend_tree(m, u, t);
}

/* One look at each pair without a layer; *left of them remain. True: some have
 * got one. */
static bool
mend_round(struct mend *m, uint64_t *left)
{
	struct climb *x = m->x;
	bool any = false;

	*left = 0;
	for (sw_ix t = 0; t < x->g->nsw; t++)
		for (sw_ix u = 0; u < t; u++) {
			if (!is_left(x, t, u))
				continue;
			if (try_pair(m, t, u))
				any = true;
			else
				++*left;
		}
	return any;
}

/* Pin u to its escape path in the tree of t. */
static void
hang_escape(struct mend *m, sw_ix t, sw_ix u)
{
	struct climb *x = m->x;

	climb_add_load(x, t, false);
	climb_escape_make(x, t);
	while (u != t && !x->pinned[climb_pair(x, t, u)]) {
		x->pinned[climb_pair(x, t, u)] = true;
		x->next[climb_pair(x, t, u)] = x->escape[u];
		u = x->g->group[x->escape[u]].peer;
	}
	renew_tree(m, t);
	climb_add_load(x, t, true);
}

/* The first pair without a layer gets its escape paths; false: there is none.
 */
static bool
pin_first(struct mend *m)
{
	struct climb *x = m->x;

	for (sw_ix t = 0; t < x->g->nsw; t++)
		for (sw_ix u = 0; u < t; u++) {
			if (!is_left(x, t, u))
				continue;
			hang_escape(m, t, u);
			hang_escape(m, u, t);
			return true;
		}
	return false;
}

/* As many next hops as make no more than TRIES count on. */
static unsigned
choose_depth(const struct swgraph *g)
{
	uint32_t most = 2, count = 1;
	unsigned depth = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->first[s + 1] - g->first[s] > most)
			most = g->first[s + 1] - g->first[s];
	while (depth < DEPTH && count * most <= TRIES) {
		count *= most;
		depth++;
	}
	return depth;
}

static struct mend
make_room(struct climb *x)
{
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U;

	return (struct mend){.x = x,
		.depth = choose_depth(x->g),
		.dirty = arena_array(a, n, sizeof(bool)),
		.undo = arena_array(a, n, sizeof(struct undo)),
		.seen = arena_array(a, n, sizeof(bool)),
		.stack = arena_array(a, n, sizeof(sw_ix))};
}

void
climb_mend(struct climb *x)
{
	size_t n = x->g->nsw + 1U;
	struct mend m = make_room(x);
	uint64_t left;

	m.tried = arena_array(x->g->a, n * n, sizeof(*m.tried));
	do {
		while (mend_round(&m, &left))
			;
	} while (left > 0 && pin_first(&m));
}

bool
climb_mend_path(struct climb *x, sw_ix t, sw_ix u, int broken)
{
	struct mend m = make_room(x);

	m.most = broken;
	renew_tree(&m, t);
	return mend_tree(&m, t, u);
}
