/*
 * Most sweeps find one cable more or less, which changes nothing of what was
 * inferred. To show that is quicker than to infer it again, and the result is
 * the same: exact distances for those that the cable moves, then the questions
 * that rank_infer would ask, where their answers may be others. Any doubt, and
 * all is done anew.
 */
#include <string.h>

#include "routing/tiers/tree_priv.h"

enum { AWAY = UINT32_MAX };

/* How a cable more or less between two switches changes their distances. */
struct edge {
	sw_ix end[2];
	uint32_t was, is;   /* cables */
	uint32_t *apart[2]; /* [nsw] steps from each end, without the edge */
	sw_ix *moved[2];    /* who is farther from that end without it, and */
	uint32_t n[2];
	unsigned one; /* the end that is all who is farther from the other */
};

/* Are there clearly few cables inside tiers and hosts above the leaves? */
static bool
is_clear(const struct tree_look *l)
{
	return l->level * 6 <= l->cables && l->misplaced * 3 <= l->hosts;
}

void
rank_cache_store(struct tree_work *w, const struct tree_look *look)
{
	struct rank_cache *m;

	if (w->restless || w->roles)
		return;
	for (uint32_t c = 0; c < w->g.ncomp; c++)
		if (w->none[c] || w->g.hosts[c] == 0 || !is_clear(&look[c]))
			return;
	m = arena_alloc(w->g.a, sizeof(*m));
	m->classes = w->classes;
	m->ncomp = w->g.ncomp;
	m->doubt = w->doubt;
	m->look = arena_array(w->g.a, m->ncomp, sizeof(*m->look));
	if (m->ncomp > 0)
		memcpy(m->look, look, m->ncomp * sizeof(*m->look));
	m->sum = w->sum;
	m->far = w->far;
	m->leaf = w->leaf;
	m->high = w->high;
	w->out->memory = w->memory = m;
}

/* ---- which cables ---- */

/* Cables from s to peer. */
static uint32_t
count(const struct topo *t, sw_ix s, sw_ix peer)
{
	const struct topo_adj *a = t->adj + t->sw[s].adj;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++)
		n += a[i].peer == peer;
	return n;
}

/* Has s as many cables to everybody but that one? Sorted by peer. */
static bool
same_others(const struct topo *t, const struct topo *was, sw_ix s, sw_ix but)
{
	const struct topo_adj *a = t->adj + t->sw[s].adj;
	const struct topo_adj *b = was->adj + was->sw[s].adj;
	uint32_t i = 0, j = 0, n = t->sw[s].nadj, m = was->sw[s].nadj;

	for (;;) {
		while (i < n && a[i].peer == but)
			i++;
		while (j < m && b[j].peer == but)
			j++;
		if (i == n || j == m)
			return i == n && j == m;
		if (a[i++].peer != b[j++].peer)
			return false;
	}
}

/* The one pair of switches whose cables differ; false: there are others. */
static bool
find_edge(const struct tree_work *w, struct edge *e)
{
	const struct topo_diff *since = w->g.topo_diff;
	const struct topo *t = w->g.t;

	if (since->n != 2)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		e->end[k] = since->list[k];
		if (!w->g.live[e->end[k]])
			return false;
	}
	for (unsigned k = 0; k < 2; k++)
		if (!same_others(t, since->was, e->end[k], e->end[!k]))
			return false;
	e->is = count(t, e->end[0], e->end[1]);
	e->was = count(since->was, e->end[0], e->end[1]);
	return true;
}

/* ---- distances ---- */

/* Steps from one end to everybody, not by the edge itself. */
static void
walk(const struct tree_work *w, struct edge *e, unsigned k)
{
	const struct swgraph *g = &w->g;
	uint32_t *d = arena_array(g->a, g->nsw, sizeof(*d));
	sw_ix *queue = arena_array(g->a, g->nsw, sizeof(*queue));
	uint32_t head = 0, n = 0;

	memset(d, 0xff, g->nsw * sizeof(*d));
	d[e->end[k]] = 0;
	queue[n++] = e->end[k];
	while (head < n && n < g->nsw) {
		sw_ix s = queue[head++];
		sw_ix not = s == e->end[0]   ? e->end[1]
			    : s == e->end[1] ? e->end[0]
					     : TOPO_NONE;

		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (d[peer] != AWAY || peer == not )
				continue;
			d[peer] = d[s] + 1;
			queue[n++] = peer;
		}
	}
	e->apart[k] = d;
}

