/*
 * The core against the simulated fabric: bring-up, links, switches and hosts
 * that come and go, faults on the wire, a restart. The referee judges what the
 * simulated switches hold.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/rng.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

TEST(brings_up_a_tree)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	const struct view *v;

	core_expect_order(w, "bring-up");
	v = sm_view(w->sm);
	ck_assert_ptr_nonnull(v);
	ck_assert_uint_eq(v->counts.ports_active, v->counts.ports_linked);
	ck_assert_uint_eq(w->runs_failed, 0);
	ck_assert(v->routes->report.ok);
}

TEST(brings_up_odd_fabrics)
{
	static const unsigned ring[] = {5}, torus[] = {4, 4, 4}, one[] = {1};
	struct fabric *f[6];
	struct reason why;
	size_t i;

	f[0] = gen_pair();
	f[1] = gen_grid(one, 1, false, 3, &why);
	f[2] = gen_grid(ring, 1, true, 2, &why);
	f[3] = gen_grid(torus, 3, true, 1, &why);
	f[4] = shape_of("random:20:4:2:7");
	f[5] = shape_of("dragonfly:4:2:2");
	for (i = 0; i < 6; i++) {
		struct world *w = core_start(f[i], "");
		char name[32];

		(void)snprintf(name, sizeof(name), "fabric %zu", i);
		core_expect_order(w, name);
		core_end(w, f[i]);
	}
}

TEST(a_cable_is_pulled_and_put_back)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");
	uint32_t spine = fabric_find(f, "spine1");
	unsigned p = core_port_between(f, leaf, spine);
	uint64_t blocks, same;

	core_expect_order(w, "bring-up");
	sim_clear_stats(w->sim);
	sim_fault_link(w->sim, leaf, p, false);
	core_expect_order(w, "cable pulled");
	blocks = sim_stats(w->sim)->lft_sets;
	same = sim_stats(w->sim)->lft_same;
	ck_assert_uint_gt(blocks, 0);
	ck_assert_uint_eq(same, 0); /* no unchanged block is written */
	sim_fault_link(w->sim, leaf, p, true);
	core_expect_order(w, "cable back");
	ck_assert_uint_eq(sim_stats(w->sim)->lft_same, 0);
}

TEST(nothing_happens_when_nothing_happened)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint64_t before;

	core_expect_order(w, "bring-up");
	before = w->commits;
	sim_clear_stats(w->sim);
	world_run(w, mono_ms(60000));
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, 0);
	ck_assert_uint_eq(w->commits, before);
	/* light sweeps only: one SwitchInfo per switch and interval, and three
	 * reads of the switch that is due for a check */
	ck_assert_uint_le(sim_stats(w->sim)->smps, (12 + 3) * 7);
}

TEST(switches_and_hosts_go_and_return)
{
	static const char *const names[] = {"spine2", "leaf3", "h9"};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint16_t lid[3];
	size_t i;

	core_expect_order(w, "bring-up");
	for (i = 0; i < 3; i++) {
		uint32_t n = fabric_find(f, names[i]);
		unsigned port = f->node[n].type == FABRIC_CA;

		lid[i] = sim_port_info(w->sim, n, port)->lid;
		ck_assert_uint_ne(lid[i], 0);
		sim_fault_node(w->sim, n, false);
		core_expect_order(w, names[i]);
		sim_fault_node(w->sim, n, true);
		core_expect_order(w, names[i]);
		ck_assert_uint_eq(sim_port_info(w->sim, n, port)->lid, lid[i]);
	}
}

TEST(a_switch_reboots)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");

	core_expect_order(w, "bring-up");
	sim_fault_reboot(w->sim, fabric_find(f, "spine3"));
	core_expect_order(w, "spine rebooted");
	/* no trap can reach the manager past it: the light sweep finds it */
	sim_fault_reboot(w->sim, fabric_find(f, "leaf1"));
	world_run(w, mono_ms(11000));
	core_expect_order(w, "own leaf rebooted");
}

