/*
 * Traps about faults: which port is named, what is counted, and that they cost
 * the fabric nothing.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { TRAPS = 1000 };

/* A trap from a LID about a port of a switch, each with another TID. */
static void
inject_trap(struct world *w, uint16_t from, uint16_t trap, uint16_t about,
	uint8_t port)
{
	static uint64_t tid;
	struct mad_notice n = {
		.generic = true,
		.type = 1,
		.producer = 2,
		.trap = trap,
		.issuer_lid = from,
		.data_lid = about,
		.data_port = port,
	};
	struct smp m = {.mgmt_class = MAD_SUBN_LID,
		.method = MAD_TRAP,
		.attr = MAD_NOTICE,
		.tid = ++tid};
	struct transport_msg msg = {.len = MAD_SIZE, .addr.lid = from};

	mad_notice_encode(&n, m.data);
	smp_encode(&m, msg.mad);
	sim_inject(w->ep, &msg, mono_ms(1));
}

static uint16_t
lid_of(const struct world *w, const char *name, unsigned port)
{
	return sim_port_info(w->sim, fabric_find(w->fabric, name), port)->lid;
}

static void
ignore_message(void *cookie, const struct transport_msg *m, struct mono now)
{
	(void)cookie;
	(void)m;
	(void)now;
}

/* A host sends a Set with a wrong M_Key to a LID. */
static void
send_wrong_key(struct world *w, const char *host, uint16_t to)
{
	struct sim_endpoint *ep = sim_attach(
		w->sim, fabric_find(w->fabric, host), 1, ignore_message, NULL);
	struct smp q = {.mgmt_class = MAD_SUBN_LID,
		.method = MAD_SET,
		.attr = MAD_NODE_DESC,
		.tid = 1,
		.mkey = 0xbad};
	struct transport_msg m = {.len = MAD_SIZE, .addr.lid = to};

	smp_encode(&q, m.mad);
	sim_send(ep, &m);
}

/* Up, with names read, and at rest. */
static struct world *
start_resting(const struct fabric *f)
{
	struct world *w = core_start(f, "sweep:\n  interval: 0\n");

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(5000));
	sim_clear_stats(w->sim);
	return w;
}

static void
expect_text(const struct world *w, const char *text)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	ck_assert_str_eq(s.fault, text);
	ck_assert_uint_gt(w->nevents, 0);
	ck_assert_str_eq(w->event[w->nevents - 1].text, text);
	ck_assert_str_eq(s.alarm, "");
}

TEST(a_link_with_errors)
{
	static const struct {
		uint16_t trap;
		enum sm_fault kind;
		const char *text;
	} all[] = {
		{129, SM_FAULT_LINK_ERRORS,
			"errors of the link reached the threshold"},
		{130, SM_FAULT_OVERRUNS,
			"buffer overruns reached the threshold"},
		{131, SM_FAULT_FLOW_CONTROL,
			"flow control updates of the link are missing"},
	};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_resting(f);
	uint16_t lid = lid_of(w, "leaf3", 0);
	struct sm_status s;
	char text[160];

	for (size_t i = 0; i < 3; i++) {
		inject_trap(w, lid, all[i].trap, lid, 2);
		world_run(w, mono_ms(2000));
		(void)snprintf(text, sizeof(text),
			"trap %u from \"leaf3\" port 2 lid %u: %s", all[i].trap,
			lid, all[i].text);
		expect_text(w, text);
		sm_status(w->sm, &s);
		ck_assert_uint_eq(s.faults[all[i].kind], 1);
	}
	/* but for the repress of each, not one request */
	ck_assert_uint_eq(sim_stats(w->sim)->smps, 3);
}

TEST(a_port_that_reports_a_change)
{
	static const struct {
		uint16_t trap;
		const char *change;
	} all[] = {{144, "capabilities, name or link settings"},
		{145, "another system image GUID"}};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_resting(f);
	uint16_t lid = lid_of(w, "leaf3", 0);
	char text[160];

	for (size_t i = 0; i < LEN(all); i++) {
		inject_trap(w, lid, all[i].trap, lid, 0);
		world_run(w, mono_ms(2000));
		(void)snprintf(text, sizeof(text),
			"trap %u from leaf3 lid %u: %s", all[i].trap, lid,
			all[i].change);
		ck_assert_str_eq(core_event(w, EVENT_PORT_CHANGE), text);
	}
}

