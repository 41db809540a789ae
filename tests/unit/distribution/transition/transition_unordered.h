/*
 * transition_unordered: verified tables that obey no order of switches, and
 * multicast trees beside them.
 *
 * Tables start as up/down ones. Then, LID after LID, all entries for the LID
 * are replaced by a random tree of shortest paths, where the dependency graph
 * of channels and groups of VLs stays without a cycle; it is kept by counts
 * here, with nothing of the product. With several layers tables need them: as
 * one they have cycles.
 */
#ifndef HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_TRANSITION_UNORDERED_H
#define HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_TRANSITION_UNORDERED_H

#include <check.h>

#include "routing/mcast/mcast.h"
#include "routing/mcast/mcast_order.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/owned.h"
#include "tests/unit/routing/layers_fixture.h"

struct unordered {
	struct routes *r;
	struct world w;	  /* names channels */
	uint32_t nv;	  /* nch * groups: channel by channel */
	uint32_t *count;  /* [nv * nv] pairs of a switch and a LID that make a
			     dependency */
	uint32_t *degree; /* [nv] */
	uint8_t *port;	  /* [nsw] a column */
	uint32_t *dist;	  /* [nsw] */
};

/* Packets in a plane leave switch s by a port, to channel c: the vertex. */
static inline uint32_t
unordered_vertex(const struct unordered *x, unsigned plane, sw_ix s,
	unsigned port, uint32_t c)
{
	return c == x->w.nch ? x->nv
			     : c * (x->nv / x->w.nch) +
				       world_group(&x->w, plane, s, port);
}

/* Count the dependencies of a column, or with -1 discount them: of the path
 * from every switch, in its layer. */
static inline void
unordered_count(
	struct unordered *x, sw_ix root, const uint8_t *port, uint32_t add)
{
	const struct world *w = &x->w;

	for (sw_ix u = 0; u < w->t->nsw; u++) {
		unsigned plane =
			routes_layer(&x->r->layers, u, root) * WORLD_CLASSES;
		sw_ix s = u, next = 0;
		uint32_t n = 0, c = world_behind(w, u, port[u], &s), v;

		v = unordered_vertex(x, plane, u, port[u], c);
		for (; c != w->nch && n <= w->t->nsw; n++) {
			uint32_t d = world_behind(w, s, port[s], &next), to;

			if (d == w->nch || c == w->off[s] + port[s])
				break;
			to = unordered_vertex(
				x, plane + world_class(w, s, c), s, port[s], d);
			x->count[(size_t)v * x->nv + to] += add;
			v = to;
			c = d;
			s = next;
		}
	}
}

static inline bool
unordered_cyclic(struct unordered *x)
{
	uint32_t n = x->nv, left = n, *queue = mem_alloc(n * sizeof(*queue));
	uint32_t tail = 0;

	memset(x->degree, 0, n * sizeof(*x->degree));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			x->degree[k] += x->count[i * n + k] > 0;
	for (uint32_t c = 0; c < n; c++)
		if (x->degree[c] == 0)
			queue[tail++] = c;
	for (uint32_t i = 0; i < tail; i++, left--)
		for (uint32_t d = 0; d < n; d++)
			if (x->count[(size_t)queue[i] * n + d] > 0 &&
				--x->degree[d] == 0)
				queue[tail++] = d;
	free(queue);
	return left > 0;
}

/* A random tree of shortest paths to switch root into x->port. */
static inline void
unordered_tree(struct unordered *x, sw_ix root, struct rng *rng)
{
	const struct topo *t = x->w.t;
	bool more = true;

	memset(x->dist, 0xff, t->nsw * sizeof(*x->dist));
	x->dist[root] = 0;
	for (uint32_t d = 0; more; d++) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++) {
			uint32_t n = 0;

			if (x->dist[s] <= d)
				continue;
			for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
				const struct topo_adj *a =
					&t->adj[t->sw[s].adj + i];

				if (x->dist[a->peer] != d ||
					rng_below(rng, ++n) != 0)
					continue;
				x->port[s] = a->out;
			}
			if (n > 0) {
				x->dist[s] = d + 1;
				more = true;
			}
		}
	}
}

static inline void
unordered_column(const struct unordered *x, uint16_t lid, uint8_t *port)
{
	for (sw_ix s = 0; s < x->w.t->nsw; s++)
		port[s] = routes_port(x->r, s, lid);
}

