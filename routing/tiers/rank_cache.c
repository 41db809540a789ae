/*
 * rank_cache: the heights of the previous reading, where at most the links
 * between two switches differ. Most sweeps find one link more or less, which
 * changes nothing of what was inferred. To show that is quicker than to infer
 * it again, and the result is the same: exact host distances for the switches
 * that the link moves, then those decisions of rank_infer that may now differ.
 * In any doubt everything is inferred anew.
 */
#include <string.h>

#include "routing/tiers/tree_priv.h"

enum { AWAY = UINT32_MAX };

/* How more or fewer links between two switches change their distances. */
struct edge {
	sw_ix end[2];
	uint32_t was, is;     /* numbers of links */
	uint32_t *without[2]; /* [nsw] steps from each end, without the edge */
	sw_ix *moved[2];      /* switches farther from that end without it */
	uint32_t n[2];
	unsigned one; /* this end alone is farther from the other one */
};

/*
 * True if clearly few links are inside tiers and clearly few hosts above the
 * leaves.
 */
static bool
is_clear(const struct tree_look *l)
{
	return l->level * 6 <= l->links && l->misplaced * 3 <= l->hosts;
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

/* ---- which links differ ---- */

/* The number of links from s to peer. */
static uint32_t
count_links(const struct topo *t, sw_ix s, sw_ix peer)
{
	const struct topo_adj *a = t->adj + t->sw[s].adj;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++)
		n += a[i].peer == peer;
	return n;
}

/*
 * True if s has as many links as before to every switch other than but.
 * Adjacencies are sorted by peer.
 */
static bool
has_same_other_links(
	const struct topo *t, const struct topo *was, sw_ix s, sw_ix but)
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

/*
 * The one pair of switches between which links differ; false: there are others.
 */
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
		if (!has_same_other_links(t, since->was, e->end[k], e->end[!k]))
			return false;
	e->is = count_links(t, e->end[0], e->end[1]);
	e->was = count_links(since->was, e->end[0], e->end[1]);
	return true;
}

/* ---- distances ---- */

/* Steps from end k to every switch, not over the edge itself. */
static void
measure_steps(const struct tree_work *w, struct edge *e, unsigned k)
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
	e->without[k] = d;
}

/* Steps from end k to x over the edge. */
static uint32_t
steps_across(const struct edge *e, unsigned k, sw_ix x)
{
	return e->without[!k][x] + 1;
}

/*
 * A pair of switches that is farther apart without the edge than with it has
 * one switch that is farther from the one end and one that is farther from the
 * other. On at least one of the two sides this mostly is the switch at the end
 * alone; then all of these pairs are known. False: several switches are farther
 * on both sides, or the edge is the only path.
 */
static bool
find_moved(const struct tree_work *w, struct edge *e)
{
	const struct swgraph *g = &w->g;

	for (unsigned k = 0; k < 2; k++)
		measure_steps(w, e, k);
	if (e->without[0][e->end[1]] == AWAY)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		e->moved[k] = arena_array(g->a, g->nsw, sizeof(*e->moved[k]));
		for (sw_ix s = 0; s < g->nsw; s++)
			if (e->without[k][s] != AWAY &&
				e->without[k][s] > steps_across(e, k, s))
				e->moved[k][e->n[k]++] = s;
	}
	e->one = e->n[0] == 1 ? 1 : 0;
	return e->n[!e->one] == 1;
}

/* ---- what that changes ---- */

/* True if a is clearly closer to the hosts than b. */
static bool
is_clearly_above(const uint64_t *far, sw_ix a, sw_ix b)
{
	return far[a] < host_dist_threshold(far[b]);
}

static void
set_host_dist(const struct tree_work *w, sw_ix s)
{
	w->far[s] = host_dist_of(
		w->sum[s], w->g.hosts[w->g.comp[s]] - w->g.weight[s]);
}

/* Update the host distances of the switches in the moved pairs. */
static void
update_host_dist(const struct tree_work *w, const struct edge *e)
{
	const uint32_t *weight = w->g.weight;
	sw_ix one = e->end[e->one];

	for (uint32_t i = 0; i < e->n[e->one]; i++) {
		sw_ix s = e->moved[e->one][i];
		uint64_t with = steps_across(e, e->one, s);
		uint64_t less = e->without[e->one][s];
		uint64_t more = less * less - with * with;

		if (e->is > 0)
			more = 0 - more;
		w->sum[s] += weight[one] * more;
		w->sum[one] += weight[s] * more;
		set_host_dist(w, s);
	}
	set_host_dist(w, one);
}

/*
 * True if every neighbour of s but the one over the edge is above it or below
 * it as before.
 */
