/*
 * Properties that differ between simulated nodes: counters, vendor attributes,
 * notes of the fabric file, faults.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/mad_perf.h"
#include "sm/mad/mad_vendor.h"
#include "tests/sim/model/mad_nvidia_port.h"
#include "tests/sim/model/sim_hops.h"
#include "tests/sim/model/sim_int.h"
#include "tests/sim/model/smp_bench.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { SECOND = 1000 };

static void
run_ms(struct bench *b, int64_t ms)
{
	sim_run_until(b->s, mono_add(sim_now(b->s), mono_ms(ms)));
}

static uint32_t
find_node(const struct bench *b, const char *name)
{
	return fabric_find(b->f, name);
}

/* ---- counters ---- */

/* Asks the performance agent at a LID; the answer's payload, or NULL. */
static const uint8_t *
ask_perf(struct bench *b, uint16_t lid, uint8_t method, uint16_t attr,
	const uint8_t *payload)
{
	struct transport_msg m = {.addr.lid = lid, .len = MAD_SIZE};
	struct transport *t = sim_transport(b->e);

	m.mad[0] = 1;
	m.mad[1] = MAD_PERF;
	m.mad[2] = 1;
	m.mad[3] = method;
	be_put32(m.mad + 12, ++b->tid);
	be_put16(m.mad + 16, attr);
	memcpy(m.mad + MAD_PERF_AT, payload, MAD_PERF_SIZE);
	memset(&b->raw, 0, sizeof(b->raw));
	ck_assert_int_eq(t->send(t, &m), 0);
	run_ms(b, 1);
	if (b->raw.len != MAD_SIZE || b->raw.mad[3] != MAD_GET_RESP)
		return NULL;
	ck_assert_uint_eq(be_get32(b->raw.mad + 12), b->tid);
	return b->raw.mad + MAD_PERF_AT;
}

static struct mad_perf_counters
read_counters(struct bench *b, uint16_t lid, uint8_t port)
{
	struct mad_perf_counters c = {.port = port};
	uint8_t d[MAD_PERF_SIZE];
	const uint8_t *a;

	mad_perf_counters_encode(&c, d);
	a = ask_perf(b, lid, MAD_GET, MAD_PERF_COUNTERS, d);
	ck_assert_ptr_nonnull(a);
	ck_assert_uint_eq(be_get16(b->raw.mad + 4), 0);
	mad_perf_counters_decode(a, &c);
	return c;
}

TEST(counters)
{
	struct sim_options o = sim_defaults();
	struct bench b;
	struct mad_perf_counters c;
	uint8_t d[MAD_PERF_SIZE] = {0};

	o.sma_queue = 2;
	o.service = mono_ms(1);
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	smp_bench_configure(&b);
	/* performance MADs are data: links must be Active */
	ck_assert_ptr_null(ask_perf(&b, 2, MAD_GET, MAD_PERF_CLASS_INFO, d));
	sim_activate_all(b.s);
	ck_assert_ptr_null(ask_perf(&b, 2, MAD_GET, MAD_PERF_CLASS_INFO, d));
	run_ms(&b, 20); /* the answer came late: service takes 1 ms */
	ck_assert_uint_eq(b.raw.mad[3], MAD_GET_RESP);
	ck_assert_uint_eq(be_get16(b.raw.mad + MAD_PERF_AT + 2), 0x1300);
	smp_bench_free(&b);

	o = sim_defaults();
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_activate_all(b.s);
	/* sw1 is read twice: the second time the first request counts */
	(void)read_counters(&b, 3, 2);
	c = read_counters(&b, 3, 2);
	ck_assert_uint_eq(c.count[MAD_PERF_RCV_PACKETS], 2);
	ck_assert_uint_eq(c.count[MAD_PERF_XMIT_PACKETS], 1);
	ck_assert_uint_eq(c.count[MAD_PERF_RCV_DATA], 2 * 72);
	/* a link bounces: counted at both ends; port 1 leads to h2 */
	sim_fault_link(b.s, find_node(&b, "h2"), 1, false);
	sim_fault_link(b.s, find_node(&b, "h2"), 1, true);
	ck_assert_uint_eq(
		read_counters(&b, 3, 1).count[MAD_PERF_LINK_DOWNED], 1);
	/* the link is in Init: packets for it are discarded */
	ck_assert_ptr_null(ask_perf(&b, 4, MAD_GET, MAD_PERF_CLASS_INFO, d));
	ck_assert_uint_eq(
		read_counters(&b, 3, 1).count[MAD_PERF_XMIT_DISCARDS], 1);
	/* no entry: a relay error at the in-port */
	ck_assert_ptr_null(ask_perf(&b, 99, MAD_GET, MAD_PERF_CLASS_INFO, d));
	ck_assert_uint_eq(
		read_counters(&b, 2, 1).count[MAD_PERF_RCV_RELAY_ERRORS], 1);
	ck_assert_uint_eq(
		read_counters(&b, 3, 255).count[MAD_PERF_XMIT_DISCARDS], 1);
	/* a Set writes what is selected */
	c = (struct mad_perf_counters){.port = 1, .select = 1 << 2};
	mad_perf_counters_encode(&c, d);
	ck_assert_ptr_nonnull(ask_perf(&b, 3, MAD_SET, MAD_PERF_COUNTERS, d));
	c = read_counters(&b, 3, 1);
	ck_assert_uint_eq(c.count[MAD_PERF_LINK_DOWNED], 0);
	ck_assert_uint_eq(c.count[MAD_PERF_XMIT_DISCARDS], 1);
	/* a port that does not exist, an attribute that does not exist */
	c.port = 9;
	mad_perf_counters_encode(&c, d);
	ck_assert_ptr_nonnull(ask_perf(&b, 3, MAD_GET, MAD_PERF_COUNTERS, d));
	ck_assert_uint_eq(be_get16(b.raw.mad + 4), 0x1c);
	ck_assert_ptr_nonnull(ask_perf(&b, 3, MAD_GET, 0x10, d));
	ck_assert_uint_eq(be_get16(b.raw.mad + 4), 0x0c);
	ck_assert_ptr_nonnull(ask_perf(&b, 3, 3, MAD_PERF_COUNTERS, d));
	ck_assert_uint_eq(be_get16(b.raw.mad + 4), 0x08);
	smp_bench_free(&b);
}

