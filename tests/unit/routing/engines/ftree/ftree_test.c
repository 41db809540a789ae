/*
 * The fat-tree engine: balance for every population, damaged trees on one
 * layer, kept tables while links flap, layers, multi-port nodes.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/engine.h"
#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/improve/redundancy.h"
#include "routing/measure/bandwidth.h"
#include "routing/updown/updown_state.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engines/ftree/layers_asked.h"
#include "tests/unit/suite.h"
#include "tests/unit/tables_hash.h"

static struct engine_options plain = {0};

static struct routes *
route_topo(struct topo *t, struct lft_pool *pool, const struct routes *prev,
	const struct engine_options *o)
{
	struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.options = o,
		.threads = 1};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	ck_assert_msg(engine_ftree.route(&job, prev != NULL, 0, a, &r, &why) ==
			      ENGINE_OK,
		"refused: %s", why.text);
	return r;
}

static struct verify_tables
verify_input(const struct routes *r)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, NULL, NULL};
}

/* All pairs reach each other, without a cycle even on one layer. */
static struct verify_report
expect_valid(const struct routes *r, const char *what)
{
	struct verify_tables in = verify_input(r);
	struct verify_report report;
	struct reason why = {""};

	ck_assert_msg(verify_tables(&in, &report, &why) == 0, "%s: %s", what,
		why.text);
	return report;
}

/* One fabric, routed afresh. */
struct run {
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
};

static struct run
route_fabric(struct fabric *f, const struct engine_options *o)
{
	struct frozen_lids lids = {.found = true};
	struct run x = {frozen_topo(f, &lids), lft_pool_new(), NULL};

	x.r = route_topo(x.t, x.pool, NULL, o);
	fabric_free(f);
	return x;
}

static void
end_run(struct run *x)
{
	routes_unref(x->r);
	ck_assert_uint_eq(x->pool->live, 0);
	lft_pool_free(x->pool);
	topo_unref(x->t);
}
AUTO_VALUE(run, struct run, end_run)

/*
 * Goals: no link carries more pairs than a host has partners, and a shift never
 * puts more than two flows on a link; one in a full tree.
 */
static void
check_balance(struct fabric *f, const char *what, unsigned shifts, bool full)
{
	AUTO(run) struct run x = route_fabric(f, &plain);
	struct verify_report report = expect_valid(x.r, what);
	struct verify_tables in = verify_input(x.r);
	struct bandwidth_shift shift;

	bandwidth_shift(&in, shifts, 1, &shift);
	ck_assert_msg(report.load_max <= shift.hosts - 1,
		"%s: load %llu of %u hosts", what,
		(unsigned long long)report.load_max, shift.hosts);
	ck_assert_msg(shift.worst <= (full ? 1U : 2U),
		"%s: %u flows on a cable in shift %u", what, shift.worst,
		shift.worst_by);
}

TEST(populations)
{
	static const unsigned two[][2] = {{9, 9}, {11, 7}, {13, 5}, {17, 1},
		{5, 1}, {18, 18}, {18, 1}, {13, 1}, {7, 4}, {1, 0}};
	static const unsigned three[][2] = {{6, 6}, {7, 5}, {7, 1}, {9, 3},
		{11, 1}, {12, 1}, {12, 12}, {5, 2}, {1, 0}};
	char what[64];

	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++) {
		(void)snprintf(what, sizeof(what), "648 ports, %u:%u",
			two[i][0], two[i][1]);
		check_balance(shape_of("two:18:36:%u:%u", two[i][0], two[i][1]),
			what, 100, two[i][0] == two[i][1] && two[i][0] == 18);
	}
	for (size_t i = 0; i < sizeof(three) / sizeof(*three); i++) {
		(void)snprintf(what, sizeof(what), "3456 ports, %u:%u",
			three[i][0], three[i][1]);
		check_balance(gen_edit_populate(shape_of("three:24"),
				      three[i][0], three[i][1]),
			what, 20, three[i][0] == 12 && three[i][1] == 12);
	}
}

