/*
 * A restart, and what the previous run left under way: blocked dependencies,
 * for which time goes on; tables that it sent, which arrive after its end; a
 * first bring-up in which it was killed.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { LIMIT = 60 /* distribution.block_limit, in seconds */ };

/* The k-th link between two switches. */
static const struct fabric_cable *
switch_link(const struct fabric *f, unsigned k)
{
	for (uint32_t c = 0; c < f->ncables; c++) {
		const struct fabric_cable *x = &f->cable[c];

		if (f->node[x->node[0]].type == FABRIC_SWITCH &&
			f->node[x->node[1]].type == FABRIC_SWITCH && k-- == 0)
			return x;
	}
	ck_abort_msg("no such cable");
}

static void
set_link(struct world *w, unsigned k, bool up)
{
	const struct fabric_cable *x = switch_link(w->fabric, k);

	sim_fault_link(w->sim, x->node[0], x->port[0], up);
}

static struct world *
start_settled(const struct fabric *f, const char *yaml)
{
	struct world *w = core_start(f, yaml);

	ck_assert_msg(world_settle(w, mono_ms(60000)), "%s", w->last_why);
	return w;
}

/* ---- blocked dependencies ---- */

/* Drops all Sets of rows that unblock a dependency. */
static enum sim_verdict
drop_unblocking(void *cookie, struct sim_msg *m)
{
	struct smp smp;

	(void)cookie;
	return m->where == SIM_AT_SMA &&
			       smp_decode(m->m.mad, m->m.len, &smp, NULL) ==
				       0 &&
			       smp.method == MAD_SET && smp.attr == MAD_SL2VL &&
			       smp.data[0] != 0xff
		       ? SIM_DROP
		       : SIM_PASS;
}

static struct sm_status
get_status(const struct world *w)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	return s;
}

/* A world in which dependencies stay blocked; killed some seconds later. */
static struct world *
leave_blocked(const struct fabric *f)
{
	struct world *w = start_settled(f, "distribution:\n"
					   "  method: break-dependencies\n"
					   "  drain: 5ms\n");

	sim_set_hook(w->sim, drop_unblocking, NULL);
	set_link(w, 3, false);
	world_run(w, mono_ms(10000));
	ck_assert_uint_gt(get_status(w).held, 0);
	ck_assert_str_eq(get_status(w).alarm, "");
	world_kill(w);
	ck_assert_uint_gt(w->saved.nblock, 0);
	return w;
}

/* The alarm names the switch, the ports and the number of pairs. */
static void
expect_alarm(const struct world *w)
{
	const char *alarm = get_status(w).alarm;
	char want[2][64];
	bool found = false;

	for (size_t i = 0; i < w->saved.nblock; i++) {
		const struct state_file_blocked *b = &w->saved.block[i];

		(void)snprintf(want[0], sizeof(want[0]), "switch 0x%016llx",
			(unsigned long long)b->guid);
		(void)snprintf(want[1], sizeof(want[1]),
			"blocks port %u to port %u; %llu pairs", b->in, b->out,
			(unsigned long long)b->pairs);
		found |= strstr(alarm, want[0]) != NULL &&
			 strstr(alarm, want[1]) != NULL;
	}
	ck_assert_msg(found, "\"%s\"", alarm);
}

TEST(block_limit_is_over)
{
	AUTO(fabric) struct fabric *f = shape_of("random:10:3:2:3");
	AUTO(world) struct world *w = leave_blocked(f);

	w->saved.away = LIMIT;
	world_start(w); /* before anything is read from the fabric */
	expect_alarm(w);
	sim_set_hook(w->sim, NULL, NULL);
	ck_assert(world_settle(w, mono_ms(60000)));
	world_run(w, mono_ms(5000));
	ck_assert_uint_eq(get_status(w).held, 0);
	ck_assert_str_eq(get_status(w).alarm, "");
}

