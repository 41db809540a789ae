/*
 * Adaptive routing of our own: judged by what simulated switches hold, which is
 * compared with the sets of the routes; at every write by what packets could
 * meet; and by the SMPs that a change costs.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "sm/mad/mad_ar.h"
#include "sm/policy/qos.h"
#include "tests/sim/model/sim_hops.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/shape.h"
#include "tests/unit/adaptive_fixture.h"
#include "tests/unit/suite.h"

static const char on[] = "routing: {adaptive: {enabled: true}}\n";

/* ---- what switches hold ---- */

static uint32_t
node_of_switch(const struct world *w, const struct topo *t, sw_ix s)
{
	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		if (w->fabric->node[i].guid == t->node[t->sw[s].node].guid)
			return i;
	return FABRIC_NONE;
}

/* The group that a LID with these options and this default should have. */
static struct mad_ar_group
expected_group(const struct route_set *set, unsigned port, bool default_first)
{
	struct mad_ar_group g = {{{0}}};

	memcpy(g.port[default_first], set->port, sizeof(set->port));
	g.port[1][port / 64] &= ~(UINT64_C(1) << port % 64);
	g.port[0][port / 64] |= UINT64_C(1) << port % 64;
	return g;
}

/* A service level whose packets may choose. */
static unsigned
choosing_sl(const struct world *w, uint32_t node)
{
	const struct mad_ar_info *is = sim_ar_info(w->sim, node);

	return is == NULL || !is->by_sl_enabled || is->sl_mask == 0
		       ? 0
		       : (unsigned)__builtin_ctz(is->sl_mask);
}

/* Whether a set of a switch has less than two LIDs a default: then its group
 * prefers none. */
static bool
is_rare(const struct routes *r, sw_ix s, const struct route_set *set)
{
	const struct topo *t = r->topo;
	uint64_t defaults[4] = {0};
	unsigned lids = 0, n = 0;

	for (uint16_t l = 1; l <= t->max_lid; l++) {
		port_ix p = t->by_lid[l];

		if (p == TOPO_NONE || p == t->sm_port ||
			t->node[t->port[p].node].type == TOPO_SWITCH ||
			route_sets_get(r->sets, s, topo_switch_of(t, p)) != set)
			continue;
		lids++;
		n += !bitset_has(defaults, routes_port(r, s, l));
		bitset_add(defaults, routes_port(r, s, l));
	}
	return lids < 2 * n;
}

/* Entries with a choice of one switch, all as the routes want them. */
static unsigned
count_choices(const struct world *w, sw_ix s, const char *when)
{
	const struct routes *r = sm_view(w->sm)->routes;
	const struct topo *t = r->topo;
	uint32_t node = node_of_switch(w, t, s);
	unsigned n = 0;

	for (uint16_t l = 1; l <= t->max_lid; l++) {
		port_ix p = t->by_lid[l];
		sw_ix d = p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);
		const struct route_set *set =
			d == TOPO_NONE ||
					t->node[t->port[p].node].type ==
						TOPO_SWITCH ||
					p == t->sm_port
				? NULL
				: route_sets_get(r->sets, s, d);
		struct mad_ar_group want;
		struct sim_hops is;
		bool has;

		sim_hops(w->sim, node, l, choosing_sl(w, node), &is);
		has = is.kind != SIM_FIXED;
		ck_assert_msg(has == (set != NULL), "%s: %s LID %u: %d", when,
			topo_desc(t, t->sw[s].node), l, has);
		if (!has)
			continue;
		want = expected_group(set, routes_port(r, s, l),
			r->sets->default_first && !is_rare(r, s, set));
		ck_assert_msg(
			memcmp(is.tier, want.port, sizeof(is.tier)) == 0 &&
				is.port == routes_port(r, s, l),
			"%s: %s LID %u has another group", when,
			topo_desc(t, t->sw[s].node), l);
		n++;
	}
	return n;
}

static unsigned
count_all_choices(const struct world *w, const char *when)
{
	const struct topo *t = sm_view(w->sm)->topo;
	unsigned n = 0;

	ck_assert_ptr_nonnull(sm_view(w->sm)->routes->sets);
	for (sw_ix s = 0; s < t->nsw; s++)
		n += count_choices(w, s, when);
	return n;
}