TEST(a_bad_wire)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;

	o.seed = 4711;
	o.faults.loss = 50000;
	o.faults.dup = 20000;
	o.faults.delay = 50000;
	o.faults.delay_max = mono_ms(30);
	o.faults.busy = 10000;
	w = world_new(f, &o, "smp:\n  retries: 8\n  timeout: 20ms\n");
	world_start(w);
	core_expect_order(w, "5 % loss");
	sim_fault_link(w->sim, fabric_find(f, "leaf2"),
		core_port_between(
			f, fabric_find(f, "leaf2"), fabric_find(f, "spine1")),
		false);
	core_expect_order(w, "5 % loss, cable pulled");
}

TEST(corrupted_bytes_break_nothing)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	struct sim_faults none = {0};
	AUTO(world) struct world *w = NULL;

	o.seed = 99;
	o.faults.corrupt = 20000;
	o.faults.truncate = 5000;
	w = world_new(f, &o, "smp:\n  timeout: 20ms\n");
	world_start(w);
	world_run(w, mono_ms(20000));
	sim_fault_chances(w->sim, &none);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(120000));
	core_expect_order(w, "after corruption");
}

TEST(a_hung_switch_is_kept_out)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "smp:\n  timeout: 20ms\n");
	const struct sim_behaviour hung = {.hung = true}, well = {0};
	uint32_t spine = fabric_find(f, "spine4");
	const struct view *v;

	core_expect_order(w, "bring-up");
	sim_fault_behave(w->sim, spine, &hung);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(30000));
	core_expect_order(w, "spine hung");
	v = sm_view(w->sm);
	ck_assert_uint_eq(v->nquarantine, 1);
	sim_fault_behave(w->sim, spine, &well);
	world_run(w, mono_ms(60000));
	core_expect_order(w, "spine well again");
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
}

/* A CA sends no trap when its own link is pulled. */
TEST(our_own_cable_is_pulled)
{
	struct fabric *f[2] = {core_tree(), gen_pair()};

	for (int i = 0; i < 2; i++) {
		struct world *w = core_start(f[i], "");
		uint32_t host = fabric_first_host(f[i]);

		core_expect_order(w, "bring-up");
		sim_fault_link(w->sim, host, 1, false);
		world_run(w, mono_ms(60000));
		sim_fault_link(w->sim, host, 1, true);
		world_run(w, mono_ms(60000));
		core_expect_order(w, "our cable back");
		core_end(w, f[i]);
	}
}

/* Nodes that hang when the fabric is first read, and recover without a trap. */
TEST(silent_nodes_are_found)
{
	static const char *const names[] = {"spine4", "h5", "leaf1"};
	const struct sim_behaviour hung = {.hung = true}, well = {0};

	for (int i = 0; i < 3; i++) {
		struct fabric *f = core_tree();
		struct sim_options o = sim_defaults();
		struct world *w = world_new(f, &o, "smp:\n  timeout: 20ms\n");
		uint32_t n = fabric_find(f, names[i]);

		sim_fault_behave(w->sim, n, &hung);
		world_start(w);
		world_run(w, mono_ms(30000));
		sim_fault_behave(w->sim, n, &well);
		world_run(w, mono_ms(60000));
		core_expect_order(w, names[i]);
		core_end(w, f);
	}
}

TEST(a_switch_that_refuses_tables_is_kept_out)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	const struct sim_behaviour refuse = {
		.refuse = 1ULL << (MAD_LFT & 63), .status = 0x1c};
	const struct sim_behaviour well = {0};
	uint32_t spine = fabric_find(f, "spine4");

	sim_fault_behave(w->sim, spine, &refuse);
	world_run(w, mono_ms(5000));
	ck_assert_ptr_nonnull(sm_view(w->sm));
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 1);
	ck_assert_str_ne(w->last_why, "");
	sim_fault_behave(w->sim, spine, &well);
	world_run(w, mono_ms(120000));
	core_expect_order(w, "spine takes its tables");
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
}

