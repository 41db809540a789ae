/*
 * The changes after lost links, also of the sFtree subtree: few more entries
 * than led over the links; and no more load than fresh tables would have.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/updown/updown_state.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/ibnet.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum {
	TIMES = 4, /* the bound on changes, and */
	FEW = 20,  /* a number too small for it */
	MOST = 3,  /* links lost at once */
	LIMIT = 1250,
};

static struct routes *
compute_checked(
	struct topo *t, struct lft_pool *pool, const struct routes *prev)
{
	static const char *const engine[] = {"ftree"};
	struct engine_options o = {0};
	struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.options = &o,
		.load_limit = LIMIT,
		.threads = 1};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engine, 1, &story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert_str_eq(story.engine, "ftree");
	return r;
}

/* All pairs reach each other, free of cycles, by a full verification. */
static void
expect_valid(const struct routes *r)
{
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, NULL, NULL};
	struct verify_report report;
	struct reason why = {""};

	ck_assert_msg(verify_tables(&in, &report, &why) == 0, "%s", why.text);
}

struct counts {
	uint64_t least, changed;
};

/* The entries that led over a failed link, and those that differ. */
static struct counts
compare_tables(const struct routes *was, const struct routes *is)
{
	const struct topo *t = is->topo, *u = was->topo;
	struct counts c = {0};

	ck_assert_uint_eq(t->nsw, u->nsw);
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix n = topo_by_node_guid(u, t->node[t->sw[s].node].guid);

		for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
			uint8_t a =
				routes_port(was, u->node[n].sw, (uint16_t)lid);
			uint8_t b = routes_port(is, s, (uint16_t)lid);

			c.changed += a != b;
			c.least += a != LFT_DROP && a != 0 &&
				   t->port[topo_port_of(t, t->sw[s].node, a)]
						   .peer == TOPO_NONE;
		}
	}
	return c;
}

struct world {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
	const char *name;
};

static void
check_counts(const struct world *w, const uint32_t *cable, unsigned cables,
	const char *what, uint64_t changed, uint64_t least)
{
	const uint32_t *end = w->f->cable[cable[0]].node;

	ck_assert_msg(changed <= TIMES * least + FEW,
		"%s: %s - %s and %u others %s: %llu entries, %llu had to",
		w->name, w->f->node[end[0]].name, w->f->node[end[1]].name,
		cables - 1, what, (unsigned long long)changed,
		(unsigned long long)least);
}