static unsigned
count_on(const struct world *w)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		n += sim_adaptive_on(w->sim, i) != 0;
	return n;
}

/* Settled, in order, and nothing left. */
static void
expect_in_step(struct world *w, const char *when)
{
	(void)adaptive_settled(w, when);
	ck_assert_uint_gt(count_all_choices(w, when), 0);
}

TEST(bring_up)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	struct sm_status s;

	expect_in_step(w, "bring-up");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_use.on, count_on(w));
	ck_assert_uint_eq(s.adaptive_use.fixed, 0);
	/* eight leaves; tops have one port to each leaf */
	ck_assert_uint_eq(count_on(w), 8);
}

/* ---- changes ---- */

enum { DISCARD = 15, PORTS = 16, CHANNELS = 24 * PORTS, WORDS = CHANNELS / 64 };

/* What packets on each channel, the link by which they left a port, may wait
 * for; and which channels wait for nothing. */
struct waiting {
	uint64_t row[CHANNELS][WORDS];
	uint64_t gone[WORDS];
};

static unsigned
channel_of(const struct fabric *f, uint32_t node, unsigned port)
{
	unsigned number = 0;

	for (uint32_t i = 0; i < node; i++)
		number += f->node[i].type == FABRIC_SWITCH;
	ck_assert_uint_lt(number * PORTS + port, CHANNELS);
	return number * PORTS + port;
}

/* Whether data can leave by the port. */
static bool
carries_data(const struct world *w, uint32_t node, unsigned port)
{
	uint32_t peer;
	unsigned back;

	return fabric_peer(w->fabric, node, port, &peer, &back) &&
	       sim_port_info(w->sim, node, port)->state >= PORT_ARMED &&
	       sim_port_info(w->sim, peer, back)->state >= PORT_ARMED;
}

static void
add_waiting(const struct world *w, struct waiting *x, uint16_t lid,
	uint32_t node, unsigned port)
{
	const struct fabric *f = w->fabric;
	uint32_t peer;
	unsigned back;
	uint64_t next[4];

	if (!carries_data(w, node, port) ||
		!fabric_peer(f, node, port, &peer, &back) ||
		f->node[peer].type != FABRIC_SWITCH)
		return;
	sim_hops_any(w->sim, peer, lid, next);
	for (unsigned q = 1; q <= f->node[peer].nports; q++)
		if (q != back && sim_hops_has(next, q) &&
			carries_data(w, peer, q) &&
			sim_vl(w->sim, peer, back, q, 0) != DISCARD)
			bitset_add(x->row[channel_of(f, node, port)],
				channel_of(f, peer, q));
}

/* Take away channels that wait for nothing; what is left is a cycle. */
static bool
has_cycle(struct waiting *x)
{
	bool more = true, left = false;

	while (more) {
		more = left = false;
		for (unsigned c = 0; c < CHANNELS; c++) {
			bool waits = false;

			for (unsigned i = 0; i < WORDS; i++)
				waits |= (x->row[c][i] & ~x->gone[i]) != 0;
			more |= !waits && !bitset_has(x->gone, c);
			left |= waits;
			if (!waits)
				bitset_add(x->gone, c);
		}
	}
	return left;
}

/* Whether what the switches hold at this moment could deadlock. */
static void
expect_no_cycle(const struct world *w, const char *when)
{
	AUTO(mem) struct waiting *x = mem_zalloc(1, sizeof(*x));
	const struct fabric *f = w->fabric;

	for (uint16_t l = 1; l < 64; l++)
		for (uint32_t n = 0; n < f->nnodes; n++) {
			uint64_t port[4];

			if (f->node[n].type != FABRIC_SWITCH)
				continue;
			sim_hops_any(w->sim, n, l, port);
			for (unsigned p = 1; p <= f->node[n].nports; p++)
				if ((port[p / 64] >> p % 64 & 1) != 0)
					add_waiting(w, x, l, n, p);
		}
	ck_assert_msg(!has_cycle(x), "%s: a cycle", when);
}

