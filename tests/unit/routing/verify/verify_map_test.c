/*
 * Tables with a map of VLs: the judge's verdict about cycles is that of packets
 * followed one by one, with the layer and the link that each came over.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engines/nue/nue.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { GROUPS = 15 };

/* Dependencies among (out-port, group of VLs), by brute force. */
struct graph {
	uint32_t n;
	bool *dep; /* [n * n] */
};

static struct routes *
route_topo(struct topo *t, struct lft_pool *pool, unsigned layers)
{
	const struct nue_options own = {layers};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = 1};
	struct route_job job = {.topo = t, .pool = pool, .options = &options};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_msg(
		engine_nue.route(&job, false, 0, a, &r, &why) == ENGINE_OK,
		"%s", why.text);
	return r;
}

/* Follow the packets of one switch to a LID. */
static void
follow_packets(
	const struct routes *r, sw_ix s, sw_ix d, uint16_t lid, struct graph *g)
{
	const struct topo *t = r->topo;
	unsigned layer = routes_layer(&r->layers, s, d), in = 0;
	uint32_t last = UINT32_MAX;

	while (s != d) {
		port_ix p =
			topo_port_of(t, t->sw[s].node, routes_port(r, s, lid));
		uint32_t is =
			p * GROUPS + vl_map_group(r->layers.map, layer, in,
					     vl_map_out(r->layers.map, p));

		if (last != UINT32_MAX)
			g->dep[(size_t)last * g->n + is] = true;
		last = is;
		p = t->port[p].peer;
		in = vl_map_in(r->layers.map, p);
		s = t->node[t->port[p].node].sw;
	}
}

static sw_ix
switch_of_lid(const struct topo *t, uint32_t lid)
{
	return lid > t->max_lid || t->by_lid[lid] == TOPO_NONE
		       ? TOPO_NONE
		       : topo_switch_of(t, t->by_lid[lid]);
}

/* Removes what no other leads to, again and again; what is left is cyclic. */
static bool
is_cyclic(const struct graph *g)
{
	AUTO(mem) uint32_t *degree = mem_zalloc(g->n, sizeof(*degree));
	uint32_t *queue = mem_alloc(g->n * sizeof(*queue)), tail = 0;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t w = 0; w < g->n; w++)
			degree[w] += g->dep[(size_t)v * g->n + w];
	for (uint32_t v = 0; v < g->n; v++)
		if (degree[v] == 0)
			queue[tail++] = v;
	for (uint32_t head = 0; head < tail; head++)
		for (uint32_t w = 0; w < g->n; w++)
			if (g->dep[(size_t)queue[head] * g->n + w] &&
				--degree[w] == 0)
				queue[tail++] = w;
	free(queue);
	return tail < g->n;
}

static bool
is_cyclic_by_force(const struct routes *r)
{
	const struct topo *t = r->topo;
	struct graph g = {.n = t->nports * GROUPS};
	bool cyclic;

	g.dep = mem_zalloc((size_t)g.n * g.n, sizeof(*g.dep));
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		sw_ix d = switch_of_lid(t, lid);

		for (sw_ix s = 0; d != TOPO_NONE && s < t->nsw; s++)
			follow_packets(r, s, d, (uint16_t)lid, &g);
	}
	cyclic = is_cyclic(&g);
	free(g.dep);
	return cyclic;
}

/* Layers of pairs at random, alike both ways. */
static void
mix_layers(struct routes *r, struct rng *rng)
{
	uint32_t n = r->layers.nsw;
	struct layer_row **row = mem_alloc(n * sizeof(struct layer_row *));

	for (sw_ix d = 0; d < n; d++)
		row[d] = layer_row_new(n);
	for (sw_ix d = 0; d < n; d++)
		for (sw_ix s = 0; s < d; s++) {
			uint8_t l = (uint8_t)rng_below(rng, r->layers.n);

			layer_row_put(row[d], s, l);
			layer_row_put(row[s], d, l);
		}
	for (sw_ix d = 0; d < n; d++)
		route_layers_put(&r->layers, d, row[d], NULL);
	free(row);
}

