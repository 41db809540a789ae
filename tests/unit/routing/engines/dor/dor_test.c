/*
 * The engine dor: products of lines and full meshes are read as such, paths are
 * shortest, tables hold before a judge that knows no ranks; what has no path by
 * the order of dimensions gets one in another layer, or is refused with the
 * reason where links have one VL.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/graph/dimensions_fit.h"
#include "routing/mcast/mcast_order.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

struct shape {
	enum { MESH, TORUS, HYPERX, DRAGONFLY, RANDOM, TREE } kind;
	unsigned dim[4], n, hosts;
	const char *note; /* of the routes, or the reason of a refusal */
};

static struct fabric *
shape_fabric(const struct shape *s)
{
	struct reason why = {""};
	struct fabric *f = NULL;

	switch (s->kind) {
	case MESH:
	case TORUS:
		f = gen_grid(s->dim, s->n, s->kind == TORUS, s->hosts, &why);
		break;
	case HYPERX:
		f = gen_hyperx(s->dim, s->n, s->hosts, &why);
		break;
	case DRAGONFLY:
		f = shape_of("dragonfly:4:2:2");
		break;
	case RANDOM:
		f = shape_of("random:24:4:2:7");
		break;
	case TREE:
		f = shape_of("two:4:6:3");
		break;
	}
	return f;
}

/* Routes of one attempt, or NULL and why. */
static struct routes *
route_topo(struct topo *t, struct lft_pool *pool, const struct routes *prev,
	struct reason *why)
{
	struct route_job job = {.topo = t, .pool = pool, .prev = prev};
	struct arena *a = arena_new();
	struct routes *r = NULL;
	enum engine_result result =
		engine_dor.route(&job, prev != NULL, 0, a, &r, why);

	arena_free(a);
	ck_assert_int_eq(result == ENGINE_OK, r != NULL);
	return r;
}

/* Distances of all switches to one, by plain search. */
static void
find_distances(const struct topo *t, sw_ix root, uint32_t *dist)
{
	bool more = true;

	memset(dist, 0xff, t->nsw * sizeof(*dist));
	dist[root] = 0;
	for (uint32_t d = 0; more; d++) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; dist[s] == d && i < t->sw[s].nadj;
				i++) {
				sw_ix p = t->adj[t->sw[s].adj + i].peer;

				if (dist[p] != UINT32_MAX)
					continue;
				dist[p] = d + 1;
				more = true;
			}
	}
}

/* Every path is as short as the links allow, but for `detours` (switch, switch)
 * pairs. */
static void
check_shortest(const struct routes *r, uint32_t detours)
{
	const struct topo *t = r->topo;
	uint32_t *dist = mem_alloc(t->nsw * sizeof(*dist)), longer = 0;

	for (sw_ix d = 0; d < t->nsw; d++) {
		uint16_t lid = t->port[t->node[t->sw[d].node].first_port].lid;

		find_distances(t, d, dist);
		for (sw_ix s = 0; s < t->nsw; s++) {
			uint32_t n = 0;
			sw_ix at = s;

			for (; at != d && n <= t->nsw; n++)
				at = routes_next_switch(r, at, lid);
			longer += n > dist[s];
		}
	}
	ck_assert_uint_eq(longer, detours);
	free(dist);
}

/* A judge without ranks, and one with them; room for multicast. */
static void
check_verified(struct routes *r)
{
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	AUTO(mem) struct verify_dependencies *deps = NULL;
	struct verify_report report;
	struct reason why = {""};
	struct link_ranks *ranks = routes_link_ranks(r);

	ck_assert_msg(
		verify_tables_dependencies(&in, &report, &deps, &why) == 0,
		"%s", why.text);
	ck_assert_uint_eq(report.cut_off, 0);
	ck_assert_ptr_nonnull(ranks);
	in.ranks = ranks;
	ck_assert_int_eq(verify_tables(&in, &report, &why), 0);
	ck_assert(report.by_rank);
	ck_assert(mcast_order_find(r->topo, deps, UINT16_MAX,
		(struct mcast_order_try[2]){0}, &r->mcast));
	link_ranks_drop(ranks);
}

static const struct shape routed[] = {
	{MESH, {6, 5}, 2, 2,
		"one dimension after the other, of 2: line of 6, line of 5, "
		"in 1 of 3 layers"},
	{MESH, {4, 3, 5}, 3, 1,
		"one dimension after the other, of 3: line of 4, line of 3, "
		"line of 5, in 1 of 3 layers"},
	{MESH, {7}, 1, 2,
		"one dimension after the other, of 1: line of 7, in 1 of "
		"3 layers"},
	{MESH, {2, 2, 2, 2}, 4, 1,
		"one dimension after the other, of 4: line of 2, line of 2, "
		"line of 2, line "
		"of 2, in 1 of 3 layers"},
	{MESH, {1}, 1, 3,
		"one dimension after the other, of 0:, in 1 of 1 layers"},
	{HYPERX, {6, 4}, 2, 3,
		"one dimension after the other, of 2: full mesh of 6, full "
		"mesh of 4, in 1 of 3 layers"},
	{HYPERX, {3, 2, 5}, 3, 1,
		"one dimension after the other, of 3: full mesh of 3, line of "
		"2, full mesh "
		"of 5, in 1 of 3 layers"},
	{HYPERX, {9}, 1, 2,
		"one dimension after the other, of 1: full mesh of 9, in 1 "
		"of 3 layers"},
};

