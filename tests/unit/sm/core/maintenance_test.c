/*
 * Drains through the whole core: what is drained is pulled without a packet
 * lost, hosts are never cut off, and what may not be drained is refused.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "sm/view/drains.h"
#include "sm/view/event_log.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

/* Of core_tree. */
enum { SWITCHES = 12, LIDS = 44 };

struct lab {
	struct fabric *f;
	struct world *w;
	uint32_t generation; /* of the last change */
	struct reason why;   /* of the last refusal */
};

static struct lab
lab_of(struct fabric *f, const char *yaml)
{
	struct lab l = {.f = f, .w = core_start(f, yaml)};

	core_expect_order(l.w, "bring-up");
	return l;
}

static struct lab
lab_new(void)
{
	return lab_of(core_tree(), "");
}

static void
lab_free(struct lab *l)
{
	core_end(l->w, l->f);
}
AUTO_VALUE(lab, struct lab, lab_free)

static uint32_t
node_of(const struct lab *l, const char *name)
{
	uint32_t n = fabric_find(l->f, name);

	ck_assert_msg(n != FABRIC_NONE, "no node %s", name);
	return n;
}

static uint64_t
guid_of(const struct lab *l, const char *name)
{
	return l->f->node[node_of(l, name)].guid;
}

static bool
try_drain(
	struct lab *l, const char *name, unsigned port, int seconds, bool force)
{
	const struct sm_drain d = {.guid = guid_of(l, name),
		.port = port,
		.duration = seconds > 0 ? mono_ms(seconds * 1000) : MONO_NEVER,
		.force = force,
		.by = "the test",
		.reason = "fan"};

	return sm_drain(l->w->sm, &d, sim_now(l->w->sim), &l->generation,
		       &l->why) == 0;
}

static void
drain_now(struct lab *l, const char *name, unsigned port)
{
	ck_assert_msg(try_drain(l, name, port, 0, false), "%s", l->why.text);
	core_expect_order(l->w, name);
}

static void
take_back(struct lab *l, const char *name, unsigned port)
{
	ck_assert_msg(sm_undrain(l->w->sm,
			      &(struct sm_undrain){
				      guid_of(l, name), port, "the test"},
			      sim_now(l->w->sim), &l->generation, &l->why) == 0,
		"%s", l->why.text);
}

static void
expect_refused(struct lab *l, const char *name, unsigned port, const char *why)
{
	ck_assert(!try_drain(l, name, port, 0, false));
	ck_assert_msg(strstr(l->why.text, why) != NULL,
		"\"%s\" is not in \"%s\"", why, l->why.text);
}

/* What leads over it, by the tables in the switches of the simulation. */
static unsigned
entries_over(const struct lab *l, const char *name, unsigned port)
{
	uint32_t n = node_of(l, name);
	const struct topo *t = sm_view(l->w->sm)->topo;
	unsigned found = 0;

	for (unsigned p = 1; p <= l->f->node[n].nports; p++) {
		uint32_t peer;
		unsigned q;

		if ((port != 0 && p != port) ||
			!fabric_peer(l->f, n, p, &peer, &q) ||
			l->f->node[peer].type != FABRIC_SWITCH)
			continue;
		for (uint16_t lid = 1; lid <= t->max_lid; lid++) {
			port_ix own = topo_by_lid(t, lid, NULL);
			sw_ix s = own != TOPO_NONE ? topo_switch_of(t, own)
						   : TOPO_NONE;

			if (s == TOPO_NONE)
				continue;
			if (port != 0 && sim_lft(l->w->sim, n, lid) == p)
				found++;
			if (sim_lft(l->w->sim, peer, lid) == q &&
				(port != 0 || t->node[t->sw[s].node].guid !=
						      l->f->node[n].guid))
				found++;
		}
	}
	return found;
}