static bool
has_same_order_around(const struct tree_work *w, const struct edge *e,
	const uint64_t *was, sw_ix s)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix x = g->group[i].peer;
		bool edge = (s == e->end[0] && x == e->end[1]) ||
			    (s == e->end[1] && x == e->end[0]);

		if (!edge && (is_clearly_above(w->far, s, x) !=
					     is_clearly_above(was, s, x) ||
				     is_clearly_above(w->far, x, s) !=
					     is_clearly_above(was, x, s)))
			return false;
	}
	return true;
}

/* True if a switch other than apart is below s. */
static bool
leads_down(const struct tree_work *w, sw_ix s, sw_ix without)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (g->group[i].peer != without &&
			is_clearly_above(w->far, s, g->group[i].peer))
			return true;
	return false;
}

/*
 * True if end k is a leaf or not as before, and counts for its neighbours as
 * before.
 */
static bool
is_same_end(const struct tree_work *w, const struct edge *e, unsigned k,
	const uint64_t *was)
{
	const struct swgraph *g = &w->g;
	sw_ix s = e->end[k], o = e->end[!k];
	uint32_t n = g->first[s + 1] - g->first[s], up = 0, down = 0;

	if (!leads_down(w, s, o) &&
		(e->is > 0 && is_clearly_above(w->far, s, o)) !=
			(e->was > 0 && is_clearly_above(was, s, o)))
		return false;
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix x = g->group[i].peer;

		up += is_clearly_above(w->far, x, s);
		down += is_clearly_above(w->far, s, x) &&
			(tree_has_hosts(w, x) || leads_down(w, x, TOPO_NONE));
	}
	if (tree_has_hosts(w, s))
		return (down * 3 <= n) == w->leaf[s];
	return up * 2 < n || down > 0;
}

static bool
has_same_leaves(struct tree_work *w, struct edge *e, const uint64_t *was)
{
	if ((e->was > 0) == (e->is > 0))
		return true;
	if (w->classes + 2 > TREE_CLASSES || !find_moved(w, e))
		return false;
	w->classes += 2; /* at most */
	update_host_dist(w, e);
	if (!has_same_order_around(w, e, was, e->end[e->one]))
		return false;
	for (uint32_t i = 0; i < e->n[e->one]; i++)
		if (!has_same_order_around(w, e, was, e->moved[e->one][i]))
			return false;
	return is_same_end(w, e, 0, was) && is_same_end(w, e, 1, was);
}

/*
 * True if s has the height that its neighbours below give it, and no more links
 * to its own height than downwards.
 */
static bool
is_height_valid(const struct tree_work *w, sw_ix s)
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
has_same_heights(const struct tree_work *w, const struct edge *e)
{
	for (unsigned k = 0; k < 2; k++)
		if (!is_height_valid(w, e->end[k]))
			return false;
	return true;
}

/*
 * True if the edge leads to the next height, as all links do, and the component
 * is clearly a tree.
 */
static bool
is_still_clear(
	struct tree_work *w, const struct edge *e, struct tree_look *look)
{
	struct tree_look *l = &look[w->g.comp[e->end[0]]];
	uint32_t a = w->high[e->end[0]], b = w->high[e->end[1]];

	l->links += 2 * ((uint64_t)e->is - e->was);
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

/*
 * True if links around the edge may be lone now, and that matters (w->doubt).
 */
static bool
leaves_lone_links(const struct tree_work *w, const struct edge *e)
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
copy_array(const struct tree_work *w, const void *from, size_t n, size_t size)
{
	return memcpy(arena_array(w->g.a, n, size), from, n * size);
}

/*
 * The cache of the reading in force, where little has changed since; else NULL.
 */
static const struct rank_cache *
previous_cache(const struct swgraph *g)
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
	return previous_cache(g) != NULL;
}

bool
rank_cache_use(struct tree_work *w)
{
	const struct rank_cache *m = previous_cache(&w->g);
	struct tree_look *look;
	struct edge e = {.n = {0}};
	uint32_t n = w->g.nsw;

	if (w->roles || m == NULL || m->ncomp != w->g.ncomp ||
		(w->g.topo_diff->n > 0 && !find_edge(w, &e)))
		return false;
	w->classes = m->classes;
	w->doubt = m->doubt;
	w->sum = copy_array(w, m->sum, n, sizeof(*w->sum));
	w->far = copy_array(w, m->far, n, sizeof(*w->far));
	w->leaf = copy_array(w, m->leaf, n, sizeof(*w->leaf));
	w->high = copy_array(w, m->high, n, sizeof(*w->high));
	look = copy_array(w, m->look, m->ncomp, sizeof(*look));
	if (w->g.topo_diff->n > 0 &&
		(!has_same_leaves(w, &e, m->far) || !has_same_heights(w, &e) ||
			!is_still_clear(w, &e, look) ||
			leaves_lone_links(w, &e)))
		return false;
	rank_cache_store(w, look);
	w->was = m;
	return true;
}