static uint64_t
count_sets(const struct world *w)
{
	static const uint16_t attr[] = {
		MAD_AR_INFO, MAD_AR_GROUP, MAD_AR_LFT, MAD_LFT};
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(attr) / sizeof(attr[0]); i++)
		n += sim_stats(w->sim)->by[sim_attr_row(attr[i])][MAD_SET & 7];
	return n;
}

/* Until it has settled, judge every moment with another write. Returns how many
 * switches chose at least. */
static unsigned
settle_watched(struct world *w, const char *when)
{
	uint64_t before = count_sets(w);
	unsigned least = count_on(w);
	struct mono end = mono_add(sim_now(w->sim), mono_ms(2000));

	while (mono_before(sim_now(w->sim), end)) {
		world_run(w, mono_us(10));
		if (count_sets(w) == before)
			continue;
		before = count_sets(w);
		least = count_on(w) < least ? count_on(w) : least;
		expect_no_cycle(w, when);
	}
	expect_in_step(w, when);
	return least;
}

/* Three levels: tables are written in stages, and switches go on choosing. */
LOOP_TEST(links_of_three_levels, 0, FEWER(6))
{
	AUTO(fabric) struct fabric *f = adaptive_give(shape_of("three:4"));
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t node = 0;
	unsigned port = 0;

	expect_in_step(w, "bring-up");
	ck_assert_uint_eq(count_on(w), 16);
	ck_assert(fabric_switch_link(f, 5 * (unsigned)_i, &node, &port));
	for (unsigned i = 0; i < 2; i++) {
		sim_fault_link(w->sim, node, port, false);
		ck_assert_uint_ge(settle_watched(w, "cut"), 15);
		sim_fault_link(w->sim, node, port, true);
		ck_assert_uint_ge(settle_watched(w, "returned"), 15);
	}
}

TEST(cut_and_return_a_cable)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");
	unsigned port = core_port_between(f, leaf, top);
	unsigned all;

	expect_in_step(w, "bring-up");
	all = count_all_choices(w, "bring-up");
	for (unsigned i = 0; i < 3; i++) {
		sim_fault_link(w->sim, leaf, port, false);
		(void)settle_watched(w, "cut");
		ck_assert_uint_eq(count_on(w), 8);
		sim_fault_link(w->sim, leaf, port, true);
		(void)settle_watched(w, "returned");
		ck_assert_uint_eq(count_all_choices(w, "returned"), all);
	}
}

/* One change after the other, before packets of the first have drained. */
LOOP_TEST(changes_close_together, 0, FEWER(4))
{
	AUTO(fabric) struct fabric *f = adaptive_give(shape_of("three:4"));
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t node[3] = {0};
	unsigned port[3] = {0};

	expect_in_step(w, "bring-up");
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(fabric_switch_link(
			f, 3 + 7 * i + (unsigned)_i, &node[i], &port[i]));
		sim_fault_link(w->sim, node[i], port[i], false);
		world_run(w, mono_ms(70));
		expect_no_cycle(w, "cut");
	}
	(void)settle_watched(w, "three are cut");
	for (unsigned i = 0; i < 3; i++) {
		sim_fault_link(w->sim, node[i], port[i], true);
		world_run(w, mono_ms(60));
		expect_no_cycle(w, "returned");
	}
	(void)settle_watched(w, "all are back");
	ck_assert_uint_eq(count_on(w), 16);
}

/* Something happens, or comes to an end. */
static void
cause_trouble(struct world *w, struct rng *r, bool *cut)
{
	const struct fabric *f = w->fabric;
	unsigned n = rng_below(r, 32), port = 0;
	uint32_t node = 0;

	ck_assert(fabric_switch_link(f, n, &node, &port));
	if (rng_below(r, 8) == 0) {
		sim_fault_reboot(w->sim, node);
		return;
	}
	cut[n] = !cut[n];
	sim_fault_link(w->sim, node, port, !cut[n]);
}

