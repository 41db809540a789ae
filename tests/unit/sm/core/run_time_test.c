/*
 * The time until no entry leads to something that failed. On the virtual clock,
 * where timeouts take most of it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sm/view/view.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { STEP_MS = 5, QUICK_MS = 130, LIMIT_MS = 20000, CARD = 3 };

/* A tree of 8-port switches: 32 leaves, 32 in the middle, 16 tops. */
static struct world *
tree_world(struct fabric **f, const char *yaml)
{
	struct reason why = {""};
	struct world *w;

	*f = shape_of("three:8");
	ck_assert_msg(*f != NULL, "%s", why.text);
	w = core_start(*f, yaml);
	ck_assert(world_settle(w, mono_ms(60000)));
	return w;
}

enum level { TOP, MID };

/* The i-th switch of a level, from 1. */
static uint32_t
switch_named(const struct world *w, enum level level, unsigned i)
{
	char text[32];
	uint32_t n;

	if (level == TOP)
		(void)snprintf(text, sizeof(text), "top%u", i);
	else
		(void)snprintf(text, sizeof(text), "pod%u.mid%u",
			(i - 1) / 4 + 1, (i - 1) % 4 + 1);
	n = fabric_find(w->fabric, text);
	ck_assert_msg(n != FABRIC_NONE, "%s", text);
	return n;
}

/* True if a live switch sends the LID of a present node into a link that is
 * down. */
static bool
has_dead_ends(const struct world *w)
{
	const struct fabric *f = w->fabric;

	for (uint32_t s = 0; s < f->nnodes; s++) {
		if (f->node[s].type != FABRIC_SWITCH || !sim_present(w->sim, s))
			continue;
		for (uint32_t d = 0; d < f->nnodes; d++) {
			unsigned p = f->node[d].type == FABRIC_SWITCH ? 0 : 1;
			uint16_t lid = sim_port_info(w->sim, d, p)->lid;
			uint8_t out = sim_lft(w->sim, s, lid);

			if (d != s && sim_present(w->sim, d) && lid != 0 &&
				out != 255 &&
				sim_port_info(w->sim, s, out)->state < 4)
				return true;
		}
	}
	return false;
}

/* Milliseconds until no entry leads into a link that is down. */
static unsigned
time_to_repair(struct world *w)
{
	unsigned ms = 0;

	ck_assert(has_dead_ends(w));
	while (has_dead_ends(w) && ms < LIMIT_MS) {
		world_run(w, mono_ms(STEP_MS));
		ms += STEP_MS;
	}
	return ms;
}

/* In the end everything is in order. */
static void
expect_order(struct world *w)
{
	struct referee_report r;
	struct reason why = {""};

	ck_assert(world_settle(w, mono_ms(60000)));
	ck_assert_msg(
		referee_fabric(w->sim, fabric_first_host(w->fabric),
			REFEREE_ALL & ~(unsigned)REFEREE_LOAD, &r, &why) == 0,
		"%s", why.text);
	ck_assert_uint_eq(sm_view(w->sm)->topo->nsw, r.switches);
}

/* The manager's own link fails: the rest is no fabric, and this is reported
 * until it is back. */
TEST(our_own_cable)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep: {interval: 1s}");
	uint32_t us = fabric_first_host(f);

	ck_assert(world_settle(w, mono_ms(60000)));
	ck_assert_str_eq(w->last_why, "");
	sim_fault_link(w->sim, us, 1, false);
	world_run(w, mono_ms(20000));
	ck_assert_msg(strstr(w->last_why,
			      "port 1, which connects to the fabric") != NULL,
		"\"%s\"", w->last_why);
	sim_fault_link(w->sim, us, 1, true);
	world_run(w, mono_ms(20000));
	expect_order(w);
	ck_assert_str_eq(w->last_why, "");
}

/* Any switch may fail, on any path of its neighbours' traps. */
LOOP_TEST(one_switch, 0, 2)
{
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = tree_world(&f, "sweep: {interval: 0}");
	unsigned last = _i == 0 ? 16 : 32, ms;

	for (unsigned i = 1; i <= last; i += 3) {
		uint32_t n = switch_named(w, (enum level)_i, i);

		sim_fault_node(w->sim, n, false);
		ms = time_to_repair(w);
		ck_assert_msg(ms < QUICK_MS, "%d, %u: %u ms", _i, i, ms);
		expect_order(w);
		sim_fault_node(w->sim, n, true);
		expect_order(w);
	}
}

/* Several at once; the traps of some of their neighbours are lost. */
LOOP_TEST(line_card, 0, 2)
{
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = tree_world(&f, "sweep: {interval: 0}");
	unsigned ms;

	for (unsigned i = 0; i < CARD; i++)
		sim_fault_node(w->sim,
			switch_named(w, (enum level)_i, 1 + 5 * i), false);
	ms = time_to_repair(w);
	ck_assert_msg(ms < 2 * QUICK_MS, "%u ms", ms);
	expect_order(w);
	for (unsigned i = 0; i < CARD; i++)
		sim_fault_node(w->sim,
			switch_named(w, (enum level)_i, 1 + 5 * i), true);
	expect_order(w);
}

/* A switch that hangs delays only its own repair. */
LOOP_TEST(beside_one_that_hangs, 0, 8)
{
	const struct sim_behaviour hung = {.hung = true}, well = {0};
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = tree_world(&f, "sweep: {interval: 1s}");
	uint32_t n, h;
	unsigned ms;

	h = switch_named(w, TOP, 11);
	n = switch_named(w, TOP, 3);
	sim_fault_behave(w->sim, h, &hung);
	world_run(w, mono_ms(1000 + 200 * _i)); /* a sweep waits for it */
	sim_fault_node(w->sim, n, false);
	ms = time_to_repair(w);
	ck_assert_msg(ms < 2 * QUICK_MS, "%u ms", ms);
	sim_fault_behave(w->sim, h, &well);
	world_run(w, mono_ms(40000));
	expect_order(w);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
}

static enum sim_verdict
no_traps(void *cookie, struct sim_msg *m)
{
	(void)cookie;
	return m->where == SIM_AT_ENDPOINT && m->m.mad[3] == MAD_TRAP
		       ? SIM_DROP
		       : SIM_PASS;
}

/* Without traps the light sweep finds the failure; its timeouts cost little. */
LOOP_TEST(without_traps, 0, 2)
{
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = tree_world(&f, "sweep: {interval: 1s}");
	unsigned ms;

	sim_set_hook(w->sim, no_traps, NULL);
	sim_fault_node(w->sim, switch_named(w, (enum level)_i, 2), false);
	ms = time_to_repair(w);
	ck_assert_msg(ms < 1000 + 2 * QUICK_MS, "%u ms", ms);
	sim_set_hook(w->sim, NULL, NULL);
	expect_order(w);
}

/* During a push, also to the switch that fails. */
LOOP_TEST(during_a_push, 0, 8)
{
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = tree_world(&f, "sweep: {interval: 0}");
	uint32_t n = switch_named(w, MID, 6);
	struct sm_status s;
	unsigned ms;

	sim_fault_node(w->sim, n, false);
	expect_order(w);
	sim_fault_node(w->sim, n, true);
	do {
		world_run(w, mono_us(20));
		sm_status(w->sm, &s);
	} while (s.phase != SM_PUSH);
	world_run(w, mono_us(20 * _i));
	sim_fault_node(w->sim, n, false);
	ms = has_dead_ends(w) ? time_to_repair(w) : 0;
	ck_assert_msg(ms < 3 * QUICK_MS, "%u ms", ms);
	expect_order(w);
}
