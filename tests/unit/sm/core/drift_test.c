/*
 * What must not be trusted while tables change: switches that acknowledge and
 * do not store, or refuse to block dependencies; tables of another fabric's
 * daemon or of another subnet manager.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/plan/plan.h"
#include "sm/base/mem.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

static struct world *
start_settled(const struct fabric *f, const char *yaml)
{
	struct world *w = core_start(f, yaml);

	ck_assert_msg(world_settle(w, mono_ms(60000)), "%s", w->last_why);
	return w;
}

static void
expect_order(struct world *w, const char *when)
{
	core_expect(w, REFEREE_ALL & ~(unsigned)REFEREE_LOAD, when);
}

static uint32_t
a_switch(const struct fabric *f, unsigned k)
{
	uint32_t n = 0;

	while (f->node[n].type != FABRIC_SWITCH || k-- > 0)
		n++;
	return n;
}

/* Fails or restores the k-th link between two switches. */
static void
set_switch_link(struct world *w, unsigned k, bool up)
{
	const struct fabric *f = w->fabric;

	for (uint32_t c = 0; c < f->ncables; c++) {
		const struct fabric_cable *x = &f->cable[c];

		if (f->node[x->node[0]].type != FABRIC_SWITCH ||
			f->node[x->node[1]].type != FABRIC_SWITCH || k-- > 0)
			continue;
		sim_fault_link(w->sim, x->node[0], x->port[0], up);
		return;
	}
	ck_abort_msg("no such cable");
}

/* A switch that does not store is found by reading back, is written again, is
 * quarantined in the end, and is released when it stores. */
TEST(a_switch_that_does_not_store)
{
	const struct sim_behaviour disobedient = {.lies = UINT64_C(1)
							  << MAD_LFT},
				   well = {0};
	struct fabric *f = core_tree();
	struct world *w = start_settled(f, "distribution: {drain: 5ms}\n");
	uint32_t leaf = fabric_find(f, "leaf3");
	struct sm_status s;

	sim_fault_behave(w->sim, leaf, &disobedient);
	set_switch_link(w, 20, false);
	world_run(w, mono_ms(20000));
	sm_status(w->sm, &s);
	ck_assert_uint_ge(s.not_held, 3);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 1);
	sim_fault_behave(w->sim, leaf, &well);
	world_run(w, mono_ms(120000));
	expect_order(w, "it stores again");
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	core_end(w, f);
}

#define LEVELS                                                                 \
	"distribution: {drain: 5ms}\nqos: {levels: {default: {weight: 3}, "    \
	"fast: {weight: 8, sl: 3}}}\n"
#define KEYS                                                                   \
	"distribution: {drain: 5ms}\npartitions: {blue: {pkey: 0x5, members: " \
	"{\"h*\": full}}}\n"

/* Nodes that acknowledge an attribute without storing it, when another
 * configuration or a link asks for a write. */
static const struct lie {
	uint16_t attr;
	const char *node, *yaml;
	const char *says; /* in the alarm; NULL: the switch is quarantined */
	unsigned most;	  /* limit of values found wrong */
} lies[] = {
	/* three checks, each of all rows that a switch of 8 ports has */
	{MAD_SL2VL, "leaf3", LEVELS, NULL, 3 * 9 * 8},
	{MAD_PORT_INFO, "leaf3", NULL, "\"leaf3\" acknowledged and did not",
		100},
	{MAD_PORT_INFO, "h9", NULL, "\"h9\" acknowledged and did not", 100},
	{MAD_PKEY_TABLE, "h9", KEYS,
		"\"h9\" acknowledged and did not keep its P_Keys", 100},
};