/* Several switches lead to one top, siblings are linked, and there are several
 * trees. */
TEST(racks)
{
	static const unsigned people[][2] = {
		{24, 24}, {12, 12}, {22, 1}, {12, 1}, {5, 0}};
	static const unsigned dual[][2] = {{12, 12}, {7, 5}, {11, 1}};
	struct reason why = {""};
	char what[64];

	for (size_t i = 0; i < sizeof(people) / sizeof(*people); i++) {
		(void)snprintf(what, sizeof(what), "racks, %u:%u", people[i][0],
			people[i][1]);
		check_balance(
			gen_paper_racks(1, people[i][0], people[i][1], &why),
			what, 200, false);
	}
	for (size_t i = 0; i < sizeof(dual) / sizeof(*dual); i++) {
		(void)snprintf(what, sizeof(what), "two trees, %u:%u",
			dual[i][0], dual[i][1]);
		check_balance(gen_paper_dual(dual[i][0], dual[i][1], &why),
			what, 20, false);
	}
}

/*
 * Eight trees that meet inside racks only. Half of the hosts of a rack are on
 * either side, so that with 12:12 and 24:24 no link need exceed a host's share.
 * With 23:1 the first side has 12 of 23 hosts of every second rack and one of
 * the others: what the hosts of such a rack send to that side of other racks,
 * 23 times 1392 pairs, leaves it by 12 links, which is the bound. A shift puts
 * two flows on a link at most.
 */
TEST(planes)
{
	static const struct {
		unsigned even, odd, bound;
	} people[] = {{12, 12, 2591}, {24, 24, 5183}, {23, 1, 23 * 1392 / 12}};
	struct reason why = {""};

	for (size_t i = 0; i < sizeof(people) / sizeof(*people); i++) {
		AUTO(run)
		struct run x = route_fabric(
			gen_paper_racks(8, people[i].even, people[i].odd, &why),
			&plain);
		struct verify_report report = expect_valid(x.r, "planes");
		struct verify_tables in = verify_input(x.r);
		struct bandwidth_shift shift;

		ck_assert_msg(report.load_max <= people[i].bound,
			"%u:%u: load %llu", people[i].even, people[i].odd,
			(unsigned long long)report.load_max);
		bandwidth_shift(&in, 100, 1, &shift);
		ck_assert(x.r->part != NULL && shift.worst <= 2);
	}
}

/* Any population: hosts are taken away at random. */
TEST(random_populations)
{
	for (uint64_t seed = 1; seed <= FEWER(12); seed++) {
		struct rng g = {seed};
		struct fabric *f = shape_of("two:6:12:6"), *h;
		AUTO(mem) bool *node = mem_zalloc(f->nnodes, sizeof(*node));
		struct fabric_edit edit = {.drop_node = node};
		char what[32];

		for (uint32_t n = 0; n < f->nnodes; n++)
			node[n] = f->node[n].type == FABRIC_CA &&
				  n != fabric_first_host(f) &&
				  rng_below(&g, 8) < seed % 7;
		h = fabric_rebuild(f, &edit);
		(void)snprintf(what, sizeof(what), "seed %u", (unsigned)seed);
		check_balance(h, what, 1000, false);
		fabric_free(f);
	}
}

/*
 * Links fail anywhere but at hosts: one layer is enough, and no link carries
 * more than the load of two hosts.
 */
TEST(degraded)
{
	static const unsigned failed[] = {0, 34, 85, 130, 194, 259};

	for (size_t i = 0; i < sizeof(failed) / sizeof(*failed); i++)
		for (uint64_t seed = 1; seed <= FEWER(4); seed++) {
			struct reason why = {""};
			struct fabric *f = gen_paper_racks(1, 24, 24, &why);
			AUTO(run) struct run x;
			char what[64];

			if (failed[i] > 0)
				f = gen_edit_fail_links(
					f, failed[i], seed, true, &why);
			ck_assert_msg(f != NULL, "%s", why.text);
			(void)snprintf(what, sizeof(what),
				"%u cables failed, seed %u", failed[i],
				(unsigned)seed);
			x = route_fabric(f, &plain);
			(void)expect_valid(x.r, what);
			ck_assert_str_eq(x.r->engine, "ftree");
			ck_assert_msg(x.r->report.load_max <= 2 * (648 - 12),
				"%s: %llu pairs on one cable", what,
				(unsigned long long)x.r->report.load_max);
		}
}

