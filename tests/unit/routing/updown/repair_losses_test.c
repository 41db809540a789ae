/*
 * Links fail one after another and return: how many entries each failure
 * changes, and that kept tables do not become worse over time.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/improve/load_bound.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/tiers/tree_fixture.h"
#include "tests/unit/suite.h"

enum { LIMIT = 1250 }; /* per mille, the configured default */

static struct routes *
compute_checked(struct topo *t, struct lft_pool *pool,
	const struct routes *prev, struct route_account *story, bool rebalance)
{
	static const struct engine_options plain = {0};
	static const char *const engines[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.options = &plain,
		.load_limit = LIMIT,
		.rebalance = rebalance,
		.seed = 1,
		.threads = 1};
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engines, 2, story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	return r;
}

/* The number of entries that differ, of switches in both. */
static uint64_t
count_changed(const struct routes *a, const struct routes *b)
{
	uint64_t n = 0;

	for (sw_ix s = 0; s < b->topo->nsw; s++) {
		node_ix x = topo_by_node_guid(
			a->topo, b->topo->node[b->topo->sw[s].node].guid);

		if (x == TOPO_NONE)
			continue;
		for (uint16_t lid = 1; lid <= b->top; lid++)
			n += routes_port(a, a->topo->node[x].sw, lid) !=
			     routes_port(b, s, lid);
	}
	return n;
}

/* Routes that follow a fabric through failures. */
struct days {
	const char *what;
	uint64_t seed;
	struct lft_pool *pool;
	struct topo *t;
	struct routes *r;
	struct route_account story;
};

static struct days
begin_days(const char *what, const struct fabric *f, uint64_t seed)
{
	struct days d = {.what = what, .seed = seed, .pool = lft_pool_new()};

	d.t = frozen_topo(f, NULL);
	d.r = compute_checked(d.t, d.pool, NULL, &d.story, false);
	return d;
}

/* Goes on to fabric f; returns the share of entries that change, in per
 * mille. */
static uint64_t
on_to(struct days *d, const struct fabric *f)
{
	struct topo *u = frozen_again(f, d->t, 0);
	struct routes *next =
		compute_checked(u, d->pool, d->r, &d->story, false);
	uint64_t all = (uint64_t)u->nsw * u->max_lid;
	uint64_t n = count_changed(d->r, next) * 1000 / all;

	routes_unref(d->r);
	topo_unref(d->t);
	d->r = next;
	d->t = u;
	return n;
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

/* ---- one link after another ---- */

static struct fabric *
make_thirds(void)
{
	return gen_paper_thirds(1, 23, NULL);
}

static struct fabric *
make_planes(void)
{
	return shape_of("planes:2:12:4:2:2");
}

static struct fabric *
three_levels(void)
{
	return shape_of("three:6");
}

static struct fabric *
make_random(void)
{
	return shape_of("random:20:4:2:3");
}

static struct fabric *
two_ports(void)
{
	return gen_edit_rails(shape_of("two:6:12:3"), 2, true, NULL);
}

static struct fabric *
load_selene(void)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	char path[512];
	struct reason why = {""};
	struct fabric *f;

	(void)snprintf(path, sizeof(path), "%s/ufm-sdk-selene-compute.ibnet",
		at != NULL ? at : "../shared/fixtures");
	f = ibnet_load(path, NULL, &why);
	if (f == NULL)
		(void)printf("SKIPPED: %s\n", why.text);
	return f;
}

/*
 * A fabric that is clearly a tree, or clearly none, keeps its class; mean: of
 * the entries, in per mille. Where all switches are equally near to each other,
 * a lost link may make a tree of them (alike): the order is the same then, and
 * few entries change.
 */
static const struct {
	const char *what;
	struct fabric *(*make)(void);
	unsigned losses;
	uint64_t mean;
	bool alike;
} one_by_one[] = {
	{"torus", torus_4_4_4, 30, 30, false},
	{"all to all", all_to_all, 4, 200, true},
	{"dragonfly", small_dragonfly, 20, 80, true},
	{"small tree", intact_pods, 8, 90, false},
	{"tree of three levels", three_levels, 24, 60, false},
	{"planes", make_planes, 12, 80, false},
	{"Selene", load_selene, 20, 1, false},
};