LOOP_TEST(every_false_acknowledgement_is_found, 0, LEN(lies))
{
	const struct lie *l = &lies[_i];
	const struct sim_behaviour disobedient = {.lies = UINT64_C(1)
							  << l->attr},
				   well = {0};
	struct fabric *f = core_tree();
	struct world *w = start_settled(f, "distribution: {drain: 5ms}\n");
	uint32_t node = fabric_find(f, l->node);
	struct sm_status s;

	sim_fault_behave(w->sim, node, &disobedient);
	if (l->yaml != NULL) {
		world_reload(w, l->yaml);
	} else {
		sim_fault_link(w->sim, fabric_find(f, "h9"), 1, false);
		world_run(w, mono_ms(1000));
		sim_fault_link(w->sim, fabric_find(f, "h9"), 1, true);
	}
	world_run(w, mono_ms(20000));
	sm_status(w->sm, &s);
	ck_assert_uint_ge(s.not_held + s.keys_drifted, 3);
	ck_assert_uint_le(s.not_held + s.keys_drifted, l->most);
	if (l->says == NULL) {
		ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 1);
	} else {
		ck_assert_msg(strstr(s.alarm, l->says) != NULL, "alarm \"%s\"",
			s.alarm);
		ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	}
	sim_fault_behave(w->sim, node, &well);
	world_run(w, mono_ms(2000000));
	expect_order(w, "it does as it says again");
	sm_status(w->sm, &s);
	ck_assert_str_eq(s.alarm, "");
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	core_end(w, f);
}

/* A dependency is not blocked although the row is acknowledged: the port is
 * taken down. */
TEST(sl2vl_that_is_not_stored)
{
	const struct sim_behaviour disobedient = {
		.lies = UINT64_C(1) << MAD_SL2VL};
	AUTO(fabric) struct fabric *f = shape_of("random:10:3:2:3");
	AUTO(world)
	struct world *w = start_settled(
		f, "distribution: {method: break-dependencies, drain: 5ms}\n");
	struct watch *watch = watch_new(w->sim);

	for (uint32_t n = 0; n < f->nnodes; n++)
		if (f->node[n].type == FABRIC_SWITCH)
			sim_fault_behave(w->sim, n, &disobedient);
	for (unsigned i = 0; i < 3; i++) {
		set_switch_link(w, i, false);
		expect_order(w, "cable pulled");
		set_switch_link(w, i, true);
		expect_order(w, "cable back");
	}
	ck_assert_msg(watch_report(watch)->cycles == 0, "%s",
		watch_report(watch)->cycle.text);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	watch_free(watch);
}

/* A dependency cannot be blocked: its port is taken down, and no cycle
 * closes. */
TEST(sl2vl_that_is_refused)
{
	const struct sim_behaviour no = {
		.refuse = UINT64_C(1) << MAD_SL2VL, .status = 0x1c};
	AUTO(fabric) struct fabric *f = shape_of("random:10:3:2:3");
	AUTO(world)
	struct world *w = start_settled(
		f, "distribution: {method: break-dependencies, drain: 5ms}\n");
	struct watch *watch = watch_new(w->sim);
	const struct view_change *c;
	struct sm_status s;

	for (uint32_t n = 0; n < f->nnodes; n++)
		if (f->node[n].type == FABRIC_SWITCH)
			sim_fault_behave(w->sim, n, &no);
	for (unsigned i = 0; i < 3; i++) {
		set_switch_link(w, i, false);
		expect_order(w, "cable pulled");
		set_switch_link(w, i, true);
		expect_order(w, "cable back");
	}
	/* and the method has learned to block by ports */
	c = &sm_view(w->sm)->change;
	for (size_t i = 0; i < c->nphases; i++)
		ck_assert_str_ne(c->phase[i].what, plan_kind_name(PLAN_BLOCK));
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.held, 0);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	ck_assert_msg(watch_report(watch)->cycles == 0, "%s",
		watch_report(watch)->cycle.text);
	ck_assert_msg(watch_report(watch)->loops == 0, "%s",
		watch_report(watch)->loop.text);
	watch_free(watch);
}