static struct drain_use
use_of(const struct lab *l, const char *name, unsigned port)
{
	const struct drain d = {
		.guid = guid_of(l, name), .port = (uint8_t)port};
	struct drain_use use;

	drains_use(&d, sm_view(l->w->sm)->routes, run_mcast_trees(l->w->sm),
		LID_MULTICAST_COUNT, &use);
	return use;
}

static const char *
alarm_of(const struct lab *l)
{
	static struct sm_status s;

	sm_status(l->w->sm, &s);
	return s.alarm;
}

static void
expect_clear(const struct lab *l, const char *name, unsigned port)
{
	struct drain_use use = use_of(l, name, port);

	ck_assert_uint_eq(entries_over(l, name, port), 0);
	ck_assert(use.there && use.linked);
	ck_assert_uint_eq(use.entries, 0);
	ck_assert_uint_eq(use.trees, 0);
	ck_assert_str_eq(alarm_of(l), "");
}

static void
expect_used(const struct lab *l, const char *name, unsigned port)
{
	ck_assert_uint_gt(entries_over(l, name, port), 0);
	ck_assert_uint_eq(
		use_of(l, name, port).entries, entries_over(l, name, port));
}

TEST(a_link)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = node_of(&l, "leaf2");
	unsigned port = core_port_between(l.f, leaf, node_of(&l, "spine1"));

	expect_used(&l, "leaf2", port);
	drain_now(&l, "leaf2", port);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	ck_assert_uint_ge(sm_view(l.w->sm)->generation, l.generation);
	expect_clear(&l, "leaf2", port);
	/* it is pulled, and comes back */
	sim_fault_link(l.w->sim, leaf, port, false);
	core_expect_order(l.w, "pulled");
	sim_fault_link(l.w->sim, leaf, port, true);
	core_expect_order(l.w, "back");
	expect_clear(&l, "leaf2", port);
	take_back(&l, "leaf2", port);
	core_expect_order(l.w, "undrained");
	ck_assert_uint_ge(sm_view(l.w->sm)->generation, l.generation);
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
	sm_rebalance(l.w->sm, sim_now(l.w->sim), "test");
	core_expect_order(l.w, "rebalanced");
	expect_used(&l, "leaf2", port);
}

/* Nothing is told of the tree because of a drain. */
static void
expect_regular(const struct lab *l)
{
	const struct tree *t = tree_kept(sm_view(l->w->sm)->routes);

	ck_assert_ptr_nonnull(t);
	ck_assert_msg(t->nodd == 0, "%zu irregularities, the first a %s",
		t->nodd, irregularity_name(t->odd[0].what));
}

TEST(a_spine)
{
	AUTO(lab) struct lab l = lab_new();
	unsigned over = entries_over(&l, "spine2", 0);

	expect_used(&l, "spine2", 0);
	drain_now(&l, "spine2", 0);
	expect_clear(&l, "spine2", 0);
	expect_regular(&l);
	/* what led over it, the ways to itself, and its own table */
	ck_assert_uint_le(
		sm_view(l.w->sm)->change.entries, over + SWITCHES + LIDS);
	sim_fault_reboot(l.w->sim, node_of(&l, "spine2"));
	core_expect_order(l.w, "rebooting");
	world_run(l.w, mono_ms(120000));
	core_expect_order(l.w, "rebooted");
	expect_clear(&l, "spine2", 0);
	take_back(&l, "spine2", 0);
	core_expect_order(l.w, "undrained");
}

/* Packets to and from every host, all the time. */
struct load {
	struct data *d;
	struct data_traffic t;
};

static void
load_start(struct lab *l, struct load *x)
{
	struct data_options o = data_defaults();

	x->d = data_new(l->w->sim, &o);
	x->t = data_traffic_defaults();
	x->t.load = 0.03;
	data_traffic_start(x->d, &x->t);
	world_run(l->w, mono_us(100));
}