/* A map that gives layers groups of their own, but for some that it mixes. */
static void
put_map(struct routes *r, struct rng *rng)
{
	const struct topo *t = r->topo;
	unsigned mixed = rng_below(rng, 4), n = r->layers.n;
	struct vl_map *m = vl_map_new(t);

	m->in = (uint8_t)(2 + rng_below(rng, 3));
	m->out = (uint8_t)(1 + rng_below(rng, 3));
	m->groups = (uint8_t)(n + rng_below(rng, 2));
	for (unsigned l = 0; l < n; l++)
		memset(m->group[l], (int)l, sizeof(m->group[l]));
	while (mixed-- > 0 && n > 1)
		m->group[1 + rng_below(rng, n - 1)][rng_below(rng, m->in)]
			[rng_below(rng, m->out)] =
			(uint8_t)(1 + rng_below(rng, m->groups - 1U));
	for (unsigned l = 1; l < n && rng_below(rng, 2) == 0; l++)
		memset(m->group[l][0], 0, sizeof(m->group[l][0]));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			vl_map_put(m,
				topo_port_of(t, t->sw[s].node,
					t->adj[t->sw[s].adj + i].out),
				1 + rng_below(rng, m->in - 1U),
				rng_below(rng, m->out));
	r->layers.map = m;
}

LOOP_TEST(as_by_force, 0, FEWER(8))
{
	unsigned cyclic = 0, all = 0;

	for (unsigned i = 0; i < 40; i++) {
		struct rng rng = {(uint64_t)_i * 1000 + i};
		const struct frozen_lids lids = {.shuffle = 5};
		unsigned n = 8 + rng_below(&rng, 13);
		struct reason why = {""};
		AUTO(fabric)
		struct fabric *f =
			gen_random(n, n % 2 == 0 ? 3 : 4, 1, i, &why);
		AUTO(topo) struct topo *t = frozen_topo(f, &lids);
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		struct routes *r = route_topo(t, pool, 2 + rng_below(&rng, 3));
		struct verify_tables in = {
			t, pool, r->row, r->nblocks, &r->layers, NULL};
		bool force;

		if (i % 4 == 0)
			mix_layers(r, &rng);
		put_map(r, &rng);
		force = is_cyclic_by_force(r);
		(void)verify_tables(&in, &r->report, &why);
		ck_assert_uint_eq(r->report.unreachable, 0);
		ck_assert_msg(force == (r->report.cyclic_channels > 0),
			"seed %u: %s", (unsigned)_i * 1000 + i,
			r->report.first);
		cyclic += force;
		all += !r->report.plain && r->layers.n > 1;
		routes_unref(r);
	}
	ck_assert_uint_gt(cyclic, 0);
	ck_assert_uint_lt(cyclic, all);
}

/* Layer 0 has group 0 for itself, but for first links. */
TEST(wrong_maps)
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("random:6:3:1");
	const struct frozen_lids lids = {0};
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	struct vl_map *m = vl_map_new(t);
	sw_ix s = 0;

	m->in = 2;
	m->groups = 3;
	for (unsigned l = 1; l < 3; l++)
		memset(m->group[l], (int)l, sizeof(m->group[l]));
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "has no class for port"));
	for (; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			vl_map_put(m,
				topo_port_of(t, t->sw[s].node,
					t->adj[t->sw[s].adj + i].out),
				1, 0);
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), 0);
	m->group[2][0][0] = 0;
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), 0);
	m->group[2][1][0] = 0;
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), -1);
	m->group[2][1][0] = 3;
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), -1);
	m->group[2][1][0] = 2;
	m->group[0][1][0] = 1;
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), -1);
	m->group[0][1][0] = 0;
	vl_map_put(m, topo_port_of(t, t->sw[0].node, t->adj[0].out), 2, 0);
	ck_assert_int_eq(vl_map_check(m, t, 3, &why), -1);
	vl_map_put(m, topo_port_of(t, t->sw[0].node, t->adj[0].out), 1, 0);
	ck_assert_int_eq(vl_map_check(m, t, 17, &why), -1);
	vl_map_drop(m);
}