/* The fabrics have the same GUIDs, so no record is recognised as foreign. */
TEST(the_state_of_another_fabric)
{
	struct fabric *other = shape_of("random:10:3:2:4"), *f = core_tree();
	struct world *a = start_settled(other, ""), *b;
	struct sim_options o = sim_defaults();
	struct state_file_blocked block = {
		.guid = f->node[a_switch(f, 1)].guid, .in = 1, .out = 2};
	struct sm_status s;

	b = world_new(f, &o, "");
	b->saved = a->saved;
	a->saved = (struct state_file){0};
	b->saved.block = &block;
	b->saved.nblock = 1;
	world_free(a);
	fabric_free(other);
	world_start(b);
	expect_order(b, "with another fabric's state");
	sm_status(b->sm, &s);
	ck_assert_uint_eq(s.held, 0);
	world_free(b);
	fabric_free(f);
}

/* A port GUID that the fabric does not have. */
static uint64_t
foreign_guid(uint64_t guid)
{
	return guid | UINT64_C(1) << 60;
}

/* No LID is moved for ports that the fabric does not have. */
TEST(the_state_of_foreign_ports)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_settled(f, "");
	uint32_t n = a_switch(f, 1), host = fabric_find(f, "h20");
	struct state_file_blocked block = {
		.guid = foreign_guid(f->node[n].guid), .in = 1, .out = 2};
	AUTO(mem)
	struct state_file_lid *lid =
		mem_dup(w->saved.lid, w->saved.nlid * sizeof(*w->saved.lid));
	size_t nlid = w->saved.nlid;
	uint64_t own = f->port[f->node[w->host].first + 1].guid;
	uint16_t was[2] = {sim_port_info(w->sim, n, 0)->lid,
		sim_port_info(w->sim, host, 1)->lid};
	struct sm_status s;

	world_kill(w);
	world_forget(w);
	/* only the manager's own record is of this fabric */
	for (size_t i = 0; i < nlid; i++)
		if (lid[i].guid != own)
			lid[i].guid = foreign_guid(lid[i].guid);
	w->saved.prefix = UINT64_C(0xfe80000000000000);
	w->saved.lid = lid;
	w->saved.nlid = nlid;
	w->saved.block = &block;
	w->saved.nblock = 1;
	world_start(w);
	world_run(w, mono_ms(5000));
	expect_order(w, "with a state of strangers");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.held, 0);
	ck_assert_str_eq(s.alarm, "");
	ck_assert_uint_eq(sim_port_info(w->sim, n, 0)->lid, was[0]);
	ck_assert_uint_eq(sim_port_info(w->sim, host, 1)->lid, was[1]);
	ck_assert_uint_eq(w->saved.nlid, nlid);
	for (size_t i = 0; i < nlid; i++)
		ck_assert_uint_eq(w->saved.lid[i].guid >> 60, 0);
}

/* A manager of higher priority takes over, writes tables and dies. */
TEST(what_another_manager_wrote)
{
	struct mad_sm_info other = {.act_count = 1, .priority = 15, .state = 3};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w = start_settled(f, "sweep: {interval: 1s}\n"
					   "standby: {poll_interval: 1s}\n");
	uint32_t host = fabric_find(f, "h20");
	struct sm_status s;

	sim_fault_other_sm(w->sim, host, 1, &other);
	for (unsigned i = 0; i < 15; i++) {
		world_run(w, mono_ms(1000));
		other.act_count++;
		sim_fault_other_sm(w->sim, host, 1, &other);
	}
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	for (unsigned k = 0; k < 12; k++)
		for (uint16_t lid = 1; lid < 40; lid += 3)
			sim_set_lft(w->sim, a_switch(f, k), lid,
				(uint8_t)(1 + (lid + k) % 4));
	sim_fault_node(w->sim, host, false);
	world_run(w, mono_ms(20000));
	expect_order(w, "the other one is gone");
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_MASTER);
}

