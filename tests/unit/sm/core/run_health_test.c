/* The core reads the counters of ports, and tells which links are bad. */
#include <string.h>

#include "sm/mad/mad_perf.h"
#include "sm/report/json_util.h"
#include "sm/report/links_json.h"
#include "sm/view/event_log.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"

static const char health_on[] = "health: {enabled: true, interval: 10s}\n";

/* A tree whose counters are read, after its first pass. */
static struct world *
start_reading(struct fabric *f, const char *yaml)
{
	struct world *w = core_start(f, yaml);

	core_expect_order(w, "start");
	world_run(w, mono_ms(15000));
	return w;
}

static uint64_t
count_of(const struct world *w, enum event_kind kind)
{
	return event_log_count(sm_events(w->sm), kind);
}

static const struct health_stats *
stats_of(const struct world *w)
{
	return health_stats(sm_health(w->sm));
}

/* The record of a port, by the name of its node. */
static const struct port_health *
port_of(const struct world *w, const char *name, unsigned port)
{
	uint32_t n = fabric_find(w->fabric, name);

	return health_port(sm_health(w->sm), w->fabric->node[n].guid, port);
}

static uint64_t
gained_by(const struct world *w, const char *name, unsigned port,
	enum port_health_kind k)
{
	const struct port_health *h = port_of(w, name, port);
	struct mono span;

	ck_assert_ptr_nonnull(h);
	return port_health_gained(h, PORT_HEALTH_HOUR, k, &span);
}

static void
count_more(struct world *w, const char *name, unsigned port,
	enum mad_perf_kind k, uint64_t n)
{
	uint32_t node = fabric_find(w->fabric, name);

	sim_hand_counter(
		w->sim, node, port, k, sim_counter(w->sim, node, port, k) + n);
}

static void
set_agent(struct world *w, const char *name, enum sim_perf_agent agent)
{
	uint32_t node = fabric_find(w->fabric, name);
	struct sim_behaviour b = *sim_behaviour(w->sim, node);

	b.perf = agent;
	sim_fault_behave(w->sim, node, &b);
}

/* Agents with room for two requests tell of each of their ports: no more come
 * at once than they have room for. */
TEST(agents_with_little_room)
{
	AUTO(fabric) struct fabric *f = shape_of("two:1:2:12");
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;

	o.sma_queue = 1;
	o.service = mono_us(300);
	w = world_new(f, &o, health_on);
	world_start(w);
	core_expect_order(w, "start");
	world_run(w, mono_ms(15000));
	ck_assert_uint_gt(stats_of(w)->ports, 0);
	ck_assert_uint_eq(stats_of(w)->read, stats_of(w)->ports);
}

TEST(off_by_default)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");

	ck_assert_uint_eq(stats_of(w)->asked, 0);
	ck_assert_ptr_null(port_of(w, "leaf1", 5));
	world_reload(w, health_on);
	world_run(w, mono_ms(15000));
	ck_assert_ptr_nonnull(port_of(w, "leaf1", 5));
	world_reload(w, "");
	world_run(w, mono_ms(15000));
	ck_assert_ptr_null(port_of(w, "leaf1", 5));
	ck_assert_uint_eq(stats_of(w)->asked, 0);
}

TEST(every_cabled_port_is_read_once_a_pass)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, health_on);
	struct health_stats first = *stats_of(w);

	/* 64 links; ClassPortInfo of 12 switches and 32 hosts, and once more
	 * where a second port was asked before the agent had answered */
	ck_assert_uint_ge(first.passes, 1);
	ck_assert_uint_eq(first.ports, 128);
	ck_assert_uint_eq(first.read, 128);
	ck_assert_uint_eq(first.unanswered, 0);
	ck_assert_uint_eq(first.alien, 0);
	world_run(w, mono_ms(60000));
	ck_assert_uint_eq(stats_of(w)->passes, first.passes + 6);
	ck_assert_uint_eq(stats_of(w)->asked, first.asked + 6 * 128);
}

