/*
 * The engine torus: tori are read as such, paths are short and balanced, tables
 * hold before a judge that shares nothing with them.
 */
#include <check.h>
#include <string.h>

#include "routing/engines/torus/torus.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

/* What the busiest link carries, at most. */
struct shape {
	unsigned dim[4], n, hosts;
	uint64_t load;
	unsigned layers;
};

static const struct shape shapes[] = {
	{{8}, 1, 2, 40, 3},
	{{9}, 1, 1, 10, 3},
	{{5, 6}, 2, 1, 40, 5},
	{{7, 7}, 2, 1, 50, 5},
	{{8, 3}, 2, 1, 40, 3},
	{{8, 2, 4}, 3, 1, 100, 3},
	{{5, 5, 5}, 3, 1, 80, 9},
	{{8, 8, 8}, 3, 1, 576, 9},
};

START_TEST(intact)
{
	const struct shape *s = &shapes[_i];
	struct reason why = {""};
	struct channel_verdict v;
	struct engine_rig g;
	struct routes *r;

	rig_open(&g, &engine_torus,
		gen_grid(s->dim, s->n, true, s->hosts, &why), &why);
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	v = rig_check(r);
	ck_assert_uint_eq(r->layers.n, s->layers);
	ck_assert_uint_eq(v.groups, 3);
	/* no pair needs layer 0 */
	ck_assert_uint_eq(v.used[0], 0);
	ck_assert_uint_le(rig_load(r), s->load);
	routes_unref(r);
	rig_close(&g);
}
END_TEST

/* Links fail one after the other. */
START_TEST(losses)
{
	static const unsigned dim[][3] = {{5, 6, 1}, {7, 7, 1}, {5, 5, 5}};
	struct reason why = {""};
	struct engine_rig g;
	double moved;

	rig_open(&g, &engine_torus, gen_grid(dim[_i], 3, true, 1, &why), &why);
	moved = rig_lose_links(&g, 8, (uint64_t)_i + 5);
	ck_assert(moved < 50);
	rig_close(&g);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("torus");
	TCase *t = tcase_create("core");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, intact, 0, sizeof(shapes) / sizeof(*shapes));
	tcase_add_loop_test(t, losses, 0, 3);
	suite_add_tcase(s, t);
	return suite_run(s);
}
