/*
 * The class of a topology is kept: on the border between tree and mesh a link
 * that fails and returns changes neither engine nor order, in one run and over
 * restarts; a rebalance reads the fabric afresh.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/tiers/topo_class.h"
#include "routing/tiers/tree.h"
#include "sm/report/show.h"
#include "sm/report/tree_json.h"
#include "tests/topo/frozen.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/routing/tiers/tree_fixture.h"
#include "tests/unit/state_fixture.h"
#include "tests/unit/suite.h"
#include "tests/unit/tables_hash.h"

enum { LEAVES = 6, TOPS = 2, TIMES = 10 };

/*
 * Leaves below two tops and in a ring: one link of three is inside a tier, and
 * one uplink less makes that too many.
 */
static struct fabric *
border_fabric(void)
{
	struct fabric *f = fabric_new();
	uint32_t leaf[LEAVES], top[TOPS];

	for (unsigned i = 0; i < LEAVES; i++) {
		leaf[i] = add_switch(f, 1, "leaf", i);
		add_hosts(f, leaf[i], 3);
	}
	for (unsigned k = 0; k < TOPS; k++) {
		top[k] = add_switch(f, 0, "top", k);
		for (unsigned i = 0; i < LEAVES; i++)
			join_switches(f, top[k], leaf[i], 1);
	}
	for (unsigned i = 0; i < LEAVES; i++)
		join_switches(f, leaf[i], leaf[(i + 1) % LEAVES], 1);
	return f;
}

/* The same without the first link of the first top. */
static struct fabric *
without_first_link(const struct fabric *f)
{
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	uint32_t top = fabric_find(f, "t0 top0");
	struct fabric *g;

	for (uint32_t i = 0; i < f->ncables; i++)
		for (unsigned e = 0; e < 2; e++)
			drop[i] |= f->cable[i].node[e] == top &&
				   f->cable[i].port[e] == 1;
	g = fabric_rebuild(f, &edit);
	ck_assert_uint_eq(g->ncables + 1, f->ncables);
	return g;
}

static const char *const engines[] = {"ftree", "updn"};

