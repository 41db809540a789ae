/*
 * The engine torus: tori are read as such, with links out too; paths are short
 * and balanced, what is no torus is refused; tables hold before a judge that
 * shares nothing with them.
 */
#include <check.h>
#include <string.h>

#include "routing/engines/torus/torus.h"
#include "routing/graph/dimensions_fit.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

/* A torus with some links out, and what the busiest link may carry then. */
struct shape {
	unsigned dim[4], n, out, levels;
	uint64_t load;
	unsigned layers, groups;
};

static const struct shape shapes[] = {
	{{8}, 1, 0, 1, 9, 3, 3},
	{{9}, 1, 0, 1, 10, 3, 3},
	{{5, 6}, 2, 0, 1, 26, 9, 4},
	{{7, 7}, 2, 0, 1, 42, 9, 4},
	/* no SLs, or no VLs, for last turns */
	{{7, 7}, 2, 0, 2, 42, 5, 3},
	{{8, 3}, 2, 0, 1, 27, 5, 4},
	{{8, 2, 4}, 3, 0, 1, 72, 5, 4},
	{{5, 5, 5}, 3, 0, 1, 77, 16, 4},
	{{8, 8, 8}, 3, 0, 1, 576, 16, 4},
	/* SLs for all breaks but one of three rings */
	{{5, 5, 5}, 3, 0, 2, 77, 8, 3},
	{{8, 8, 8}, 3, 0, 2, 610, 8, 3},
	{{5, 5, 5}, 3, 4, 2, 160, 8, 3},
	{{7, 7}, 2, 2, 1, 80, 9, 4},
	{{5, 5, 5}, 3, 4, 1, 125, 16, 4},
	{{5, 5, 5}, 3, 20, 1, 300, 16, 4},
	/* short ways round what is lost before long ones */
	{{8, 8, 8}, 3, 15, 1, 690, 16, 4},
	/* where hundreds of pairs have no common layer at first */
	{{8, 8, 8}, 3, 77, 1, 970, 16, 4},
};

static struct fabric *
make_shape(const struct shape *s, uint64_t seed, struct reason *why)
{
	return rig_fail_links(
		gen_grid(s->dim, s->n, true, 1, why), s->out, seed, why);
}

LOOP_TEST(balanced, 0, LEN(shapes))
{
	const struct shape *s = &shapes[_i];
	struct reason why = {""};
	struct channel_verdict v;
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, &engine_torus, make_shape(s, 3, &why), &why);
	rig_set_levels(&g, s->levels);
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	v = rig_check(r);
	ck_assert_uint_eq(r->layers.n, s->layers);
	ck_assert_uint_eq(v.groups, s->groups);
	/* while it is whole, no pair needs layer 0 */
	ck_assert(s->out > 0 || v.used[0] == 0);
	ck_assert_uint_le(rig_load(r), s->load);
}

/* Small ones with many links or switches out, of many seeds: all arrive, no
 * cycle. */
LOOP_TEST(broken, 0, FEWER(5))
{
	static const struct shape small[] = {
		{{5, 5, 5}, 3, 25, 1, 0, 0, 0},
		{{6, 5}, 2, 2, 1, 0, 0, 0},
		{{8, 3}, 2, 2, 1, 0, 0, 0},
		{{3, 4, 5}, 3, 8, 1, 0, 0, 0},
	};
	unsigned refused = 0;

	for (unsigned i = 0; i < 12; i++) {
		const struct shape *s = &small[i % 4];
		struct reason why = {""};
		AUTO(engine_rig) struct engine_rig g;
		AUTO(routes) struct routes *r = NULL;

		rig_open(&g, &engine_torus,
			make_shape(s, (uint64_t)_i * 100 + i, &why), &why);
		r = rig_route(&g, g.t, NULL, NULL, &why);
		if (r != NULL)
			(void)rig_check(r);
		refused += r == NULL;
	}
	ck_assert_uint_eq(refused, 0);
}

/* A ring that has lost a switch is a line, which nothing has to be reached
 * around: next to no pair needs up/down paths for it. */
LOOP_TEST(lost_switches, 0, FEWER(4))
{
	struct reason why = {""};
	struct channel_verdict v;
	struct engine_rig g;
	struct routes *r;

	rig_open(&g, &engine_torus,
		gen_edit_fail_switches(
			shape_of("torus:6x7x5"), 3, (uint64_t)_i, true, &why),
		&why);
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	v = rig_check(r);
	ck_assert_uint_le(v.used[0], 10);
	routes_unref(r);
	rig_close(&g);
}

/* One square in eight has lost a link, and each of its directions shares but
 * one square with another. */
TEST(smallest)
{
	static const struct shape flat = {{5, 5}, 2, 3, 1, 0, 0, 0};
	unsigned refused = 0;

	for (uint64_t seed = 1; seed <= FEWER(30); seed++) {
		struct reason why = {""};
		AUTO(engine_rig) struct engine_rig g;
		AUTO(routes) struct routes *r = NULL;

		rig_open(
			&g, &engine_torus, make_shape(&flat, seed, &why), &why);
		r = rig_route(&g, g.t, NULL, NULL, &why);
		refused += r == NULL;
	}
	ck_assert_uint_eq(refused, 0);
}

