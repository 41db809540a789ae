/*
 * The updn engine against an oracle that shares nothing with it: distances by
 * plain search over the order that the routes claim, walks of every pair, and
 * the dependency graph by depth-first search. Fabrics are made from seeds.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/engines/updn/updn.h"
#include "routing/updown/updown_state.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/updown/updown_oracle.h"
#include "tests/unit/suite.h"

/* Every LID at switch dest is delivered there. */
static void
check_dest(struct oracle *o, sw_ix dest, const struct routes *prev)
{
	const struct topo *t = o->t;

	find_distances(o, dest);
	for (uint32_t i = 0; i < t->sw[dest].nend; i++) {
		const struct topo_end *e = &t->end[t->sw[dest].end + i];
		const struct topo_port *p = &t->port[e->port];

		for (uint32_t k = 0; k < 1U << p->lmc; k++) {
			uint16_t lid = (uint16_t)(p->lid + k);

			ck_assert_uint_eq(routes_port(o->r, dest, lid), e->out);
			walk_all(o, dest, lid);
			for (sw_ix s = 0; prev != NULL && s < t->nsw; s++) {
				node_ix n = topo_by_node_guid(prev->topo,
					t->node[t->sw[s].node].guid);
				uint8_t old, new = routes_port(o->r, s, lid);

				if (n == TOPO_NONE || s == dest)
					continue;
				old = routes_port(
					prev, prev->topo->node[n].sw, lid);
				ck_assert_msg(old == new || o->joiners ||
						      !is_candidate(o, s, old),
					"seed %llu: entry given up",
					(unsigned long long)o->seed);
			}
		}
	}
}

/* False if there is an sFtree root in each of several components: the oracle
 * knows one. */
static bool
one_component(const struct oracle *o)
{
	const struct topo *t = o->t;
	AUTO(mem) bool *seen = mem_zalloc(t->nsw, sizeof(*seen));
	bool more = true, all = true;

	for (sw_ix s = 0; s < t->nsw; s++)
		if (!is_quarantined(t, s)) {
			seen[s] = true;
			break;
		}
	while (more) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; seen[s] && i < t->sw[s].nadj;
				i++) {
				sw_ix x = t->adj[t->sw[s].adj + i].peer;

				if (!seen[x] && !is_quarantined(t, x))
					seen[x] = more = true;
			}
	}
	for (sw_ix s = 0; s < t->nsw; s++)
		all &= seen[s] || is_quarantined(t, s);
	return all;
}

/* Everything that must hold of r; prev: entries were to be kept from it. */
static void
check_routes(const struct routes *r, const struct routes *prev, uint64_t seed)
{
	struct oracle o = oracle_new(r, seed);
	AUTO(mem) uint8_t *state = mem_zalloc(r->topo->nadj, 1);
	struct verify_tables in = {.topo = r->topo,
		.pool = r->pool,
		.row = r->row,
		.nblocks = r->nblocks};
	struct verify_report report;
	struct reason why = {""};

	ck_assert_msg(verify_tables(&in, &report, &why) == 0, "seed %llu: %s",
		(unsigned long long)seed, why.text);
	for (sw_ix d = 0; d < r->topo->nsw && one_component(&o); d++)
		if (!is_quarantined(r->topo, d))
			check_dest(&o, d, prev);
	for (uint32_t c = 0; c < r->topo->nadj; c++)
		ck_assert_msg(!has_cycle(&o, c, state), "seed %llu: a cycle",
			(unsigned long long)seed);
	if (one_component(&o))
		check_dependencies(&o);
	oracle_free(&o);
}

static struct routes *
route_topo(struct topo *t, struct lft_pool *pool, const struct routes *prev,
	bool keep)
{
	struct route_job job = {.topo = t, .pool = pool, .prev = prev};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_int_eq(
		engine_updn.route(&job, keep, 0, a, &r, &why), ENGINE_OK);
	ck_assert_ptr_nonnull(r);
	return r;
}

