/*
 * Rows made by several threads have the same bytes as by one, in every way to
 * make them; and similar rows share their blocks.
 */
#include <check.h>
#include <stdlib.h>

#include "routing/core/engine.h"
#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"
#include "tests/unit/tables_hash.h"

/* Fails or restores a random link between switches, connected or not. */
static void
toggle_link(struct fabric *f, bool *drop, struct rng *g)
{
	uint32_t c;

	do
		c = rng_below(g, f->ncables);
	while (f->node[f->cable[c].node[0]].type != FABRIC_SWITCH ||
		f->node[f->cable[c].node[1]].type != FABRIC_SWITCH);
	drop[c] = !drop[c];
}

/* By n threads: afresh, or with one link less than prev has. */
static struct routes *
by_threads(struct topo *t, struct lft_pool *pool, const struct routes *prev,
	bool keep, unsigned n)
{
	struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .threads = n};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_int_eq(
		engine_ftree.route(&job, keep, 0, a, &r, &why), ENGINE_OK);
	return r;
}

/*
 * The same bytes by 1, 2 and 4 threads: fresh ones, kept ones where what
 * differs is looked at, or everything, and fresh ones where there were others.
 */
static void
check_threads(struct fabric *f, uint64_t seed)
{
	static const unsigned many[] = {1, 2, 4};
	struct frozen_lids lids = {0};
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *less = NULL;
	struct lft_pool *pool = lft_pool_new();
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	struct rng g = {seed};
	AUTO(fabric) struct fabric *now = NULL;
	uint64_t first[4] = {0};

	toggle_link(f, drop, &g);
	now = fabric_rebuild(f, &edit);
	less = frozen_again(now, t, 0);
	for (size_t i = 0; i < 3; i++) {
		struct routes *r[4] = {
			by_threads(t, pool, NULL, false, many[i])};
		const char *engine = r[0]->engine;

		r[1] = by_threads(less, pool, r[0], true, many[i]);
		r[0]->engine = "found";
		r[2] = by_threads(less, pool, r[0], true, many[i]);
		r[0]->engine = engine;
		r[3] = by_threads(less, pool, r[0], false, many[i]);
		for (size_t k = 0; k < 4; k++) {
			first[k] = i == 0 ? tables_hash(r[k]) : first[k];
			ck_assert_msg(tables_hash(r[k]) == first[k],
				"seed %u: %u threads, kind %u", (unsigned)seed,
				many[i], (unsigned)k);
		}
		for (size_t k = 0; k < 4; k++)
			routes_unref(r[k]);
	}
	ck_assert_uint_eq(pool->live, 0);
	lft_pool_free(pool);
	fabric_free(f);
}

TEST(threads)
{
	struct reason why = {""};

	for (uint64_t seed = 1; seed <= 2; seed++)
		check_threads(gen_edit_fail_links(shape_of("three:16"),
				      (unsigned)seed * 20, seed, true, &why),
			seed);
	check_threads(shape_of("three:16"), 3);
	check_threads(gen_edit_populate(shape_of("three:16"), 5, 1), 4);
}

/* Few different blocks in fresh tables: at most 4 of 15. */
static void
check_shared(struct fabric *f)
{
	struct frozen_lids lids = {0};
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	struct lft_pool *pool = lft_pool_new();
	struct routes *r = by_threads(t, pool, NULL, false, 1);

	ck_assert_msg(pool->live * 15 <= t->nsw * r->nblocks * 4,
		"%u blocks of %u", pool->live, t->nsw * r->nblocks);
	routes_unref(r);
	lft_pool_free(pool);
	fabric_free(f);
}

/* One lost link leaves rows similar, although it makes split LIDs. */
TEST(shared_blocks)
{
	struct reason why = {""};

	check_shared(shape_of("three:16"));
	for (uint64_t seed = 1; seed <= 3; seed++)
		check_shared(gen_edit_fail_links(
			shape_of("three:16"), 1, seed, true, &why));
}

/*
 * Switches with three tops above, six links to each: every third LID comes down
 * from the same top, which counts the others as well. If their turns decide,
 * two of its six links carry all.
 */
TEST(parallel_links_down)
{
	const unsigned m[] = {18, 18, 4}, w[] = {1, 18, 3}, p[] = {1, 1, 6};
	const char *engine = "ftree";
	struct route_account story;
	struct reason why = {""};
	struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = gen_tree_pgft(3, m, w, p, &why);
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	const struct route_job job = {.topo = t, .pool = pool};
	struct routes *r = compute_routes(&job, &engine, 1, &story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert_str_eq(story.engine, "ftree");
	/* as much as comes to a host */
	ck_assert_uint_le(r->report.load_max, f->nhosts);
	routes_unref(r);
}