/* Not even without a saved state, as when another manager takes over. */
LOOP_TEST(a_restart_changes_nothing, 0, 2)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");

	core_expect_order(w, "bring-up");
	world_kill(w);
	if (_i == 1)
		world_forget(w);
	sim_clear_stats(w->sim);
	w->runs = 0;
	world_start(w);
	core_expect_order(w, "second life");
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	/* but hosts are asked to register with the new SA */
	ck_assert_uint_eq(
		sim_stats(w->sim)->port_sets, sim_stats(w->sim)->client_rereg);
	ck_assert_uint_eq(sm_view(w->sm)->counts.lids_moved, 0);
}

TEST(killed_at_any_moment)
{
	AUTO(fabric) struct fabric *f = core_tree();
	int ms;

	for (ms = 0; ms < 12; ms++) {
		AUTO(world) struct world *w = core_start(f, "");

		world_run(w, mono_us(700L * ms));
		world_kill(w);
		w->runs = 0;
		world_run(w, mono_ms(1000));
		world_start(w);
		core_expect_order(w, "killed and started again");
	}
}

/* Any bytes at any time: nothing crashes, nothing is lost. */
TEST(garbage_from_everywhere)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	struct rng rng = {12345};
	struct transport_msg m;
	struct sm_status s;
	size_t k;
	int i;

	world_run(w, mono_us(500));
	for (i = 0; i < 20000; i++) {
		memset(&m, 0, sizeof(m));
		m.addr.lid = (uint16_t)rng_next(&rng);
		m.len = rng_below(&rng, MAD_SIZE + 1);
		for (k = 0; k < m.len; k++)
			m.mad[k] = (uint8_t)rng_next(&rng);
		if (i % 2) { /* half of them look like SMPs */
			static const uint8_t method[] = {1, 2, 5, 7, 0x81};

			m.mad[0] = 1;
			m.mad[1] = i % 4 == 1 ? 0x01 : 0x81;
			m.mad[2] = 1;
			m.mad[3] = method[rng_below(&rng, 5)];
			m.mad[17] = (uint8_t)(0x10 + rng_below(&rng, 18));
			m.mad[16] = 0;
			m.len = MAD_SIZE;
		}
		sim_inject(w->ep, &m, mono_us(rng_below(&rng, 2000000)));
	}
	world_run(w, mono_ms(5000));
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.malformed, 0);
	core_expect_order(w, "after garbage");
}

static unsigned
count_duplicates(const struct world *w)
{
	const struct topo *t = sm_view(w->sm)->topo;
	unsigned n = 0;

	for (node_ix i = 0; i < t->nnodes; i++)
		n += (t->node[i].flags & TN_DUPLICATE) != 0;
	return n;
}

/* Two nodes of one GUID may be one that moved: they are probed once more. */
TEST(duplicate_guids_are_probed_twice)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t h5 = fabric_find(f, "h5"), h9 = fabric_find(f, "h9");
	uint64_t guid = f->node[h5].guid;
	struct sm_status before, after;

	core_expect_order(w, "bring-up");
	sm_status(w->sm, &before);
	sim_fault_guid(w->sim, h5, f->node[h9].guid);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(5000));
	ck_assert_uint_eq(count_duplicates(w), 2);
	sim_fault_guid(w->sim, h5, guid); /* without a trap */
	world_run(w, mono_ms(60000));
	ck_assert_uint_eq(count_duplicates(w), 0);
	sm_status(w->sm, &after);
	ck_assert_uint_eq(after.sweeps_full, before.sweeps_full + 2);
	core_expect_order(w, "one GUID each");
}

/* Light sweeps begin and end with a reload. */
TEST(a_reload_that_changes_the_interval)
{
	static const char *const text[] = {
		"sweep:\n  interval: 0s\n", "sweep:\n  interval: 1s\n"};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	struct sm_status before, after;

	core_expect_order(w, "bring-up");
	for (unsigned i = 0; i < 2; i++) {
		AUTO(diag_list) struct diag_list bad = {0};
		struct config *c = config_parse("reload.yaml", text[i],
			strlen(text[i]), registry_modules(), &bad);

		ck_assert_ptr_nonnull(c);
		sm_status(w->sm, &before);
		world_take_config(w, c);
		world_run(w, mono_ms(20000));
		sm_status(w->sm, &after);
		ck_assert_uint_ge(
			after.sweeps_light - before.sweeps_light, i * 15);
		ck_assert_uint_le(
			after.sweeps_light - before.sweeps_light, i * 20);
		config_unref(c);
	}
}