TEST(counters_of_both_ends)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = NULL;
	struct port_health const *h;

	w = start_reading(f, "");
	set_agent(w, "spine1", SIM_PERF_WIDE);
	count_more(w, "leaf1", 5, MAD_PERF_SYMBOL_ERRORS, 60000);
	world_reload(w, health_on);
	world_run(w, mono_ms(15000));
	/* what was counted before is not counted now */
	ck_assert_uint_eq(
		gained_by(w, "leaf1", 5, PORT_HEALTH_SYMBOL_ERRORS), 0);
	count_more(w, "leaf1", 5, MAD_PERF_SYMBOL_ERRORS, 3);
	count_more(w, "spine1", 1, MAD_PERF_SYMBOL_ERRORS, 100000);
	count_more(w, "spine1", 1, MAD_PERF_XMIT_DISCARDS, 4);
	count_more(w, "h1", 1, MAD_PERF_XMIT_WAIT, 55);
	world_run(w, mono_ms(15000));
	ck_assert_uint_eq(
		gained_by(w, "leaf1", 5, PORT_HEALTH_SYMBOL_ERRORS), 3);
	ck_assert_uint_eq(
		gained_by(w, "spine1", 1, PORT_HEALTH_SYMBOL_ERRORS), 100000);
	ck_assert_uint_eq(gained_by(w, "spine1", 1, PORT_HEALTH_DISCARDS), 4);
	ck_assert_uint_eq(gained_by(w, "h1", 1, PORT_HEALTH_WAIT), 55);
	/* nothing was cleared */
	h = port_of(w, "leaf1", 5);
	ck_assert_uint_eq(h->count[MAD_PERF_SYMBOL_ERRORS], 60003);
	ck_assert_uint_eq(sim_counter(w->sim, fabric_find(f, "leaf1"), 5,
				  MAD_PERF_SYMBOL_ERRORS),
		60003);
}

/* Data in 64 bits costs a second request, unless errors come with it. */
TEST(data_if_wanted)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");
	uint64_t asked;

	set_agent(w, "leaf1", SIM_PERF_SHORT);
	sim_hand_counter(w->sim, leaf, 5, MAD_PERF_XMIT_DATA, 1ULL << 40);
	sim_hand_counter(w->sim, fabric_find(f, "leaf2"), 5, MAD_PERF_XMIT_DATA,
		1ULL << 40);
	world_reload(w,
		"health: {enabled: true, interval: 10s, port_metrics: true}\n");
	world_run(w, mono_ms(15000));
	ck_assert(port_of(w, "leaf1", 5)->count[MAD_PERF_XMIT_DATA] ==
		  UINT32_MAX);
	ck_assert(port_of(w, "leaf2", 5)->count[MAD_PERF_XMIT_DATA] >=
		  1ULL << 40);
	asked = stats_of(w)->asked;
	world_run(w, mono_ms(10000));
	ck_assert_uint_eq(stats_of(w)->asked, asked + 2 * 128 - 8);
}

/* No agent, or none that answers, is no fault, and is seldom asked. */
TEST(ports_without_an_agent)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");
	uint64_t asked;

	set_agent(w, "leaf1", SIM_PERF_REFUSES);
	set_agent(w, "leaf2", SIM_PERF_MUTE);
	set_agent(w, "h9", SIM_PERF_MUTE);
	world_reload(w, health_on);
	world_run(w, mono_ms(60000));
	ck_assert_ptr_null(port_of(w, "leaf1", 5));
	ck_assert_ptr_null(port_of(w, "leaf2", 5));
	ck_assert_ptr_nonnull(port_of(w, "leaf3", 5));
	ck_assert_uint_eq(stats_of(w)->read, 128 - 8 - 8 - 1);
	ck_assert_uint_eq(stats_of(w)->ports, 128);
	asked = stats_of(w)->unanswered + stats_of(w)->refused;
	world_run(w, mono_ms(160000));
	/* 16 passes: each is asked once more */
	ck_assert_uint_le(
		stats_of(w)->unanswered + stats_of(w)->refused - asked, 6);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 0);
	/* one that gets an agent is read again, in time */
	set_agent(w, "leaf1", SIM_PERF_EXTENDED);
	world_run(w, mono_ms(170000));
	ck_assert_ptr_nonnull(port_of(w, "leaf1", 5));
}

static enum sim_verdict
lose_counters(void *cookie, struct sim_msg *m)
{
	(void)cookie;
	return m->m.mad[1] == MAD_PERF ? SIM_DROP : SIM_PASS;
}