TEST(block_limit_goes_on)
{
	AUTO(fabric) struct fabric *f = shape_of("random:10:3:2:3");
	AUTO(world) struct world *w = leave_blocked(f);
	uint64_t age = w->saved.block[0].age;

	ck_assert_uint_lt(age, 11);
	w->saved.away = LIMIT - age - 20;
	world_start(w);
	ck_assert_str_eq(get_status(w).alarm, "");
	world_run(w, mono_ms(19000));
	ck_assert_str_eq(get_status(w).alarm, "");
	world_run(w, mono_ms(2000));
	expect_alarm(w);
	/* the next run knows the age, too */
	world_kill(w);
	ck_assert_uint_gt(w->saved.nblock, 0);
	ck_assert_uint_ge(w->saved.block[0].age, LIMIT - 20);
}

/* ---- tables ---- */

static enum sim_verdict
count_tables(void *cookie, struct sim_msg *m)
{
	const uint8_t *mad = m->m.mad;

	if (m->where == SIM_AT_SMA && mad[3] == MAD_SET &&
		(mad[16] << 8 | mad[17]) == MAD_LFT)
		++*(unsigned *)cookie;
	return SIM_PASS;
}

/* Fails unless every switch holds what the view says. */
static void
expect_tables_as_viewed(const struct world *w)
{
	const struct view *v = sm_view(w->sm);
	const struct topo *t = v->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint32_t n = 0;

		while (w->fabric->node[n].guid != t->node[t->sw[s].node].guid)
			n++;
		for (uint16_t lid = 1; lid <= t->max_lid; lid++)
			ck_assert_msg(sim_lft(w->sim, n, lid) ==
					      routes_port(v->routes, s, lid),
				"\"%s\" lid %u: %u, and we believe %u",
				sim_name(w->sim, n), lid,
				sim_lft(w->sim, n, lid),
				routes_port(v->routes, s, lid));
	}
}

static void
run_until_phase(struct world *w, enum sm_phase phase)
{
	for (unsigned i = 0; i < 5000 && get_status(w).phase != phase; i++)
		world_run(w, mono_us(100));
	ck_assert_int_eq(get_status(w).phase, phase);
}

/*
 * The daemon is killed with tables on the wire, and the link comes back. The
 * restarted daemon finds all tables as they should be, and then the old ones
 * arrive.
 */
LOOP_TEST(tables_that_arrive_late, 0, 4)
{
	struct sim_faults slow = {.delay = 1000000, .delay_max = mono_ms(1500)},
			  none = {0};
	struct fabric *f = gen_random(10, 3, 2, 7 + (uint64_t)_i, NULL);
	struct world *w = start_settled(f, "smp: {timeout: 200ms}\n");
	unsigned tables = 0;

	w->route_delay = mono_ms(5);
	set_link(w, 3, false);
	run_until_phase(w, SM_ROUTE);
	sim_fault_chances(w->sim, &slow);
	run_until_phase(w, SM_PUSH);
	world_kill(w);
	ck_assert(w->saved.writing);
	sim_fault_chances(w->sim, &none);
	set_link(w, 3, true);
	sim_set_hook(w->sim, count_tables, &tables);
	world_start(w);
	world_run(w, mono_ms(1500));
	ck_assert_uint_gt(tables, 0);
	ck_assert(world_settle(w, mono_ms(60000)));
	expect_tables_as_viewed(w);
	world_run(w, mono_ms(5000));
	ck_assert(!w->saved.writing);
	core_end(w, f);
}

/* After an orderly end there is nothing to wait for. */
TEST(nothing_under_way)
{
	AUTO(fabric) struct fabric *f = shape_of("random:10:3:2:3");
	AUTO(world) struct world *w = start_settled(f, "");

	world_run(w, mono_ms(5000));
	ck_assert(!w->saved.writing);
	world_kill(w);
	world_start(w);
	world_run(w, mono_ms(500));
	ck_assert_ptr_nonnull(sm_view(w->sm));
	expect_tables_as_viewed(w);
}

/*
 * A switch leaves while the tables are read, and most switches with it, as far
 * as their paths are known: a sweep finds other paths before each was asked in
 * vain, with all retries.
 */