TEST(extended_counters)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_perf_counters x = {.port = 2, .select = 0xff};
	uint8_t d[MAD_PERF_SIZE];
	const uint8_t *a;

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_activate_all(b.s);
	x.count[1] = 0xfffffffffULL; /* more than 32 bits */
	mad_perf_extended_encode(&x, d);
	a = ask_perf(&b, 3, MAD_SET, MAD_PERF_COUNTERS_EXT, d);
	ck_assert_ptr_nonnull(a);
	mad_perf_extended_decode(a, &x);
	ck_assert_uint_eq(x.count[1], 0xfffffffffULL);
	ck_assert_uint_eq(x.count[3], 0);
	/* the short counters stop at their maximum */
	ck_assert_uint_eq(
		read_counters(&b, 3, 2).count[MAD_PERF_RCV_DATA], UINT32_MAX);
	a = ask_perf(&b, 3, MAD_GET, MAD_PERF_COUNTERS_EXT, d);
	ck_assert_ptr_nonnull(a);
	mad_perf_extended_decode(a, &x);
	ck_assert_uint_eq(x.count[1], 0xfffffffffULL + 2 * 72);
	ck_assert_uint_eq(x.count[5], 2);
}

/* What an agent says that it knows is what it answers. */
TEST(agents_of_all_kinds)
{
	static const struct {
		enum sim_perf_agent agent;
		uint16_t info, capmask, counters, extended;
		uint8_t capmask2;
	} row[] = {
		{SIM_PERF_EXTENDED, 0, 0x1300, 0, 0, 0},
		{SIM_PERF_WIDE, 0, 0x1300, 0, 0, 2},
		{SIM_PERF_SHORT, 0, 0x1100, 0, 0x0c, 0},
		{SIM_PERF_REFUSES, 0x0c, 0, 0x0c, 0x0c, 0},
	};
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	uint32_t node = find_node(&b, "sw1");
	struct mad_perf_counters c = {.port = 2};
	struct sim_behaviour how = {.perf = SIM_PERF_MUTE};
	uint8_t d[MAD_PERF_SIZE];

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_activate_all(b.s);
	sim_hand_counter(b.s, node, 2, MAD_PERF_SYMBOL_ERRORS, 70007);
	mad_perf_extended_encode(&c, d);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct mad_perf_class_info info;
		const uint8_t *a;

		how.perf = row[i].agent;
		sim_fault_behave(b.s, node, &how);
		a = ask_perf(&b, 3, MAD_GET, MAD_PERF_CLASS_INFO, d);
		ck_assert_uint_eq(be_get16(b.raw.mad + 4), row[i].info);
		mad_perf_class_info_decode(a, &info);
		ck_assert(row[i].info != 0 || info.capmask == row[i].capmask);
		ck_assert(row[i].info != 0 || info.capmask2 == row[i].capmask2);
		a = ask_perf(&b, 3, MAD_GET, MAD_PERF_COUNTERS, d);
		ck_assert_uint_eq(be_get16(b.raw.mad + 4), row[i].counters);
		mad_perf_counters_decode(a, &c);
		ck_assert(row[i].counters != 0 ||
			  c.count[MAD_PERF_SYMBOL_ERRORS] == 0xffff);
		a = ask_perf(&b, 3, MAD_GET, MAD_PERF_COUNTERS_EXT, d);
		ck_assert_uint_eq(be_get16(b.raw.mad + 4), row[i].extended);
		mad_perf_extended_decode(a, &c);
		ck_assert(row[i].extended != 0 ||
			  c.count[MAD_PERF_SYMBOL_ERRORS] ==
				  (row[i].capmask2 != 0 ? 70007U : 0U));
	}
	how.perf = SIM_PERF_MUTE;
	sim_fault_behave(b.s, node, &how);
	ck_assert_ptr_null(ask_perf(&b, 3, MAD_GET, MAD_PERF_COUNTERS, d));
	ck_assert_uint_eq(
		sim_counter(b.s, node, 2, MAD_PERF_SYMBOL_ERRORS), 70007);
}