/* What goes wrong at random never makes a cycle, and is in step in the end. */
LOOP_TEST(random_troubles, 0, FEWER(6))
{
	AUTO(fabric) struct fabric *f = adaptive_give(shape_of("three:4"));
	AUTO(world) struct world *w = core_start(f, on);
	struct rng r = {1000 + (uint64_t)_i};
	bool cut[32] = {false};
	uint32_t node = 0;
	unsigned port = 0;

	expect_in_step(w, "bring-up");
	for (unsigned i = 0; i < 12; i++) {
		uint64_t before = count_sets(w);

		cause_trouble(w, &r, cut);
		for (unsigned k = rng_below(&r, 4000); k > 0; k--) {
			world_run(w, mono_us(50));
			if (count_sets(w) != before)
				expect_no_cycle(w, "trouble");
			before = count_sets(w);
		}
	}
	for (unsigned n = 0; n < 32; n++) {
		ck_assert(fabric_switch_link(f, n, &node, &port));
		if (cut[n])
			sim_fault_link(w->sim, node, port, true);
	}
	world_run(w, mono_ms(60000)); /* what waited is asked again */
	(void)settle_watched(w, "all is well");
}

TEST(a_switch_reboots)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);

	expect_in_step(w, "bring-up");
	sim_fault_reboot(w->sim, fabric_find(f, "leaf3"));
	(void)settle_watched(w, "a leaf rebooted");
	ck_assert_uint_eq(count_on(w), 8);
	sim_fault_reboot(w->sim, fabric_find(f, "spine1"));
	(void)settle_watched(w, "a top rebooted");
	ck_assert_uint_eq(count_on(w), 8);
}

TEST(off_and_on_by_a_reload)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);

	expect_in_step(w, "bring-up");
	world_reload(w, "{}");
	core_expect_order(w, "off");
	ck_assert_uint_eq(count_on(w), 0);
	world_reload(w, on);
	(void)settle_watched(w, "on again");
	ck_assert_uint_eq(count_on(w), 8);
	world_reload(w, "routing: {adaptive: {enabled: true, prefer: flat}}\n");
	(void)settle_watched(w, "flat");
	ck_assert_uint_eq(count_on(w), 8);
}

/* However many switches there are, one run has them all choose: 484 of 605, and
 * 100,000 blocks. */
TEST(a_large_fabric_in_one_run)
{
	AUTO(fabric) struct fabric *f = adaptive_give(shape_of("three:22"));
	AUTO(world) struct world *w = core_start(f, "{}");
	unsigned commits;

	core_expect(w, 0, "bring-up");
	commits = w->commits;
	world_reload(w, on);
	ck_assert(world_settle(w, mono_ms(10000)));
	ck_assert_uint_eq(w->commits, commits + 1);
	ck_assert_uint_eq(count_on(w), 484);
}

/* SMPs until it has settled after a link between switches went or came. */
static uint64_t
cost_of_link(struct world *w, unsigned n, bool up)
{
	uint32_t node = 0;
	unsigned port = 0;

	ck_assert(fabric_switch_link(w->fabric, n, &node, &port));
	sim_clear_stats(w->sim);
	sim_fault_link(w->sim, node, port, up);
	ck_assert(world_settle(w, mono_ms(10000)));
	return sim_stats(w->sim)->smps;
}

/* Of 320 switches 256 choose. A link that is lost, or returns, costs at most
 * four times the SMPs that it costs without; once it has returned half as much
 * again, both ways: the sets of other leaves stay without it. It is known then
 * that switches go on choosing when their tables are written. */
TEST(cost_of_a_link)
{
	struct fabric *f = adaptive_give(shape_of("three:16"));
	struct world *with = core_start(f, on), *without = core_start(f, "{}");

	ck_assert(world_settle(with, mono_ms(10000)));
	ck_assert(world_settle(without, mono_ms(10000)));
	ck_assert_uint_eq(count_on(with), 256);
	for (unsigned i = 0; i < 8; i++) {
		unsigned link = 5 + i / 2 % 2 * 700;
		uint64_t is = cost_of_link(with, link, i % 2 != 0),
			 was = cost_of_link(without, link, i % 2 != 0);

		ck_assert_msg(is <= (i < 4 ? 4 * was : was + was / 2),
			"link %u %s: %llu SMPs of %llu", link,
			i % 2 != 0 ? "returns" : "is lost",
			(unsigned long long)is, (unsigned long long)was);
	}
	world_free(without);
	core_end(with, f);
}

