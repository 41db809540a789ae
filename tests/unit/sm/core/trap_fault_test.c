/*
 * Traps about faults: which port is named, what is counted, and that they cost
 * the fabric nothing.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/log.h"
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
	ck_assert_str_eq(s.alarm, "");
}

START_TEST(a_link_with_errors)
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
	struct fabric *f = core_tree();
	struct world *w = start_resting(f);
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
	core_end(w, f);
}
END_TEST

START_TEST(a_packet_with_a_wrong_key)
{
	struct fabric *f = core_tree();
	struct world *w = start_resting(f);
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
	core_end(w, f);
}
END_TEST

/* A source that never ends counts as far as it is heard, and reads nothing. */
START_TEST(a_flood_of_faults)
{
	struct fabric *f = core_tree();
	struct world *w = start_resting(f);
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
	core_end(w, f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("trap_fault");
	TCase *t = tcase_create("core");

	log_set_level(LOG_LEVEL_ERROR);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_link_with_errors);
	tcase_add_test(t, a_packet_with_a_wrong_key);
	tcase_add_test(t, a_flood_of_faults);
	suite_add_tcase(s, t);
	return suite_run(s);
}