/* Other entries for every third LID, in all switches. */
static void
overwrite_tables(struct world *w, unsigned seed)
{
	for (unsigned k = 0; k < 12; k++)
		for (uint16_t lid = 1; lid < 40; lid += 3)
			sim_set_lft(w->sim, a_switch(w->fabric, k), lid,
				(uint8_t)(1 + (lid + k + seed) % 4));
}

static void
overwrite_entry(struct world *w, unsigned k, uint16_t lid)
{
	uint32_t n = a_switch(w->fabric, k);

	sim_set_lft(w->sim, n, lid, (uint8_t)(1 + sim_lft(w->sim, n, lid) % 4));
}

/*
 * Two switches restart after a push that wrote nothing but their rows of SL2VL,
 * before these are read back: no other writer is named.
 */
TEST(restarts_are_not_drift)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;
	struct sm_status s;

	o.opt_sl2vl = true; /* a restart writes rows without reading them */
	w = world_new(f, &o,
		"routing: {ftree: {layers: 2}}\n"
		"distribution: {drain: 50ms}\n");
	world_start(w);
	expect_order(w, "bring-up");
	world_kill(w);
	world_start(w);
	do {
		world_run(w, mono_ms(1));
		sm_status(w->sm, &s);
	} while (sm_view(w->sm) == NULL || s.phase != SM_IDLE);
	ck_assert_uint_eq(s.checked, 0);
	sim_fault_reboot(w->sim, a_switch(f, 1));
	sim_fault_reboot(w->sim, a_switch(f, 2));
	world_run(w, mono_ms(500));
	expect_order(w, "two switches restarted");
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.checked, 0);
	ck_assert_uint_eq(s.drifted, 0);
	ck_assert_str_eq(s.alarm, "");
}

/*
 * After drift in one table all tables are read, and again later: the other
 * writer may not have ended when they were repaired.
 */
TEST(all_drift_is_found)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w = start_settled(f, "sweep: {interval: 1s}\n"
					   "fabric: {lids: {first: 50}}\n");
	struct sm_status s = {0};
	uint64_t seen;

	/* in the first block of some switches, in the second of others */
	for (unsigned k = 0; k < 12; k++)
		overwrite_entry(w, k, k % 2 ? 70 : 55);
	for (unsigned i = 0; i < 100 && s.drifted == 0; i++) {
		world_run(w, mono_ms(100));
		sm_status(w->sm, &s);
	}
	world_run(w, mono_ms(300));
	expect_order(w, "all were read");
	sm_status(w->sm, &s);
	seen = s.drifted;
	overwrite_entry(w, 5, 70);
	world_run(w, mono_ms(2500));
	expect_order(w, "all were looked at again");
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.drifted, seen);
}

/*
 * Another master hands over while its last Sets are under way: they arrive
 * before this manager reads the tables, and do not count as drift.
 */
LOOP_TEST(what_arrives_after_a_hand_over, 0, 11)
{
	struct mad_sm_info other = {.act_count = 1, .priority = 15, .state = 3};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_settled(f, "{}");
	uint32_t host = fabric_find(f, "h20");
	uint16_t ours = sim_port_info(w->sim, fabric_first_host(f), 1)->lid;
	struct sm_status s;

	world_kill(w);
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_start(w);
	world_run(w, mono_ms(5000));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	ck_assert(sim_fault_other_sm_tells(w->sim, host, ours, 1));
	other.state = 2;
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_run(w, mono_ms(1 << _i));
	overwrite_tables(w, (unsigned)_i);
	expect_order(w, "handed over");
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_MASTER);
	ck_assert_uint_eq(s.drifted + s.not_held, 0);
}

/*
 * Another manager writes at the same time, and does not end: the drift is
 * found, reported with both names, repaired, but not for ever.
 */