/* ---- notes of a fabric file ---- */

static struct bench
bench_noted(bool fixed)
{
	struct fabric *f = smp_bench_line();

	f->node[fabric_find(f, "sw0")].attrs = (struct fabric_attrs){
		.has_role = true,
		.role_fixed = fixed,
		.role = MAD_ROLE_LEAF,
		.level = 0,
		.plane = 2,
		.pod = 3,
		.index = 4,
		.ar = true,
		.groups = 16,
		.sub_groups = 2,
	};
	return smp_bench_new(f, NULL);
}

TEST(a_role_is_read_and_changed)
{
	struct bench b = bench_noted(false);
	struct mad_role r;

	smp_bench_attach(&b);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert_int_eq(mad_role_decode(b.last.data, &r, NULL), 0);
	ck_assert_uint_eq(r.role, MAD_ROLE_LEAF);
	ck_assert_uint_eq(r.level, 0);
	ck_assert_uint_eq(r.plane, 2);
	ck_assert_uint_eq(r.pod, 3);
	ck_assert_uint_eq(r.index, 4);
	ck_assert_uint_eq(r.flags, MAD_ROLE_CAN_SET);
	ck_assert_uint_eq(r.generation, 0);
	r.role = MAD_ROLE_ROOT;
	r.flags = MAD_ROLE_UP_VALID | MAD_ROLE_NVRAM;
	r.up[0] = 4;
	r.owner = 0xabc;
	r.generation = 77;
	mad_role_encode(&r, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert_int_eq(mad_role_decode(b.last.data, &r, NULL), 0);
	ck_assert_uint_eq(r.role, MAD_ROLE_ROOT);
	ck_assert_uint_eq(r.flags, MAD_ROLE_CAN_SET | MAD_ROLE_UP_VALID);
	ck_assert_uint_eq(r.generation, 1); /* one more, whatever was sent */
	ck_assert_uint_eq(r.owner, 0xabc);
	/* the same role again is no change */
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_ROLE, 0));
	ck_assert_uint_eq(sim_role(b.s, find_node(&b, "sw0"))->generation, 1);
	/* a foreign signature, a modifier, nodes without the attribute */
	b.last.data[0] ^= 1;
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.status, 0x1c);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_ROLE, 1));
	ck_assert_uint_eq(b.last.status, 0x1c);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.status, 0x0c);
	ck_assert(smp_bench_ask(&b, "", MAD_GET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.status, 0x0c);
	ck_assert_ptr_null(sim_role(b.s, find_node(&b, "sw1")));
	/* after a reboot the role is as in the file */
	sim_fault_reboot(b.s, find_node(&b, "sw0"));
	ck_assert_uint_eq(
		sim_role(b.s, find_node(&b, "sw0"))->role, MAD_ROLE_LEAF);
	smp_bench_free(&b);
	b = bench_noted(true);
	smp_bench_attach(&b);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.data[7], 0);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_ROLE, 0));
	ck_assert_uint_eq(b.last.status, 0x0c);
	smp_bench_free(&b);
}