/* Nodes that were cut off from us are read again as soon as a link that is up
 * makes another topology. */
TEST(silent_nodes_are_asked_after_a_change)
{
	struct fabric *f = core_tree();
	struct world *w = start_reading(f, health_on);

	world_run(w, mono_ms(15000));
	ck_assert_uint_eq(stats_of(w)->read, 128);
	sim_set_hook(w->sim, lose_counters, NULL);
	world_run(w, mono_ms(30000));
	sim_set_hook(w->sim, NULL, NULL);
	world_run(w, mono_ms(10000));
	ck_assert_uint_lt(stats_of(w)->read, 128);
	sim_fault_link(w->sim, fabric_find(f, "h9"), 1, false);
	world_run(w, mono_ms(12000));
	ck_assert_uint_eq(stats_of(w)->read, 126);
	core_end(w, f);
}

TEST(a_link_turns_bad_and_good)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, health_on);
	const char *text;

	/* 200 Gb/s: 720 errors an hour */
	count_more(w, "leaf1", 5, MAD_PERF_SYMBOL_ERRORS, 720);
	world_run(w, mono_ms(10000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 0);
	count_more(w, "leaf1", 5, MAD_PERF_SYMBOL_ERRORS, 1);
	world_run(w, mono_ms(30000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 1);
	text = core_event(w, EVENT_LINK_BAD);
	ck_assert_ptr_nonnull(strstr(text, "link: bad \"leaf1\""));
	ck_assert_ptr_nonnull(strstr(text, "721 symbol errors in an hour"));
	/* an hour and ten minutes later nothing is wrong any more */
	world_run(w, mono_ms(3500 * 1000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_GOOD), 0);
	world_run(w, mono_ms(900 * 1000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_GOOD), 1);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 1);
}

TEST(a_link_that_flaps_is_bad)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, health_on);
	uint32_t leaf = fabric_find(f, "leaf1");

	for (int i = 0; i < 2; i++) {
		sim_fault_link(w->sim, leaf, 5, false);
		world_run(w, mono_ms(20000));
		sim_fault_link(w->sim, leaf, 5, true);
		world_run(w, mono_ms(20000));
	}
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 0);
	sim_fault_link(w->sim, leaf, 5, false);
	world_run(w, mono_ms(20000));
	sim_fault_link(w->sim, leaf, 5, true);
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 1);
	/* ten minutes later it is not bad any more; ten more, and it is good */
	world_run(w, mono_ms(900 * 1000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_GOOD), 0);
	world_run(w, mono_ms(600 * 1000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_GOOD), 1);
}

TEST(resets_and_reboots_are_no_errors)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");

	for (unsigned k = MAD_PERF_FLOWS; k < MAD_PERF_KINDS; k++)
		count_more(w, "leaf1", 5, (enum mad_perf_kind)k, 250);
	world_reload(w, health_on);
	world_run(w, mono_ms(15000));
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		sim_hand_counter(w->sim, leaf, 5, (enum mad_perf_kind)k, 0);
	world_run(w, mono_ms(15000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 0);
	ck_assert_uint_eq(gained_by(w, "leaf1", 5, PORT_HEALTH_DOWNED), 0);
	ck_assert_uint_eq(port_of(w, "leaf1", 5)->resets, 1);
}

/* While tables are written nothing is asked. */
TEST(nothing_is_asked_while_a_run_goes_on)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, health_on);
	uint64_t asked;
	struct sm_status s;

	w->route_delay = mono_ms(60000);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(2000));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.phase, SM_ROUTE);
	asked = stats_of(w)->asked;
	world_run(w, mono_ms(50000));
	ck_assert_uint_eq(stats_of(w)->asked, asked);
	w->route_delay = mono_ms(0);
	world_run(w, mono_ms(30000));
	ck_assert_uint_gt(stats_of(w)->asked, asked);
}

/* The most requests that are sent in any second. */
struct pace {
	int64_t second;
	unsigned n, most;
};

static enum sim_verdict
count_pace(void *cookie, struct sim_msg *m)
{
	struct pace *p = cookie;

	if (m->where != SIM_AT_SMA || m->m.mad[1] != MAD_PERF)
		return SIM_PASS;
	if (m->now.ns / 1000000000 != p->second)
		p->n = 0;
	p->second = m->now.ns / 1000000000;
	p->most = ++p->n > p->most ? p->n : p->most;
	return SIM_PASS;
}