LOOP_TEST(single_losses_change_little, 0, LEN(one_by_one))
{
	const char *what = one_by_one[_i].what;
	struct fabric *f = one_by_one[_i].make();
	unsigned losses = one_by_one[_i].losses;
	uint64_t sum = 0;
	struct days d;
	char engine[16];

	if (f == NULL)
		return;
	d = begin_days(what, f, 1);
	(void)snprintf(engine, sizeof(engine), "%s", d.r->engine);
	for (unsigned n = 1; n <= losses; n++) {
		struct reason why = {""};

		f = gen_edit_fail_links(f, 1, 1000 + n, true, &why);
		ck_assert_msg(f != NULL, "%s", why.text);
		sum += on_to(&d, f);
		ck_assert_msg(one_by_one[_i].alike ||
				      strcmp(d.r->engine, engine) == 0,
			"%s, loss %u: %s after %s: %s", what, n, d.r->engine,
			engine, d.story.tried);
	}
	ck_assert_msg(sum <= one_by_one[_i].mean * losses,
		"%s: %llu per mille of all entries per cable", what,
		(unsigned long long)(sum / losses));
	end_days(&d);
	fabric_free(f);
}

/*
 * The remaining links are loaded above the limit, which is no reason to compute
 * all tables afresh: single entries are moved where the first leaf of a chassis
 * loses its first top, and where a rack loses a downlink. Nor is a switch that
 * has no path up any more to what is reversed.
 */
static const struct {
	unsigned boxes, hosts;
	unsigned ports; /* per host */
	const char *from, *to;
	uint64_t most; /* of the entries, in per mille */
} one_lost[] = {
	{1, 12, 1, "box1.leaf1", "box1.top1", 3},
	{8, 12, 1, "rack37.a", "box1.leaf7", 0},
	{8, 12, 1, "rack1.a", "box1.leaf1", 0},
	{8, 12, 1, "box1.leaf1", "box1.top1", 1},
	{1, 6, 2, "box1.leaf5", "box1.top11", 0},
};

static uint32_t
one_cable(const struct fabric *f, const char *from, const char *to)
{
	uint32_t c = 0;

	while (strcmp(f->node[f->cable[c].node[0]].name, from) != 0 ||
		strcmp(f->node[f->cable[c].node[1]].name, to) != 0)
		ck_assert_uint_lt(++c, f->ncables);
	return c;
}

LOOP_TEST(only_what_is_overloaded, 0, LEN(one_lost))
{
	struct reason why = {""};
	unsigned hosts = one_lost[_i].hosts;
	AUTO(fabric)
	struct fabric *f = gen_edit_rails(
		gen_paper_racks(one_lost[_i].boxes, hosts, hosts, &why),
		one_lost[_i].ports, true, &why);
	AUTO(fabric) struct fabric *g = NULL;
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	const struct fabric_edit edit = {.drop_cable = drop};
	AUTO(days) struct days d = begin_days("racks", f, 1);
	uint64_t was = d.r->report.load_max;

	drop[one_cable(f, one_lost[_i].from, one_lost[_i].to)] = true;
	g = fabric_rebuild(f, &edit);
	ck_assert_uint_eq(g->ncables, f->ncables - 1);
	ck_assert_uint_le(on_to(&d, g), one_lost[_i].most);
	ck_assert(!d.story.rebalanced);
	ck_assert_uint_le(d.r->report.load_max * 1000, was * LIMIT);
}

/*
 * Links that are missing at the first start: while the sFtree subtree is
 * extended, all tops are used, and no link carries more than four times the
 * load of the intact tree.
 */
TEST(damaged_from_the_start)
{
	for (uint64_t seed = 1; seed <= FEWER(4); seed++) {
		struct reason why = {""};
		AUTO(fabric)
		struct fabric *f = gen_edit_fail_links(
			shape_of("two:18:36:18"), 130, seed, true, &why);
		AUTO(days) struct days d;

		ck_assert_msg(f != NULL, "%s", why.text);
		d = begin_days("hurt", f, seed);
		ck_assert_msg(strstr(d.r->note, "moved down") == NULL,
			"seed %u: %s", (unsigned)seed, d.r->note);
		ck_assert_uint_le(d.r->report.load_max, 4 * 630);
	}
}

/*
 * In a mesh, the reversed switches may be disconnected when a switch is lost:
 * then the order is made anew, and entries are kept all the same.
 */
TEST(order_is_made_anew)
{
	AUTO(fabric) struct fabric *f = shape_of("dragonfly:8:4:4"), *g = NULL;
	AUTO(mem) bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
	const struct fabric_edit edit = {
		.drop_node = drop, .drop_orphans = true};
	AUTO(days) struct days d = begin_days("dragonfly", f, 1);

	drop[fabric_find(f, "g4.1")] = true;
	g = fabric_rebuild(f, &edit);
	ck_assert_uint_le(on_to(&d, g), 50);
	ck_assert_msg(!d.story.rebalanced, "%s", d.story.tried);
}