/* Small fabrics of every kind. */
static struct fabric *
random_fabric(struct rng *g)
{
	struct gen_fattree2 two = {1 + rng_below(g, 5), 2 + rng_below(g, 6),
		1 + rng_below(g, 3), rng_below(g, 4), 1 + rng_below(g, 3)};
	unsigned m[3] = {
		1 + rng_below(g, 3), 1 + rng_below(g, 3), 2 + rng_below(g, 2)};
	unsigned w[3] = {1, 1 + rng_below(g, 3), 1 + rng_below(g, 3)};
	unsigned p[3] = {1, 1 + rng_below(g, 2), 1 + rng_below(g, 2)};
	unsigned dim[3] = {
		2 + rng_below(g, 4), 1 + rng_below(g, 4), 1 + rng_below(g, 2)};
	struct reason why = {""};

	switch (rng_below(g, 9)) {
	case 0:
	case 1:
		return gen_tree_two(&two, &why);
	case 2:
		return shape_of("three:4");
	case 3:
		return gen_tree_pgft(3, m, w, p, &why);
	case 4:
		return gen_random(4 + 2 * rng_below(g, 9), 2 + rng_below(g, 4),
			1 + rng_below(g, 2), rng_next(g), &why);
	case 5:
		return gen_grid(dim, 3, rng_below(g, 2) == 0, 1, &why);
	case 6:
		dim[0] = 3 + rng_below(g, 8);
		return gen_grid(dim, 1, true, 1, &why);
	case 7:
		return gen_hyperx(dim, 2, 1, &why);
	default:
		return gen_dragonfly(2 + rng_below(g, 2), 1, 1, &why);
	}
}

/* Drops some links between switches and some hosts, evenly. */
static struct fabric *
damage_fabric(struct fabric *f, struct rng *g, unsigned cables, unsigned hosts)
{
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	AUTO(mem) bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	struct fabric_edit edit = {.drop_cable = drop, .drop_node = node};
	struct fabric *r;

	for (unsigned i = 0; i < cables * 4 && cables > 0; i++) {
		uint32_t c = rng_below(g, f->ncables);
		const uint32_t *end = f->cable[c].node;

		if (f->node[end[0]].type == FABRIC_SWITCH &&
			f->node[end[1]].type == FABRIC_SWITCH && !drop[c]) {
			drop[c] = true;
			cables--;
		}
	}
	for (unsigned i = 0; i < hosts; i++) {
		uint32_t n = rng_below(g, f->nnodes);

		if (f->node[n].type != FABRIC_SWITCH &&
			n != fabric_first_host(f))
			node[n] = true;
	}
	r = fabric_rebuild(f, &edit);
	fabric_free(f);
	return r;
}

/* Without one switch. */
static struct fabric *
without_switch(struct fabric *f, struct rng *g)
{
	AUTO(mem) bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	struct fabric_edit edit = {.drop_node = node};
	struct fabric *r;

	for (uint32_t n = rng_below(g, f->nnodes); f->nswitches > 1;
		n = rng_below(g, f->nnodes))
		if (f->node[n].type == FABRIC_SWITCH) {
			node[n] = true;
			break;
		}
	r = fabric_rebuild(f, &edit);
	fabric_free(f);
	return r;
}

/* Hosts on switches that have none: spines, middle switches. */
static struct fabric *
odd_hosts(struct fabric *f, struct rng *g)
{
	struct reason why = {""};
	uint8_t *ports = mem_zalloc(f->nnodes, 1);
	struct fabric_edit edit = {.nports = ports};
	uint32_t n = f->nnodes;
	struct fabric *r;

	for (uint32_t i = 0; i < n; i++)
		if (f->node[i].type == FABRIC_SWITCH)
			ports[i] = (uint8_t)(f->node[i].nports + 2);
	r = fabric_rebuild(f, &edit);
	fabric_free(f);
	free(ports);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t h;

		if (r->node[i].type != FABRIC_SWITCH || rng_below(g, 3) != 0)
			continue;
		h = fabric_addf(r, FABRIC_CA, 1, "odd%u", i);
		fabric_connect(r, h, 1, i, fabric_free_port(r, i), &why);
	}
	return r;
}

static struct fabric *
from_seed(uint64_t seed, struct rng *g)
{
	struct reason why = {""};
	struct fabric *f;

	*g = (struct rng){seed};
	/* Some numbers make no fabric: take the next ones. */
	do
		f = random_fabric(g);
	while (f == NULL);
	if (rng_below(g, 3) == 0)
		f = odd_hosts(f, g);
	if (rng_below(g, 4) == 0)
		f = gen_edit_aggregation(f, &why);
	if (rng_below(g, 2) == 0)
		f = damage_fabric(f, g, 1 + rng_below(g, 4), rng_below(g, 3));
	return f;
}