/* From end k by way of the edge. */
static uint32_t
across(const struct edge *e, unsigned k, sw_ix x)
{
	return e->apart[!k][x] + 1;
}

/*
 * A pair that is farther apart without the edge than with it has one switch
 * that is farther from the one end and one that is farther from the other. Who
 * lacks a cable seldom is farther from more than the switch at its other end,
 * on one of the two sides; then all of these pairs are known. False: others
 * are, too, or the edge is the only way.
 */
static bool
find_moved(const struct tree_work *w, struct edge *e)
{
	const struct swgraph *g = &w->g;

	for (unsigned k = 0; k < 2; k++)
		walk(w, e, k);
	if (e->apart[0][e->end[1]] == AWAY)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		e->moved[k] = arena_array(g->a, g->nsw, sizeof(*e->moved[k]));
		for (sw_ix s = 0; s < g->nsw; s++)
			if (e->apart[k][s] != AWAY &&
				e->apart[k][s] > across(e, k, s))
				e->moved[k][e->n[k]++] = s;
	}
	e->one = e->n[0] == 1 ? 1 : 0;
	return e->n[!e->one] == 1;
}

/* ---- what that changes ---- */

/* Is a clearly closer to the hosts than b? */
static bool
above(const uint64_t *far, sw_ix a, sw_ix b)
{
	return far[a] < host_dist_threshold(far[b]);
}

static void
set_far(const struct tree_work *w, sw_ix s)
{
	w->far[s] = host_dist_of(
		w->sum[s], w->g.hosts[w->g.comp[s]] - w->g.weight[s]);
}

/* Who is how far from the hosts now: those that the pairs are about. */
static void
move(const struct tree_work *w, const struct edge *e)
{
	const uint32_t *weight = w->g.weight;
	sw_ix one = e->end[e->one];

	for (uint32_t i = 0; i < e->n[e->one]; i++) {
		sw_ix s = e->moved[e->one][i];
		uint64_t with = across(e, e->one, s);
		uint64_t less = e->apart[e->one][s];
		uint64_t more = less * less - with * with;

		if (e->is > 0)
			more = 0 - more;
		w->sum[s] += weight[one] * more;
		w->sum[one] += weight[s] * more;
		set_far(w, s);
	}
	set_far(w, one);
}

/* Is everybody around s above it or below it as before? */
static bool
same_around(const struct tree_work *w, const struct edge *e,
	const uint64_t *was, sw_ix s)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix x = g->group[i].peer;
		bool edge = (s == e->end[0] && x == e->end[1]) ||
			    (s == e->end[1] && x == e->end[0]);

		if (!edge && (above(w->far, s, x) != above(was, s, x) ||
				     above(w->far, x, s) != above(was, x, s)))
			return false;
	}
	return true;
}

/* Has s somebody below it, apart from one switch? */
static bool
leads_down(const struct tree_work *w, sw_ix s, sw_ix apart)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (g->group[i].peer != apart &&
			above(w->far, s, g->group[i].peer))
			return true;
	return false;
}

/* Is end k the leaf or not that it was, and for others what it was? */
static bool
same_end(const struct tree_work *w, const struct edge *e, unsigned k,
	const uint64_t *was)
{
	const struct swgraph *g = &w->g;
	sw_ix s = e->end[k], o = e->end[!k];
	uint32_t n = g->first[s + 1] - g->first[s], up = 0, down = 0;

	if (!leads_down(w, s, o) && (e->is > 0 && above(w->far, s, o)) !=
					    (e->was > 0 && above(was, s, o)))
		return false;
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix x = g->group[i].peer;

		up += above(w->far, x, s);
		down += above(w->far, s, x) &&
			(tree_has_hosts(w, x) || leads_down(w, x, TOPO_NONE));
	}
	if (tree_has_hosts(w, s))
		return (down * 3 <= n) == w->leaf[s];
	return up * 2 < n || down > 0;
}