/* These links fail and come back. */
static void
lose_and_restore(struct world *w, const uint32_t *cable, unsigned cables)
{
	AUTO(mem) bool *drop = mem_zalloc(w->f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	AUTO(routes) struct routes *lost = NULL, *back = NULL;
	AUTO(fabric) struct fabric *g = NULL;
	AUTO(topo) struct topo *t = NULL;
	struct counts n, m;

	for (unsigned i = 0; i < cables; i++)
		drop[cable[i]] = true;
	g = fabric_rebuild(w->f, &edit);
	t = frozen_again(g, w->t, 0);
	lost = compute_checked(t, w->pool, w->r);
	expect_valid(lost);
	n = compare_tables(w->r, lost);
	back = compute_checked(w->t, w->pool, lost);
	expect_valid(back);
	m = compare_tables(lost, back);
	check_counts(w, cable, cables, "gone", n.changed, n.least);
	check_counts(w, cable, cables, "back", m.changed, n.least);
	ck_assert_uint_le(
		back->report.load_max * 1000, w->r->fresh_load * LIMIT);
}

static bool
between_switches(const struct fabric *f, uint32_t c)
{
	return f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
	       f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;
}

/* Some random links fail, `times` times. */
static void
lose_any(struct world *w, unsigned times, unsigned cables, uint64_t seed)
{
	struct rng g = {seed};

	while (times-- > 0) {
		uint32_t cable[MOST];

		for (unsigned i = 0; i < cables;) {
			cable[i] = (uint32_t)rng_below(&g, w->f->ncables);
			i += between_switches(w->f, cable[i]);
		}
		lose_and_restore(w, cable, cables);
	}
}

static uint32_t
node_of(const struct world *w, sw_ix s)
{
	uint64_t guid = w->t->node[w->t->sw[s].node].guid;

	for (uint32_t n = 0; n < w->f->nnodes; n++)
		if (w->f->node[n].guid == guid)
			return n;
	ck_abort_msg("no such switch");
}

static void
lose_all_of(struct world *w, sw_ix s)
{
	uint32_t n = node_of(w, s),
		 step = w->t->nsw > 200	  ? 8
			: w->t->nsw > 100 ? 3
					  : 1,
		 k = 0;

	for (uint32_t c = 0; c < w->f->ncables; c++) {
		const uint32_t *end = w->f->cable[c].node;

		if ((end[0] == n || end[1] == n) && between_switches(w->f, c) &&
			k++ % step == 0)
			lose_and_restore(w, &c, 1);
	}
}

/* Links of the sFtree root, and of a switch above it; any links; two, three. */
static void
check_losses(struct fabric *f, const char *name, bool above, unsigned any)
{
	struct frozen_lids lids = {.found = true};
	struct world w = {.f = f,
		.t = frozen_topo(f, &lids),
		.pool = lft_pool_new(),
		.name = name};
	const struct topo_switch *leaf;
	sw_ix parent;

	w.r = compute_checked(w.t, w.pool, NULL);
	ck_assert_uint_ne(updown_state_sftree_root(w.r), TOPO_NONE);
	leaf = &w.t->sw[updown_state_sftree_root(w.r)];
	parent = w.t->adj[leaf->adj].peer;
	lose_all_of(&w, updown_state_sftree_root(w.r));
	if (above)
		lose_all_of(&w, parent);
	for (unsigned cables = 1; cables <= MOST; cables++)
		lose_any(&w, any, cables, cables);
	routes_unref(w.r);
	ck_assert_uint_eq(w.pool->live, 0);
	lft_pool_free(w.pool);
	topo_unref(w.t);
	fabric_free(f);
}

TEST(two_levels)
{
	check_losses(shape_of("two:18:36:18"), "648 ports", false, 10);
}

TEST(three_levels)
{
	check_losses(shape_of("three:12"), "432 ports", true, 2);
}

/* The sFtree root is lost: a leaf under the same switches takes its place. */
TEST(leaf_lost)
{
	AUTO(fabric) struct fabric *f = shape_of("three:12"), *g = NULL;
	AUTO(mem) bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
	struct fabric_edit edit = {.drop_node = drop, .drop_orphans = true};
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL), *u = NULL;
	AUTO(routes)
	struct routes *r = compute_checked(t, pool, NULL), *lost = NULL;
	const struct topo_switch *leaf = &t->sw[updown_state_sftree_root(r)],
				 *next;

	for (uint32_t n = 0; n < f->nnodes; n++)
		drop[n] = f->node[n].guid == t->node[leaf->node].guid;
	g = fabric_rebuild(f, &edit);
	u = frozen_again(g, t, 0);
	lost = compute_checked(u, pool, r);
	expect_valid(lost);
	ck_assert_uint_ne(updown_state_sftree_root(lost), TOPO_NONE);
	next = &u->sw[updown_state_sftree_root(lost)];
	ck_assert_uint_eq(next->nadj, leaf->nadj);
	for (uint32_t i = 0; i < leaf->nadj; i++) {
		sw_ix a = t->adj[leaf->adj + i].peer;
		sw_ix b = u->adj[next->adj + i].peer;

		ck_assert_uint_eq(t->node[t->sw[a].node].guid,
			u->node[u->sw[b].node].guid);
	}
}

/* The last link of the switch to another one. */
static uint32_t
last_cable(const struct fabric *f, uint32_t sw)
{
	uint32_t last = 0;

	for (uint32_t c = 0; c < f->ncables; c++) {
		const uint32_t *end = f->cable[c].node;

		if ((end[0] == sw || end[1] == sw) &&
			f->node[end[0]].type == FABRIC_SWITCH &&
			f->node[end[1]].type == FABRIC_SWITCH)
			last = c;
	}
	return last;
}