static uint64_t
any_switch(const struct fabric *f, struct rng *g)
{
	for (;;) {
		uint32_t n = rng_below(g, f->nnodes);

		if (f->node[n].type == FABRIC_SWITCH)
			return f->node[n].guid;
	}
}

TEST(random_fabrics)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		struct frozen_lids lids = {.lmc = seed % 5 == 0,
			.shuffle = seed % 3 == 0 ? seed : 0};
		struct rng g;
		AUTO(fabric) struct fabric *f = from_seed(seed, &g);
		struct topo *t;
		struct routes *r;

		if (rng_below(&g, 4) == 0)
			lids.quarantine = any_switch(f, &g);
		t = frozen_topo(f, &lids);
		r = route_topo(t, pool, NULL, false);
		check_routes(r, NULL, seed);
		routes_unref(r);
		topo_unref(t);
		ck_assert_uint_eq(pool->live, 0);
	}
}

/* Ranks are kept, but for as many as are reported new. */
static void
check_order_kept(
	const struct routes *r, const struct routes *prev, uint64_t seed)
{
	uint32_t changed = 0;

	for (sw_ix s = 0; s < r->topo->nsw; s++) {
		node_ix n = topo_by_node_guid(
			prev->topo, r->topo->node[r->topo->sw[s].node].guid);

		if (n != TOPO_NONE)
			changed += r->rank[s] !=
				   prev->rank[prev->topo->node[n].sw];
	}
	ck_assert_msg(changed <= updown_state_of(r)->reranked,
		"seed %llu: %u ranks, not %u", (unsigned long long)seed,
		changed, updown_state_of(r)->reranked);
}

/* Link failures, then the return of everything: order and entries are kept. */
TEST(keeping)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		struct rng g;
		AUTO(fabric)
		struct fabric *f = from_seed(seed, &g), *less = NULL;
		struct fabric_edit none = {.drop_orphans = false};
		struct topo *t = frozen_topo(f, NULL), *t2, *t3;
		struct routes *r = route_topo(t, pool, NULL, false), *r2, *r3;

		less = damage_fabric(
			fabric_rebuild(f, &none), &g, 1, rng_below(&g, 2));
		if (seed % 3 == 0)
			less = without_switch(less, &g);
		t2 = frozen_again(
			less, t, seed % 4 == 0 ? any_switch(f, &g) : 0);
		r2 = route_topo(t2, pool, r, true);
		check_routes(r2, r, seed);
		check_order_kept(r2, r, seed);
		t3 = frozen_again(f, t, 0);
		r3 = route_topo(t3, pool, r2, true);
		check_routes(r3, r2, seed);
		check_order_kept(r3, r2, seed);
		routes_unref(r);
		routes_unref(r2);
		routes_unref(r3);
		topo_unref(t);
		topo_unref(t2);
		topo_unref(t3);
		ck_assert_uint_eq(pool->live, 0);
	}
}

static uint64_t
load_of(struct fabric *f, uint64_t *hosts)
{
	struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	struct routes *r = route_topo(t, pool, NULL, false);
	struct verify_tables in = {
		.topo = t, .pool = pool, .row = r->row, .nblocks = r->nblocks};
	struct verify_report report;

	ck_assert_int_eq(verify_tables(&in, &report, NULL), 0);
	*hosts = f->nhosts;
	routes_unref(r);
	lft_pool_free(pool);
	fabric_free(f);
	return report.load_max;
}

TEST(full_trees)
{
	uint64_t n;

	ck_assert_uint_eq(load_of(shape_of("two:18:36:18"), &n), 630);
	ck_assert_uint_eq(load_of(shape_of("two:9:18:18:18:2"), &n), 306);
	ck_assert_uint_lt(load_of(shape_of("two:18:36:5:1"), &n), n);
	ck_assert_uint_le(load_of(shape_of("three:12"), &n), n - 1);
	ck_assert_uint_eq(load_of(shape_of("three:24"), &n), 3444);
}