/* Sets and reads ARInfo of sw0; returns the status. */
static uint16_t
set_ar(struct bench *b, struct mad_ar_info *ar)
{
	mad_ar_info_encode(ar, b->last.data);
	ck_assert(smp_bench_ask(b, "\1", MAD_SET, MAD_AR_INFO, 0));
	if (b->last.status == 0)
		ck_assert_int_eq(mad_ar_info_decode(b->last.data, ar, NULL), 0);
	return b->last.status;
}

static uint16_t
set_group(struct bench *b, uint32_t mod, uint64_t first, uint64_t second)
{
	const struct mad_ar_group g = {{{first}, {second}}};

	mad_ar_group_encode(&g, b->last.data);
	ck_assert(smp_bench_ask(b, "\1", MAD_SET, MAD_AR_GROUP, mod));
	return b->last.status;
}

static uint16_t
set_entry(struct bench *b, uint16_t lid, struct mad_ar_entry e)
{
	struct mad_ar_entry block[MAD_AR_ENTRIES];

	ck_assert(smp_bench_ask(
		b, "\1", MAD_GET, MAD_AR_LFT, mad_ar_lft_mod(lid, 0)));
	mad_ar_lft_decode(b->last.data, block);
	block[lid % MAD_AR_ENTRIES] = e;
	mad_ar_lft_encode(block, b->last.data);
	ck_assert(smp_bench_ask(
		b, "\1", MAD_SET, MAD_AR_LFT, mad_ar_lft_mod(lid, 0)));
	return b->last.status;
}

static enum sim_kind
tiers_of(const struct sim *s, uint32_t node, uint16_t lid, unsigned sl,
	struct sim_hops *h)
{
	sim_hops(s, node, lid, sl, h);
	return h->kind;
}

TEST(adaptive_routing_is_set_up)
{
	const struct mad_ar_entry free_2 = {MAD_AR_FREE, 0, 2, 3};
	AUTO(smp_bench) struct bench b = bench_noted(false);
	uint32_t sw = find_node(&b, "sw0");
	struct mad_vendor_general g;
	struct mad_ar_info ar;
	struct sim_hops h;
	uint64_t any[4];

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_VENDOR_GENERAL, 4));
	ck_assert_uint_eq(sim_stats(b.s)->by[MAD_SL2VL][MAD_GET], 0);
	ck_assert_uint_eq(
		sim_stats(b.s)->by[sim_attr_row(MAD_VENDOR_GENERAL)][MAD_GET],
		1);
	mad_vendor_general_decode(b.last.data, &g);
	ck_assert(mad_vendor_has(&g, MAD_VENDOR_CAP_AR_REV1));
	ck_assert(!mad_vendor_has(&g, MAD_VENDOR_CAP_AR));
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_AR_INFO, 0));
	ck_assert_int_eq(mad_ar_info_decode(b.last.data, &ar, NULL), 0);
	ck_assert(!ar.enabled);
	ck_assert_uint_eq(ar.group_cap, 16);
	ck_assert_uint_eq(ar.sub_groups_sup, 2);
	/* in the order in which a manager should set them up */
	ar.sub_groups_active = 2;
	ar.group_top = 3;
	ar.group_cap = 4000; /* read-only */
	ck_assert_uint_eq(set_ar(&b, &ar), 0);
	ck_assert_uint_eq(ar.group_cap, 16);
	ck_assert_uint_eq(set_group(&b, mad_ar_group_mod(3, 0, 0), 6, 4), 0);
	ck_assert_uint_eq(set_entry(&b, 4, free_2), 0);
	ck_assert_uint_eq(tiers_of(b.s, sw, 4, 0, &h), SIM_FIXED); /* E = 0 */
	ar.enabled = true;
	ck_assert_uint_eq(set_ar(&b, &ar), 0);
	ck_assert_uint_eq(tiers_of(b.s, sw, 4, 0, &h), SIM_COMMITS);
	ck_assert_uint_eq(h.port, 2);
	ck_assert_uint_eq(h.tier[0][0], 6);
	ck_assert_uint_eq(h.tier[1][0], 4);
	ck_assert_uint_eq(h.ageing_us, 30);
	ck_assert(!h.bounded);
	/* a Static LID, and one above LinearFDBTop */
	ck_assert_uint_eq(tiers_of(b.s, sw, 3, 0, &h), SIM_FIXED);
	ck_assert_uint_eq(tiers_of(b.s, sw, 400, 0, &h), SIM_FIXED);
	/* of the SLs that the mask has */
	ar.by_sl_enabled = true;
	ar.sl_mask = 1 << 2;
	ck_assert_uint_eq(set_ar(&b, &ar), 0);
	ck_assert_uint_eq(tiers_of(b.s, sw, 4, 0, &h), SIM_FIXED);
	ck_assert_uint_eq(tiers_of(b.s, sw, 4, 2, &h), SIM_COMMITS);
	sim_hops_any(b.s, sw, 4, any);
	ck_assert_uint_eq(any[0], 6);
	ar.by_sl_enabled = false;
	ar.sub_groups_active = 1;
	ck_assert_uint_eq(set_ar(&b, &ar), 0);
	ck_assert_uint_eq(tiers_of(b.s, sw, 4, 0, &h), SIM_COMMITS);
	ck_assert_uint_eq(h.tier[1][0], 0);
	ar.group_top = 2; /* the group is not in use */
	ck_assert_uint_eq(set_ar(&b, &ar), 0);
	ck_assert_uint_eq(tiers_of(b.s, sw, 4, 0, &h), SIM_FIXED);
	sim_fault_reboot(b.s, sw);
	ck_assert(!sim_ar_info(b.s, sw)->enabled);
}