/* 648 hosts: 2592 ports, whatever the interval is. */
TEST(the_pace_is_kept)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	AUTO(world)
	struct world *w =
		core_start(f, "health: {enabled: true, interval: 1s}\n");
	struct pace pace = {.second = -1};

	sim_set_hook(w->sim, count_pace, &pace);
	core_expect_order(w, "start");
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(stats_of(w)->ports, 2592);
	ck_assert_uint_eq(stats_of(w)->read, 2592);
	ck_assert_uint_le(pace.most, HEALTH_RATE + 8);
	ck_assert_uint_ge(pace.most, HEALTH_RATE / 2);
}

static enum sim_verdict
spoil_answer(void *cookie, struct sim_msg *m)
{
	unsigned *n = cookie;

	if (m->where != SIM_AT_ENDPOINT || m->m.mad[1] != MAD_PERF)
		return SIM_PASS;
	if (*n % 5 < 4)
		m->m.mad[68] = 0xee; /* many symbol errors */
	switch ((*n)++ % 5) {
	case 0:
		m->m.mad[15] ^= 1; /* TID */
		break;
	case 1:
		m->m.mad[17] ^= 1; /* attribute */
		break;
	case 2:
		m->m.mad[65] ^= 1; /* PortSelect */
		break;
	case 3:
		m->m.addr.lid ^= 1;
		break;
	default:
		break;
	}
	return SIM_PASS;
}

TEST(answers_to_nothing_are_dropped)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, health_on);
	unsigned n = 0;

	count_more(w, "leaf1", 5, MAD_PERF_SYMBOL_ERRORS, 9);
	sim_set_hook(w->sim, spoil_answer, &n);
	world_run(w, mono_ms(60000));
	ck_assert_uint_gt(stats_of(w)->alien, 100);
	sim_set_hook(w->sim, NULL, NULL);
	world_run(w, mono_ms(170000));
	ck_assert_uint_eq(stats_of(w)->read, 128);
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 0);
}

/* Nodes that left are forgotten; what came is read. */
TEST(nodes_go_and_come)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, health_on);
	uint32_t spine = fabric_find(f, "spine1");

	sim_fault_node(w->sim, spine, false);
	world_run(w, mono_ms(40000));
	ck_assert_ptr_null(port_of(w, "spine1", 1));
	ck_assert_ptr_nonnull(port_of(w, "spine2", 1));
	sim_fault_node(w->sim, spine, true);
	world_run(w, mono_ms(40000));
	ck_assert_ptr_nonnull(port_of(w, "spine1", 1));
	ck_assert_ptr_nonnull(port_of(w, "h32", 1));
}

/* Requests take the SL of the layer of their path. */
TEST(ports_of_a_torus)
{
	AUTO(fabric) struct fabric *f = shape_of("torus:4x4x4");
	AUTO(world)
	struct world *w =
		core_start(f, "health: {enabled: true, interval: 10s}\n"
			      "routing: {engines: [nue]}\n");

	ck_assert(world_settle(w, mono_ms(60000)));
	world_run(w, mono_ms(15000));
	ck_assert_str_eq(sm_view(w->sm)->story.engine, "nue");
	ck_assert_uint_gt(sm_view(w->sm)->routes->layers.n, 1);
	ck_assert_uint_eq(stats_of(w)->read, 64 * 6 + 2 * 64);
	ck_assert_uint_eq(stats_of(w)->unanswered, 0);
}

/* ---- what is told ---- */

/* ---- error correction ---- */

static void
set_fec(struct world *w, const char *name, bool fec)
{
	uint32_t node = fabric_find(w->fabric, name);
	struct sim_behaviour b = *sim_behaviour(w->sim, node);

	b.fec = fec;
	sim_fault_behave(w->sim, node, &b);
}

static struct mad_perf_fec *
fec_of(const struct world *w, const char *name, unsigned port)
{
	return sim_fec(w->sim, fabric_find(w->fabric, name), port);
}