TEST(two_managers_that_write)
{
	struct mad_sm_info other = {.act_count = 1, .priority = 1, .state = 3};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w = start_settled(f, "fabric: {priority: 5}\n"
					   "distribution: {drain: 5ms}\n"
					   "sweep: {interval: 1s}\n");
	uint32_t host = fabric_find(f, "h20");
	struct sm_status s;
	uint64_t sets;

	/* it calls itself master */
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_run(w, mono_ms(5000));
	sm_status(w->sm, &s);
	ck_assert_msg(strstr(s.alarm, "two masters: 0x0002c90300001901 "
				      "\"h20\" priority 1") != NULL,
		"alarm \"%s\"", s.alarm);
	ck_assert_int_eq(s.role, SM_MASTER);
	/* and writes */
	overwrite_tables(w, 0);
	world_run(w, mono_ms(3000));
	expect_order(w, "somebody wrote");
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.drifted, 0);
	ck_assert_msg(strstr(s.alarm, "modified by something other than this "
				      "daemon: forwarding table block 0 of") &&
			      strstr(s.alarm, "0x0002c90300001901 \"h20\"") &&
			      strstr(s.alarm, "priority 5"),
		"alarm \"%s\"", s.alarm);
	ck_assert_ptr_nonnull(strstr(
		core_event(w, EVENT_DRIFT), "forwarding table block 0 of \""));
	ck_assert_ptr_nonnull(strstr(core_event(w, EVENT_DRIFT),
		"; other managers: 0x0002c90300001901 \"h20\""));
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	/* again and again */
	sets = sim_stats(w->sim)->lft_sets;
	for (unsigned i = 0; i < 600; i++) {
		overwrite_tables(w, i);
		world_run(w, mono_ms(1000));
	}
	sets = sim_stats(w->sim)->lft_sets - sets;
	ck_assert_uint_gt(sets, 0);
	ck_assert_uint_lt(sets, 12 * 20);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	/* it ends, and the alarm is cleared */
	other.state = 2;
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_run(w, mono_ms(3000000));
	expect_order(w, "it writes no more");
	sm_status(w->sm, &s);
	ck_assert_str_eq(s.alarm, "");
}

enum { FOREIGN = 0x999 };

/* Addresses of a port that another manager gives it. */
static const struct address {
	const char *field;
	bool ours; /* our own port: found by the next light sweep */
	struct mad_port_info as;
} addresses[] = {
	{"LID", false, {.lid = FOREIGN}},
	{"LID", true, {.lid = FOREIGN}},
	{"SM LID", false, {.sm_lid = FOREIGN}},
	{"GID prefix", false, {.gid_prefix = FOREIGN}},
	{"M_Key", false, {.mkey = FOREIGN}},
};

static void
give_address(struct world *w, uint32_t node, const struct mad_port_info *as)
{
	struct mad_port_info is = *sim_port_info(w->sim, node, 1);

	is.lid = as->lid != 0 ? as->lid : is.lid;
	is.sm_lid = as->sm_lid != 0 ? as->sm_lid : is.sm_lid;
	is.gid_prefix = as->gid_prefix != 0 ? as->gid_prefix : is.gid_prefix;
	is.mkey = as->mkey;
	sim_hand_port(w->sim, node, 1, &is);
}

/*
 * Another manager writes PortInfo of one host, which sends no trap: light
 * sweeps find it, all ports in 32 of them, ours at once; it is put in order,
 * and the alarm names the field and the host.
 */