/* Replace the entries for a LID where that closes no cycle. */
static inline void
unordered_replace(struct unordered *x, uint16_t lid, struct rng *rng)
{
	const struct topo *t = x->w.t;
	AUTO(mem) uint8_t *was = mem_alloc(t->nsw);
	sw_ix root = topo_switch_of(t, t->by_lid[lid]);

	unordered_column(x, lid, was);
	x->port[root] = was[root];
	unordered_tree(x, root, rng);
	unordered_count(x, root, was, (uint32_t)-1);
	unordered_count(x, root, x->port, 1);
	if (unordered_cyclic(x)) {
		unordered_count(x, root, x->port, (uint32_t)-1);
		unordered_count(x, root, was, 1);
	} else {
		for (sw_ix s = 0; s < t->nsw; s++)
			routes_put_entry(x->r, s, lid, x->port[s], NULL);
	}
}

/* Random layers for all pairs; those that prev gives stay, but for a few. */
static inline void
world_layers(
	struct routes *r, const struct routes *prev, uint8_t n, struct rng *rng)
{
	const struct topo *t = r->topo;

	r->layers.n = n;
	for (sw_ix a = 0; n > 1 && a < t->nsw; a++)
		for (sw_ix b = 0; b < a; b++) {
			sw_ix x = prev == NULL
					  ? TOPO_NONE
					  : topo_switch_in(prev->topo, t, a);
			sw_ix y = prev == NULL
					  ? TOPO_NONE
					  : topo_switch_in(prev->topo, t, b);
			uint8_t layer = (uint8_t)rng_below(rng, n);

			if (x != TOPO_NONE && y != TOPO_NONE &&
				rng_below(rng, 20) != 0)
				layer = routes_layer(&prev->layers, x, y);
			layers_put(&r->layers, a, b, layer);
		}
}

/*
 * A random map of VLs, by a seed the same for a port of any topology: layers
 * share groups, but for group 0, which other layers than the first take on
 * first links at most.
 */
static inline struct vl_map *
world_map(const struct topo *t, unsigned layers, uint64_t seed)
{
	struct vl_map *m = vl_map_new(t);
	struct rng r = {seed};
	struct reason why = {""};

	m->in = (uint8_t)(3 + rng_below(&r, 2));
	m->out = (uint8_t)(1 + rng_below(&r, 3));
	m->groups = (uint8_t)(3 + rng_below(&r, layers));
	for (unsigned l = 1; l < layers; l++)
		for (unsigned in = 0; in < m->in; in++)
			for (unsigned out = 0; out < m->out; out++) {
				bool first = in == 0 && rng_below(&r, 2) == 0;

				m->group[l][in][out] =
					(uint8_t)(first ? 0
							: 1 + rng_below(&r,
								      m->groups -
									      1U));
			}
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++) {
			uint64_t guid = t->node[t->sw[s].node].guid;
			struct rng p = {seed + guid * 256 + t->adj[i].out};

			vl_map_put(m,
				topo_port_of(t, t->sw[s].node, t->adj[i].out),
				1 + rng_below(&p, m->in - 1U),
				rng_below(&p, m->out));
		}
	ck_assert_msg(vl_map_check(m, t, layers, &why) == 0, "%s", why.text);
	return m;
}

/*
 * Take the order from up/down tables: entries for `share` of 100 LIDs are
 * replaced. Then find room for multicast, keeping that of prev (NULL allowed)
 * where it can be. False: there is none, and r is as it was but for its
 * entries, which obey an order no more.
 */
static inline bool
world_unorder(struct routes *r, const struct routes *prev, unsigned share,
	struct rng *rng)
{
	const struct topo *t = r->topo;
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct route_mcast was = {0};
	const struct mcast_order_try first[2] = {
		{prev != NULL ? prev->topo : NULL, &was}};
	struct unordered x = {.r = r};
	struct reason why = {""};
	bool found;