static uint64_t
narrow_of(struct world *w)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	return s.adaptive_use.narrow;
}

/* Leaves whose sets wait for a rebalance wait over a restart, which writes
 * nothing. */
LOOP_TEST(narrow_sets, 0, 2)
{
	AUTO(fabric) struct fabric *f = adaptive_give(shape_of("three:16"));
	AUTO(world) struct world *w = core_start(f, on);
	uint64_t written;

	ck_assert(world_settle(w, mono_ms(10000)));
	(void)cost_of_link(w, 5, false);
	ck_assert_uint_eq(narrow_of(w), 0);
	(void)cost_of_link(w, 5, true);
	ck_assert_uint_ge(narrow_of(w), 120);
	written = narrow_of(w);
	world_kill(w);
	if (_i == 1)
		world_forget(w);
	sim_clear_stats(w->sim);
	world_start(w);
	ck_assert(world_settle(w, mono_ms(10000)));
	ck_assert_uint_eq(narrow_of(w), written);
	ck_assert_uint_eq(count_sets(w), 0);
	ck_assert_uint_eq(count_on(w), 256);
	sm_rebalance(w->sm, sim_now(w->sim), "test");
	ck_assert(world_settle(w, mono_ms(10000)));
	ck_assert_uint_eq(narrow_of(w), 0);
	ck_assert_uint_gt(count_sets(w), 120);
}

/* The daemon is killed and started, with what it saved or without. Nothing has
 * changed: it reads what switches have, and writes none of it. */
LOOP_TEST(a_restart_finds_it_on, 0, 2)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");
	uint64_t written;

	expect_in_step(w, "bring-up");
	world_kill(w);
	if (_i == 1)
		world_forget(w);
	written = count_sets(w);
	world_start(w);
	(void)settle_watched(w, "started again");
	ck_assert_uint_eq(count_sets(w), written);
	ck_assert_uint_eq(count_on(w), 8);
	/* it is its own again: a change does not switch it off */
	sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top), false);
	ck_assert_uint_eq(settle_watched(w, "cut"), 8);
}

enum {
	CABLE_GONE,
	OTHERS_WANTED,
	ENTRY_ALTERED,
	ENTRY_FREED,
	GROUP_ALTERED,
	TOP_ALTERED,
	ELSES
};

/* One entry, or its group, or GroupTop, as nobody wants it. */
static void
alter_groups(struct world *w, uint32_t node, int what)
{
	uint8_t block[MAD_DATA];
	struct mad_ar_entry e[MAD_AR_ENTRIES];
	unsigned i = 0;

	(void)sim_read(w->sim, node, 0, MAD_AR_LFT, 0, block);
	mad_ar_lft_decode(block, e);
	while (e[i].state == MAD_AR_STATIC)
		ck_assert_uint_lt(++i, MAD_AR_ENTRIES);
	if (what == TOP_ALTERED) {
		sim_hand_ar_top(w->sim, node, ADAPTIVE_GROUPS + 5);
	} else if (what == GROUP_ALTERED) {
		struct mad_ar_group g = {{{0}}};

		bitset_add(g.port[0], e[i].port);
		sim_hand_ar_group(w->sim, node, e[i].group, &g);
	} else {
		if (what == ENTRY_FREED)
			e[i].group = ADAPTIVE_GROUPS - 1; /* never written */
		else
			e[i].state = MAD_AR_STATIC;
		sim_hand_ar_entry(w->sim, node, (uint16_t)i, &e[i]);
	}
}

/* While no daemon runs a cable fails, other groups are wanted, or one switch is
 * altered: what may be of another order is switched off, and made anew. */
LOOP_TEST(a_restart_finds_something_else, 0, ELSES)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");
	struct sm_status s;

	expect_in_step(w, "bring-up");
	world_kill(w);
	if (_i == CABLE_GONE)
		sim_fault_link(
			w->sim, leaf, core_port_between(f, leaf, top), false);
	else if (_i == OTHERS_WANTED)
		world_reload(w, "routing: {adaptive: {enabled: true, "
				"prefer: flat}}\n");
	else
		alter_groups(w, leaf, _i);
	world_start(w);
	(void)settle_watched(w, "started again");
	ck_assert_uint_eq(count_on(w), 8);
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_off, _i >= ENTRY_ALTERED ? 1 : 8);
	ck_assert_uint_lt(
		sim_ar_info(w->sim, leaf)->group_top, ADAPTIVE_GROUPS);
}