LOOP_TEST(addresses_that_another_manager_gave, 0, LEN(addresses))
{
	const struct address *a = &addresses[_i];
	struct fabric *f = core_tree();
	struct world *w = start_settled(f, "sweep: {interval: 1s}\n");
	uint32_t host = a->ours ? w->host : fabric_find(f, "h20");
	struct mad_port_info was = *sim_port_info(w->sim, host, 1), is;
	uint64_t blocks = sim_stats(w->sim)->lft_sets;
	uint64_t gets = sim_stats(w->sim)->by[MAD_LFT][MAD_GET];
	struct sm_status s;
	char says[96];

	give_address(w, host, &a->as);
	world_run(w, mono_ms(a->ours ? 3000 : 40000));
	sm_status(w->sm, &s);
	(void)snprintf(says, sizeof(says), "the %s of port 1 of host 0x%016llx",
		a->field, (unsigned long long)f->node[host].guid);
	ck_assert_msg(strstr(s.alarm, says) != NULL, "alarm \"%s\"", s.alarm);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, blocks);
	/* one a second in turn, and one of each switch by a full sweep */
	ck_assert_uint_le(sim_stats(w->sim)->by[MAD_LFT][MAD_GET], gets + 80);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	expect_order(w, "in order again");
	is = *sim_port_info(w->sim, host, 1);
	ck_assert_uint_eq(is.lid, was.lid);
	ck_assert_uint_eq(is.sm_lid, was.sm_lid);
	ck_assert_uint_eq(is.gid_prefix, was.gid_prefix);
	ck_assert_uint_eq(is.mkey, was.mkey);
	world_run(w, mono_ms(1000000));
	sm_status(w->sm, &s);
	ck_assert_str_eq(s.alarm, "");
	core_end(w, f);
}

/* Blocks or unblocks all dependencies of some switches, and single ones of
 * others. */
static void
set_blocked(struct world *w, bool close)
{
	static const uint8_t shut[8] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	static const uint8_t open[8] = {0};
	const struct fabric *f = w->fabric;

	for (unsigned k = 0; k < 12; k++) {
		uint32_t n = a_switch(f, k);

		for (unsigned in = 1; in <= f->node[n].nports; in++)
			for (unsigned out = 1; out <= f->node[n].nports; out++)
				if (k % 3 == 0 || in + out == k)
					sim_hand_sl2vl(w->sim, n, in, out,
						close ? shut : open);
	}
}

/*
 * Blocked rows of another manager, or of a previous run with a lost journal:
 * found soon if there is a reason, within a day if there is none, and on
 * request.
 */
TEST(blocks_that_others_left)
{
	struct fabric *f = core_tree();
	struct world *w = start_settled(f, "distribution: {drain: 5ms}\n");
	struct state_file state;
	struct sm_status s;

	world_run(w, mono_ms(120000));
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.scan.read, 0); /* came up fresh: nothing to read */
	set_blocked(w, true);
	world_kill(w);
	world_forget(w);
	world_start(w);
	world_run(w, mono_ms(10000));
	expect_order(w, "the journal was lost");
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.rows_freed, 100);
	ck_assert_uint_le(
		sm_view(w->sm)->generation, 5); /* not a plan per switch */
	ck_assert_uint_eq(s.held, 0);
	ck_assert_uint_eq(s.scan.left, 0);
	/* with a journal no other rows are expected blocked: the scan is
	 * slow */
	world_kill(w);
	set_blocked(w, true);
	world_start(w);
	world_run(w, mono_ms(30000));
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.scan.read, 0);
	world_run(w, mono_ms(90000));
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.scan.left, 0);
	world_run(w, mono_ms(300000));
	expect_order(w, "read at leisure");
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.rows_freed, 100);
	ck_assert_uint_eq(s.scan.left, 0);
	/* with a journal that may be incomplete */
	world_kill(w);
	set_blocked(w, true);
	w->saved.unsaved = true;
	world_start(w);
	world_run(w, mono_ms(10000));
	expect_order(w, "not all was saved");
	sm_status(w->sm, &s);
	ck_assert_uint_gt(s.rows_freed, 100);
	ck_assert(!w->saved.unsaved);
	/* on request */
	set_blocked(w, true);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(5000));
	expect_order(w, "swept");
	state = w->saved;
	ck_assert_uint_eq(state.nblock, 0);
	core_end(w, f);
}