static uint64_t
load_dropped(const struct load *x)
{
	struct data_report r;

	data_report_get(x->d, &r);
	ck_assert_uint_gt(r.delivered, 1000);
	return r.dropped;
}

/* Runs until the view that a change is in is committed. */
static void
wait_committed(struct lab *l)
{
	for (unsigned i = 0;
		i < 5000 && sm_view(l->w->sm)->generation < l->generation; i++)
		world_run(l->w, mono_us(100));
	ck_assert_uint_ge(sm_view(l->w->sm)->generation, l->generation);
}

/* All links of a switch, or the one at a port. */
static void
set_links(struct lab *l, const char *name, unsigned port, bool up)
{
	uint32_t n = node_of(l, name);

	for (unsigned p = 1; p <= l->f->node[n].nports; p++)
		if (port == 0 || p == port)
			sim_fault_link(l->w->sim, n, p, up);
}

/* What is lost when it is pulled as it is. */
TEST(pulled_undrained)
{
	AUTO(lab) struct lab l = lab_new();
	struct load x;

	load_start(&l, &x);
	world_run(l.w, mono_ms(1));
	ck_assert_uint_eq(load_dropped(&x), 0);
	set_links(&l, "spine2", 0, false);
	world_run(l.w, mono_ms(1));
	ck_assert_uint_gt(load_dropped(&x), 100);
	data_free(x.d);
}

static const struct {
	const char *name, *peer; /* peer: the link between them */
} pulled[] = {{"spine1", NULL}, {"spine2", NULL}, {"spine4", NULL},
	{"leaf2", "spine1"}, {"spine3", "leaf8"}};

/* 0: it is a switch. */
static unsigned
pulled_port(const struct lab *l, int i)
{
	return pulled[i].peer == NULL
		       ? 0
		       : core_port_between(l->f, node_of(l, pulled[i].name),
				 node_of(l, pulled[i].peer));
}

/* It may be pulled when packets by the old tables have arrived, and not before:
 * that is told distribution.drain after the last of its entries is gone. */
LOOP_TEST(in_flight, 0, LEN(pulled))
{
	const char *name = pulled[_i].name;
	const char *yaml = "distribution: {drain: 80ms}\n";
	AUTO(lab) struct lab l = lab_of(core_tree(), yaml);
	unsigned port = pulled_port(&l, _i);
	struct mono gone;

	ck_assert_msg(try_drain(&l, name, port, 0, false), "%s", l.why.text);
	for (unsigned i = 0; i < 5000 && entries_over(&l, name, port) > 0; i++)
		world_run(l.w, mono_us(100));
	gone = sim_now(l.w->sim);
	ck_assert_uint_eq(entries_over(&l, name, port), 0);
	wait_committed(&l);
	ck_assert_int_ge(mono_sub(sim_now(l.w->sim), gone).ns,
		mono_ms(80).ns - mono_us(100).ns);
}

/* Drained, pulled, plugged again and undrained under traffic: nothing is ever
 * lost. */
LOOP_TEST(packets, 0, LEN(pulled))
{
	const char *name = pulled[_i].name;
	AUTO(lab)
	struct lab l = lab_of(core_tree(), "distribution: {drain: 10ms}\n");
	unsigned port = pulled_port(&l, _i);
	struct load x;

	load_start(&l, &x);
	ck_assert_msg(try_drain(&l, name, port, 0, false), "%s", l.why.text);
	wait_committed(&l);
	expect_clear(&l, name, port);
	ck_assert_uint_eq(load_dropped(&x), 0);
	set_links(&l, name, port, false);
	world_run(l.w, mono_ms(2));
	ck_assert_uint_eq(load_dropped(&x), 0);
	set_links(&l, name, port, true);
	world_run(l.w, mono_ms(10));
	ck_assert_uint_eq(load_dropped(&x), 0);
	take_back(&l, name, port);
	wait_committed(&l);
	world_run(l.w, mono_ms(1));
	ck_assert_uint_eq(load_dropped(&x), 0);
	data_free(x.d);
}

