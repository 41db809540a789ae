/*
 * Incremental verification must give the result of full verification: on random
 * fabrics links and hosts come and go, tables are kept, made afresh, or spoilt,
 * and every figure is compared.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/routing/verify/judgement_fixture.h"
#include "tests/unit/suite.h"

struct scene {
	struct rng r;
	int seed;
	struct fabric *f;
	bool *down; /* [ncables] */
	struct topo *t;
	struct lft_pool *pool;
	struct routes *routes;
	struct verify_state *state;
	unsigned by_change, steps;
};

static struct verify_tables
verify_input(const struct routes *r)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
}

static struct fabric *
some_fabric(struct rng *r)
{
	const struct gen_fattree2 tree = {2 + rng_below(r, 4),
		2 + rng_below(r, 6), 1 + rng_below(r, 2), 3, 2};
	struct reason why;

	switch (rng_below(r, 4)) {
	case 0:
		return gen_tree_two(&tree, &why);
	case 1:
		return shape_of("three:4");
	case 2:
		return shape_of("torus:4x3:2");
	default:
		return gen_random(12, 4, 2, rng_next(r), &why);
	}
}

/* The current fabric, with the same LIDs. */
static struct topo *
freeze_topo(const struct scene *s)
{
	return s->t == NULL ? frozen_topo(s->f, NULL)
			    : frozen_less(s->f, s->down, s->t);
}

static struct routes *
route_updn(struct scene *s, struct topo *t, bool keep)
{
	const struct route_job job = {.topo = t,
		.pool = s->pool,
		.prev = s->routes,
		.load_limit = 1250,
		.threads = 1};
	AUTO(arena) struct arena *a = arena_new();
	struct routes *r = NULL;
	struct reason why = {""};

	ck_assert_msg(engine_updn.route(&job, keep && s->routes != NULL, 0, a,
			      &r, &why) == ENGINE_OK,
		"seed %d: %s", s->seed, why.text);
	return r;
}

/* n random entries become something else. */
static void
spoil_entries(struct scene *s, struct routes *r, unsigned n)
{
	size_t bytes = (size_t)r->nblocks * LFT_BLOCK;
	AUTO(mem) uint8_t *row = mem_alloc(bytes);

	for (; n > 0; n--) {
		sw_ix sw = rng_below(&s->r, r->topo->nsw);

		for (uint32_t b = 0; b < r->nblocks; b++)
			memcpy(row + (size_t)b * LFT_BLOCK,
				routes_block(r, sw, b), LFT_BLOCK);
		row[rng_below(&s->r, r->topo->max_lid + 1U)] =
			(uint8_t)(rng_below(&s->r, 6) == 0
					  ? LFT_DROP
					  : rng_below(&s->r, 9));
		routes_put_row(r, sw, row, NULL, TOPO_NONE);
	}
}

static void
give_lanes(struct scene *s, struct routes *r, const struct routes *like)
{
	static const uint8_t layers[] = {1, 2, 3, 1, 2, 3, 16};
	struct route_layers *l = &r->layers;
	const struct topo *t = r->topo;
	bool keep = like != NULL && like->layers.row != NULL;

	l->n = layers[(size_t)s->seed % sizeof(layers)];
	for (sw_ix a = 0; l->n > 1 && a < t->nsw; a++)
		for (sw_ix b = 0; b < a; b++) {
			sw_ix x = keep ? topo_switch_in(like->topo, t, a)
				       : TOPO_NONE;
			sw_ix y = keep ? topo_switch_in(like->topo, t, b)
				       : TOPO_NONE;
			uint8_t layer = (uint8_t)rng_below(&s->r, l->n);

			if (x != TOPO_NONE && y != TOPO_NONE &&
				rng_below(&s->r, 60) != 0)
				layer = routes_layer(&like->layers, x, y);
			layers_put(l, a, b, layer);
		}
	if (l->n > 1 && rng_below(&s->r, 12) == 0)
		layers_put_one_way(
			l, 0, 1, (uint8_t)((routes_layer(l, 0, 1) + 1) % l->n));
}

/* Layers are plain if they have no cycle when all of them share one VL. */
static void
plain_is_one_lane(const struct scene *s, struct verify_tables in, bool plain)
{
	struct verify_report one;

	in.layers = NULL;
	(void)verify_tables(&in, &one, NULL);
	ck_assert_msg(plain == (one.cyclic_channels == 0),
		"seed %d step %u: %u on one lane", s->seed, s->steps,
		one.cyclic_channels);
}

/* Verifies r both ways; keeps it for the next step if it is good. */
static void
compare_reports(struct scene *s, struct routes *r)
{
	const struct verify_tables in = verify_input(r);
	struct verify_tables ranked = in;
	struct link_ranks *ranks = routes_link_ranks(r);
	struct verify_before was = {.state = s->state};
	struct verify_report full, part;
	struct verify_state *a, *b;
	struct reason why = {""};
	char what[64];
	int x, y;

	(void)snprintf(
		what, sizeof(what), "seed %d step %u", s->seed, s->steps);
	if (s->routes != NULL)
		was.in = verify_input(s->routes);
	ranked.ranks = ranks;
	x = verify_keep(&in, 1 + s->steps % 3, &full, &a, &why);
	y = verify_incremental(
		s->routes != NULL ? &was : NULL, &ranked, 1, &part, &b, &why);
	link_ranks_drop(ranks);
	ck_assert_msg(x == y, "%s: %s", what, why.text);
	judgement_same_report(what, &part, &full);
	plain_is_one_lane(s, in, full.plain);
	judgement_same_loads(what, r->topo, b, a);
	judgement_all_dependencies(what, r->topo, b, a);
	s->by_change += part.by_change;
	verify_state_unref(a);
	if (!part.ok) {
		verify_state_unref(b);
		routes_unref(r);
		return;
	}
	verify_state_unref(s->state);
	routes_unref(s->routes);
	s->state = b;
	s->routes = r;
}

static void
run_step(struct scene *s)
{
	unsigned what = rng_below(&s->r, 8);
	struct routes *r;
	struct topo *t;

	s->steps++;
	if (what < 6)
		for (unsigned n = 1 + rng_below(&s->r, 2); n > 0; n--) {
			uint32_t c = rng_below(&s->r, s->f->ncables);

			s->down[c] = !s->down[c] && rng_below(&s->r, 3) > 0;
		}
	t = freeze_topo(s);
	r = route_updn(s, t, what != 7);
	give_lanes(s, r, what == 6 ? NULL : s->routes);
	if (what == 5)
		spoil_entries(s, r, 1 + rng_below(&s->r, 3));
	compare_reports(s, r);
	topo_unref(s->t);
	s->t = t;
}

LOOP_TEST(as_in_full, 0, 60)
{
	struct scene s = {.r = {(uint64_t)_i}, .seed = _i};

	s.f = some_fabric(&s.r);
	s.down = mem_zalloc(s.f->ncables, sizeof(*s.down));
	s.pool = lft_pool_new();
	for (unsigned i = 0; i < 25; i++)
		run_step(&s);
	ck_assert_msg(s.by_change > 0, "seed %d: never by change", _i);
	verify_state_unref(s.state);
	routes_unref(s.routes);
	topo_unref(s.t);
	lft_pool_free(s.pool);
	fabric_free(s.f);
	free(s.down);
}