/* What switches could do is counted where it is asked for alone. */
TEST(no_counts_where_it_is_off)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "{}");
	struct sm_status s;

	core_expect_order(w, "off");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_use.fixed, 0);
	ck_assert_str_eq(s.adaptive_use.first, "");
	ck_assert_uint_eq(s.adaptive_use.switches, 12);
	world_reload(w, on);
	core_expect_order(w, "on");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_use.fixed, 12);
}

/* ---- switches that behave otherwise ---- */

static void
expect_fixed(const struct world *w, const char *name, const char *why)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_use.fixed, 1);
	ck_assert_msg(strstr(s.adaptive_use.first, name) != NULL &&
			      strstr(s.adaptive_use.first, why) != NULL,
		"first: %s", s.adaptive_use.first);
	ck_assert_uint_eq(
		sim_adaptive_on(w->sim, fabric_find(w->fabric, name)), 0);
}

static const struct {
	enum sim_ar_temper temper;
	const char *why;
} refusals[] = {
	{SIM_AR_REFUSES, "did not take"},
	{SIM_AR_IGNORES, "did not take"},
	{SIM_AR_KEEPS, "did not take"},
	{SIM_AR_NO_GROUPS, "did not take"},
	{SIM_AR_NO_ENTRIES, "did not take"},
	{SIM_AR_LOSES, "did not take"},
	{SIM_AR_STAYS_OFF, "did not take"},
	{SIM_AR_SECRET, "does not say"},
};

/* One switch that does not take its groups: it forwards by its table, is named,
 * and gets them after a restart. */
LOOP_TEST(a_switch_that_does_not_take_them, 0, LEN(refusals))
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, "{}");
	uint32_t leaf = fabric_find(f, "leaf3");

	sim_hand_adaptive(w->sim, leaf, 0, refusals[_i].temper);
	core_expect_order(w, "without");
	world_reload(w, on);
	core_expect_order(w, "with");
	world_run(w, mono_ms(5000));
	core_expect_order(w, "later");
	ck_assert_uint_eq(count_on(w), 7);
	ck_assert_uint_gt(count_all_choices(w, "later"), 0);
	expect_fixed(w, "leaf3", refusals[_i].why);
	sim_fault_reboot(w->sim, leaf);
	sim_hand_adaptive(w->sim, leaf, 0, SIM_AR_OBEYS);
	(void)settle_watched(w, "it obeys");
	world_run(w, mono_ms(400000));
	expect_in_step(w, "it obeys, later");
	ck_assert_uint_eq(count_on(w), 8);
}

/* A switch that is on, and does not take a change. */
LOOP_TEST(a_switch_that_takes_no_more, 0, 3)
{
	static const enum sim_ar_temper tempers[] = {
		SIM_AR_NO_GROUPS, SIM_AR_NO_ENTRIES, SIM_AR_LOSES};
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");

	expect_in_step(w, "bring-up");
	sim_hand_adaptive(w->sim, leaf, MAD_AR_ON_GROUPS, tempers[_i]);
	sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top), false);
	core_expect_order(w, "cut");
	world_run(w, mono_ms(5000));
	core_expect_order(w, "later");
	ck_assert_uint_eq(count_on(w), 7);
	ck_assert_uint_gt(count_all_choices(w, "later"), 0);
	expect_fixed(w, "leaf3", "did not take");
}

/* Switches of which some switch it off when their LFT is written. */
TEST(some_switch_it_off_themselves)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");

	expect_in_step(w, "bring-up");
	for (unsigned i = 0; i < f->nnodes; i += 2)
		if (sim_adaptive_on(w->sim, i) != 0)
			sim_hand_adaptive(
				w->sim, i, MAD_AR_ON_GROUPS, SIM_AR_PLAIN);
	sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top), false);
	(void)settle_watched(w, "cut");
	ck_assert_uint_eq(count_on(w), 8);
	sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top), true);
	(void)settle_watched(w, "returned");
	ck_assert_uint_eq(count_on(w), 8);
}