/* The raw bit error ratio of an hour; below 0: it is not known. */
static double
raw_ber(const struct world *w, const char *name, unsigned port)
{
	const struct topo *t = sm_view(w->sm)->topo;
	const struct fabric_node *of =
		&w->fabric->node[fabric_find(w->fabric, name)];
	port_ix p = topo_port_of(t, topo_by_node_guid(t, of->guid), port);
	double ber;

	return link_verdict_raw_ber(
		       port_of(w, name, port), t, p, PORT_HEALTH_HOUR, &ber)
		       ? ber
		       : -1;
}

/* Only agents that have them are asked, after the errors of all ports. */
TEST(counters_of_fec)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");
	struct health_stats was;

	set_fec(w, "leaf1", true);
	set_fec(w, "h9", true);
	fec_of(w, "leaf1", 5)->corrected_symbols = 1000;
	world_reload(w, health_on);
	world_run(w, mono_ms(15000));
	was = *stats_of(w);
	ck_assert_uint_eq(was.fec_read, 8 + 1);
	fec_of(w, "leaf1", 5)->corrected_symbols += 400000;
	fec_of(w, "leaf1", 5)->uncorrectable_blocks += 2;
	world_run(w, mono_ms(10000));
	ck_assert_uint_eq(stats_of(w)->asked, was.asked + 128 + 9);
	/* 200 Gb/s for 20 s */
	ck_assert_double_eq_tol(raw_ber(w, "leaf1", 5), 400002 / 4e12, 1e-9);
	ck_assert_double_lt(raw_ber(w, "leaf1", 6), 0); /* zeroes */
	ck_assert_double_lt(raw_ber(w, "leaf2", 5), 0); /* no counters */
}

/* Links of EDR: no capability tells of the counters, and what has none refuses
 * once for a node. */
TEST(counters_of_fec_at_edr)
{
	struct fabric *f = core_tree();
	struct world *w;
	struct health_stats was;

	for (uint32_t i = 0; i < f->ncables; i++)
		f->cable[i].rate.speed_ext = PORT_EDR;
	w = start_reading(f, "");
	set_fec(w, "leaf1", true);
	fec_of(w, "leaf1", 5)->lane_corrected[1] = 1000;
	world_reload(w, health_on);
	world_run(w, mono_ms(15000));
	was = *stats_of(w);
	ck_assert_uint_eq(was.fec_read, 8);
	ck_assert_uint_ge(was.refused, 43); /* nodes; more while in flight */
	fec_of(w, "leaf1", 5)->lane_corrected[1] += 400000;
	fec_of(w, "leaf1", 5)->lane_uncorrectable[2] += 2;
	world_run(w, mono_ms(10000));
	ck_assert_uint_eq(stats_of(w)->asked, was.asked + 128 + 8);
	ck_assert_uint_eq(stats_of(w)->refused, was.refused);
	/* 100 Gb/s for 20 s */
	ck_assert_double_eq_tol(raw_ber(w, "leaf1", 5), 400002 / 2e12, 1e-9);
	ck_assert_double_lt(raw_ber(w, "leaf1", 6), 0); /* zeroes */
	ck_assert_double_lt(raw_ber(w, "leaf2", 5), 0); /* no counters */
	/* one that has learnt them is found */
	set_fec(w, "leaf2", true);
	world_run(w, mono_ms(160000));
	ck_assert_uint_eq(stats_of(w)->fec_read, 16);
	core_end(w, f);
}

/* One that refuses them after all is not asked again, and has the others. */
TEST(counters_of_fec_are_refused)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");
	struct health_stats was;

	set_fec(w, "leaf1", true);
	world_reload(w, health_on);
	world_run(w, mono_ms(12000));
	ck_assert_uint_eq(stats_of(w)->fec_read, 8);
	set_fec(w, "leaf1", false);
	world_run(w, mono_ms(10000));
	was = *stats_of(w);
	ck_assert_uint_gt(was.refused, 0);
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(stats_of(w)->refused, was.refused);
	ck_assert_uint_eq(stats_of(w)->read, 128);
}