LOOP_TEST(products, 0, LEN(routed))
{
	const struct frozen_lids lids = {.shuffle = 5, .lmc = 1};
	const struct shape *s = &routed[_i];
	AUTO(fabric) struct fabric *f = shape_fabric(s);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct reason why = {""};
	struct routes *r = route_topo(t, pool, NULL, &why), *again;

	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert_str_eq(r->note, s->note);
	ck_assert_int_eq(r->order, ROUTE_NO_ORDER);
	check_verified(r);
	check_shortest(r, 0);
	again = route_topo(t, pool, r, &why);
	ck_assert_ptr_nonnull(again);
	ck_assert_uint_eq(again->entries_changed, 0);
	routes_unref(again);
	routes_unref(r);
	ck_assert_uint_eq(pool->live, 0);
}

static const struct shape refused[] = {
	{TORUS, {6, 5}, 2, 1,
		"dimension 1 of 2 is a ring of 6 switches: a torus needs more "
		"than one VL"},
	{TORUS, {3, 5}, 2, 1,
		"dimension 2 of 2 is a ring of 5 switches: a torus needs more "
		"than one VL"},
	{DRAGONFLY, {0}, 0, 0, "no torus, mesh, hypercube or HyperX: "},
	{RANDOM, {0}, 0, 0, "no torus, mesh, hypercube or HyperX: "},
	{TREE, {0}, 0, 0, "no torus, mesh, hypercube or HyperX: "},
};

LOOP_TEST(refusals, 0, LEN(refused))
{
	const struct frozen_lids lids = {0};
	const struct shape *s = &refused[_i];
	AUTO(fabric) struct fabric *f = shape_fabric(s);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct reason why = {""};

	ck_assert_ptr_null(route_topo(t, pool, NULL, &why));
	ck_assert_msg(strncmp(why.text, s->note, strlen(s->note)) == 0, "%s",
		why.text);
}

/* The number of the cable between two switches, by their names. */
static uint32_t
cable_between(const struct fabric *f, const char *a, const char *b)
{
	for (uint32_t i = 0; i < f->ncables; i++) {
		const char *x = f->node[f->cable[i].node[0]].name;
		const char *y = f->node[f->cable[i].node[1]].name;

		if ((strcmp(x, a) == 0 && strcmp(y, b) == 0) ||
			(strcmp(x, b) == 0 && strcmp(y, a) == 0))
			return i;
	}
	ck_abort_msg("no cable between %s and %s", a, b);
	return 0;
}

/* A lost link of a full mesh: detours, and little changes but what went over
 * it. */
TEST(lost_link)
{
	const struct shape s = {HYPERX, {6, 4}, 2, 3, NULL};
	const struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = shape_fabric(&s);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *u = NULL;
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct reason why = {""};
	AUTO(routes)
	struct routes *r = route_topo(t, pool, NULL, &why), *less = NULL,
		      *back = NULL;
	uint64_t over = 0;

	drop[cable_between(f, "sw0.0", "sw1.0")] = true;
	u = frozen_less(f, drop, t);
	less = route_topo(u, pool, r, &why);
	ck_assert_msg(less != NULL, "%s", why.text);
	check_verified(less);
	/* from each of the two to the other columns of the other */
	check_shortest(less, 2 * 3);
	for (sw_ix x = 0; x < t->nsw; x++)
		for (uint16_t lid = 1; lid <= t->max_lid; lid++) {
			sw_ix next = routes_next_switch(r, x, lid);
			const char *from = topo_desc(t, t->sw[x].node);
			const char *to =
				next == TOPO_NONE
					? ""
					: topo_desc(t, t->sw[next].node);

			over += (strcmp(from, "sw0.0") == 0 &&
					strcmp(to, "sw1.0") == 0) ||
				(strcmp(from, "sw1.0") == 0 &&
					strcmp(to, "sw0.0") == 0);
		}
	ck_assert_uint_gt(over, 0);
	ck_assert_uint_ge(less->entries_changed, over);
	ck_assert_uint_le(less->entries_changed, 2 * over);
	back = route_topo(t, pool, less, &why);
	ck_assert_uint_le(back->entries_changed, 2 * over);
}

/* The torus of rings of four, given as what it is called; given as something
 * else it is refused, and the next engine routes it. */
