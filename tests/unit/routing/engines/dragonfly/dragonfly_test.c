/*
 * The engine dragonfly: groups are read from the links, paths are short and
 * balanced, with and without failures; tables hold before a judge that shares
 * nothing with them.
 */
#include <check.h>
#include <string.h>

#include "routing/engines/dragonfly/dragonfly.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

/* Balanced dragonflies with some links out, and what the busiest link may carry
 * then. */
struct shape {
	unsigned a, p, h, out;
	uint64_t load;
};

static const struct shape shapes[] = {
	{3, 2, 2, 0, 55},
	{4, 2, 2, 0, 80},
	{4, 2, 2, 3, 140},
	{6, 3, 3, 0, 360},
	{6, 3, 3, 20, 640},
	{8, 4, 4, 0, 1130},
	{8, 4, 4, 30, 1600},
	{8, 4, 4, 75, 2000},
};

static struct fabric *
make_shape(const struct shape *s, uint64_t seed, struct reason *why)
{
	return rig_fail_links(shape_of("dragonfly:%u:%u:%u", s->a, s->p, s->h),
		s->out, seed, why);
}

LOOP_TEST(balanced, 0, LEN(shapes))
{
	const struct shape *s = &shapes[_i];
	struct reason why = {""};
	struct channel_verdict v;
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, &engine_dragonfly, make_shape(s, 3, &why), &why);
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	v = rig_check(r);
	ck_assert_uint_eq(r->layers.n, 2);
	ck_assert_uint_eq(v.groups, 3);
	ck_assert_uint_le(rig_load(r), s->load);
}

/* Small ones with many links out, of many seeds: all arrive, no cycle. */
LOOP_TEST(broken, 0, 5)
{
	for (unsigned i = 0; i < FEWER(20); i++) {
		const struct shape s = {4, 1, 2, 1 + i / 2, 0};
		struct reason why = {""};
		AUTO(engine_rig) struct engine_rig g;
		AUTO(routes) struct routes *r = NULL;

		rig_open(&g, &engine_dragonfly,
			make_shape(&s, (uint64_t)_i * 100 + i, &why), &why);
		r = rig_route(&g, g.t, NULL, NULL, &why);
		if (r != NULL)
			(void)rig_check(r);
		else
			ck_assert_uint_gt(s.out, 2);
	}
}

/* What is no dragonfly, and what has too few VLs, is refused by its reason. */
static struct fabric *
make_other(int i, struct reason *why)
{
	static const unsigned flat[2] = {6, 6}, torus[2] = {5, 5}, one[1] = {7};

	switch (i) {
	case 0:
		return gen_hyperx(flat, 2, 1, why);
	case 1:
		return gen_grid(torus, 2, true, 1, why);
	case 2:
		return gen_hyperx(one, 1, 1, why);
	case 3:
		return shape_of("two:4:6:3");
	case 4:
		return shape_of("random:40:5:1:3");
	case 5:
		/* half a dragonfly */
		return shape_of("dragonfly:6:1:3,fail=140,seed=2");
	default:
		return shape_of("dragonfly:4:2:2");
	}
}

LOOP_TEST(refused, 0, 7)
{
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;

	rig_open(&g, &engine_dragonfly, make_other(_i, &why), &why);
	if (_i == 6)
		rig_set_levels(&g, 3); /* 8 VLs have room for two each */
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	ck_assert_msg(strstr(why.text,
			      _i < 6 ? "no dragonfly: " : " VLs for ") != NULL,
		"%d: %s", _i, why.text);
}

/* Groups that are given need not be read; a switch is of one of them. */
TEST(given)
{
	AUTO(engine_rig) struct engine_rig g;
	static const char *const name[] = {"g0.*", "g1.*", "g2.*", "g3.*",
		"g4.*", "g5.*", "g6.*", "g7.*", "g8.*", "g1.1"};
	static const struct dragonfly_options right = {{name, 9}},
					      less = {{name, 8}},
					      more = {{name, 10}};
	/* links out, so that a quarter of the groups have none between them */
	const struct shape s = {4, 1, 2, 12, 0};
	struct reason why = {""};
	struct routes *r, *again;

	rig_open(&g, &engine_dragonfly, make_shape(&s, 2, &why), &why);
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	g.own = &less;
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	ck_assert_msg(
		strstr(why.text, "is in none of the 8 groups given") != NULL,
		"%s", why.text);
	g.own = &right;
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	(void)rig_check(r);
	again = rig_route(&g, g.t, r, NULL, &why);
	check_same_routes(r, again);
	routes_unref(again);
	/* a name is closer than a pattern: it is a group of its own */
	g.own = &more;
	again = rig_route(&g, g.t, r, NULL, &why);
	ck_assert_msg(again != NULL, "%s", why.text);
	(void)rig_check(again);
	routes_unref(again);
	routes_unref(r);
}

/* Two patterns of the same length, and a single group. */
LOOP_TEST(given_badly, 0, 2)
{
	static const char *const twice[] = {"g?.*", "g*.*", "g1.1"};
	static const char *const one[] = {"g*"};
	static const struct dragonfly_options o[] = {{{twice, 3}}, {{one, 1}}};
	static const char *const says[] = {"is in two of the groups given: ",
		"no dragonfly: 1 of the groups given has switches"};
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;

	rig_open(&g, &engine_dragonfly, make_other(6, &why), &why);
	g.own = &o[_i];
	ck_assert_ptr_null(rig_route(&g, g.t, NULL, NULL, &why));
	ck_assert_msg(strstr(why.text, says[_i]) != NULL, "%s", why.text);
}

/* Links fail one after the other. */
LOOP_TEST(losses, 0, 3)
{
	static const unsigned a[] = {3, 4, 6};
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;
	double moved;

	rig_open(&g, &engine_dragonfly,
		shape_of("dragonfly:%u:2:%u", a[_i], a[_i] / 2 + 1), &why);
	moved = rig_lose_links(&g, 8, (uint64_t)_i + 5);
	ck_assert(moved < 50);
}

/* Its groups stay what they were while a third of all links fails. */
LOOP_TEST(few_links, 0, 4)
{
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;

	rig_open(&g, &engine_dragonfly, shape_of("dragonfly:4:1:1"), &why);
	(void)rig_lose_links(&g, 13, (uint64_t)_i + 5);
}