TEST(a_switch_leaves_while_tables_are_read)
{
	AUTO(fabric) struct fabric *f = shape_of("mesh:8x8");
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;

	o.service = mono_us(300);
	w = world_new(
		f, &o, "smp: {timeout: 150ms, retries: 6, window_max: 4}\n");
	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(60000)), "%s", w->last_why);
	world_run(w, mono_ms(3000));
	world_kill(w);
	world_start(w);
	run_until_phase(w, SM_READBACK);
	sim_fault_node(w->sim, fabric_find(f, "sw1.0"), false);
	ck_assert_msg(world_settle(w, mono_ms(100000)), "%s", w->last_why);
	core_expect(
		w, REFEREE_ALL & ~(unsigned)REFEREE_LOAD, "the switch is gone");
}

/* ---- a first bring-up ---- */

/* Layers have VLs of their own. */
enum { ORDER = REFEREE_ACTIVE | REFEREE_LIDS | REFEREE_WAYS };

/* Rows of SL2VL that were asked for, or set, but for many of a switch at once,
 * which are set without being read. */
static uint64_t
count_rows(const struct world *w, unsigned method)
{
	const struct sim_stats *s = sim_stats(w->sim);

	return s->by[sim_attr_row(MAD_SL2VL)][method] -
	       (method == MAD_SET ? s->sl2vl_blind : 0);
}

static unsigned
count_active(const struct world *w)
{
	const struct fabric *f = w->fabric;
	unsigned n = 0;

	for (uint32_t c = 0; c < f->ncables; c++)
		n += sim_port_info(
			     w->sim, f->cable[c].node[0], f->cable[c].port[0])
			     ->state == PORT_ACTIVE;
	return n;
}

/* Killed when some quarters of the links are up; the tables that are in place
 * need their layers. */
static struct world *
kill_in_bring_up(const struct fabric *f, unsigned quarters)
{
	struct sim_options o = sim_defaults();
	struct world *w;

	o.service = mono_us(50);
	w = world_new(f, &o,
		"routing: {engines: [dragonfly]}\n"
		"distribution: {drain: 5ms}\n");
	world_start(w);
	while (count_active(w) < (f->ncables - 2) * quarters / 4)
		world_run(w, mono_us(50));
	ck_assert_ptr_null(sm_view(w->sm));
	ck_assert_uint_eq(count_rows(w, MAD_GET), 0); /* none carries data */
	world_kill(w);
	sim_clear_stats(w->sim);
	return w;
}

/* Nothing is to be written in a fabric that is in order. */
static void
expect_memory(struct world *w)
{
	world_run(w, mono_ms(5000));
	world_kill(w);
	sim_clear_stats(w->sim);
	world_start(w);
	core_expect(w, ORDER, "again");
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	ck_assert_uint_eq(count_rows(w, MAD_SET), 0);
}

/* The state says that no SL was ever given out, and the rows say what packets
 * can do: no port goes down. */
LOOP_TEST(killed_in_its_first_bring_up, 1, 5)
{
	AUTO(fabric) struct fabric *f = shape_of("dragonfly:4:1:2");
	AUTO(world) struct world *w = kill_in_bring_up(f, (unsigned)_i);

	world_start(w);
	core_expect(w, ORDER, "restarted");
	ck_assert_uint_gt(count_rows(w, MAD_GET), 0);
	ck_assert_ptr_null(sm_view(w->sm)->change.ports_down);
	ck_assert_uint_eq(sm_view(w->sm)->change.nstays, 0);
	ck_assert_uint_eq(get_status(w).traps_ours, 0);
	expect_memory(w);
}

/* Without a state, or with one that is not the newest, connections may be
 * there. Ports go down for them, once: the traps about that are the manager's
 * own doing before there is a view, too. */
LOOP_TEST(killed_and_its_state_is_lost, 0, 2)
{
	AUTO(fabric) struct fabric *f = shape_of("dragonfly:4:1:2");
	AUTO(world) struct world *w = kill_in_bring_up(f, 4);

	if (_i == 0)
		world_forget(w);
	w->saved.unsaved = _i == 1;
	world_start(w);
	core_expect(w, ORDER, "restarted");
	ck_assert_uint_gt(count_rows(w, MAD_GET), 0);
	ck_assert_ptr_nonnull(sm_view(w->sm)->change.ports_down);
	ck_assert_uint_gt(get_status(w).traps_ours, 0);
	ck_assert_uint_eq(get_status(w).pushes_stopped, 0);
	expect_memory(w);
}