static struct routes *
compute_checked(struct route_job *job, struct topo *t)
{
	struct route_account story;
	struct reason why = {""};
	struct routes *r;

	job->topo = t;
	job->load_limit = 1250;
	job->threads = 1;
	r = compute_routes(job, engines, 2, &story, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert_str_eq(r->engine, story.engine);
	return r;
}

/* Computes once more over the same switches, with r as the previous routes. */
static struct routes *
compute_next(
	struct route_job *job, struct topo *t, struct routes *r, bool by_file)
{
	struct route_rank *rank = NULL;
	struct routes *again;

	job->prev = by_file ? NULL : r;
	if (by_file)
		rank = remembered_ranks(r, job);
	again = compute_checked(job, t);
	free(rank);
	job->ranks = NULL;
	job->nranks = 0;
	job->reading = (struct topo_class){0};
	job->prev = NULL;
	routes_unref(r);
	return again;
}

struct pair {
	struct topo *t[2]; /* whole, and without the link */
	struct lft_pool *pool;
};

static struct pair
make_pair(void)
{
	const struct frozen_lids lids = {0};
	struct fabric *f = border_fabric(), *g = without_first_link(f);
	struct pair p = {{frozen_topo(f, &lids), NULL}, lft_pool_new()};

	p.t[1] = frozen_again(g, p.t[0], 0);
	ck_assert_uint_eq(p.t[0]->nsw, p.t[1]->nsw);
	fabric_free(f);
	fabric_free(g);
	return p;
}

static void
end_pair(struct pair *p)
{
	topo_unref(p->t[0]);
	topo_unref(p->t[1]);
	lft_pool_free(p->pool);
}

static unsigned
irregularity_count(const struct routes *r, enum irregularity what)
{
	return tree_kept(r)->count[what];
}

static void
expect_class(const struct routes *r, const char *engine, enum route_read read,
	const char *when)
{
	ck_assert_msg(
		strcmp(r->engine, engine) == 0, "%s: %s", when, r->engine);
	ck_assert_str_eq(topo_class_kept(r)->engine, engine);
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		ck_assert_msg(topo_class_of_switch(r, s) == read,
			"%s: switch %u", when, s);
}

static void
expect_order(const struct routes *r, const struct route_rank *rank,
	const struct route_job *was)
{
	const struct topo *t = r->topo;

	ck_assert_int_eq(r->order, was->ranks_order);
	for (sw_ix s = 0; s < t->nsw; s++)
		ck_assert_uint_eq(
			r->rank[s], routes_rank_of(rank, was->nranks,
					    t->node[t->sw[s].node].guid)
					    ->rank);
}

/* First read as a tree or as a mesh; kept in memory or over restarts. */
LOOP_TEST(class_is_kept, 0, 4)
{
	static const char *const engine[] = {"ftree", "updn"};
	static const enum route_read as[] = {ROUTE_READ_TREE, ROUTE_READ_MESH};
	const bool by_file = _i & 1;
	const unsigned k = (unsigned)_i >> 1;
	struct pair p = make_pair();
	struct route_job job = {.pool = p.pool, .now = 5};
	struct routes *r = compute_checked(&job, p.t[k]);
	struct route_job was = {0};
	AUTO(mem) struct route_rank *rank = remembered_ranks(r, &was);

	expect_class(r, engine[k], as[k], "first");
	for (unsigned i = 1; i <= TIMES; i++) {
		unsigned odd = i & 1;

		job.now++;
		r = compute_next(&job, p.t[k ^ odd], r, by_file);
		expect_class(r, engine[k], as[k], "toggled");
		expect_order(r, rank, &was);
		ck_assert_uint_eq(topo_class_kept(r)->when, 5);
		ck_assert_uint_eq(
			irregularity_count(
				r, k == 0 ? TREE_STAYS_TREE : TREE_STAYS_MESH),
			odd);
	}
	/* on request, with the links as at first, nothing differs */
	job.rebalance = true;
	r = compute_next(&job, p.t[k], r, by_file);
	expect_class(r, engine[k], as[k], "the same afresh");
	r = compute_next(&job, p.t[!k], r, by_file);
	expect_class(r, engine[!k], as[!k], "afresh");
	ck_assert_uint_eq(topo_class_kept(r)->when, job.now);
	job.rebalance = false;
	r = compute_next(&job, p.t[k], r, by_file);
	expect_class(r, engine[!k], as[!k], "and that stays");
	routes_unref(r);
	end_pair(&p);
}

/* The configuration of reading changes, or it is unknown how the fabric was
 * read. */
TEST(class_is_read_afresh)
{
	struct pair p = make_pair();
	struct engine_options o = {.reading = 1};
	struct route_job job = {.pool = p.pool, .options = &o};
	struct routes *r = compute_checked(&job, p.t[0]);

	expect_class(r, "ftree", ROUTE_READ_TREE, "first");
	r = compute_next(&job, p.t[1], r, true);
	expect_class(r, "ftree", ROUTE_READ_TREE, "the same is said");
	o.reading = 2;
	r = compute_next(&job, p.t[1], r, true);
	expect_class(r, "updn", ROUTE_READ_MESH, "something else is said");
	r->reading->class.engine = NULL;
	r = compute_next(&job, p.t[0], r, true);
	expect_class(r, "ftree", ROUTE_READ_TREE, "a file without a reading");
	routes_unref(r);
	end_pair(&p);
}

/* A part of a tree that was read as a mesh while it came up does not stay a
 * mesh. */
TEST(comes_up)
{
	const struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = core_tree(), *g = NULL;
	AUTO(mem) bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
	struct fabric_edit edit = {.drop_node = drop, .drop_orphans = true};
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct route_job job = {.pool = pool};
	struct topo *t[2];
	struct routes *r;

	t[1] = frozen_topo(f, &lids);
	for (uint32_t i = 0; i < f->nnodes; i++)
		drop[i] = strncmp(f->node[i].name, "spine", 5) == 0 &&
			  strcmp(f->node[i].name, "spine1") != 0;
	g = fabric_rebuild(f, &edit);
	t[0] = frozen_again(g, t[1], 0);
	r = compute_checked(&job, t[0]);
	for (sw_ix s = 0; s < t[0]->nsw; s++)
		r->reading->of[s] = ROUTE_READ_MESH;
	r->reading->class.engine = "updn";
	r = compute_next(&job, t[1], r, false);
	expect_class(r, "ftree", ROUTE_READ_TREE, "all there");
	routes_unref(r);
	topo_unref(t[0]);
	topo_unref(t[1]);
}

/* ---- through the daemon ---- */

static void
expect_same_after_restart(struct world *w, const char *when)
{
	uint64_t was = tables_hash(sm_view(w->sm)->routes);

	world_kill(w);
	world_start(w);
	core_expect_order(w, when);
	ck_assert_uint_eq(tables_hash(sm_view(w->sm)->routes), was);
	ck_assert_msg(sm_view(w->sm)->counts.lft_blocks == 0,
		"%s: %llu blocks written", when,
		(unsigned long long)sm_view(w->sm)->counts.lft_blocks);
}

static void
set_link(struct world *w, bool up, const char *engine, const char *when)
{
	sim_fault_link(w->sim, fabric_find(w->fabric, "t0 top0"), 1, up);
	core_expect_order(w, when);
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, engine);
	expect_same_after_restart(w, when);
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, engine);
}