TEST(adaptive_routing_refuses)
{
	const struct mad_ar_entry bad_group = {MAD_AR_FREE, 0, 2, 16};
	const struct mad_ar_entry bad_table = {MAD_AR_FREE, 1, 2, 0};
	AUTO(smp_bench) struct bench b = bench_noted(false);
	struct mad_ar_info ar = {.group_top = 15};
	static const struct {
		const char *path;
		uint8_t method;
		uint16_t attr;
		uint32_t mod;
		uint16_t status;
	} q[] = {
		{"\1", MAD_SET, MAD_VENDOR_GENERAL, 4, 0x0c},
		{"\1", MAD_GET, MAD_VENDOR_GENERAL, 3, 0x1c},
		{"\1\2", MAD_GET, MAD_VENDOR_GENERAL, 4, 0x0c},
		{"", MAD_GET, MAD_VENDOR_GENERAL, 4, 0x0c},
		{"\1\2", MAD_GET, MAD_AR_INFO, 0, 0x0c},
		{"\1", MAD_GET, MAD_AR_INFO, 1, 0x1c},
		{"\1", MAD_GET, MAD_AR_GROUP, 16, 0x1c},
		{"\1", MAD_GET, MAD_AR_GROUP, 1 << 16, 0x1c},
		{"\1", MAD_GET, MAD_AR_GROUP, 1 << 12, 0x1c},
		{"\1", MAD_GET, MAD_AR_LFT, 0xc000 / 16, 0x1c},
		{"\1", MAD_GET, MAD_AR_LFT, 0xc000 / 16 - 1, 0},
		{"\1", MAD_GET, 0xff22, 0, 0x0c},
	};

	smp_bench_attach(&b);
	for (unsigned i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		ck_assert(smp_bench_ask(
			&b, q[i].path, q[i].method, q[i].attr, q[i].mod));
		ck_assert_msg(b.last.status == q[i].status,
			"question %u: status %x", i, b.last.status);
	}
	ck_assert_uint_eq(set_ar(&b, &ar), 0);
	ar.group_top = 16;
	ar.group_cap = 100;
	ck_assert_uint_eq(set_ar(&b, &ar), 0x1c);
	ar = (struct mad_ar_info){.sub_groups_active = 3};
	ck_assert_uint_eq(set_ar(&b, &ar), 0x1c);
	ck_assert_uint_eq(set_group(&b, 0, 1, 0), 0x1c); /* port 0 */
	ck_assert_uint_eq(set_group(&b, 0, 0, 8), 0x1c); /* port 3 of 2 */
	ck_assert_uint_eq(set_entry(&b, 4, bad_group), 0x1c);
	ck_assert_uint_eq(set_entry(&b, 4, bad_table), 0x1c);
}

/* Asks for ARInfo with E, and tells whether it is on then. */
static bool
switches_on(struct bench *b)
{
	struct mad_ar_info ar = {.enabled = true};

	ck_assert_uint_eq(set_ar(b, &ar), 0);
	ck_assert(smp_bench_ask(b, "\1", MAD_GET, MAD_AR_INFO, 0));
	ck_assert_int_eq(mad_ar_info_decode(b->last.data, &ar, NULL), 0);
	return ar.enabled;
}