/* Something else switches it off: that is found in turn, and put right. */
TEST(it_is_altered)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	struct sm_status s;

	expect_in_step(w, "bring-up");
	sim_hand_adaptive(w->sim, fabric_find(f, "leaf3"), 0, SIM_AR_OBEYS);
	world_run(w, mono_ms(400000));
	core_expect_order(w, "altered");
	ck_assert_uint_gt(count_all_choices(w, "altered"), 0);
	ck_assert_uint_eq(count_on(w), 8);
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.drifted, 1);
	ck_assert_msg(strstr(s.rival, "adaptive routing") != NULL &&
			      strstr(s.rival, "leaf3") != NULL,
		"%s", s.rival);
}

/* SMPs get lost: what was repeated is read once more. */
LOOP_TEST(a_lossy_fabric, 0, 4)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");

	o.faults.loss = o.faults.dup = o.faults.delay = 20000;
	o.faults.delay_max = mono_ms(300);
	o.seed = 7 + (uint64_t)_i;
	w = world_new(f, &o, on);
	world_start(w);
	for (unsigned i = 0; i < 4; i++) {
		/* until a late copy of a Set is found */
		ck_assert(world_settle(w, mono_ms(120000)));
		world_run(w, mono_ms(3000));
		core_expect_order(w, "lossy");
		sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top),
			i % 2 != 0);
	}
	core_expect_order(w, "lossy, at last");
	world_run(w, mono_ms(30000));
	core_expect_order(w, "later");
	ck_assert_uint_gt(count_all_choices(w, "later"), 0);
	ck_assert_uint_eq(count_on(w), 8);
}

/* Switches without adaptive routing among others. */
LOOP_TEST(mixed_fabrics, 0, 3)
{
	static const char *const plain[][3] = {
		{"leaf3", "spine1", NULL}, {"leaf1", "leaf2", NULL}, {NULL}};
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = NULL;
	uint32_t leaf = fabric_find(f, "leaf3"), top = fabric_find(f, "spine2");
	unsigned leaves = 8;

	for (unsigned i = 0; plain[_i][i] != NULL; i++) {
		f->node[fabric_find(f, plain[_i][i])].attrs.ar = false;
		leaves -= plain[_i][i][0] == 'l';
	}
	if (_i == 2)
		for (uint32_t i = 0; i < f->nnodes; i++)
			if (i != leaf)
				f->node[i].attrs.ar = false;
	w = core_start(f, on);
	expect_in_step(w, "bring-up");
	ck_assert_uint_eq(count_on(w), _i == 2 ? 1 : leaves);
	sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top), false);
	(void)settle_watched(w, "cut");
	sim_fault_link(w->sim, leaf, core_port_between(f, leaf, top), true);
	(void)settle_watched(w, "returned");
}

/* One switch of 80. */
TEST(one_among_many)
{
	AUTO(fabric) struct fabric *f = shape_of("three:8");
	uint32_t leaf = fabric_find(f, "pod2.leaf1");
	AUTO(world) struct world *w = NULL;
	struct sm_status s;

	f->node[leaf].attrs.ar = true;
	f->node[leaf].attrs.groups = ADAPTIVE_GROUPS;
	f->node[leaf].attrs.sub_groups = ADAPTIVE_SUB_GROUPS;
	w = core_start(f, on);
	s = adaptive_settled(w, "bring-up");
	ck_assert_uint_eq(s.adaptive_use.on, 1);
	ck_assert_uint_eq(s.adaptive_use.fixed, 79);
	ck_assert_uint_gt(count_all_choices(w, "bring-up"), 0);
	(void)cost_of_link(w, 5, false);
	(void)adaptive_settled(w, "cut");
	ck_assert_uint_gt(count_all_choices(w, "cut"), 0);
	ck_assert_uint_eq(count_on(w), 1);
}