/* The uplinks of a rack bound its load, not the links inside it; the same holds
 * for a pod. */
TEST(racks_bound_the_load)
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = gen_paper_racks(1, 24, 24, &why);
	AUTO(days) struct days d = begin_days("racks", f, 1);

	ck_assert_uint_eq(load_bound_tree(d.r), 24 * 624 / 24);
	ck_assert_uint_eq(d.r->report.load_max, 624);
	/* no switch of it is as busy as a host's own link */
	ck_assert_uint_eq(load_bound_switches(d.r->topo), 647);
}

/* f without its link c, or without the next one between switches. */
static struct fabric *
without_link(const struct fabric *f, uint32_t c)
{
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	const struct fabric_edit edit = {.drop_cable = drop};
	struct fabric *g;

	while (f->node[f->cable[c].node[0]].type != FABRIC_SWITCH ||
		f->node[f->cable[c].node[1]].type != FABRIC_SWITCH)
		c = (c + 1) % f->ncables;
	drop[c] = true;
	g = fabric_rebuild(f, &edit);
	return g;
}

/*
 * With few hosts, a link towards one of them is nearly as busy as the host's
 * own link, and twice as busy as it must be. The load of host links is bound
 * enough to accept the kept tables; none are computed afresh.
 */
TEST(hosts_bound_the_load)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:9");
	AUTO(days) struct days d = begin_days("half", f, 1);
	AUTO(fabric) struct fabric *g = without_link(f, f->ncables / 2);

	ck_assert_uint_eq(d.r->report.load_max, 35 * 9);
	ck_assert_uint_le(on_to(&d, g), 5);
	ck_assert_uint_eq(d.r->fresh_load, 36 * 9 - 1);
	ck_assert_uint_eq(d.story.attempts, 1);
	ck_assert_uint_eq(load_bound_tree(d.r), 9 * 9 * 35 / 17 + 1);
}

/*
 * The entries of a lost link may move to a link that is as busy already.
 * Rebalancing changes some more entries, and the load bound of any tables is
 * enough to accept the result: none are computed and verified afresh.
 */
TEST(kept_after_rebalance)
{
	struct fabric *f = gen_edit_populate(shape_of("three:12"), 5, 5);
	uint64_t own = 12 * 6 * 5 - 1;

	for (uint32_t c = f->ncables / 2; c < f->ncables; c += 31) {
		AUTO(days) struct days d = begin_days("nearly full", f, 1);
		AUTO(fabric) struct fabric *g = without_link(f, c);

		ck_assert_uint_le(on_to(&d, g), 12);
		ck_assert_uint_le(d.r->report.load_max * 1000, own * LIMIT);
		ck_assert_uint_eq(d.r->fresh_load, own);
		ck_assert_uint_eq(d.story.attempts, 1);
	}
	fabric_free(f);
}

/* ---- and back ---- */

enum {
	AWAY = 12, /* at most at the same time */
	DAYS = 40,
	MEAN = 120, /* entries that change a day, per mille */
};

/* A fabric in which links and switches are lost, and return. */
struct ward {
	struct fabric *whole;
	bool *cable, *node;
	bool *away[AWAY];
	unsigned naway;
	struct rng rng;
};

static bool
is_switch(const struct fabric *f, uint32_t n)
{
	return f->node[n].type == FABRIC_SWITCH;
}

/* A link between switches, now and then a switch. */
static bool *
pick_victim(struct ward *w)
{
	const struct fabric *f = w->whole;

	for (;;) {
		uint32_t c = (uint32_t)rng_below(&w->rng, f->ncables);
		uint32_t n = (uint32_t)rng_below(&w->rng, f->nnodes);

		if (rng_below(&w->rng, 8) == 0 && is_switch(f, n))
			return &w->node[n];
		if (is_switch(f, f->cable[c].node[0]) &&
			is_switch(f, f->cable[c].node[1]))
			return &w->cable[c];
	}
}

/* The remaining fabric, if it is connected. */
static struct fabric *
remaining_fabric(const struct ward *w)
{
	struct fabric_edit e = {.drop_node = w->node,
		.drop_cable = w->cable,
		.drop_orphans = true};
	struct fabric *f = fabric_rebuild(w->whole, &e);

	if (fabric_connected(f, FABRIC_NONE, FABRIC_NONE))
		return f;
	fabric_free(f);
	return NULL;
}