TEST(adaptive_routing_has_moods)
{
	AUTO(smp_bench) struct bench b = bench_noted(false);
	uint32_t sw = find_node(&b, "sw0");
	struct mad_ar_group ports;

	smp_bench_attach(&b);
	sim_hand_adaptive(b.s, sw, 0, SIM_AR_STAYS_OFF);
	ck_assert(!switches_on(&b));
	sim_hand_adaptive(b.s, sw, 0, SIM_AR_LOSES);
	ck_assert_uint_eq(set_group(&b, 3, 6, 4), 0);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_AR_GROUP, 3));
	mad_ar_group_decode(b.last.data, &ports);
	ck_assert_uint_eq(ports.port[0][0], 2);
	ck_assert_uint_eq(ports.port[1][0], 4);
	/* a Set of the LFT leaves it on, or not */
	ck_assert(switches_on(&b));
	for (unsigned i = 0; i < 2; i++) {
		b.s->node[sw].attrs.ar_lft_stops = i;
		ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_LFT, 0));
		ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0));
		ck_assert_uint_eq(sim_ar_info(b.s, sw)->enabled, !i);
	}
}

TEST(rows_of_a_switch_of_kind_escapes)
{
	struct fabric *f = smp_bench_line();
	uint32_t sw = fabric_find(f, "sw0");
	struct sim_hops h;
	AUTO(smp_bench) struct bench b;

	f->node[sw].attrs = (struct fabric_attrs){.ar = true, .interleave = 4};
	b = smp_bench_new(f, NULL);
	smp_bench_attach(&b);
	for (uint16_t i = 0; i < 4; i++)
		sim_set_lft(b.s, sw, (uint16_t)(8 + i), i == 0 ? 1 : 2);
	ck_assert_uint_eq(tiers_of(b.s, sw, 9, 0, &h), SIM_FIXED);
	ck_assert_uint_eq(h.port, 2); /* any switch, while it is off */
	ck_assert(switches_on(&b));
	ck_assert_uint_eq(tiers_of(b.s, sw, 8, 0, &h), SIM_FIXED);
	ck_assert_uint_eq(h.port, 1);
	ck_assert_uint_eq(tiers_of(b.s, sw, 11, 0, &h), SIM_ESCAPES);
	ck_assert_uint_eq(h.port, 1);
	ck_assert_uint_eq(h.tier[0][0], 1 << 2);
	/* no groups to program */
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_AR_GROUP, 0));
	ck_assert_uint_eq(b.last.status, 0x1c);
}

TEST(fdr10)
{
	struct fabric *f = smp_bench_line();
	struct mad_nvidia_port x;
	AUTO(smp_bench) struct bench b;

	f->cable[0].rate = (struct fabric_rate){2, 4, 0, true};
	f->node[fabric_find(f, "sw1")].vendor = 0x1234;
	b = smp_bench_new(f, NULL);
	smp_bench_attach(&b);
	for (uint32_t p = 1; p <= 2; p++) {
		ck_assert(smp_bench_ask(
			&b, "\1", MAD_GET, MAD_NVIDIA_PORT_INFO, p));
		mad_nvidia_port_decode(b.last.data, &x);
		ck_assert_uint_eq(x.speed_supported, 1);
		ck_assert_uint_eq(x.speed_enabled, 1);
		ck_assert_uint_eq(x.speed_active,
			fabric_port(f, find_node(&b, "sw0"), p)->cable == 0);
	}
	x = (struct mad_nvidia_port){.change = 1};
	mad_nvidia_port_encode(&x, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_NVIDIA_PORT_INFO, 255));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_NVIDIA_PORT_INFO, 2));
	mad_nvidia_port_decode(b.last.data, &x);
	ck_assert_uint_eq(x.speed_enabled, 0);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_NVIDIA_PORT_INFO, 3));
	ck_assert_uint_eq(b.last.status, 0x1c);
	/* other nodes do not know the attribute */
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NVIDIA_PORT_INFO, 1));
	ck_assert_uint_eq(b.last.status, 0x0c);
}

/* The time until the answer comes, in ns. */
static int64_t
time_of(struct bench *b, const char *path)
{
	int64_t began = sim_now(b->s).ns, ended;
	unsigned got = b->got;
	struct smp q = {
		.mgmt_class = MAD_SUBN_DR,
		.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.hop_cnt = (uint8_t)strlen(path),
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff,
		.tid = ++b->tid,
	};
	struct transport_msg m = {.addr.lid = 0xffff, .len = MAD_SIZE};
	struct transport *t = sim_transport(b->e);

	memcpy(q.path + 1, path, q.hop_cnt);
	smp_encode(&q, m.mad);
	ck_assert_int_eq(t->send(t, &m), 0);
	while (b->got == got)
		ck_assert(sim_step(b->s));
	ended = sim_now(b->s).ns;
	run_ms(b, SECOND);
	return ended - began;
}