/* Leaves of two pods are linked, by a former uplink of each. */
static struct fabric *
leaves_joined(unsigned pod)
{
	struct reason why = {""};
	struct fabric *f = shape_of("three:6"), *g;
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	uint32_t a, b;
	char name[16];

	(void)snprintf(name, sizeof(name), "pod%u.leaf3", pod);
	drop[last_cable(f, fabric_find(f, "pod1.leaf1"))] = true;
	drop[last_cable(f, fabric_find(f, name))] = true;
	g = fabric_rebuild(f, &edit);
	a = fabric_find(g, "pod1.leaf1");
	b = fabric_find(g, name);
	ck_assert_uint_ne(fabric_connect(g, a, fabric_free_port(g, a), b,
				  fabric_free_port(g, b), &why),
		FABRIC_NONE);
	fabric_free(f);
	return g;
}

/* Switches above the sFtree root use such a link only if they must: else all
 * packets to the root would make a detour. */
TEST(no_detours)
{
	for (unsigned pod = 2; pod <= 6; pod++) {
		AUTO(fabric) struct fabric *f = leaves_joined(pod);
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		AUTO(topo) struct topo *t = frozen_topo(f, NULL);
		AUTO(routes) struct routes *r = compute_checked(t, pool, NULL);

		expect_valid(r);
		ck_assert_uint_eq(r->report.hops_max, 4);
		ck_assert_msg(r->report.load_max <= 90, "pod %u: %llu pairs",
			pod, (unsigned long long)r->report.load_max);
	}
}

/* All leaves but the manager's lose the link to one top each. */
static struct fabric *
all_but_one_damaged(void)
{
	struct fabric *f = shape_of("two:4:8:4"), *g;
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	char leaf[16], top[16];

	for (unsigned k = 2; k <= 8; k++) {
		uint32_t a, b;

		(void)snprintf(leaf, sizeof(leaf), "leaf%u", k);
		(void)snprintf(top, sizeof(top), "spine%u", k % 4 + 1);
		a = fabric_find(f, leaf);
		b = fabric_find(f, top);
		for (uint32_t c = 0; c < f->ncables; c++) {
			const uint32_t *end = f->cable[c].node;

			drop[c] |= (end[0] == a && end[1] == b) ||
				   (end[0] == b && end[1] == a);
		}
	}
	g = fabric_rebuild(f, &edit);
	fabric_free(f);
	return g;
}

/* The manager's leaf is not the sFtree root, though it alone is below all
 * tops. */
TEST(not_the_managers_leaf)
{
	AUTO(fabric) struct fabric *f = all_but_one_damaged();
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(routes) struct routes *r = compute_checked(t, pool, NULL);
	sw_ix sm = topo_switch_of(t, t->sm_port);
	const struct topo_switch *leaf = &t->sw[sm];

	expect_valid(r);
	ck_assert_uint_eq(leaf->nadj, 4);
	ck_assert_uint_ne(updown_state_sftree_root(r), sm);
	for (uint32_t i = 0; i < leaf->nadj; i++)
		for (uint32_t k = 0; k < leaf->nadj; k++) {
			sw_ix from = t->adj[leaf->adj + i].peer;
			node_ix to = t->sw[t->adj[leaf->adj + k].peer].node;
			uint8_t port = routes_port(
				r, from, t->port[topo_port_of(t, to, 0)].lid);
			port_ix out = topo_port_of(t, t->sw[from].node, port);

			ck_assert(
				port == 0 ||
				t->port[t->port[out].peer].node != leaf->node);
		}
}

TEST(fixtures)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	struct reason why = {""};
	struct fabric *f;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/ufm-sdk-selene-compute.ibnet",
		at != NULL ? at : "../shared/fixtures");
	f = ibnet_load(path, NULL, &why);
	if (f == NULL)
		(void)fprintf(
			stderr, "sftree_root_test: no fixtures, skipped\n");
	else
		check_losses(f, "Selene", true, 0);
}
