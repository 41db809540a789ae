/* The table of engines: its figures are those of the plan, its best is what
 * auto takes, and a refusal is told by its reason alone. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/base/mem_peak.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/what_if/comparison.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static struct fabric *
make_fabric(int i, struct reason *why)
{
	static const unsigned ring[2] = {6, 5}, flat[2] = {6, 5},
			      few[2] = {5, 4};

	switch (i) {
	case 0:
		return gen_grid(ring, 2, true, 2, why);
	case 1:
		return gen_hyperx(flat, 2, 3, why);
	case 2:
		return shape_of("dragonfly:4:2:2");
	case 3:
		return shape_of("two:2:4:2");
	case 4:
		/* two engines whose loads are alike */
		return gen_edit_fail_links(
			gen_hyperx(few, 2, 4, why), 3, 1, true, why);
	default:
		return gen_pair();
	}
}

/* The row of an engine; NULL: there is none. */
static const json_t *
row_of(const json_t *list, const char *engine)
{
	const json_t *row;
	size_t i;

	json_array_foreach(list, i,
		row) if (strcmp(json_util_text(row, "engine"), engine) ==
			 0) return row;
	return NULL;
}

/* No other engine has a clearly lower load, and none that is about alike in
 * that has more bandwidth by the figures that are shown; but for a tree's. */
static void
expect_best(const json_t *list, const json_t *best)
{
	const json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		json_int_t load = json_util_num(row, "load");
		json_int_t least = json_util_num(best, "load");

		if (!json_util_yes(row, "verified") ||
			strcmp(json_util_text(best, "engine"), "ftree") == 0)
			continue;
		ck_assert_int_le(least, load + load / 16);
		if (load <= least + least / 16)
			ck_assert_double_le(json_util_real(row, "ebb"),
				json_util_real(best, "ebb"));
	}
}

static void
expect_forecast(const struct forecast_job *all, struct topo *t,
	const char *engine, const json_t *row)
{
	struct forecast_job job = *all;
	struct reason why = {""};
	struct forecast f;
	char set[64];
	const char *const list[] = {set};

	(void)snprintf(set, sizeof(set), "routing.engines=[%s]", engine);
	job.cfg = config_with(all->cfg, list, 1, &why);
	ck_assert_msg(job.cfg != NULL, "%s", why.text);
	forecast_route(&job, t, NULL, &f);
	ck_assert_ptr_nonnull(f.routes);
	ck_assert(!f.story.fallback);
	ck_assert_int_eq(
		json_util_num(row, "load"), (json_int_t)f.report.load_max);
	ck_assert_int_eq(json_util_num(row, "layers"), f.report.layers);
	ck_assert_int_eq(json_util_num(row, "hops_max"), f.report.hops_max);
	ck_assert_double_eq_tol(json_util_real(row, "ebb"), f.ebb.mean, 1e-9);
	forecast_free(&f);
	config_unref((struct config *)(uintptr_t)job.cfg);
}

LOOP_TEST(each_fabric, 0, 6)
{
	static const char *const best[] = {
		"torus", "dor", "dragonfly", "ftree", "torus", "ftree"};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = make_fabric(_i, &why);
	AUTO(config) struct config *cfg = config_default(registry_modules());
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct topo *t = frozen_topo(f, NULL);
	struct forecast_job job = {.cfg = cfg, .pool = pool};
	const char *is;
	json_t *list = comparison_json(&job, t, &is);

	ck_assert_str_eq(is, best[_i]);
	ck_assert_uint_eq(json_array_size(list), 6);
	ck_assert_ptr_null(row_of(list, "auto"));
	ck_assert(json_util_yes(row_of(list, is), "verified"));
	expect_best(list, row_of(list, is));
	expect_forecast(&job, t, is, row_of(list, is));
	expect_forecast(&job, t, "nue", row_of(list, "nue"));
	json_decref(list);
	topo_unref(t);
	ck_assert_uint_eq(pool->live, 0);
}

/* The page of a torus, without times. */
TEST(page)
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = make_fabric(0, &why);
	AUTO(config) struct config *cfg = config_default(registry_modules());
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	struct forecast_job job = {.cfg = cfg, .pool = pool};
	struct buf out = {0};
	const char *best;
	json_t *list = comparison_json(&job, t, &best);
	AUTO(json)
	json_t *o = json_pack("{s:o, s:s, s:i, s:o}", "fabric",
		fabric_counts_json(t), "best", best, "pieces", 2, "engines",
		list);
	static const char *const has[] = {
		"\nIN PIECES  2 more pieces, not compared\n",
		"\nbest       torus, which the engine auto takes",
		"\nftree      no       not a tree\n",
		"\ndor        no       dimension 1 of 2 is a ring of 6 ",
		"\ndragonfly  no       no dragonfly: no two of its switches ",
		"\ntorus      verified     9    4 ",
		"\ntorus      paths by the order of 2 dimensions: ring of 6"};

	comparison_page(o, false, &out);
	ck_assert_ptr_null(strstr(out.text, has[6]));
	buf_free(&out);
	comparison_page(o, true, &out);
	for (size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++)
		ck_assert_msg(strstr(out.text, has[i]) != NULL,
			"'%s' is not in:\n%s", has[i], out.text);
	buf_free(&out);
}

/* Memory that was given back before the end counts, what was in use before does
 * not. */
TEST(peak)
{
	enum { MIB = 1 << 20 };
	char *held = mem_alloc((size_t)64 * MIB), *p;
	uint64_t before, most;

	memset(held, 1, (size_t)64 * MIB);
	before = mem_peak_begin();
	p = mem_alloc((size_t)16 * MIB);
	memset(p, 1, (size_t)16 * MIB);
	ck_assert_int_eq(p[MIB], held[MIB]);
	free(p);
	most = mem_peak_end(before);
	ck_assert(before == 0 ||
		  (most >= (uint64_t)12 * MIB && most < (uint64_t)48 * MIB));
	free(held);
}