TEST(nodes_have_their_own_delays)
{
	struct fabric *f = smp_bench_line();
	struct sim_behaviour slow = {.service = mono_ms(3)};
	AUTO(smp_bench) struct bench b;

	f->node[fabric_find(f, "sw0")].attrs.hop_ns = 50000;
	f->node[fabric_find(f, "sw1")].attrs.service_ns = 7000;
	b = smp_bench_new(f, NULL);
	smp_bench_attach(&b);
	/* there: 1 us, h1's 1 us; back: 1 us, sw0's 50 us; 2 us of service */
	ck_assert_int_eq(time_of(&b, "\1"), 2000 + 2 * 2000);
	ck_assert_int_eq(time_of(&b, "\1\2"), 7000 + 2 * (2000 + 50000));
	sim_fault_behave(b.s, find_node(&b, "sw1"), &slow);
	ck_assert_int_eq(time_of(&b, "\1\2"), 3000000 + 2 * (2000 + 50000));
}

TEST(a_full_buffer_drops)
{
	struct fabric *f = smp_bench_line();
	struct transport_msg m = {.addr.lid = 0xffff, .len = MAD_SIZE};
	struct smp q = {
		.mgmt_class = MAD_SUBN_DR,
		.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.hop_cnt = 1,
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff,
	};
	struct transport *t;
	AUTO(smp_bench) struct bench b;

	f->node[fabric_find(f, "sw0")].attrs.queue = 4;
	b = smp_bench_new(f, NULL);
	smp_bench_attach(&b);
	t = sim_transport(b.e);
	for (int i = 0; i < 20; i++) {
		q.tid = ++b.tid;
		q.path[1] = 1;
		smp_encode(&q, m.mad);
		ck_assert_int_eq(t->send(t, &m), 0);
	}
	run_ms(&b, SECOND);
	/* one in work, four that wait */
	ck_assert_uint_eq(sim_stats(b.s)->lost_queue, 15);
	ck_assert_uint_eq(b.got, 5);
	smp_bench_configure(&b);
	sim_activate_all(b.s);
	ck_assert_uint_eq(
		read_counters(&b, 2, 1).count[MAD_PERF_VL15_DROPPED], 15);
}

/* ---- faults ---- */

TEST(a_false_acknowledgement_keeps_the_table)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	const struct sim_behaviour disobedient = {.lies = UINT64_C(1)
							  << MAD_LFT},
				   well = {0};
	uint32_t sw = find_node(&b, "sw0");

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_fault_behave(b.s, sw, &disobedient);
	memset(b.last.data, 2, MAD_DATA);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert_uint_eq(b.last.data[1], 2); /* the acknowledgement */
	ck_assert_uint_eq(sim_lft(b.s, sw, 1), 1);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_LFT, 0));
	ck_assert_uint_eq(b.last.data[1], 1);
	sim_fault_behave(b.s, sw, &well);
	memset(b.last.data, 2, MAD_DATA);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0));
	ck_assert_uint_eq(sim_lft(b.s, sw, 1), 2);
}

TEST(a_bad_contact)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	uint32_t h = find_node(&b, "h2"), sw = find_node(&b, "sw1");

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_fault_flap(b.s, h, 1, mono_ms(100), 3);
	sim_fault_flap(b.s, find_node(&b, "sw0"), 2, mono_ms(100), 0);
	for (int i = 0; i < 3; i++) {
		run_ms(&b, 10);
		ck_assert_uint_eq(sim_port_info(b.s, sw, 1)->state, 1);
		run_ms(&b, 50);
		ck_assert_uint_eq(sim_port_info(b.s, sw, 1)->state, 2);
		run_ms(&b, 40);
	}
	run_ms(&b, SECOND);
	ck_assert_uint_eq(sim_port_info(b.s, sw, 1)->state, 2);
	sim_activate_all(b.s);
	ck_assert_uint_eq(
		read_counters(&b, 3, 1).count[MAD_PERF_LINK_DOWNED], 3);
	/* two at a time */
	sim_fault_flap(b.s, h, 1, mono_ms(100), 2);
	sim_fault_flap(b.s, sw, 2, mono_ms(30), 2);
	run_ms(&b, SECOND);
	sim_activate_all(b.s);
	ck_assert_uint_eq(
		read_counters(&b, 3, 1).count[MAD_PERF_LINK_DOWNED], 5);
	ck_assert_uint_eq(
		read_counters(&b, 3, 2).count[MAD_PERF_LINK_DOWNED], 2);
}