TEST(given)
{
	static const char *const engines[] = {"dor", "nue"};
	static const struct schema_shape rings[] = {{DIMENSION_RING, 4},
		{DIMENSION_RING, 4}, {DIMENSION_RING, 4}, {DIMENSION_RING, 4}};
	static const struct schema_shape flat[] = {
		{DIMENSION_FULL, 16}, {DIMENSION_FULL, 16}};
	static const struct dimension_options right = {{rings, 4}},
					      wrong = {{flat, 2}};
	const struct shape s = {TORUS, {4, 4, 4, 4}, 4, 1, NULL};
	const struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = shape_fabric(&s);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();

	for (int i = 0; i < 2; i++) {
		const struct schema_values own = {
			engine_dor.module.options, i == 0 ? &right : &wrong};
		const struct engine_options o = {.own = &own, .nown = 1};
		struct route_job job = {.topo = t, .pool = pool, .options = &o};
		struct route_account story;
		struct reason why = {""};
		AUTO(routes)
		struct routes *r =
			compute_routes(&job, engines, 2, &story, &why);

		ck_assert_msg(r != NULL, "%s", why.text);
		ck_assert_str_eq(story.engine, engines[i]);
		ck_assert(i == 0 ||
			  strstr(story.tried,
				  "dor refused: routing.dor.dimensions "
				  "gives full 16, full 16: its links make "
				  "line 2, ") != NULL);
	}
}

static void
limit_vls(struct topo *t, uint8_t code)
{
	for (port_ix p = 0; p < t->nports; p++)
		t->port[p].vl_cap = t->port[p].op_vls = code;
}

/* A lost link of a line leaves no path in its order. With VLs the pair gets
 * another layer; with one VL it is named, and updn routes. */
LOOP_TEST(broken_line, 0, 2)
{
	enum { ONE_VL = 1, EIGHT_VLS = 4 };

	const char *const engines[] = {"dor"};
	const struct shape s = {MESH, {4, 3}, 2, 2, NULL};
	const struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = shape_fabric(&s);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *u = NULL;
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct route_job job = {.topo = t, .pool = pool};
	struct route_account story;
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL, *less = NULL, *back = NULL;

	limit_vls(t, _i == 0 ? ONE_VL : EIGHT_VLS);
	r = compute_routes(&job, engines, 1, &story, &why);
	ck_assert_str_eq(story.engine, "dor");
	ck_assert_ptr_nonnull(r->mcast.pos);
	drop[cable_between(f, "sw1.1", "sw2.1")] = true;
	u = frozen_less(f, drop, t);
	limit_vls(u, _i == 0 ? ONE_VL : EIGHT_VLS);
	job = (struct route_job){
		.topo = u, .pool = pool, .prev = r, .load_limit = 1250};
	less = compute_routes(&job, engines, 1, &story, &why);
	ck_assert_ptr_nonnull(less);
	ck_assert_str_eq(story.engine, _i == 0 ? "updn" : "dor");
	ck_assert(story.fallback == (_i == 0));
	ck_assert_msg(_i == 1 || strstr(story.tried,
					 "dor refused: the order of its one "
					 "layer leaves no path from \"sw") ==
					 story.tried,
		"%s", story.tried);
	job = (struct route_job){
		.topo = t, .pool = pool, .prev = less, .load_limit = 1250};
	back = compute_routes(&job, engines, 1, &story, &why);
	ck_assert_str_eq(story.engine, "dor");
}

/* Up to a tenth of the links fail: dor goes on, and no pair is without a path.
 * Whole, all pairs are in layer 0, which SL 0 has. */
LOOP_TEST(damaged, 0, 4)
{
	static const struct shape shapes[] = {
		{MESH, {5, 4}, 2, 1, NULL},
		{MESH, {2, 2, 2, 2}, 4, 1, NULL},
		{MESH, {3, 3, 3}, 3, 1, NULL},
		{HYPERX, {6, 4}, 2, 2, NULL},
	};
	const struct shape *s = &shapes[_i];
	struct reason why = {""};
	struct channel_verdict v;
	AUTO(engine_rig) struct engine_rig g;
	struct routes *r;
	uint64_t n;

	rig_open(&g, &engine_dor, shape_fabric(s), &why);
	n = g.t->nsw;
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	v = rig_check(r);
	ck_assert_uint_eq(v.used[0], n * (n - 1));
	routes_unref(r);
	(void)rig_lose_links(&g,
		(g.f->ncables - (unsigned)n * s->hosts) / 10 + 1,
		(uint64_t)_i + 3);
}

TEST(ten_cube)
{
	const char *const engines[] = {"dor"};
	unsigned dim[10];
	const struct frozen_lids lids = {0};
	struct reason why = {""};
	struct route_account story;
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(topo) struct topo *t = NULL;
	AUTO(routes) struct routes *r = NULL;

	for (unsigned i = 0; i < 10; i++)
		dim[i] = 2;
	f = gen_grid(dim, 10, false, 1, &why);
	t = frozen_topo(f, &lids);
	r = compute_routes(&(struct route_job){.topo = t, .pool = pool},
		engines, 1, &story, &why);
	ck_assert_ptr_nonnull(r);
	ck_assert_msg(strcmp(story.engine, "dor") == 0, "%s", story.tried);
	ck_assert(r->report.ok);
}