/* Masks of two, three and four words; ports up to the last. */
TEST(big_switches)
{
	static const unsigned leaves[] = {63, 64, 65, 66, 128, 129, 200, 254};

	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++) {
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		struct reason why = {""};
		AUTO(fabric)
		struct fabric *f = shape_of("two:2:%u:1", leaves[i]);
		AUTO(topo) struct topo *t = frozen_topo(f, NULL);
		struct routes *r = route_topo(t, pool, NULL, false), *k;
		struct verify_tables in = {.topo = t,
			.pool = pool,
			.row = r->row,
			.nblocks = r->nblocks};
		struct verify_report report;

		ck_assert_int_eq(verify_tables(&in, &report, &why), 0);
		ck_assert_uint_le(report.load_max, leaves[i] - 1);
		k = route_topo(t, pool, r, true);
		ck_assert_uint_eq(k->entries_changed, 0);
		routes_unref(r);
		routes_unref(k);
	}
}

TEST(same_bytes)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		struct rng g;
		AUTO(fabric) struct fabric *f = from_seed(seed, &g);
		AUTO(topo) struct topo *t = frozen_topo(f, NULL);
		struct routes *a = route_topo(t, pool, NULL, false);
		struct routes *b = route_topo(t, pool, NULL, false);
		AUTO(routes) struct routes *c = route_topo(t, pool, a, false);

		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; i < a->nblocks; i++) {
				ck_assert_mem_eq(routes_block(a, s, i),
					routes_block(b, s, i), LFT_BLOCK);
				/* Equal blocks are shared. */
				ck_assert_uint_eq(routes_ref_of(a, s, i),
					routes_ref_of(c, s, i));
			}
		ck_assert_uint_eq(c->entries_changed, 0);
		routes_unref(a);
		routes_unref(b);
	}
}

TEST(tiny)
{
	static const unsigned one[] = {1}, two[] = {2};
	struct reason why = {""};
	struct fabric *f[] = {gen_pair(), gen_grid(one, 1, false, 2, &why),
		gen_grid(two, 1, false, 0, &why),
		gen_edit_self_loops(gen_grid(two, 1, false, 1, &why), 2, &why)};

	for (size_t i = 0; i < sizeof(f) / sizeof(*f); i++) {
		struct lft_pool *pool = lft_pool_new();
		struct topo *t = frozen_topo(f[i], NULL);
		struct routes *r = route_topo(t, pool, NULL, false);

		check_routes(r, NULL, i);
		routes_unref(r);
		topo_unref(t);
		lft_pool_free(pool);
		fabric_free(f[i]);
	}
}

/* Roots are obeyed; the tiers of a tree are found with any population. */
TEST(orders)
{
	struct reason why = {""};
	struct fabric *f = odd_hosts(shape_of("two:3:6:2:1"), &(struct rng){7});
	struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	struct arena *a = arena_new();
	uint64_t root = f->node[fabric_find(f, "leaf1")].guid;
	const struct updn_options roots = {{&root, 1}};
	const struct schema_values own = {engine_updn.module.options, &roots};
	struct engine_options options = {.own = &own, .nown = 1};
	struct route_job job = {.topo = t, .pool = pool};
	struct routes *r = NULL;

	ck_assert_int_eq(engine_updn.route(&job, false, 0, a, &r, &why), 0);
	ck_assert_int_eq(r->order, ROUTE_TIERS);
	ck_assert_uint_ne(updown_state_sftree_root(r), TOPO_NONE);
	for (sw_ix s = 0; s < t->nsw; s++)
		ck_assert_uint_eq(r->rank[s],
			strncmp(topo_desc(t, t->sw[s].node), "leaf", 4) == 0);
	routes_unref(r);
	job.options = &options;
	ck_assert_int_eq(engine_updn.route(&job, false, 0, a, &r, &why), 0);
	ck_assert_int_eq(r->order, ROUTE_ROOTS);
	ck_assert_uint_eq(r->rank[t->node[topo_by_node_guid(t, root)].sw], 0);
	check_routes(r, NULL, 0);
	routes_unref(r);
	arena_free(a);
	lft_pool_free(pool);
	fabric_free(f);
}