static bool
same_leaves(struct tree_work *w, struct edge *e, const uint64_t *was)
{
	if ((e->was > 0) == (e->is > 0))
		return true;
	if (w->classes + 2 > TREE_CLASSES || !find_moved(w, e))
		return false;
	w->classes += 2; /* at most */
	move(w, e);
	if (!same_around(w, e, was, e->end[e->one]))
		return false;
	for (uint32_t i = 0; i < e->n[e->one]; i++)
		if (!same_around(w, e, was, e->moved[e->one][i]))
			return false;
	return same_end(w, e, 0, was) && same_end(w, e, 1, was);
}

/* Has s the height that its neighbours below give it, and no more cables to
 * others on it than downwards? */
static bool
stands(const struct tree_work *w, sw_ix s)
{
	const struct swgraph *g = &w->g;
	uint32_t down = 0, level = 0;
	bool touches = false;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t high = w->high[g->group[i].peer];

		down += high < w->high[s] ? g->group[i].n : 0;
		level += high == w->high[s] ? g->group[i].n : 0;
		touches |= high + 1 == w->high[s];
		if (high + 1 < w->high[s])
			return false;
	}
	return w->high[s] == 0 || (touches && level <= down);
}

static bool
same_heights(const struct tree_work *w, const struct edge *e)
{
	for (unsigned k = 0; k < 2; k++)
		if (!stands(w, e->end[k]))
			return false;
	return true;
}

/* Does the edge lead to the next height, as all cables do? */
static bool
still_clear(struct tree_work *w, const struct edge *e, struct tree_look *look)
{
	struct tree_look *l = &look[w->g.comp[e->end[0]]];
	uint32_t a = w->high[e->end[0]], b = w->high[e->end[1]];

	l->cables += 2 * ((uint64_t)e->is - e->was);
	return (a + 1 == b || b + 1 == a) && is_clear(l);
}

static bool
has_lone(const struct tree_work *w, sw_ix s)
{
	for (uint32_t i = w->g.first[s]; i < w->g.first[s + 1]; i++)
		if (rank_infer_is_lone(w, s, i))
			return true;
	return false;
}

/* Where that matters: does the edge leave cables alone around it? */
static bool
leaves_alone(const struct tree_work *w, const struct edge *e)
{
	const struct swgraph *g = &w->g;

	for (unsigned k = 0; w->doubt && k < 2; k++) {
		sw_ix s = e->end[k];

		if (has_lone(w, s))
			return true;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			if (has_lone(w, g->group[i].peer))
				return true;
	}
	return false;
}

static void *
copy(const struct tree_work *w, const void *from, size_t n, size_t size)
{
	return memcpy(arena_array(w->g.a, n, size), from, n * size);
}

/* What the reading in force left, where little has changed since. */
static const struct rank_cache *
memory_of(const struct swgraph *g)
{
	const struct routes *prev = g->job->prev;

	if (g->topo_diff == NULL || g->topo_diff->n > 2 || g->nsw == 0 ||
		prev->tree == NULL)
		return NULL;
	return prev->tree->tree->memory;
}

bool
rank_cache_is_usable(const struct swgraph *g)
{
	return memory_of(g) != NULL;
}

bool
rank_cache_use(struct tree_work *w)
{
	const struct rank_cache *m = memory_of(&w->g);
	struct tree_look *look;
	struct edge e = {.n = {0}};
	uint32_t n = w->g.nsw;

	if (w->roles || m == NULL || m->ncomp != w->g.ncomp ||
		(w->g.topo_diff->n > 0 && !find_edge(w, &e)))
		return false;
	w->classes = m->classes;
	w->doubt = m->doubt;
	w->sum = copy(w, m->sum, n, sizeof(*w->sum));
	w->far = copy(w, m->far, n, sizeof(*w->far));
	w->leaf = copy(w, m->leaf, n, sizeof(*w->leaf));
	w->high = copy(w, m->high, n, sizeof(*w->high));
	look = copy(w, m->look, m->ncomp, sizeof(*look));
	if (w->g.topo_diff->n > 0 &&
		(!same_leaves(w, &e, m->far) || !same_heights(w, &e) ||
			!still_clear(w, &e, look) || leaves_alone(w, &e)))
		return false;
	rank_cache_store(w, look);
	w->was = m;
	return true;
}