TEST(too_much_is_corrected)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_reading(f, "");

	set_fec(w, "leaf1", true);
	fec_of(w, "leaf1", 5)->corrected_symbols = 1000;
	world_reload(w,
		"health: {enabled: true, interval: 10s, raw_ber_limit: 6}\n");
	world_run(w, mono_ms(15000));
	fec_of(w, "leaf1", 5)->corrected_symbols += 719999000;
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 0);
	fec_of(w, "leaf1", 5)->corrected_symbols += 1001;
	world_run(w, mono_ms(20000));
	ck_assert_uint_eq(count_of(w, EVENT_LINK_BAD), 1);
	ck_assert_ptr_nonnull(strstr(core_event(w, EVENT_LINK_BAD),
		"errors per bit before correction"));
}

/* 2592 ports in passes that follow at once: FEC counters get a quarter of the
 * time, and the errors of all ports are read as often as that allows. */
TEST(fec_does_not_delay_passes)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	AUTO(world) struct world *w = core_start(f, "");
	struct pace pace = {.second = -1};

	core_expect_order(w, "start");
	for (uint32_t n = 0; n < f->nnodes; n++)
		set_fec(w, f->node[n].name, true);
	sim_set_hook(w->sim, count_pace, &pace);
	world_reload(w, "health: {enabled: true, interval: 1s}\n");
	world_run(w, mono_ms(40000));
	ck_assert_uint_eq(stats_of(w)->read, 2592);
	ck_assert_uint_eq(stats_of(w)->fec_read, 2592);
	ck_assert_uint_ge(stats_of(w)->passes, 28);
	ck_assert_uint_le(pace.most, HEALTH_RATE + 8);
}

static json_t *
list_links(const struct world *w, struct links_ask ask)
{
	const struct links_facts f = {
		.t = sm_view(w->sm)->topo,
		.health = sm_health(w->sm),
		.limits = sm_link_limits(w->sm),
		.now = sim_now(w->sim),
	};

	return links_json(&f, &ask);
}

/* The leaves of the links that are listed, in their order. */
static void
expect_listed(const struct world *w, struct links_ask ask, const char *leaves)
{
	json_t *j = list_links(w, ask), *l;
	AUTO(buf) struct buf is = {0};
	size_t i;

	json_array_foreach(json_object_get(j, "links"), i, l)
	{
		const json_t *ends = json_object_get(l, "ends");

		for (size_t k = 0; k < 2; k++) {
			const char *name =
				json_util_text(json_array_get(ends, k), "name");

			if (strncmp(name, "leaf", 4) == 0)
				buf_printf(&is, "%s ", name);
		}
	}
	ck_assert_str_eq(is.text != NULL ? is.text : "", leaves);
	ck_assert_int_eq(json_util_num(j, "of"), 64);
	ck_assert_int_eq(json_util_num(j, "found"), (long long)i);
	json_decref(j);
}

TEST(the_worst_is_listed_first)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = NULL;
	json_t *all, *j;

	f->cable[fabric_port(f, fabric_find(f, "leaf4"), 6)->cable].rate.width =
		PORT_WIDTH_1X;
	w = start_reading(f, health_on);
	expect_listed(w, (struct links_ask){.errors = true}, "");
	expect_listed(w, (struct links_ask){.slow = true}, "leaf4 ");
	count_more(w, "spine1", 2, MAD_PERF_SYMBOL_ERRORS, 1000);
	count_more(w, "leaf3", 5, MAD_PERF_XMIT_DISCARDS, 20000);
	count_more(w, "leaf5", 5, MAD_PERF_RCV_ERRORS, 30000);
	count_more(w, "leaf6", 5, MAD_PERF_XMIT_WAIT, 40000);
	world_run(w, mono_ms(15000));
	expect_listed(
		w, (struct links_ask){.errors = true}, "leaf2 leaf5 leaf3 ");
	expect_listed(w, (struct links_ask){.bad = true}, "leaf2 leaf4 ");
	all = list_links(w, (struct links_ask){.slow = true});
	j = json_array_get(json_object_get(all, "links"), 0);
	ck_assert_str_eq(json_util_text(j, "width"), "1x");
	ck_assert_str_eq(json_util_text(j, "best_width"), "4x");
	ck_assert_str_eq(json_util_text(j, "speed"), "HDR");
	ck_assert_str_eq(json_util_text(j, "best_speed"), "HDR");
	ck_assert(json_util_real(j, "best") > 199);
	ck_assert(!json_util_yes(j, "bad"));
	json_decref(all);
}

const struct suite_around suite_around = {.seconds = 600};