/* A switch that starts again with firmware that has no adaptive routing. */
TEST(a_switch_loses_the_ability)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, on);
	uint32_t leaf = fabric_find(f, "leaf3");

	expect_in_step(w, "bring-up");
	sim_fault_reboot(w->sim, leaf);
	sim_hand_ar_none(w->sim, leaf);
	(void)settle_watched(w, "it has none");
	ck_assert_uint_eq(count_on(w), 7);
	expect_fixed(w, "leaf3", "has no adaptive routing");
}

/* One group, one sub-group, none at all. */
LOOP_TEST(few_groups, 0, 2)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	uint32_t leaf = fabric_find(f, "leaf3");
	struct sm_status s;
	AUTO(world) struct world *w = NULL;

	f->node[leaf].attrs.groups = (uint16_t)_i;
	f->node[fabric_find(f, "leaf4")].attrs.sub_groups = (uint8_t)_i;
	w = core_start(f, on);
	core_expect_order(w, "bring-up");
	sm_status(w->sm, &s);
	ck_assert_str_eq(s.alarm, "");
	ck_assert(!s.adaptive_use.left);
	ck_assert_uint_eq(count_on(w), 7);
	ck_assert_int_eq(s.adaptive_use.no_room > 0, _i == 1);
	if (_i == 0)
		expect_fixed(w, "leaf3", "no room");
}

/* Bounded entries, and some service levels alone. */
TEST(settings)
{
	struct fabric *f = adaptive_tree();
	struct world *w = core_start(f, "routing: {adaptive: {enabled: true, "
					"ageing: 30, sls: 0x5}}\n");
	uint32_t leaf = fabric_find(f, "leaf3");

	expect_in_step(w, "bring-up");
	ck_assert_uint_eq(sim_ar_info(w->sim, leaf)->ageing_us, 30);
	ck_assert(sim_ar_info(w->sim, leaf)->by_sl_enabled);
	ck_assert_uint_eq(sim_ar_info(w->sim, leaf)->sl_mask, 5);
	world_reload(w, "routing: {adaptive: {enabled: true, sls: 0x7}}\n");
	(void)settle_watched(w, "others");
	ck_assert_uint_eq(sim_ar_info(w->sim, leaf)->sl_mask, 7);
	core_end(w, f);
}

/* Two levels that share an SL where SLs are few: its packets stay in order if
 * those of one of the levels must. */
TEST(an_sl_of_two_levels)
{
	const struct route_layers few = {.n = 1}, many = {.n = 8};
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world)
	struct world *w = core_start(f,
		"routing: {adaptive: {enabled: true}}\n"
		"qos: {levels: {bulk: {adaptive: true}, storage: {shares_with: "
		"bulk}}}\n");

	ck_assert_uint_ne(qos_adaptive_sls(w->config, &few), 0);
	ck_assert_uint_eq(qos_adaptive_sls(w->config, &many), 0);
	world_reload(w, "routing: {adaptive: {enabled: true}}\n"
			"qos: {levels: {bulk: {adaptive: true}, storage: "
			"{shares_with: bulk, adaptive: true}}}\n");
	ck_assert_uint_ne(qos_adaptive_sls(w->config, &many), 0);
}

/* Levels of which one may choose; a switch that does not tell SLs apart lets no
 * packet choose. */
TEST(levels)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	uint32_t leaf = fabric_find(f, "leaf3");
	AUTO(world) struct world *w = NULL;

	f->node[fabric_find(f, "leaf4")].attrs.ar_all_sls = true;
	w = core_start(f, "routing: {adaptive: {enabled: true}}\n"
			  "qos: {levels: {bulk: {sl: 3, adaptive: true}, "
			  "storage: {sl: 5}}}\n");
	expect_in_step(w, "bring-up");
	ck_assert(sim_ar_info(w->sim, leaf)->by_sl_enabled);
	ck_assert_uint_eq(sim_ar_info(w->sim, leaf)->sl_mask, 1U << 3);
	ck_assert_uint_eq(count_on(w), 7);
	expect_fixed(w, "leaf4", "cannot tell service levels apart");
	world_reload(w, "routing: {adaptive: {enabled: true}}\n");
	settle_watched(w, "no levels");
	ck_assert_uint_eq(count_on(w), 8);
}