	world_new(&x.w, t, 1);
	x.w.map = r->layers.map;
	x.nv = x.w.nch * route_layers_groups(&r->layers);
	x.count = mem_zalloc((size_t)x.nv * x.nv, sizeof(*x.count));
	x.degree = mem_alloc(x.nv * sizeof(*x.degree));
	x.port = mem_alloc(t->nsw);
	x.dist = mem_alloc(t->nsw * sizeof(*x.dist));
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		if (t->by_lid[lid] == TOPO_NONE)
			continue;
		unordered_column(&x, (uint16_t)lid, x.port);
		unordered_count(
			&x, topo_switch_of(t, t->by_lid[lid]), x.port, 1);
	}
	for (uint32_t lid = 1; lid <= t->max_lid; lid++)
		if (t->by_lid[lid] != TOPO_NONE && rng_below(rng, 100) < share)
			unordered_replace(&x, (uint16_t)lid, rng);
	free(r->deps);
	r->order = ROUTE_NO_ORDER;
	ck_assert_msg(verify_tables_dependencies(
			      &in, &r->report, &r->deps, &why) == 0,
		"%s", why.text);
	r->layers.plain = r->report.plain;
	if (prev != NULL)
		routes_mcast(prev, &was);
	found = mcast_order_find(r->topo, r->deps,
		route_layers_trees(&r->layers), first, &r->mcast);
	routes_mcast_free(&was);
	world_free(&x.w);
	free(x.count);
	free(x.degree);
	free(x.port);
	free(x.dist);
	return found;
}

/* ---- trees ---- */

/* Whether packets of a tree come in by this port of s: its mask is set at the
 * other end, or the port leads to a member. */
static inline bool
tree_feeds(const struct mcast_tree *tree, sw_ix s, unsigned in)
{
	const struct topo *t = tree->topo;
	port_ix far = t->port[topo_port_of(t, t->sw[s].node, in)].peer;
	sw_ix from =
		far == TOPO_NONE ? TOPO_NONE : t->node[t->port[far].node].sw;

	for (size_t i = 0; from != TOPO_NONE && i < tree->n; i++)
		if (tree->branch[i].sw == from)
			return mcast_bit(
				tree->branch[i].mask, t->port[far].num);
	return false;
}

/* The dependencies of a tree by the numbers of t; to be freed. */
static inline struct transition_mcast *
tree_dependencies(
	const struct mcast_tree *tree, const struct topo *t, size_t *n)
{
	struct transition_mcast *dep = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < tree->n; i++) {
		const struct mcast_branch *b = &tree->branch[i];
		sw_ix s = topo_switch_in(t, tree->topo, b->sw);
		unsigned nports =
			tree->topo->node[tree->topo->sw[b->sw].node].nports;

		for (unsigned in = 1; s != TOPO_NONE && in <= nports; in++)
			for (unsigned out = 1; out <= nports; out++) {
				if (in == out || !mcast_bit(b->mask, out) ||
					!tree_feeds(tree, b->sw, in))
					continue;
				dep = mem_grow(dep, *n, &cap, sizeof(*dep));
				dep[(*n)++] = (struct transition_mcast){
					s, (uint8_t)in, (uint8_t)out};
			}
	}
	return dep;
}

/* Add them to the world's graph. */
static inline void
world_add_tree(struct world *w, const struct mcast_tree *tree)
{
	size_t n;
	struct transition_mcast *dep = tree_dependencies(tree, w->t, &n);

	for (size_t i = 0; i < n; i++) {
		sw_ix peer = 0;
		uint32_t d = world_behind(w, dep[i].sw, dep[i].out, &peer);
		uint32_t c = w->off[dep[i].sw] + dep[i].in;

		if (d != w->nch &&
			world_behind(w, dep[i].sw, dep[i].in, &peer) != w->nch)
			w->guest[(size_t)c * w->nch + d] = true;
	}
	free(dep);
}

/* A tree of random members in the order of r. */
static inline struct mcast_tree *
world_tree(
	const struct routes *r, const struct mcast_tree *prev, struct rng *rng)
{
	struct topo *t = r->topo;
	struct mcast_member member[12];
	struct route_mcast order;
	struct mcast_tree *tree;
	struct mcast *m;
	size_t n = 0;

	while (n < sizeof(member) / sizeof(*member)) {
		port_ix p = (port_ix)rng_below(rng, t->nports);

		if (topo_has_lid(t, p))
			member[n++] =
				(struct mcast_member){p, rng_below(rng, 4) > 0};
	}
	routes_mcast(r, &order);
	m = mcast_new(t, &order);
	tree = mcast_tree(m, member, n, prev, rng_below(rng, 8));
	ck_assert_uint_eq(tree->left_out, 0);
	mcast_free(m);
	routes_mcast_free(&order);
	return tree;
}

#endif