/*
 * Tops that lose most of their links, and hundreds of other links besides:
 * every pair still meets on one layer.
 */
TEST(lost_tops)
{
	for (uint64_t seed = 1; seed <= FEWER(16); seed++) {
		struct reason why = {""};
		struct fabric *f = gen_paper_racks(1, 24, 24, &why), *g;
		AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
		struct fabric_edit edit = {.drop_cable = drop};
		struct rng r = {seed};
		bool lost[18];
		char what[64];
		struct run x;

		for (unsigned i = 0; i < 18; i++)
			lost[i] = rng_below(&r, 18) < seed;
		for (uint32_t c = 0; c < f->ncables; c++) {
			const char *a = f->node[f->cable[c].node[0]].name;
			const char *b = f->node[f->cable[c].node[1]].name;
			const char *top = strstr(a, ".top");

			if (top == NULL)
				top = strstr(b, ".top");
			drop[c] = top != NULL &&
				  lost[strtoul(top + 4, NULL, 10) - 1] &&
				  rng_below(&r, 36) >= 1 + seed % 3;
		}
		g = fabric_rebuild(f, &edit);
		if (seed % 2)
			g = gen_edit_fail_links(g, 40, seed, false, &why);
		ck_assert_msg(g != NULL, "%s", why.text);
		(void)snprintf(what, sizeof(what), "seed %u", (unsigned)seed);
		x = route_fabric(g, &plain);
		(void)expect_valid(x.r, what);
		ck_assert_str_eq(x.r->engine, "ftree");
		end_run(&x);
		fabric_free(f);
	}
}

TEST(degraded_three_levels)
{
	for (uint64_t seed = 1; seed <= FEWER(6); seed++) {
		struct reason why = {""};
		struct fabric *f = shape_of("three:12");
		AUTO(run) struct run x;
		char what[64];

		f = seed % 2 ? gen_edit_fail_links(
				       f, (unsigned)seed * 40, seed, true, &why)
			     : gen_edit_fail_switches(
				       f, (unsigned)seed * 3, seed, true, &why);
		(void)snprintf(what, sizeof(what), "seed %u", (unsigned)seed);
		x = route_fabric(f, &plain);
		(void)expect_valid(x.r, what);
	}
}

/* The counts in routes are those of the tables. */
static void
check_changes(const struct routes *was, const struct routes *is)
{
	uint64_t changed = 0, kept = 0;

	for (sw_ix s = 0; s < is->topo->nsw; s++)
		for (uint32_t lid = 1; lid <= is->top; lid++) {
			sw_ix old = topo_switch_in(was->topo, is->topo, s);
			uint8_t a = old == TOPO_NONE ? LFT_DROP
						     : routes_port(was, old,
							       (uint16_t)lid);
			uint8_t b = routes_port(is, s, (uint16_t)lid);

			changed += a != b;
			kept += a == b && a != LFT_DROP;
		}
	ck_assert_uint_eq(changed, is->entries_changed);
	ck_assert_uint_eq(kept, is->entries_kept);
}

/* Links fail and return: the tables stay valid, and what differs is counted. */
static void
check_step(
	struct topo *t, struct lft_pool *pool, struct routes **r, uint64_t seed)
{
	struct routes *is = route_topo(t, pool, *r, &plain);
	char what[64];

	(void)snprintf(what, sizeof(what), "seed %u", (unsigned)seed);
	(void)expect_valid(is, what);
	check_changes(*r, is);
	routes_unref(*r);
	*r = is;
}

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