/* A message that is sent first may arrive last. */
TEST(messages_overtake)
{
	struct sim_options o = sim_defaults();
	unsigned swapped = 0;

	o.faults.reorder = 500000;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		AUTO(smp_bench) struct bench b;
		struct transport *t;

		o.seed = seed;
		b = smp_bench_new(smp_bench_line(), &o);
		smp_bench_attach(&b);
		t = sim_transport(b.e);
		for (uint32_t i = 1; i <= 2; i++) {
			struct transport_msg m = {
				.addr.lid = 0xffff, .len = MAD_SIZE};
			struct smp q = {
				.mgmt_class = MAD_SUBN_DR,
				.method = MAD_GET,
				.attr = MAD_NODE_INFO,
				.hop_cnt = 1,
				.path = {0, 1},
				.dr_slid = 0xffff,
				.dr_dlid = 0xffff,
				.tid = i,
			};

			smp_encode(&q, m.mad);
			ck_assert_int_eq(t->send(t, &m), 0);
		}
		run_ms(&b, SECOND);
		ck_assert_uint_eq(b.got, 2); /* none is lost */
		swapped += (uint32_t)b.last.tid == 1;
	}
	ck_assert_uint_gt(swapped, 5);
	ck_assert_uint_lt(swapped, 45);
}

/* Sends an order to the SM without a program on h2; returns its state
 * afterwards. */
static uint8_t
send_order(struct bench *b, uint32_t modifier)
{
	const struct mad_sm_info us = {.guid = 99, .priority = 5, .state = 3};
	struct mad_sm_info they;

	mad_sm_info_encode(&us, b->last.data);
	ck_assert(smp_bench_ask(b, "\1\2\1", MAD_SET, MAD_SM_INFO, modifier));
	ck_assert(smp_bench_ask(b, "\1\2\1", MAD_GET, MAD_SM_INFO, 0));
	mad_sm_info_decode(b->last.data, &they);
	return they.state;
}

/* An order of a manager in this state is refused. */
static void
refused_order(struct bench *b, uint32_t modifier, uint8_t state)
{
	const struct mad_sm_info us = {.guid = 99, .state = state};

	mad_sm_info_encode(&us, b->last.data);
	ck_assert(smp_bench_ask(b, "\1\2\1", MAD_SET, MAD_SM_INFO, modifier));
	ck_assert_uint_eq(b->last.status, MAD_STATUS_FIELD);
}

TEST(another_sm_obeys_and_orders)
{
	const struct mad_sm_info says = {.guid = 7, .priority = 3, .state = 2};
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_sm_info sent;
	uint32_t h = find_node(&b, "h2"), modifier;

	smp_bench_attach(&b);
	sim_fault_other_sm(b.s, h, 1, &says);
	ck_assert(!sim_fault_other_sm_tells(b.s, h, 1, 1)); /* no LID yet */
	smp_bench_configure(&b);
	ck_assert_uint_eq(send_order(&b, 3), 0); /* disable */
	ck_assert_uint_eq(send_order(&b, 4), 2); /* stand by */
	ck_assert_uint_eq(send_order(&b, 5), 1); /* discover */
	/* hand-over: it is master */
	ck_assert_uint_eq(send_order(&b, 1), 3);
	refused_order(&b, 2, 2); /* it has handed nothing over */
	refused_order(&b, 3, 3); /* a master is not disabled */
	ck_assert(sim_fault_other_sm_last(b.s, h, &modifier, &sent));
	ck_assert_uint_eq(modifier, 1);
	ck_assert_uint_eq(sent.guid, 99);
	/* it hands the fabric over: an order to LID 1 */
	ck_assert(sim_fault_other_sm_tells(b.s, h, 1, 1));
	run_ms(&b, SECOND);
	ck_assert_uint_eq(b.last.method, MAD_SET);
	ck_assert_uint_eq(b.last.attr, MAD_SM_INFO);
	ck_assert_uint_eq(b.last.mod, 1);
	ck_assert_uint_eq(b.raw.addr.lid, 4);
	mad_sm_info_decode(b.last.data, &sent);
	ck_assert_uint_eq(sent.guid, 7);
	ck_assert_uint_eq(sent.state, 3);
	/* now an acknowledgement is in order, of a standby */
	refused_order(&b, 2, 3);
	mad_sm_info_encode(
		&(struct mad_sm_info){.guid = 99, .state = 2}, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_SET, MAD_SM_INFO, 2));
	ck_assert_uint_eq(b.last.status, 0);
	/* to a port without an SM: the SMA answers, and no client gets it */
	ck_assert(sim_fault_other_sm_tells(b.s, h, 2, 1));
	run_ms(&b, SECOND);
}