TEST(a_packet_with_a_wrong_key)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_resting(f);
	uint16_t h5 = lid_of(w, "h5", 1), h9 = lid_of(w, "h9", 1);
	struct sim_bad_key bad = {.slid = h5, .dlid = h9, .key = 0x8123};
	struct sm_status s;
	char text[320];

	sim_bad_key(w->sim, fabric_find(f, "h9"), 1, &bad);
	world_run(w, mono_ms(2000));
	(void)snprintf(text, sizeof(text),
		"trap 257 from \"h9\" port 1 lid %u: a packet from \"h5\" port "
		"1 lid %u to \"h9\" port 1 lid %u has a wrong P_Key 0x8123",
		h9, h5, h9);
	expect_text(w, text);
	bad.qkey = true;
	bad.key = 0xb1b;
	bad.slid = 40000;
	sim_bad_key(w->sim, fabric_find(f, "h9"), 1, &bad);
	world_run(w, mono_ms(2000));
	(void)snprintf(text, sizeof(text),
		"trap 258 from \"h9\" port 1 lid %u: a packet from lid 40000 "
		"(of "
		"no port here) to \"h9\" port 1 lid %u has a wrong "
		"Q_Key 0xb1b",
		h9, h9);
	expect_text(w, text);
	bad.qkey = false;
	bad.slid = h5;
	bad.inbound = true;
	sim_bad_key(w->sim, fabric_find(f, "leaf2"), 1, &bad);
	world_run(w, mono_ms(2000));
	(void)snprintf(text, sizeof(text),
		"trap 259 from \"leaf2\" port 1 lid %u: a packet from \"h5\" "
		"port 1 lid %u to \"h9\" port 1 lid %u has a wrong P_Key 0xb1b",
		lid_of(w, "leaf2", 0), h5, h9);
	expect_text(w, text);
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.faults[SM_FAULT_P_KEY], 1);
	ck_assert_uint_eq(s.faults[SM_FAULT_Q_KEY], 1);
	ck_assert_uint_eq(s.faults[SM_FAULT_SWITCH_P_KEY], 1);
}

/* TrapRepresses that carry an M_Key, and those that carry none. */
struct represses {
	unsigned with, without;
};

static enum sim_verdict
count_represses(void *cookie, struct sim_msg *m)
{
	struct represses *r = cookie;
	struct smp s;

	if (m->where != SIM_AT_SMA ||
		smp_decode(m->m.mad, m->m.len, &s, NULL) != 0 ||
		s.method != MAD_TRAP_REPRESS)
		return SIM_PASS;
	r->with += s.mkey != 0;
	r->without += s.mkey == 0;
	return SIM_PASS;
}

/*
 * Trap 256 is counted and named, and a flood of it costs no request.
 */
TEST(a_request_with_a_wrong_m_key)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		core_start(f, "fabric: {m_key: 0x1111, m_key_lease: 0}\n"
			      "sweep: {interval: 0}\n");
	struct represses heard = {0};
	struct sm_status s;
	char text[320];
	uint16_t h5, h9;

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(5000));
	sim_clear_stats(w->sim);
	h5 = lid_of(w, "h5", 1);
	h9 = lid_of(w, "h9", 1);
	send_wrong_key(w, "h9", h5);
	world_run(w, mono_ms(2000));
	(void)snprintf(text, sizeof(text),
		"trap 256 from \"h5\" port 1 lid %u: a Set of attribute 0x0010 "
		"by \"h9\" port 1 lid %u has a wrong M_Key",
		h5, h9);
	expect_text(w, text);
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.faults[SM_FAULT_M_KEY], 1);
	sim_clear_stats(w->sim);
	for (int i = 0; i < TRAPS; i++)
		inject_trap(
			w, i % 2 == 0 ? h5 : (uint16_t)(40000 + i), 256, 0, 0);
	sim_set_hook(w->sim, count_represses, &heard);
	world_run(w, mono_ms(5000));
	/* represses, those to known LIDs; and nothing else */
	ck_assert_uint_eq(sim_stats(w->sim)->smps, TRAPS / 2);
	ck_assert_uint_eq(heard.with, TRAPS / 2);
	ck_assert_uint_eq(heard.without, 0);
}

/* A source that never ends counts as far as it is heard, and reads nothing. */
TEST(a_flood_of_faults)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_resting(f);
	struct sm_status s;

	for (int i = 0; i < TRAPS; i++)
		inject_trap(w, lid_of(w, "leaf3", 0), 129,
			(uint16_t)(40000 + i), (uint8_t)i);
	world_run(w, mono_ms(5000));
	sm_status(w->sm, &s);
	ck_assert_uint_ge(s.faults[SM_FAULT_LINK_ERRORS], 1);
	ck_assert_uint_eq(s.faults[SM_FAULT_LINK_ERRORS] + s.traps_refused +
				  s.traps_repeated,
		TRAPS);
	ck_assert_uint_eq(sim_stats(w->sim)->smps, TRAPS); /* represses */
	ck_assert_ptr_nonnull(strstr(s.fault, "of no port here"));
}
