/*
 * The frame of a dependency graph, with a map of VLs and without: what follows
 * what, which vertices are a node, and orders of nodes, all by brute force from
 * links, layers and classes.
 */
#include "routing/verify/dep_graph.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/dynamic_order.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { SEEDS = 40, GROUPS = 8 };

struct bed {
	struct rng r;
	struct topo *t;
	struct dep_graph n;
	struct vl_map *map; /* NULL: none */
	uint8_t *port;	    /* [nrec] classes */
	unsigned layers, ins;
	uint64_t *dep;
};

static port_ix
port_at(const struct bed *b, sw_ix s, unsigned p)
{
	return topo_port_of(b->t, b->t->sw[s].node, p);
}

static void
put_map(struct bed *b)
{
	const struct topo *t = b->t;

	b->map = vl_map_new(t);
	b->map->in = (uint8_t)b->ins;
	b->map->out = 3;
	b->map->groups = GROUPS;
	for (unsigned l = 0; l < b->layers; l++)
		for (unsigned i = 0; i < b->ins; i++)
			for (unsigned o = 0; o < 3; o++)
				b->map->group[l][i][o] =
					(uint8_t)rng_below(&b->r, 3);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			unsigned p = t->adj[t->sw[s].adj + i].out;

			vl_map_put(b->map, port_at(b, s, p),
				rng_below(&b->r, b->ins), rng_below(&b->r, 3));
			b->port[b->n.off[s] + p] =
				b->map->port[port_at(b, s, p)];
		}
	dep_graph_use_map(&b->n, b->map, b->layers, b->port);
}

static void
bed_new(struct bed *b, uint64_t seed, bool mapped)
{
	const struct frozen_lids lids = {0};
	struct reason why = {""};
	struct fabric *f = gen_random(6, 3, 1, seed, &why);
	const struct topo *t;

	*b = (struct bed){.r = {seed}, .t = frozen_topo(f, &lids)};
	fabric_free(f);
	t = b->t;
	b->layers = 1 + rng_below(&b->r, 4);
	b->ins = mapped ? 1 + rng_below(&b->r, 4) : 1;
	dep_graph_by_topo(&b->n, t, b->layers * b->ins);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++)
			dep_graph_link(&b->n, b->n.off[s] + t->adj[i].out,
				b->n.off[t->adj[i].peer] + t->adj[i].peer_port);
	b->port = mem_zalloc(b->n.nrec, 1);
	if (mapped)
		put_map(b);
	b->dep = mem_zalloc(dep_graph_words(&b->n), sizeof(*b->dep));
}

static void
bed_free(struct bed *b)
{
	dep_graph_free(&b->n);
	vl_map_drop(b->map);
	topo_unref(b->t);
	free(b->port);
	free(b->dep);
}
AUTO_VALUE(bed, struct bed, bed_free)

/* The channel behind an out-port of the switch of a record; nrec - 1: none. */
static uint32_t
channel_behind(const struct bed *b, uint32_t rec, unsigned out)
{
	sw_ix s = 0;
	const struct topo_switch *sw;

	while (s < b->t->nsw && rec >= b->n.off[s + 1])
		s++;
	if (s == b->t->nsw)
		return b->n.nrec - 1;
	sw = &b->t->sw[s];
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (b->t->adj[i].out == out)
			return b->n.off[b->t->adj[i].peer] +
			       b->t->adj[i].peer_port;
	return b->n.nrec - 1;
}

/* The vertex that follows v through out: the same layer, in the class of the
 * link by which v arrives. */
static uint32_t
vertex_after(const struct bed *b, uint32_t v, unsigned out)
{
	uint32_t rec = v % b->n.nrec;
	uint32_t layer = v / b->n.nrec % b->layers;
	uint32_t class = b->port[rec] & 15;

	return (class * b->layers + layer) * b->n.nrec +
	       channel_behind(b, rec, out);
}

/* The group of VLs of a vertex: by its layer, the link before and its own. */
static unsigned
group_of(const struct bed *b, uint32_t v)
{
	uint32_t rec = v % b->n.nrec, plane = v / b->n.nrec, from = 0;

	for (uint32_t e = 0; e < b->n.nrec - 1; e++)
		for (unsigned p = 0; e == b->n.base[e] && p < 8; p++)
			if (channel_behind(b, e, p) == rec &&
				rec != b->n.nrec - 1)
				from = b->port[e + p] >> 4;
	return vl_map_group(b->map, plane % b->layers, plane / b->layers, from);
}

/* A dependency of every vertex that arrives at a switch, one in `share`. */
static void
put_dependencies(struct bed *b, unsigned share)
{
	for (uint32_t v = 0; v < b->n.nv; v++)
		for (unsigned out = 1; out < 8; out++)
			if (channel_behind(b, v % b->n.nrec, out) !=
					b->n.nrec - 1 &&
				rng_below(&b->r, share) == 0)
				dep_graph_put(&b->n, b->dep, v, out);
}

static bool
makes_dependency(const struct bed *b, uint32_t v, uint32_t w)
{
	for (unsigned out = 1; out < 8; out++)
		if (dep_graph_has(&b->n, b->dep, v, out) &&
			vertex_after(b, v, out) == w)
			return true;
	return false;
}

/* Whether two vertices wait together. */
static bool
is_one(const struct bed *b, const unsigned *group, uint32_t v, uint32_t w)
{
	return v == w || (b->map != NULL && v % b->n.nrec == w % b->n.nrec &&
				 group[v] == group[w]);
}