TEST(refusals)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = node_of(&l, "leaf2");
	unsigned up = core_port_between(l.f, leaf, node_of(&l, "spine1"));
	unsigned down = core_port_between(l.f, leaf, node_of(&l, "h5"));
	unsigned at;
	uint32_t peer;

	expect_refused(
		&l, "leaf1", 0, "this subnet manager is linked to 'leaf1'");
	ck_assert(!try_drain(&l, "leaf1", 0, 0, true));
	expect_refused(&l, "leaf2", 0,
		"would cut 4 host ports off when pulled: 'h5', 'h6', 'h7', "
		"'h8'; to drain it all the same: --force");
	expect_refused(&l, "h5", 0, "is a host, not a switch");
	expect_refused(&l, "leaf2", down, "is linked to the host 'h5'");
	expect_refused(&l, "leaf2", 99, "has no port 99");
	drain_now(&l, "leaf2", up);
	expect_refused(&l, "leaf2", up, "drained already, by the test: fan");
	ck_assert(fabric_peer(l.f, leaf, up, &peer, &at));
	expect_refused(&l, "spine1", at, "drained already");
	for (unsigned i = 2; i <= 3; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "spine%u", i);
		drain_now(&l, "leaf2",
			core_port_between(l.f, leaf, node_of(&l, name)));
	}
	expect_refused(&l, "leaf2",
		core_port_between(l.f, leaf, node_of(&l, "spine4")),
		"would cut 4 host ports off");
	expect_refused(&l, "spine4", 0, "would cut 4 host ports off");
	ck_assert_int_eq(
		sm_undrain(l.w->sm,
			&(struct sm_undrain){guid_of(&l, "spine4"), 0, "x"},
			sim_now(l.w->sim), &l.generation, &l.why),
		-1);
	ck_assert_str_eq(l.why.text, "it is not drained: heddlectl drains");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 3);
}

/* What is forced stays reachable while it is there, and an alarm says so. */
TEST(last_path)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = node_of(&l, "leaf2");
	unsigned port;

	for (unsigned i = 1; i <= 4; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "spine%u", i);
		port = core_port_between(l.f, leaf, node_of(&l, name));
		ck_assert_msg(try_drain(&l, "leaf2", port, 0, true), "%s",
			l.why.text);
		core_expect_order(l.w, name);
	}
	ck_assert_ptr_nonnull(
		strstr(alarm_of(&l), "1 of what is drained still carries"));
	/* the event waits for no sweep */
	world_run(l.w, mono_ms(1000));
	ck_assert_ptr_nonnull(
		strstr(core_event(l.w, EVENT_ALARM_ON), "drains"));
	take_back(&l, "leaf2", port);
	core_expect_order(l.w, "undrained");
	ck_assert_str_eq(alarm_of(&l), "");
}

/* A failure makes a drained link the last path: it is used, and given back when
 * there is another one. */
TEST(failure_beside)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = node_of(&l, "leaf2");
	unsigned port = core_port_between(l.f, leaf, node_of(&l, "spine1"));

	drain_now(&l, "leaf2", port);
	for (unsigned p = 1; p <= l.f->node[leaf].nports; p++)
		if (p != port &&
			p != core_port_between(l.f, leaf, node_of(&l, "h5")))
			sim_fault_link(l.w->sim, leaf, p, false);
	core_expect_order(l.w, "failed");
	expect_used(&l, "leaf2", port);
	ck_assert_ptr_nonnull(strstr(alarm_of(&l), "do not pull it"));
	for (unsigned p = 1; p <= l.f->node[leaf].nports; p++)
		sim_fault_link(l.w->sim, leaf, p, true);
	core_expect_order(l.w, "back");
	expect_clear(&l, "leaf2", port);
}

/* Hosts of a drained leaf are reached by all its links, and no other pair by
 * it. */
