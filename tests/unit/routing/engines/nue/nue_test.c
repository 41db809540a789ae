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
#include "tests/topo/shape.h"
#include "tests/unit/routing/same_routes.h"
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
AUTO_VALUE(rig, struct rig, rig_close)

/* After a restart: prev was read from the switches, what was remembered and
 * which layers pairs have was read from the state file. */
static struct routes *
route_remembering(struct topo *t, struct lft_pool *pool, unsigned layers,
	const struct routes *prev, const char *remembered)
{
	const struct nue_options own = {layers};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = 1};
	struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.remembered = remembered,
		.options = &options};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_msg(engine_nue.route(&job, prev != NULL, 0, a, &r, &why) ==
			      ENGINE_OK,
		"%s", why.text);
	return r;
}

static struct routes *
route_topo(struct topo *t, struct lft_pool *pool, unsigned layers,
	const struct routes *prev)
{
	return route_remembering(t, pool, layers, prev, NULL);
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
LOOP_TEST(random_graphs, 0, 10)
{
	for (unsigned i = 0; i < FEWER(100); i++) {
		AUTO(rig) struct rig g;
		struct rng rng = {(uint64_t)_i * 1000 + i};
		unsigned n = 4 + (unsigned)(rng_next(&rng) % 37);
		unsigned degree = 2 + (unsigned)(rng_next(&rng) % 5);
		unsigned layers = 1 + (unsigned)(rng_next(&rng) % 8);
		struct reason why = {""};
		AUTO(routes) struct routes *r = NULL;

		degree = degree < n ? degree : n - 1;
		degree -= n * degree % 2;
		rig_open(&g, gen_random(n, degree < 2 ? 2 : degree, 2, i, &why),
			&why);
		r = route_topo(g.t, g.pool, layers, NULL);
		check_verified(r);
	}
}

/* The order of r's own first layer, with all its links, whatever other order
 * is tried before it. */
static void
check_room(struct routes *r, const struct route_mcast *before)
{
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	const struct mcast_order_try first[2] = {
		{r->topo, before}, {r->topo, &r->mcast}};
	const struct topo *t = r->topo;
	AUTO(mem) struct verify_dependencies *deps = NULL;
	struct reason why = {""};
	struct route_mcast found;

	ck_assert_int_eq(
		verify_tables_dependencies(&in, &r->report, &deps, &why), 0);
	ck_assert(mcast_order_find(
		r->topo, deps, route_layers_trees(&r->layers), first, &found));
	for (sw_ix s = 0; s < t->nsw; s++) {
		ck_assert_uint_eq(found.pos[s], r->mcast.pos[s]);
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			ck_assert(routes_mcast_link(
				&found, s, t->adj[t->sw[s].adj + i].out));
	}
	routes_mcast_free(&found);
}

/* An order by which the second switch has no neighbour above it. */
static uint32_t *
split_top(const struct routes *r)
{
	const struct topo *t = r->topo;
	uint32_t *pos = mem_dup(r->mcast.pos, t->nsw * sizeof(*pos));
	sw_ix top = 0, far = 0;
	bool near[64] = {0};

	while (pos[top] != 0)
		top++;
	near[top] = true;
	for (uint32_t i = 0; i < t->sw[top].nadj; i++)
		near[t->adj[t->sw[top].adj + i].peer] = true;
	while (near[far])
		far++;
	for (sw_ix s = 0; s < t->nsw; s++)
		pos[s] += s != top && pos[s] < pos[far];
	pos[far] = 1;
	return pos;
}

/* Multicast finds room beside the first layer, by its order. */
TEST(room_for_trees)
{
	for (unsigned i = 0; i < 20; i++) {
		AUTO(rig) struct rig g;
		unsigned n = 8 + i * 2, layers = 1 + i % 8;
		struct reason why = {""};
		AUTO(routes) struct routes *r = NULL;
		AUTO(mem) uint32_t *pos = NULL;

		rig_open(&g, gen_random(n, 4, 2, i, &why), &why);
		r = route_topo(g.t, g.pool, layers, NULL);
		pos = split_top(r);
		check_room(r, NULL);
		check_room(r, &(struct route_mcast){.pos = pos});
	}
}

/* ---- what is remembered ---- */

static struct buf
print_state(const struct routes *r)
{
	struct buf b = {0};

	engine_nue.state->print(r, &b);
	ck_assert_ptr_nonnull(b.text);
	return b;
}

/* Pairs of switches that both routes have, and those of another layer. */
static void
count_moved(const struct routes *was, const struct routes *is, uint32_t *moved,
	uint32_t *pairs)
{
	const struct topo *old = was->topo, *t = is->topo;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (sw_ix d = 0; d < t->nsw; d++) {
			sw_ix from = topo_switch_in(old, t, s);
			sw_ix to = topo_switch_in(old, t, d);

			if (from == TOPO_NONE || to == TOPO_NONE)
				continue;
			*moved += routes_layer(&was->layers, from, to) !=
				  routes_layer(&is->layers, s, d);
			++*pairs;
		}
}

/* A cable between switches that is not dropped yet. */
static uint32_t
choose_cable(const struct fabric *f, const bool *drop, struct rng *rng)
{
	for (;;) {
		uint32_t c = rng_below(rng, f->ncables);
		const uint32_t *end = f->cable[c].node;

		if (!drop[c] && f->node[end[0]].type == FABRIC_SWITCH &&
			f->node[end[1]].type == FABRIC_SWITCH)
			return c;
	}
}

/*
 * Ten cables fail, one after the other: the orders stay, most entries and
 * layers do, and a restart that has read what was printed goes on: on other
 * links in the same orders, on the same ones without a change.
 */
LOOP_TEST(losses_keep_orders, 0, 10)
{
	struct rng rng = {(uint64_t)_i + 77};
	unsigned n = 10 + 3 * (unsigned)_i, layers = 1 + (unsigned)_i % 8;
	struct reason why = {""};
	AUTO(mem) bool *drop = NULL;
	struct routes *r, *next, *again;
	AUTO(rig) struct rig g;
	uint64_t changed = 0, all = 0;
	uint32_t moved = 0, pairs = 0;

	rig_open(&g, gen_random(n, 4, 2, (unsigned)_i, &why), &why);
	drop = mem_zalloc(g.f->ncables, sizeof(*drop));
	r = route_topo(g.t, g.pool, layers, NULL);
	check_verified(r);
	for (unsigned k = 0; k < 10; k++) {
		struct buf was = print_state(r);
		struct topo *t;

		drop[choose_cable(g.f, drop, &rng)] = true;
		t = frozen_less(g.f, drop, r->topo);
		next = route_topo(t, g.pool, layers, r);
		ck_assert_uint_eq(next->layers.n, r->layers.n);
		check_verified(next);
		r->engine = "found";
		again = route_remembering(t, g.pool, layers, r, was.text);
		check_verified(again);
		ck_assert_uint_eq(again->layers.n, r->layers.n);
		routes_unref(again);
		/* a restart on the same links writes nothing */
		buf_free(&was);
		was = print_state(next);
		next->engine = "found";
		again = route_remembering(t, g.pool, layers, next, was.text);
		next->engine = "nue";
		check_same_routes(next, again);
		routes_count_changes(next, r);
		changed += next->entries_changed;
		all += next->entries_changed + next->entries_kept;
		count_moved(r, next, &moved, &pairs);
		routes_unref(again);
		routes_unref(r);
		topo_unref(t);
		buf_free(&was);
		r = next;
	}
	/* a cable is 5 per cent of the smallest fabric's */
	ck_assert_uint_lt(100 * changed, 12 * all);
	ck_assert_uint_lt(100 * moved, 6 * pairs);
	routes_unref(r);
}

/* While no link is there, as when all is in quarantine, no order is forgotten.
 */
TEST(absence_keeps_orders)
{
	AUTO(rig) struct rig g;
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL, *alone = NULL, *again = NULL;
	AUTO(topo) struct topo *none = NULL, *all = NULL;
	AUTO(buf) struct buf was, is;
	AUTO(mem) bool *drop = NULL;

	rig_open(&g, shape_of("random:24:4:2:3"), &why);
	drop = mem_zalloc(g.f->ncables, sizeof(*drop));
	for (uint32_t c = 0; c < g.f->ncables; c++)
		drop[c] =
			g.f->node[g.f->cable[c].node[0]].type ==
				FABRIC_SWITCH &&
			g.f->node[g.f->cable[c].node[1]].type == FABRIC_SWITCH;
	r = route_topo(g.t, g.pool, 4, NULL);
	none = frozen_less(g.f, drop, r->topo);
	alone = route_topo(none, g.pool, 4, r);
	memset(drop, 0, g.f->ncables * sizeof(*drop));
	all = frozen_less(g.f, drop, none);
	again = route_topo(all, g.pool, 4, alone);
	check_verified(again);
	was = print_state(r);
	is = print_state(again);
	ck_assert(strcmp(was.text, is.text) == 0);
}

static struct fabric *
make_shape(unsigned i, struct reason *why)
{
	static const unsigned torus[3] = {8, 8, 8}, flat[2] = {12, 8};

	switch (i) {
	case 0:
		return shape_of("random:64:6:4");
	case 1:
		return shape_of("random:256:8:4");
	case 2:
		return shape_of("dragonfly:8:4:4");
	case 3:
		return gen_grid(torus, 3, true, 1, why);
	case 4:
		return gen_hyperx(flat, 2, 7, why);
	default:
		return shape_of("petersen:24:5:2,fail=3");
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
	/* few enough that orders are learned several times */
	{1250, 580, 345},
};

LOOP_TEST(shapes, 0, 6)
{
	struct reason why = {""};
	AUTO(rig) struct rig g;

	rig_open(&g, make_shape((unsigned)_i, &why), &why);
	for (unsigned i = 0; i < 3; i++) {
		struct routes *r = route_topo(g.t, g.pool, 1U << i, NULL);

		check_verified(r);
		ck_assert_uint_le(r->report.load_max, most[_i][i]);
		routes_unref(r);
	}
}