static unsigned *
all_groups(const struct bed *b)
{
	unsigned *group = mem_alloc(b->n.nv * sizeof(*group));

	for (uint32_t v = 0; v < b->n.nv; v++)
		group[v] = group_of(b, v);
	return group;
}

/* [nv * nv] by names of nodes. */
static bool *
nodes_by_force(const struct bed *b)
{
	bool *follows = mem_zalloc((size_t)b->n.nv * b->n.nv, sizeof(bool));

	for (uint32_t v = 0; v < b->n.nv; v++)
		for (unsigned out = 1; out < 8; out++)
			if (dep_graph_has(&b->n, b->dep, v, out))
				follows[(size_t)dep_graph_node(&b->n, v) *
						b->n.nv +
					dep_graph_node(&b->n,
						vertex_after(b, v, out))] =
					true;
	return follows;
}

LOOP_TEST(vertices_and_nodes, 0, SEEDS)
{
	AUTO(bed) struct bed b;
	unsigned *group, many = 0;

	bed_new(&b, (uint64_t)_i + 1, _i % 4 != 0);
	group = all_groups(&b);
	for (uint32_t v = 0; v < b.n.nv; v++) {
		uint32_t first = dep_graph_node(&b.n, v), w = v, n = 0, all = 0;

		ck_assert(first <= v);
		ck_assert(is_one(&b, group, first, v));
		do {
			ck_assert(is_one(&b, group, v, w));
			w = dep_graph_mate(&b.n, w);
			n++;
		} while (w != v && n <= b.n.nv);
		for (w = v % b.n.nrec; w < b.n.nv; w += b.n.nrec)
			all += is_one(&b, group, v, w);
		ck_assert_uint_eq(n, all);
		many += n > 1;
		for (unsigned out = 1; out < 4; out++)
			if (channel_behind(&b, v % b.n.nrec, out) !=
				b.n.nrec - 1)
				ck_assert_uint_eq(dep_graph_head(&b.n, v, out),
					vertex_after(&b, v, out));
	}
	ck_assert(b.map == NULL || many > 0 || b.layers * b.ins == 1);
	free(group);
}

LOOP_TEST(neighbours, 0, SEEDS)
{
	AUTO(bed) struct bed b;
	AUTO(mem) bool *follows = NULL, *seen = NULL, *before = NULL;

	bed_new(&b, (uint64_t)_i + 1, _i % 4 != 0);
	put_dependencies(&b, 4);
	follows = nodes_by_force(&b);
	seen = mem_alloc(b.n.nv);
	before = mem_alloc(b.n.nv);
	for (uint32_t v = 0; v < b.n.nv; v++) {
		unsigned at = 0;
		uint32_t w;

		memset(seen, 0, b.n.nv);
		while (dep_graph_prev(&b.n, b.dep, v, &at, &w))
			seen[w] = true;
		for (w = 0; w < b.n.nv; w++)
			ck_assert(seen[w] == makes_dependency(&b, w, v));
		if (dep_graph_node(&b.n, v) != v)
			continue;
		memset(seen, 0, b.n.nv);
		memset(before, 0, b.n.nv);
		at = 0;
		while ((w = dep_graph_after(&b.n, b.dep, v, &at)) != TOPO_NONE)
			seen[w] = true;
		at = 0;
		while ((w = dep_graph_before(&b.n, b.dep, v, &at)) != TOPO_NONE)
			before[w] = true;
		for (w = 0; w < b.n.nv; w++) {
			ck_assert(seen[w] == follows[(size_t)v * b.n.nv + w]);
			ck_assert(before[w] == follows[(size_t)w * b.n.nv + v]);
		}
	}
}

/* Removes nodes that nothing leads to; true: some are left. */
static bool
is_cyclic(const struct bed *b)
{
	bool *follows = nodes_by_force(b), *gone = mem_zalloc(b->n.nv, 1);
	uint32_t left = b->n.nv, was = 0;

	while (left != was) {
		was = left;
		for (uint32_t v = 0; v < b->n.nv; v++) {
			bool led = gone[v];

			for (uint32_t w = 0; w < b->n.nv && !led; w++)
				led = !gone[w] &&
				      follows[(size_t)w * b->n.nv + v];
			if (led)
				continue;
			gone[v] = true;
			left--;
		}
	}
	free(follows);
	free(gone);
	return left > 0;
}

/* Dependencies one after the other: refused where they close a cycle. */
LOOP_TEST(orders, 0, SEEDS / 4)
{
	AUTO(bed) struct bed b;
	struct dynamic_order o;
	unsigned refused = 0;

	bed_new(&b, (uint64_t)_i + 1, _i % 4 != 0);
	ck_assert(dynamic_order_new(&o, &b.n, NULL, b.dep));
	for (unsigned i = 0; i < 150; i++) {
		uint32_t v = rng_below(&b.r, b.n.nv);
		unsigned out = 1 + rng_below(&b.r, 3);

		if (channel_behind(&b, v % b.n.nrec, out) == b.n.nrec - 1 ||
			dep_graph_has(&b.n, b.dep, v, out))
			continue;
		dep_graph_put(&b.n, b.dep, v, out);
		if (dynamic_order_add(&o, v, out)) {
			ck_assert(!is_cyclic(&b));
			continue;
		}
		ck_assert(is_cyclic(&b));
		refused++;
		dep_graph_clear(&b.n, b.dep, v, out);
	}
	ck_assert(refused > 0 || b.layers * b.ins > 1);
	dynamic_order_free(&o);
	ck_assert(dynamic_order_new(&o, &b.n, NULL, b.dep));
	dynamic_order_free(&o);
}