static void
flap_links(struct fabric *f, uint64_t seed, unsigned steps)
{
	struct frozen_lids lids = {0};
	struct topo *first = frozen_topo(f, &lids), *t = topo_ref(first);
	struct lft_pool *pool = lft_pool_new();
	struct routes *r = route_topo(t, pool, NULL, &plain);
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	struct rng g = {seed};

	for (unsigned i = 0; i < steps; i++) {
		AUTO(fabric) struct fabric *now = NULL;

		for (unsigned n = 0; n <= i % 3; n++)
			toggle_link(f, drop, &g);
		now = fabric_rebuild(f, &edit);
		topo_unref(t);
		t = frozen_again(now, first, 0);
		check_step(t, pool, &r, seed);
	}
	routes_unref(r);
	ck_assert_uint_eq(pool->live, 0);
	lft_pool_free(pool);
	topo_unref(t);
	topo_unref(first);
	fabric_free(f);
}

TEST(links_flap)
{
	struct gen_fattree2 two = {6, 12, 1, 6, 3}, par = {3, 10, 4, 9, 9};
	struct reason why = {""};

	for (uint64_t seed = 1; seed <= FEWER(4); seed++) {
		flap_links(gen_tree_two(&two, &why), seed, 20);
		flap_links(gen_tree_two(&par, &why), seed, 20);
		flap_links(shape_of("three:8"), seed, 20);
		flap_links(shape_of("kary:3:4"), seed, 10);
	}
}

/* A switch fails and comes back: everything is computed, and no pair is
 * lost. */
TEST(switch_fails)
{
	struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = shape_of("three:8"), *g = NULL;
	AUTO(mem) bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	struct fabric_edit edit = {.drop_node = node};
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *less = NULL;
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct routes *a = route_topo(t, pool, NULL, &plain), *b, *c;

	node[fabric_find(f, "pod2.mid1")] = true;
	g = fabric_rebuild(f, &edit);
	less = frozen_again(g, t, 0);
	b = route_topo(less, pool, a, &plain);
	(void)expect_valid(b, "without pod2.mid1");
	c = route_topo(t, pool, b, &plain);
	(void)expect_valid(c, "with it again");
	routes_unref(a);
	routes_unref(b);
	routes_unref(c);
	ck_assert_uint_eq(pool->live, 0);
}

/* The paper's algorithm as it is printed. */
static unsigned
paper_layer(unsigned i, unsigned j, unsigned n)
{
	unsigned a = i < j ? i : j, b = i < j ? j : i, lane;

	if (a == b)
		return 0;
	lane = 2 * a % n + (2 * a / n % 2);
	for (unsigned k = a + 1; k < b; k++)
		lane = (lane + 1) % n;
	return lane % n;
}

TEST(lanes)
{
	struct reason why = {""};

	for (unsigned n = 2; n <= 8; n++) {
		struct engine_options o = with_layers(n);
		struct run x = route_fabric(shape_of("two:18:36:2"), &o);
		const struct route_layers *l = &x.r->layers;
		const uint16_t *number = updown_state_of(x.r)->leaf_number;
		struct verify_tables in = verify_input(x.r);
		struct verify_report report;
		unsigned used = 0;

		in.layers = l;
		ck_assert_int_eq(verify_tables(&in, &report, &why), 0);
		ck_assert_uint_eq(report.vls, l->n);
		/* The links of the generator have 4 VLs (VLCap 3). */
		ck_assert_uint_eq(l->n, n < 4 ? n : 4);
		for (sw_ix a = 0; a < x.t->nsw; a++)
			for (sw_ix b = 0; b < x.t->nsw; b++) {
				unsigned v = routes_layer(l, a, b);

				ck_assert_uint_lt(v, l->n);
				ck_assert_uint_eq(v, routes_layer(l, b, a));
				ck_assert(a != b || v == 0);
				used |= 1U << v;
				if (number[a] == UPDN_NO_NUMBER ||
					number[b] == UPDN_NO_NUMBER) {
					ck_assert_uint_eq(v, 0);
					continue;
				}
				ck_assert_uint_eq(v, paper_layer(number[a],
							     number[b], l->n));
			}
		ck_assert_uint_eq(used, (1U << l->n) - 1);
		end_run(&x);
	}
}

