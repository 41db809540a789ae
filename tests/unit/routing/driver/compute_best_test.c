/*
 * The engine "auto": each kind of fabric gets the engine that is for it, keeps
 * it when links fail, and multicast has room beside it.
 */
#include <check.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static const struct {
	const char *fabric;
	const char *engine;
} kinds[] = {{"two:4:8:4", "ftree"}, {"torus:4x4x5", "torus"},
	{"dragonfly:4:2:2", "dragonfly"}, {"hyperx:6x5:3", "dor"},
	{"random:48:6:3", "nue"}};

static struct routes *
route_fabric(struct topo *t, struct lft_pool *pool, const struct routes *prev,
	bool rebalance)
{
	static const char *const best = "auto";
	static const struct engine_options none = {.levels = 1};
	const struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.options = &none,
		.rebalance = rebalance,
		.load_limit = 1250};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, &best, 1, &story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert(r->report.ok && !story.fallback);
	ck_assert_str_eq(story.engine, r->engine);
	ck_assert(r->order != ROUTE_NO_ORDER || r->mcast.pos != NULL);
	return r;
}

LOOP_TEST(each_kind, 0, LEN(kinds))
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("%s", kinds[_i].fabric);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = NULL, *less = NULL;
	AUTO(routes) struct routes *r = NULL, *next = NULL, *anew = NULL;

	ck_assert_msg(f != NULL, "%s", why.text);
	t = frozen_topo(f, NULL);
	r = route_fabric(t, pool, NULL, false);
	ck_assert_str_eq(r->engine, kinds[_i].engine);
	f = gen_edit_fail_links(f, 3, 5, true, &why);
	less = frozen_again(f, t, 0);
	next = route_fabric(less, pool, r, false);
	ck_assert_str_eq(next->engine, kinds[_i].engine);
	anew = route_fabric(less, pool, next, true);
	ck_assert_uint_le(anew->report.load_max, next->report.load_max * 5 / 4);
}

/* What auto makes of a grid that has lost 3 links. */
static void
check_grid(unsigned size, bool wrap, const char *engine, uint64_t load)
{
	const unsigned dim[2] = {size, size};
	struct reason why = {""};
	AUTO(fabric)
	struct fabric *f = gen_edit_fail_links(
		gen_grid(dim, 2, wrap, 1, &why), 3, 2, true, &why);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = NULL;
	AUTO(routes) struct routes *r = NULL;

	ck_assert_msg(f != NULL, "%s", why.text);
	t = frozen_topo(f, NULL);
	r = route_fabric(t, pool, NULL, false);
	ck_assert_str_eq(r->engine, engine);
	ck_assert_uint_le(r->report.load_max, load);
}

/* nue leaves less on the busiest link, but either leaves less than a host's own
 * link carries, and paths by dimensions have more bandwidth. */
TEST(below_a_hosts_own)
{
	check_grid(5, true, "torus", 24);
}

/* A mesh that can be read as a tree then: ftree would leave 422 on the busiest
 * link. */
TEST(no_tree)
{
	check_grid(8, false, "nue", 200);
}