static struct fabric *
make_other(int i, struct reason *why)
{
	static const unsigned one[1] = {1}, many[4] = {5, 5, 5, 5};

	switch (i) {
	case 0:
		return gen_grid(one, 1, false, 2, why);
	case 1:
		return shape_of("dragonfly:4:1:2");
	case 2:
		return shape_of("random:40:5:1:3");
	case 3:
		return gen_grid(many, 4, true, 1, why);
	case 4:
		return gen_grid(many, 2, true, 1, why);
	default:
		return gen_grid(many, 3, true, 1, why);
	}
}

LOOP_TEST(refused, 0, 6)
{
	static const char *const reason[] = {"no torus: there is one switch",
		"no torus, mesh, hypercube or HyperX: ",
		"no torus, mesh, hypercube or HyperX: ", "a torus of 4 rings",
		" VLs for ", "more than there are SLs"};
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;

	rig_open(&g, &engine_torus, make_other(_i, &why), &why);
	if (_i >= 4)
		rig_set_levels(&g, 3); /* 8 VLs have room for two each */
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	ck_assert_msg(
		strstr(why.text, reason[_i]) != NULL, "%d: %s", _i, why.text);
}

static const struct schema_shape eight[] = {
	{DIMENSION_RING, 8}, {DIMENSION_RING, 8}};
static const struct schema_shape six[] = {
	{DIMENSION_RING, 6}, {DIMENSION_RING, 6}};

/* Given dimensions are found where they cannot be read; what is remembered has
 * to be what is given. */
TEST(given)
{
	AUTO(engine_rig) struct engine_rig g;
	static const struct dimension_options right = {{six, 2}},
					      wrong = {{eight, 2}};
	static const struct shape s = {{6, 6}, 2, 16, 1, 0, 0, 0};
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL, *again = NULL;

	rig_open(&g, &engine_torus, make_shape(&s, 1, &why), &why);
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	g.own = &wrong;
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	ck_assert_msg(strstr(why.text, "routing.torus.dimensions gives ring "
				       "8, ring 8: port ") != NULL,
		"%s", why.text);
	g.own = &right;
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	(void)rig_check(r);
	again = rig_route(&g, g.t, r, NULL, &why);
	ck_assert_msg(again != NULL, "%s", why.text);
	check_same_routes(r, again);
	g.own = &wrong;
	ck_assert_ptr_null(rig_route(&g, g.t, r, NULL, &why));
}

/* Links fail one after the other. */
/* New tables without a link are as good as those that know no tables before,
 * and pairs have their layers again. */
LOOP_TEST(renewed, 0, FEWER(8))
{
	struct rng rng = {(uint64_t)_i};
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL, *first = NULL, *anew = NULL;
	AUTO(topo) struct topo *t = NULL;
	AUTO(mem) bool *drop = NULL;

	rig_open(&g, &engine_torus, shape_of("torus:6x6:2"), &why);
	r = rig_route(&g, g.t, NULL, NULL, &why);
	drop = mem_zalloc(g.f->ncables, sizeof(*drop));
	rig_drop_cable(g.f, drop, &rng);
	t = frozen_less(g.f, drop, g.t);
	first = rig_route(&g, t, NULL, NULL, &why);
	anew = rig_route_as(&g, t, r, false, NULL, &why);
	ck_assert_ptr_nonnull(anew);
	(void)rig_check(anew);
	ck_assert_uint_le(rig_load(anew) * 10, rig_load(first) * 11);
	ck_assert_uint_le(rig_moved(r, anew) * 33, 36 * 36);
}

LOOP_TEST(losses, 0, 3)
{
	static const unsigned dim[][3] = {{5, 6, 1}, {7, 7, 1}, {5, 5, 5}};
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;

	rig_open(&g, &engine_torus, gen_grid(dim[_i], 3, true, 1, &why), &why);
	/* a link is 2 per cent of the smallest one's */
	ck_assert(rig_lose_links(&g, 8, (uint64_t)_i + 5) < 50);
}

/* Without a ring too: a mesh, a hypercube (the torus of rings of four is one),
 * a HyperX. A tenth of the links fails. */
LOOP_TEST(straight, 0, 3)
{
	static const unsigned mesh[2] = {6, 5}, cube[3] = {4, 4, 4},
			      flat[2] = {6, 4};
	struct reason why = {""};
	struct fabric *f = _i == 0   ? gen_grid(mesh, 2, false, 1, &why)
			   : _i == 1 ? gen_grid(cube, 3, true, 1, &why)
				     : gen_hyperx(flat, 2, 2, &why);
	AUTO(engine_rig) struct engine_rig g;

	rig_open(&g, &engine_torus, f, &why);
	ck_assert(rig_lose_links(&g, 5, (uint64_t)_i + 5) < 60);
}