/* Leaves keep their classes when others come and go. */
TEST(lanes_kept)
{
	struct engine_options o = with_layers(4);
	struct frozen_lids lids = {0};
	AUTO(fabric) struct fabric *f = shape_of("two:4:8:2"), *g = NULL;
	AUTO(mem) bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	struct fabric_edit edit = {.drop_node = node};
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *less = NULL;
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(routes)
	struct routes *a = route_topo(t, pool, NULL, &o), *b = NULL;

	node[fabric_find(f, "leaf3")] = true;
	g = fabric_rebuild(f, &edit);
	less = frozen_again(g, t, 0);
	b = route_topo(less, pool, a, &o);
	for (sw_ix s = 0; s < less->nsw; s++) {
		node_ix n =
			topo_by_node_guid(t, less->node[less->sw[s].node].guid);

		ck_assert_uint_eq(updown_state_of(b)->leaf_number[s],
			updown_state_of(a)->leaf_number[t->node[n].sw]);
	}
}

static size_t
count_single_failures(struct fabric *f, uint64_t *load)
{
	AUTO(run) struct run x = route_fabric(f, &plain);
	struct verify_tables in = verify_input(x.r);
	struct redundancy_report h;
	size_t n;

	*load = expect_valid(x.r, "homes").load_max;
	redundancy_find(&in, NULL, &h);
	ck_assert_uint_gt(h.n, 0);
	n = h.single;
	redundancy_free(&h);
	return n;
}

/* The paths to two ports on different leaves share no switch, and balance is
 * kept. */
TEST(homes)
{
	struct gen_fattree2 full = {18, 36, 1, 9, 9}, over = {8, 16, 1, 12, 12};
	struct reason why = {""};
	uint64_t load;

	ck_assert_uint_eq(
		count_single_failures(gen_edit_rails(gen_tree_two(&full, &why),
					      2, true, &why),
			&load),
		0);
	ck_assert_uint_le(load, 647);
	ck_assert_uint_eq(
		count_single_failures(gen_edit_rails(gen_tree_two(&over, &why),
					      2, true, &why),
			&load),
		0);
	ck_assert_uint_eq(
		count_single_failures(
			gen_edit_rails(
				gen_edit_populate(shape_of("three:12"), 3, 3),
				2, true, &why),
			&load),
		0);
	ck_assert_uint_le(load, 431);
	/* Several switches lead to each top: sources must go up by disjoint
	 * paths, too. */
	ck_assert_uint_eq(
		count_single_failures(
			gen_edit_rails(gen_paper_racks(1, 12, 12, &why), 2,
				true, &why),
			&load),
		0);
	ck_assert_uint_le(load, 647);
}

/* With one top, the top is the single point of failure, and the report says
 * so. */
TEST(homing_names_it)
{
	struct reason why = {""};
	AUTO(run)
	struct run x = route_fabric(
		gen_edit_rails(shape_of("two:1:4:1"), 2, true, &why), &plain);
	struct verify_tables in = verify_input(x.r);
	struct redundancy_report h;
	char text[256];

	redundancy_find(&in, NULL, &h);
	ck_assert_uint_eq(h.n, 4);
	ck_assert_uint_eq(h.single, 4);
	for (size_t i = 0; i < h.n; i++) {
		ck_assert_str_eq(
			topo_desc(x.t, x.t->sw[h.node[i].sw].node), "spine1");
		ck_assert_uint_eq(h.node[i].out, 0);
		ck_assert_uint_eq(h.node[i].cut, 2); /* not its own leaves */
		ck_assert(!h.node[i].one_switch);
		ck_assert(h.node[i].only_path);
	}
	redundancy_text(x.t, &h.node[0], text, sizeof(text));
	ck_assert_str_eq(text, "\"h1\": \"spine1\" cuts off both ports from 2 "
			       "of 4 leaves; there is no other path");
	redundancy_free(&h);
}