/* One of the lost ones returns, or another one fails. */
static struct fabric *
next_day(struct ward *w)
{
	for (;;) {
		bool back =
			w->naway == AWAY || rng_below(&w->rng, AWAY) < w->naway;
		unsigned k = back ? (unsigned)rng_below(&w->rng, w->naway) : 0;
		bool *it = back ? w->away[k] : pick_victim(w);
		struct fabric *f;

		if (*it != back)
			continue;
		*it = !back;
		f = remaining_fabric(w);
		if (f == NULL) {
			*it = back;
			continue;
		}
		if (back)
			w->away[k] = w->away[--w->naway];
		else
			w->away[w->naway++] = it;
		return f;
	}
}

static const struct {
	const char *what;
	struct fabric *(*make)(void);
} ill[] = {
	{"small tree", intact_pods},
	{"tree of three levels", three_levels},
	{"racks", rack_trees},
	{"thirds", make_thirds},
	{"planes", make_planes},
	{"torus", torus_4_4_4},
	{"irregular", make_random},
	{"two ports a host", two_ports},
};

/*
 * Failures and returns: the load of kept tables is never above the limit,
 * against tables computed afresh on that day, as long as a fresh reading gives
 * the same class: the class in force is kept until a rebalance is requested.
 */
LOOP_TEST(no_drift, 0, FEWER(3) * LEN(ill))
{
	unsigned kind = (unsigned)_i % (sizeof(ill) / sizeof(*ill));
	uint64_t seed = (uint64_t)_i + 1;
	struct ward w = {.whole = ill[kind].make(), .rng = {seed}};
	struct days d = begin_days(ill[kind].what, w.whole, seed);
	uint64_t sum = 0;

	w.cable = mem_zalloc(w.whole->ncables, sizeof(*w.cable));
	w.node = mem_zalloc(w.whole->nnodes, sizeof(*w.node));
	for (unsigned day = 1; day <= DAYS; day++) {
		AUTO(fabric) struct fabric *f = next_day(&w);
		struct route_account story;
		AUTO(routes) struct routes *fresh = NULL;
		uint64_t c = on_to(&d, f);

		fresh = compute_checked(d.t, d.pool, d.r, &story, true);
		ck_assert_msg(
			fresh->engine != d.r->engine ||
				(d.r->fresh_load <= fresh->fresh_load &&
					d.r->report.load_max * 1000 <=
						fresh->fresh_load * LIMIT),
			"%s, seed %u, day %u: load %llu, afresh %llu", d.what,
			(unsigned)seed, day,
			(unsigned long long)d.r->report.load_max,
			(unsigned long long)fresh->report.load_max);
		sum += c;
	}
	ck_assert_msg(sum <= DAYS * MEAN, "%s, seed %u: %llu per mille a day",
		d.what, (unsigned)seed, (unsigned long long)(sum / DAYS));
	end_days(&d);
	fabric_free(w.whole);
	free(w.cable);
	free(w.node);
}

/* Fresh tables that were asked for replace none that are better, unless the
 * fabric is read otherwise now. */
TEST(a_rebalance_keeps_what_is_better)
{
	unsigned better = 0, kept = 0;

	for (unsigned seed = 1; seed <= 40; seed++) {
		struct fabric *f = gen_random(24, 4, 2, seed, NULL);
		AUTO(days) struct days d = begin_days("random", f, seed);
		AUTO(routes) struct routes *fresh = NULL;
		uint64_t was;

		fabric_free(f);
		for (unsigned lost = 1; lost <= 5; lost++) {
			f = gen_edit_fail_links(
				gen_random(24, 4, 2, seed, NULL), lost, seed,
				true, NULL);
			(void)on_to(&d, f);
			fabric_free(f);
		}
		was = d.r->report.load_max;
		fresh = compute_checked(d.t, d.pool, d.r, &d.story, true);
		ck_assert_msg(fresh->report.load_max <= was ||
				      fresh->engine != d.r->engine,
			"seed %u: %llu instead of %llu", seed,
			(unsigned long long)fresh->report.load_max,
			(unsigned long long)was);
		ck_assert_msg(
			d.story.rebalanced ==
				(strstr(d.story.tried, "no better") == NULL),
			"seed %u: %s", seed, d.story.tried);
		ck_assert(d.story.rebalanced || count_changed(d.r, fresh) == 0);
		better += d.story.rebalanced && fresh->report.load_max < was;
		kept += !d.story.rebalanced;
	}
	ck_assert_uint_gt(better, 0);
	ck_assert_uint_gt(kept, 0);
}