/* Ranks from a state file give the order that routes in memory would give. */
TEST(restart)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
		struct rng g;
		AUTO(fabric) struct fabric *f = from_seed(seed, &g);
		AUTO(topo) struct topo *t = frozen_topo(f, NULL);
		struct routes *r = route_topo(t, pool, NULL, false),
			      *again = NULL;
		struct route_rank *ranks = mem_zalloc(t->nsw, sizeof(*ranks));
		struct route_job job = {.topo = t,
			.pool = pool,
			.ranks = ranks,
			.ranks_order = r->order};
		struct arena *a = arena_new();
		struct reason why = {""};

		for (node_ix i = 0; i < t->nnodes; i++) {
			node_ix n = t->by_node[i];

			if (t->node[n].sw != TOPO_NONE)
				ranks[job.nranks++] =
					routes_note(r, t->node[n].sw);
		}
		ck_assert_int_eq(
			engine_updn.route(&job, false, 0, a, &again, &why),
			ENGINE_OK);
		ck_assert_mem_eq(
			r->rank, again->rank, t->nsw * sizeof(*r->rank));
		ck_assert_uint_eq(updown_state_of(again)->reranked, 0);
		for (size_t i = 0; i < (size_t)t->nsw * r->nblocks; i++)
			ck_assert_mem_eq(
				routes_block(r, (sw_ix)(i / r->nblocks),
					(uint32_t)(i % r->nblocks)),
				routes_block(again, (sw_ix)(i / r->nblocks),
					(uint32_t)(i % r->nblocks)),
				LFT_BLOCK);
		routes_unref(r);
		routes_unref(again);
		arena_free(a);
		free(ranks);
	}
}

/* Routes from nothing but saved ranks. */
static struct routes *
route_from_ranks(struct topo *t, struct lft_pool *pool,
	const struct route_rank *rank, size_t n, enum route_order order)
{
	struct route_job job = {.topo = t,
		.pool = pool,
		.ranks = rank,
		.nranks = n,
		.ranks_order = order};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_int_eq(
		engine_updn.route(&job, false, 0, a, &r, &why), ENGINE_OK);
	return r;
}

/* Switches by GUID, with ranks of which the root's is missing; links. */
static const struct heir {
	unsigned nsw, ncables;
	uint32_t was[4], is[4];
	unsigned cable[4][2];
} heirs[] = {
	/* 0 - 3 - 2 - 1: root 1 reverses one link, root 0 two */
	{4, 3, {1, 1, 2, 2}, {3, 0, 2, 2}, {{0, 3}, {3, 2}, {2, 1}}},
	/* equal: the first one */
	{3, 2, {1, 1, 2}, {0, 3, 2}, {{0, 2}, {2, 1}}},
	/* parallel links count */
	{3, 3, {1, 1, 2}, {3, 0, 2}, {{0, 2}, {2, 1}, {2, 1}}},
	/* the root is there; another switch lost its uplink */
	{3, 2, {0, 1, 2}, {0, 3, 2}, {{0, 2}, {2, 1}}},
};

LOOP_TEST(root_lost, 0, 2 * LEN(heirs))
{
	const struct heir *h = &heirs[_i / 2];
	AUTO(fabric) struct fabric *f = fabric_new();
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct route_rank rank[4];
	struct reason why = {""};
	AUTO(topo) struct topo *t = NULL;
	AUTO(routes) struct routes *r = NULL, *again = NULL;

	for (unsigned i = 0; i < h->nsw; i++) {
		(void)fabric_addf(f, FABRIC_SWITCH, 8, "s%u", i);
		rank[i] = (struct route_rank){
			.guid = f->node[i].guid, .rank = h->was[i]};
	}
	for (unsigned i = 0; i < h->nsw; i++)
		fabric_connect(f, fabric_addf(f, FABRIC_CA, 1, "h%u", i), 1, i,
			1, &why);
	for (unsigned i = 0; i < h->ncables; i++) {
		unsigned a = h->cable[i][0], b = h->cable[i][1];

		fabric_connect(f, a, fabric_free_port(f, a), b,
			fabric_free_port(f, b), &why);
	}
	t = frozen_topo(f, NULL);
	r = route_from_ranks(t, pool, rank, h->nsw,
		_i % 2 == 0 ? ROUTE_SINGLE : ROUTE_TIERS);
	for (unsigned i = 0; i < h->nsw; i++)
		ck_assert_uint_eq(
			r->rank[t->node[topo_by_node_guid(t, rank[i].guid)].sw],
			h->is[i]);
	check_routes(r, NULL, 0);
	again = route_topo(t, pool, r, true);
	ck_assert_mem_eq(r->rank, again->rank, t->nsw * sizeof(*r->rank));
	ck_assert_uint_eq(updown_state_of(again)->reranked, 0);
}