/* Configured groups count like nodes; a passive port carries nothing. */
TEST(groups)
{
	struct fabric *f = shape_of("two:4:4:4");
	struct route_multi_port home[8];
	struct engine_options o = {.multi_port = home, .nmulti_port = 8};
	size_t n = 0;
	struct verify_tables in;
	struct redundancy_report h;
	AUTO(run) struct run x;

	/* The first hosts of leaves 1 and 2 are one pair, and so on. */
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 2; k++) {
			char name[16];

			(void)snprintf(
				name, sizeof(name), "h%u", 1 + i + 4 * k);
			home[n++] = (struct route_multi_port){
				fabric_port(f, fabric_find(f, name), 1)->guid,
				i, false};
		}
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && home[k - 1].guid > home[k].guid;
			k--) {
			struct route_multi_port swap = home[k];

			home[k] = home[k - 1];
			home[k - 1] = swap;
		}
	x = route_fabric(f, &o);
	in = verify_input(x.r);
	redundancy_find(&in, &o, &h);
	ck_assert_uint_eq(h.n, 4);
	ck_assert_uint_eq(h.single, 0);
	redundancy_free(&h);
}

TEST(refuses)
{
	struct frozen_lids lids = {0};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("torus:12");
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct route_job job = {
		.topo = t, .pool = pool, .options = &plain, .load_limit = 1250};
	static const char *const engines[] = {"ftree", "updn"};
	struct route_account story;
	AUTO(routes) struct routes *r = NULL;

	r = compute_routes(&job, engines, 2, &story, &why);
	ck_assert_ptr_nonnull(r);
	ck_assert_str_eq(story.engine, "updn");
	ck_assert(story.fallback);
	ck_assert_ptr_nonnull(strstr(story.tried, "ftree refused"));
}

/* Entries are kept, and computed afresh on request. */
TEST(rebalance)
{
	static const char *const engines[] = {"ftree"};
	struct frozen_lids lids = {0};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("two:6:12:6"), *g = NULL;
	AUTO(topo) struct topo *t = frozen_topo(f, &lids), *less = NULL;
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct route_account story;
	AUTO(routes) struct routes *a = NULL, *b = NULL, *c = NULL, *d = NULL;
	struct route_job job = {
		.topo = t, .pool = pool, .options = &plain, .load_limit = 9000};

	a = compute_routes(&job, engines, 1, &story, &why);
	g = shape_of("two:6:12:6,fail=6");
	less = frozen_again(g, t, 0);
	job.prev = a;
	job.topo = less;
	b = compute_routes(&job, engines, 1, &story, &why);
	job.prev = b;
	job.topo = t;
	c = compute_routes(&job, engines, 1, &story, &why);
	ck_assert_uint_ne(tables_hash(c), tables_hash(a));
	job.rebalance = true;
	d = compute_routes(&job, engines, 1, &story, &why);
	ck_assert(story.rebalanced);
	ck_assert_uint_eq(tables_hash(d), tables_hash(a));
}

/* Real fabrics, if they are available. */
TEST(fixtures)
{
	static const char *const name[] = {"ufm-sdk-selene-compute",
		"topograph-ndr-gb200", "ufm-sdk-small",
		"ibtopotool-4-sun-dcs36"};
	const char *at = getenv("HEDDLE_FIXTURES");
	unsigned found = 0;

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		struct reason why = {""};
		struct fabric *f;
		char path[512];
		struct run x;

		(void)snprintf(path, sizeof(path), "%s/%s.ibnet",
			at != NULL ? at : "../shared/fixtures", name[i]);
		f = ibnet_load(path, NULL, &why);
		if (f == NULL)
			continue;
		found++;
		x = route_fabric(f, &plain);
		(void)expect_valid(x.r, name[i]);
		end_run(&x);
	}
	if (found == 0)
		(void)fprintf(stderr, "ftree_test: no fixtures, skipped\n");
}