TEST(a_change_does_not_wait_for_names)
{
	struct sim_behaviour nameless = {.mute = 1U << MAD_NODE_DESC};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");

	/* names are read a moment after the bring-up; one node does not
	 * answer */
	sim_fault_behave(w->sim, fabric_find(f, "h9"), &nameless);
	world_run(w, mono_ms(400));
	ck_assert_uint_eq(w->runs, 1);
	sim_fault_link(w->sim, leaf,
		core_port_between(f, leaf, fabric_find(f, "spine1")), false);
	world_run(w, mono_ms(500));
	ck_assert_uint_gt(w->runs, 1);
	core_expect_order(w, "cable pulled");
}

TEST(a_reload_that_changes_the_lmc)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	AUTO(diag_list) struct diag_list bad = {0};
	const char *yaml = "fabric:\n  lmc:\n    hosts: 1\n";
	AUTO(config)
	struct config *c = config_parse(
		"reload.yaml", yaml, strlen(yaml), registry_modules(), &bad);
	uint32_t h = fabric_find(f, "h7");

	ck_assert_ptr_nonnull(c);
	core_expect_order(w, "bring-up");
	world_take_config(w, c);
	core_expect_order(w, "LMC 1");
	ck_assert_uint_eq(sim_port_info(w->sim, h, 1)->lmc, 1);
	ck_assert_uint_eq(sim_port_info(w->sim, h, 1)->lid % 2, 0);
}

/* The Sets of SwitchInfo since the counts were cleared. */
static uint64_t
switch_sets(const struct world *w)
{
	return sim_stats(w->sim)->switch_sets;
}

/* Fails unless the switches hold this LifeTimeValue, and except holds own. */
static void
expect_life(const struct world *w, uint8_t life, uint32_t except, uint8_t own)
{
	for (uint32_t n = 0; n < w->fabric->nnodes; n++)
		if (w->fabric->node[n].type == FABRIC_SWITCH)
			ck_assert_uint_eq(sim_switch_info(w->sim, n)->life,
				n == except ? own : life);
}

/*
 * Each switch gets link.packet_lifetime, with its LinearFDBTop where that is
 * set anyway. A switch that keeps its own value is asked once.
 */
TEST(switches_get_the_packet_lifetime)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	const struct sim_behaviour own = {.own_life = true};
	uint32_t spine = fabric_find(f, "spine4"), nsw = 0;

	for (uint32_t n = 0; n < f->nnodes; n++)
		nsw += f->node[n].type == FABRIC_SWITCH;
	core_expect_order(w, "bring-up");
	expect_life(w, 18, spine, 18);
	sim_fault_behave(w->sim, spine, &own);
	sim_clear_stats(w->sim);
	world_reload(w, "link: {packet_lifetime: 16}\n");
	core_expect_order(w, "another lifetime");
	expect_life(w, 16, spine, 18);
	ck_assert_uint_eq(switch_sets(w), nsw);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	sm_resweep(w->sm, sim_now(w->sim), "asked for");
	core_expect_order(w, "sweep");
	ck_assert_uint_eq(switch_sets(w), nsw);
	world_reload(w, "link: {packet_lifetime: 15}\n");
	core_expect_order(w, "a third one");
	ck_assert_uint_eq(switch_sets(w), 2 * nsw);
}

/* Fails unless every port that is up has these thresholds. */
static void
expect_thresholds(const struct world *w, uint8_t phy, uint8_t overrun)
{
	const struct mad_port_info *pi;

	for (uint32_t n = 0; n < w->fabric->nnodes; n++)
		for (unsigned p = 0; p <= w->fabric->node[n].nports; p++) {
			pi = sim_port_info(w->sim, n, p);
			/* port 0 has no link, and no thresholds */
			if (pi->state != PORT_ACTIVE || p == 0)
				continue;
			ck_assert_uint_eq(pi->phy_errors, phy);
			ck_assert_uint_eq(pi->overrun_errors, overrun);
		}
}