TEST(a_leaf)
{
	AUTO(lab) struct lab l = lab_new();

	ck_assert_msg(try_drain(&l, "leaf2", 0, 0, true), "%s", l.why.text);
	core_expect_order(l.w, "drained");
	expect_clear(&l, "leaf2", 0);
}

/* The leaf below which paths between spines descend and climb: it is narrowed,
 * and a restart finds it so. */
TEST(the_sftree_root)
{
	AUTO(lab) struct lab l = lab_new();

	expect_used(&l, "leaf8", 0);
	ck_assert_msg(try_drain(&l, "leaf8", 0, 0, true), "%s", l.why.text);
	core_expect_order(l.w, "drained");
	ck_assert(sm_drains(l.w->sm)->list[0].narrow);
	expect_clear(&l, "leaf8", 0);
	world_run(l.w, mono_ms(2000));
	world_kill(l.w);
	sim_clear_stats(l.w->sim);
	world_start(l.w);
	core_expect_order(l.w, "restarted");
	ck_assert_uint_eq(sim_stats(l.w->sim)->lft_sets, 0);
	expect_clear(&l, "leaf8", 0);
}

TEST(time_is_over)
{
	AUTO(lab) struct lab l = lab_new();
	const struct event_log *log = sm_events(l.w->sm);

	ck_assert_msg(try_drain(&l, "spine1", 0, 60, false), "%s", l.why.text);
	core_expect_order(l.w, "drained");
	expect_clear(&l, "spine1", 0);
	ck_assert_uint_eq(event_log_count(log, EVENT_DRAINED), 1);
	ck_assert_uint_eq(event_log_count(log, EVENT_UNDRAINED), 0);
	world_run(l.w, mono_ms(61000));
	core_expect_order(l.w, "over");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 0);
	ck_assert_uint_eq(event_log_count(log, EVENT_UNDRAINED), 1);
	ck_assert_uint_eq(
		entries_over(&l, "spine1", 0), use_of(&l, "spine1", 0).entries);
}

/* Over a restart the time goes on. */
TEST(restart)
{
	AUTO(lab) struct lab l = lab_new();

	ck_assert_msg(try_drain(&l, "spine1", 0, 600, false), "%s", l.why.text);
	drain_now(&l, "spine2", 0);
	world_kill(l.w);
	world_start(l.w);
	core_expect_order(l.w, "restarted");
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 2);
	expect_clear(&l, "spine1", 0);
	expect_clear(&l, "spine2", 0);
	world_run(l.w, mono_ms(700000));
	ck_assert_uint_eq(sm_drains(l.w->sm)->n, 1);
	ck_assert_str_eq(sm_drains(l.w->sm)->list[0].reason, "fan");
	core_expect_order(l.w, "one is over");
	expect_clear(&l, "spine2", 0);
}

/* Drain, failure, and taking it back before the hold-down is over. */
TEST(one_hold_down)
{
	AUTO(lab) struct lab l = lab_new();
	uint32_t leaf = node_of(&l, "leaf3");
	unsigned port = core_port_between(l.f, leaf, node_of(&l, "spine1"));
	uint32_t was = sm_view(l.w->sm)->generation;

	ck_assert_msg(try_drain(&l, "spine1", 0, 0, false), "%s", l.why.text);
	sim_fault_link(l.w->sim, leaf, port, false);
	take_back(&l, "spine1", 0);
	core_expect_order(l.w, "settled");
	expect_used(&l, "spine1", 0);
	ck_assert_uint_gt(sm_view(l.w->sm)->generation, was);
	/* nothing changes: who waits for a view gets one */
	was = sm_view(l.w->sm)->generation;
	ck_assert_msg(try_drain(&l, "spine2", 0, 0, false), "%s", l.why.text);
	take_back(&l, "spine2", 0);
	core_expect_order(l.w, "settled again");
	ck_assert_uint_gt(sm_view(l.w->sm)->generation, was);
}