/* A kept class is reported, with its reason, its time and how to read
 * afresh. */
static void
expect_reported(struct world *w, const char *reason)
{
	AUTO(json) json_t *tree = tree_json(sm_view(w->sm), TREE_JSON_FIRST);
	const json_t *reading = json_object_get(tree, "reading");
	AUTO(buf) struct buf b = {0};

	show_tiers(tree, &b);
	ck_assert_msg(strstr(b.text, reason) != NULL, "%s", b.text);
	ck_assert_msg(strstr(b.text,
			      "\"heddlectl rebalance\" decides afresh") != NULL,
		"%s", b.text);
	ck_assert_msg(strstr(b.text,
			      ": kept as decided at 2025-11-21 10:48:") != NULL,
		"%s", b.text);
	ck_assert_str_eq(json_string_value(json_object_get(reading, "engine")),
		w->saved.engine);
	ck_assert_uint_eq(
		(uint64_t)json_integer_value(json_object_get(reading, "at")),
		w->saved.read);
}

TEST(through_the_daemon)
{
	AUTO(fabric) struct fabric *f = border_fabric();
	AUTO(world) struct world *w = core_start(f, "");
	uint64_t since;

	core_expect_order(w, "bring-up");
	since = w->saved.read;
	ck_assert_uint_gt(since, 0);
	ck_assert_str_eq(w->saved.engine, "ftree");
	world_run(w, mono_ms(5000));
	for (unsigned i = 0; i < 2; i++) {
		set_link(w, false, "ftree", "cable out");
		ck_assert_uint_eq(irregularity_count(sm_view(w->sm)->routes,
					  TREE_STAYS_TREE),
			1);
		expect_reported(w,
			"8 switches that are still routed as a tree but "
			"would not be today, because 35% of the links "
			"are inside a tier and 0% of the hosts above");
		set_link(w, true, "ftree", "cable in");
	}
	ck_assert_uint_eq(w->saved.read, since);
	set_link(w, false, "ftree", "cable out at last");
	sm_rebalance(w->sm, sim_now(w->sim), "test");
	core_expect_order(w, "rebalanced");
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, "updn");
	ck_assert_uint_gt(w->saved.read, since);
	expect_same_after_restart(w, "after that");
	set_link(w, true, "updn", "cable in at last");
	ck_assert_uint_eq(
		irregularity_count(sm_view(w->sm)->routes, TREE_STAYS_MESH), 1);
	expect_reported(w,
		"still not routed as a tree but would be today, because 33%");
	/* the configuration of reading changes, if only by a name */
	world_reload(w, "routing: {roles: {spine: [nobody]}}\n");
	core_expect_order(w, "another configuration");
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, "ftree");
	ck_assert_uint_eq(w->runs_failed, 0);
}
