/*
 * The engine nue: any connected graph on any number of layers, judged by the
 * general judge, which knows nothing of ranks; alike both ways.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engines/nue/nue.h"
#include "routing/mcast/mcast_order.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

struct rig {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
};

static void
rig_open(struct rig *g, struct fabric *f, const struct reason *why)
{
	const struct frozen_lids lids = {.shuffle = 5};

	ck_assert_msg(f != NULL, "%s", why->text);
	*g = (struct rig){f, frozen_topo(f, &lids), lft_pool_new()};
}

static void
rig_close(struct rig *g)
{
	ck_assert_uint_eq(g->pool->live, 0);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	fabric_free(g->f);
}

static struct routes *
route_topo(struct topo *t, struct lft_pool *pool, unsigned layers,
	const struct routes *prev)
{
	const struct nue_options own = {layers};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = 1};
	struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .options = &options};
	struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_msg(engine_nue.route(&job, prev != NULL, 0, a, &r, &why) ==
			      ENGINE_OK,
		"%s", why.text);
	arena_free(a);
	return r;
}

static void
check_verified(struct routes *r)
{
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct reason why = {""};

	ck_assert_msg(
		verify_tables(&in, &r->report, &why) == 0, "%s", why.text);
	ck_assert_uint_eq(r->report.cut_off, 0);
}

/* Random connected graphs on 1 to 8 layers. */
START_TEST(random_graphs)
{
	for (unsigned i = 0; i < 40; i++) {
		struct rng rng = {(uint64_t)_i * 1000 + i};
		unsigned n = 4 + (unsigned)(rng_next(&rng) % 37);
		unsigned degree = 2 + (unsigned)(rng_next(&rng) % 5);
		unsigned layers = 1 + (unsigned)(rng_next(&rng) % 8);
		struct reason why = {""};
		struct routes *r;
		struct rig g;

		degree = degree < n ? degree : n - 1;
		degree -= n * degree % 2;
		rig_open(&g, gen_random(n, degree < 2 ? 2 : degree, 2, i, &why),
			&why);
		r = route_topo(g.t, g.pool, layers, NULL);
		check_verified(r);
		routes_unref(r);
		rig_close(&g);
	}
}
END_TEST

/* Multicast finds room beside the first layer, by its order. */
START_TEST(room_for_trees)
{
	for (unsigned i = 0; i < 20; i++) {
		unsigned n = 8 + i * 2, layers = 1 + i % 8;
		struct verify_dependencies *deps;
		struct reason why = {""};
		struct route_mcast found, own;
		struct routes *r;
		struct rig g;

		rig_open(&g, gen_random(n, 4, 2, i, &why), &why);
		r = route_topo(g.t, g.pool, layers, NULL);
		{
			const struct verify_tables in = {r->topo, r->pool,
				r->row, r->nblocks, &r->layers, NULL};
			const struct mcast_order_try first[2] = {
				{g.t, &r->mcast}};

			ck_assert_int_eq(verify_tables_dependencies(
						 &in, &r->report, &deps, &why),
				0);
			ck_assert(mcast_order_find(g.t, deps,
				route_layers_trees(&r->layers), first, &found));
		}
		own = r->mcast;
		for (sw_ix s = 0; s < n; s++)
			ck_assert_uint_eq(found.pos[s], own.pos[s]);
		routes_mcast_free(&found);
		free(deps);
		routes_unref(r);
		rig_close(&g);
	}
}
END_TEST

static struct fabric *
make_shape(unsigned i, struct reason *why)
{
	static const unsigned torus[3] = {8, 8, 8}, flat[2] = {12, 8};

	switch (i) {
	case 0:
		return gen_random(64, 6, 4, 1, why);
	case 1:
		return gen_random(256, 8, 4, 1, why);
	case 2:
		return gen_dragonfly(8, 4, 4, why);
	case 3:
		return gen_grid(torus, 3, true, 1, why);
	default:
		return gen_hyperx(flat, 2, 7, why);
	}
}

/* What the busiest link may carry on 1, 2 and 4 layers: a tenth more than when
 * this was written. */
static const unsigned most[][3] = {
	{2650, 720, 640},
	{18000, 3800, 1850},
	{22200, 2530, 1380},
	{6500, 2900, 6740},
	{1030, 850, 830},
};

START_TEST(shapes)
{
	struct reason why = {""};
	struct rig g;

	rig_open(&g, make_shape((unsigned)_i, &why), &why);
	for (unsigned i = 0; i < 3; i++) {
		struct routes *r = route_topo(g.t, g.pool, 1U << i, NULL);

		check_verified(r);
		ck_assert_uint_le(r->report.load_max, most[_i][i]);
		routes_unref(r);
	}
	rig_close(&g);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("nue");
	TCase *t = tcase_create("core");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, random_graphs, 0, 10);
	tcase_add_test(t, room_for_trees);
	tcase_add_loop_test(t, shapes, 0, 5);
	suite_add_tcase(s, t);
	return suite_run(s);
}
