/*
 * Links of different rates: a link that is slower than the links beside it
 * carries its share by rate, in fresh tables and after it became slower; few
 * entries change, and tables are kept afterwards.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/improve/load_bound.h"
#include "routing/measure/bandwidth.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { LIMIT = 1250 }; /* per mille, the configured default */

static const struct fabric_rate one_sdr = {.width = 1, .speed = 1};
static const struct fabric_rate four_edr = {
	.width = 2, .speed = 4, .speed_ext = 2};
static const struct fabric_rate four_hdr = {
	.width = 2, .speed = 4, .speed_ext = 4};

/* Routes that follow a fabric whose links change. */
struct days {
	struct lft_pool *pool;
	struct topo *t;
	struct routes *r;
	struct route_account story;
};

static struct routes *
compute_for(struct days *d, struct topo *t)
{
	static const struct engine_options plain = {0};
	static const char *const engines[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = d->pool,
		.prev = d->r,
		.options = &plain,
		.load_limit = LIMIT,
		.seed = 1,
		.threads = 1};
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engines, 2, &d->story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	return r;
}

static struct days
begin_days(const struct fabric *f)
{
	struct days d = {.pool = lft_pool_new()};

	d.t = frozen_topo(f, NULL);
	d.r = compute_for(&d, d.t);
	return d;
}

/* Goes on to fabric f: few entries change, and no fresh tables are used. */
static void
on_to(struct days *d, const struct fabric *f, uint64_t most)
{
	struct topo *t = frozen_again(f, d->t, 0);
	struct routes *r = compute_for(d, t);

	routes_unref(d->r);
	topo_unref(d->t);
	d->r = r;
	d->t = t;
	ck_assert(!d->story.rebalanced);
	ck_assert_uint_le(r->entries_changed, most);
	ck_assert_uint_le(r->report.load_max * 1000, r->fresh_load * LIMIT);
}

static void
end_days(struct days *d)
{
	routes_unref(d->r);
	topo_unref(d->t);
	ck_assert_uint_eq(d->pool->live, 0);
	lft_pool_free(d->pool);
}
AUTO_VALUE(days, struct days, end_days)

/* The number of a cable between these nodes. */
static uint32_t
cable_of(const struct fabric *f, const char *a, const char *b)
{
	uint32_t c = 0;

	while (strcmp(f->node[f->cable[c].node[0]].name, a) != 0 ||
		strcmp(f->node[f->cable[c].node[1]].name, b) != 0)
		ck_assert_uint_lt(++c, f->ncables);
	return c;
}

static struct fabric *
without_cable(const struct fabric *f, uint32_t cable)
{
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	const struct fabric_edit edit = {.drop_cable = drop};
	struct fabric *g;

	drop[cable] = true;
	g = fabric_rebuild(f, &edit);
	return g;
}

/* Every link within the limit of the load bound; a slow link has no more pairs
 * than this part of the mean, in both directions. */
static void
expect_shares(const struct routes *r, double part)
{
	const struct topo *t = r->topo;
	uint64_t least = load_bound_switches(r->topo);
	double pairs = 0;

	ck_assert_uint_le(r->report.load_max * 1000, least * LIMIT);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			pairs += (double)verify_state_pairs(
				r->verified, s, t->adj[t->sw[s].adj + i].out);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];
			uint64_t n = verify_state_pairs(r->verified, s, a->out);

			if (a->rate < t->rate_max)
				ck_assert_msg(
					(double)n <= part * pairs / t->nadj,
					"%llu pairs", (unsigned long long)n);
		}
}

static const struct {
	const char *fabric;
	const char *from, *to, *other;
	uint64_t most; /* entries */
} degraded[] = {
	{"two:18:36:18", "leaf1", "spine1", "spine2", 150},
	{"two:8:16:16:16:2", "leaf1", "spine1", "spine2", 60},
	/* of the study that found the fault: eight uplinks a leaf */
	{"two:8:4:8", "leaf1", "spine1", "spine2", 60},
	{"three:12", "pod1.leaf1", "pod1.mid1", "pod1.mid2", 320},
};

LOOP_TEST(fresh_tables, 0, LEN(degraded))
{
	AUTO(fabric) struct fabric *f = shape_of("%s", degraded[_i].fabric);
	AUTO(days) struct days d;

	f->cable[cable_of(f, degraded[_i].from, degraded[_i].to)].rate =
		one_sdr;
	d = begin_days(f);
	ck_assert_uint_eq(d.t->rate_min, 25);
	ck_assert_uint_eq(d.t->rate_max, 2000);
	expect_shares(d.r, 0.05);
}

/* A link becomes slow, another one of the switch fails and returns, the link
 * is fast again. */
LOOP_TEST(while_running, 0, LEN(degraded))
{
	AUTO(fabric)
	struct fabric *f = shape_of("%s", degraded[_i].fabric), *g = NULL;
	uint64_t most = degraded[_i].most, was;
	AUTO(days) struct days d = begin_days(f);
	uint32_t c = cable_of(f, degraded[_i].from, degraded[_i].to);

	was = d.r->report.load_max;
	f->cable[c].rate = one_sdr;
	on_to(&d, f, most);
	expect_shares(d.r, 0.05);
	g = without_cable(
		f, cable_of(f, degraded[_i].from, degraded[_i].other));
	on_to(&d, g, 2 * most);
	expect_shares(d.r, 0.05);
	on_to(&d, f, most);
	expect_shares(d.r, 0.05);
	f->cable[c].rate = four_hdr;
	on_to(&d, f, most);
	ck_assert_uint_le(d.r->report.load_max, was * LIMIT / 1000 + 18);
}

/* Nothing can be taken off the only uplink of a leaf: no entry is changed for
 * its rate, and tables are kept when something else happens. */
TEST(only_uplink)
{
	AUTO(fabric) struct fabric *f = shape_of("two:1:6:12"), *g = NULL;
	AUTO(days) struct days d;

	f->cable[cable_of(f, "leaf1", "spine1")].rate = one_sdr;
	d = begin_days(f);
	ck_assert_uint_eq(d.r->report.load_max, 80 * 12 * 60);
	g = without_cable(f, cable_of(f, "leaf6", "spine1"));
	on_to(&d, g, 200);
	ck_assert_uint_eq(d.r->fresh_load, 80 * 12 * 48);
	on_to(&d, f, 200);
	ck_assert_uint_eq(d.r->fresh_load, 80 * 12 * 60);
	f->cable[cable_of(f, "leaf1", "spine1")].rate = four_hdr;
	on_to(&d, f, 0);
}

static double
saturation_of(const struct routes *r)
{
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < r->topo->nend; i++)
		hosts += r->topo->end[i].host;
	return bandwidth_saturation(&r->report, r->topo, hosts);
}

/* Every other spine has half the rate: it gets half as many pairs, which the
 * saturation shows. */
TEST(two_generations)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:6:12");
	uint32_t spine = fabric_find(f, "spine2");
	AUTO(days) struct days d;

	for (uint32_t c = 0; c < f->ncables; c++)
		if (f->cable[c].node[1] == spine)
			f->cable[c].rate = four_edr;
	d = begin_days(f);
	/* 12 x 60 pairs over 1.5 links; shared out evenly the load is 720 */
	ck_assert_uint_eq(load_bound_switches(d.r->topo), 480);
	ck_assert_uint_le(d.r->report.load_max, 480 * 9 / 8);
	ck_assert_double_ge(saturation_of(d.r), 71.0 / (480 * 9.0 / 8));
}