/* Ports that come up and ports that are up get the error thresholds. */
TEST(ports_get_the_error_thresholds)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");

	core_expect_order(w, "bring-up");
	expect_thresholds(w, 8, 8);
	world_reload(w, "link: {phy_errors_threshold: 3, "
			"overrun_errors_threshold: 15}\n");
	core_expect_order(w, "others");
	expect_thresholds(w, 3, 15);
	sim_clear_stats(w->sim);
	sm_resweep(w->sm, sim_now(w->sim), "asked for");
	core_expect_order(w, "sweep");
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, 0);
}

/* The LID that an external port of a switch shows means nothing. */
TEST(external_ports_that_show_a_lid)
{
	const struct sim_behaviour shows = {.lid_everywhere = true};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");

	sim_fault_behave(w->sim, fabric_find(f, "spine4"), &shows);
	sim_fault_behave(w->sim, fabric_find(f, "leaf1"), &shows);
	core_expect_order(w, "bring-up");
	ck_assert_uint_eq(w->runs_failed, 0);
	ck_assert_uint_eq(sm_view(w->sm)->counts.ports_active,
		sm_view(w->sm)->counts.ports_linked);
}

/* A port in ActiveDefer carries data again in a moment: nothing is sent. */
TEST(a_port_in_active_defer)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");
	unsigned port = core_port_between(f, leaf, fabric_find(f, "spine1"));
	struct mad_port_info pi;
	size_t linked;

	core_expect_order(w, "bring-up");
	linked = sm_view(w->sm)->counts.ports_linked;
	pi = *sim_port_info(w->sim, leaf, port);
	pi.state = PORT_ACTIVE_DEFER;
	sim_hand_port(w->sim, leaf, port, &pi);
	sim_clear_stats(w->sim);
	sm_resweep(w->sm, sim_now(w->sim), "asked for");
	ck_assert(world_settle(w, mono_ms(60000)));
	ck_assert_uint_eq(w->runs_failed, 0);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	ck_assert_uint_eq(sm_view(w->sm)->counts.ports_active, linked);
	ck_assert_uint_eq(sm_view(w->sm)->counts.ports_linked, linked);
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, 0);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	pi.state = 4;
	sim_hand_port(w->sim, leaf, port, &pi);
	core_expect_order(w, "recovered");
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, 0);
}

enum meanwhile { NOTHING, A_CABLE, LEVELS, A_DEATH, MEANWHILE };

/*
 * When no routes are computed the worker makes the plan, too, from its own
 * inputs; changes meanwhile are for the next run.
 */
LOOP_TEST(meanwhile_the_worker_plans, 0, MEANWHILE)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");
	struct sm_status s = {0};
	uint64_t commits;

	core_expect_order(w, "bring-up");
	w->route_delay = mono_ms(20);
	sim_clear_stats(w->sim);
	commits = w->commits;
	sm_resweep(w->sm, sim_now(w->sim), "asked for");
	for (unsigned i = 0; i < 5000 && s.phase != SM_ROUTE; i++) {
		world_run(w, mono_us(100));
		sm_status(w->sm, &s);
	}
	ck_assert_int_eq(s.phase, SM_ROUTE);
	if (_i == A_CABLE)
		sim_fault_link(w->sim, leaf,
			core_port_between(f, leaf, fabric_find(f, "spine1")),
			false);
	else if (_i == LEVELS)
		world_reload(w, "qos: {levels: {default: {weight: 3}, "
				"fast: {weight: 8, sl: 3}}}\n");
	else if (_i == A_DEATH) {
		world_kill(w);
		world_start(w);
	}
	core_expect_order(w, "afterwards");
	ck_assert_uint_eq(w->commits == commits, _i == NOTHING);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets > 0, _i == A_CABLE);
}
