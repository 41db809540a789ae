/*
 * The simulated SMA's less common duties, one raw SMP at a time: keys and the
 * traps about them, tables.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/mad_violation.h"
#include "tests/sim/model/mad_port_ext.h"
#include "tests/sim/model/smp_bench.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { KEY = 0x1234, SECOND = 1000 };

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

/* Gives sw0 a key, a protection level and a lease in seconds. */
static void
set_key(struct bench *b, uint8_t prot, uint16_t lease)
{
	struct mad_port_info pi;

	b->last.mkey = KEY;
	pi = smp_bench_port_info(b, "\1", 0);
	pi.lid = pi.lid != 0 ? pi.lid : 2;
	pi.sm_lid = 1;
	pi.mkey = KEY;
	pi.mkey_prot = prot;
	pi.mkey_lease = lease;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b->last.data);
	ck_assert(smp_bench_ask(b, "\1", MAD_SET, MAD_PORT_INFO, 0));
	ck_assert_uint_eq(b->last.status, 0);
}

/* True if sw0 answers a method with this key. */
static bool
is_answered(struct bench *b, uint8_t method, uint64_t key)
{
	struct mad_switch_info si = *sim_switch_info(b->s, find_node(b, "sw0"));

	b->last.mkey = key;
	mad_switch_info_encode(&si, b->last.data);
	return smp_bench_ask(b, "\1", method, MAD_SWITCH_INFO, 0);
}

/* ---- M_Key ---- */

TEST(m_key_levels)
{
	/* level, whether a Get with a wrong key is answered, and shows the
	 * key */
	static const struct {
		uint8_t prot;
		bool get, shown;
	} level[] = {
		{0, true, true},
		{1, true, false},
		{2, false, false},
		{3, false, false},
	};

	for (int i = 0; i < 4; i++) {
		struct bench b = smp_bench_new(smp_bench_line(), NULL);
		uint64_t silent;

		smp_bench_attach(&b);
		set_key(&b, level[i].prot, 0);
		silent = sim_stats(b.s)->lost_silent;
		ck_assert(is_answered(&b, MAD_GET, KEY));
		ck_assert(is_answered(&b, MAD_SET, KEY));
		ck_assert(is_answered(&b, MAD_GET, 1) == level[i].get);
		ck_assert(!is_answered(&b, MAD_SET, 1));
		ck_assert(!is_answered(&b, MAD_SET, 0));
		b.last.mkey = 1;
		if (level[i].get)
			ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey,
				level[i].shown ? KEY : 0);
		b.last.mkey = KEY;
		ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey, KEY);
		ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey_viol,
			level[i].get ? 2 : 3);
		ck_assert_uint_eq(sim_stats(b.s)->lost_silent - silent,
			level[i].get ? 2 : 3);
		/* forwarding needs no key */
		b.last.mkey = 0;
		ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
		smp_bench_free(&b);
	}
}

TEST(a_lease_runs_out)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);

	smp_bench_attach(&b);
	set_key(&b, 2, 3);
	/* without a violation the lease does not run */
	run_ms(&b, 10 * SECOND);
	ck_assert(!is_answered(&b, MAD_GET, 1)); /* now it runs */
	run_ms(&b, 2 * SECOND);
	ck_assert(is_answered(&b, MAD_GET, KEY)); /* the owner: it stops */
	run_ms(&b, 5 * SECOND);
	ck_assert(!is_answered(&b, MAD_GET, 1));
	run_ms(&b, 2 * SECOND);
	ck_assert(!is_answered(&b, MAD_GET, 1)); /* it does not start again */
	run_ms(&b, 2 * SECOND);
	ck_assert(is_answered(&b, MAD_GET, 1));	 /* unprotected */
	ck_assert(!is_answered(&b, MAD_SET, 1)); /* but a Set needs the key */
	b.last.mkey = 0;
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey, KEY);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey_prot, 0);
}

TEST(no_lease_never_ends)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);

	smp_bench_attach(&b);
	set_key(&b, 2, 0);
	ck_assert(!is_answered(&b, MAD_GET, 1));
	run_ms(&b, 100000 * SECOND);
	ck_assert(!is_answered(&b, MAD_GET, 1));
}

TEST(a_bad_m_key_is_reported)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_violation v;
	struct mad_notice n;

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	run_ms(&b, SECOND);
	smp_bench_repress(&b);
	set_key(&b, 2, 0);
	run_ms(&b, SECOND);
	b.traps = 0;
	ck_assert(!is_answered(&b, MAD_SET, 0x77));
	run_ms(&b, SECOND);
	ck_assert_uint_ge(b.traps, 5); /* every 200 ms until repressed */
	mad_notice_decode(b.trap.data, &n);
	ck_assert_uint_eq(n.trap, 256);
	ck_assert_uint_eq(n.type, 2);
	ck_assert_uint_eq(n.issuer_lid, 2);
	mad_violation_decode(b.trap.data, 256, &v);
	ck_assert(v.directed && !v.truncated);
	ck_assert_uint_eq(v.method, MAD_SET);
	ck_assert_uint_eq(v.attr, MAD_SWITCH_INFO);
	ck_assert_uint_eq(v.mkey, 0x77);
	ck_assert_uint_eq(v.hops, 1);
	ck_assert_uint_eq(v.dr_slid, 0xffff);
	/* a second one meanwhile changes nothing */
	ck_assert(!is_answered(&b, MAD_SET, 0x78));
	mad_violation_decode(b.trap.data, 256, &v);
	ck_assert_uint_eq(v.mkey, 0x77);
	ck_assert_uint_eq(b.trap.mkey, 0);
	smp_bench_repress(&b); /* without the key: another violation */
	run_ms(&b, 50);
	b.traps = 0;
	run_ms(&b, SECOND);
	ck_assert_uint_ge(b.traps, 4);
	b.trap.mkey = KEY;
	smp_bench_repress(&b);
	run_ms(&b, 50);
	b.traps = 0;
	run_ms(&b, SECOND);
	ck_assert_uint_eq(b.traps, 0);
	/* by LID: the requester */
	ck_assert(!smp_bench_ask_lid(&b, 2, MAD_SWITCH_INFO));
	run_ms(&b, 50);
	mad_violation_decode(b.trap.data, 256, &v);
	ck_assert(!v.directed);
	ck_assert_uint_eq(v.lid, 1);
}

/* ---- P_Key and Q_Key ---- */

/* Writes P_Keys into a port's table; returns the status. */
static uint16_t
set_pkeys(struct bench *b, const char *path, uint32_t mod, const uint16_t *key,
	size_t n)
{
	memset(b->last.data, 0, MAD_DATA);
	for (size_t i = 0; i < n; i++)
		be_put16(b->last.data + 2 * i, key[i]);
	ck_assert(smp_bench_ask(b, path, MAD_SET, MAD_PKEY_TABLE, mod));
	return b->last.status;
}

TEST(p_keys_of_end_ports)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	uint32_t h = find_node(&b, "h2");
	static const uint16_t keys[] = {0x7fff, 0x8001, 0x0002};

	smp_bench_attach(&b);
	ck_assert(sim_pkey_passes(b.s, h, 1, 0xffff, true));
	ck_assert(sim_pkey_passes(b.s, h, 1, 0x7fff, true));
	ck_assert(!sim_pkey_passes(b.s, h, 1, 0x8001, true));
	ck_assert_uint_eq(set_pkeys(&b, "\1\2\1", 0, keys, 3), 0);
	/* two limited members do not communicate */
	ck_assert(sim_pkey_passes(b.s, h, 1, 0xffff, true));
	ck_assert(!sim_pkey_passes(b.s, h, 1, 0x7fff, true));
	ck_assert(sim_pkey_passes(b.s, h, 1, 0x0001, false));
	ck_assert(sim_pkey_passes(b.s, h, 1, 0x8002, true));
	ck_assert(!sim_pkey_passes(b.s, h, 1, 0x0002, true));
	ck_assert(!sim_pkey_passes(b.s, h, 1, 0x8003, true));
	ck_assert(!sim_pkey_passes(b.s, h, 1, 0x8000, true)); /* never valid */
}

TEST(switches_enforce)
{
	struct sim_options o = sim_defaults();
	struct bench b;
	struct mad_port_info pi;
	uint32_t sw;
	static const uint16_t keys[] = {0x8005};

	o.enf_cap = 40;
	b = smp_bench_new(smp_bench_line(), &o);
	sw = find_node(&b, "sw0");
	smp_bench_attach(&b);
	ck_assert_uint_eq(sim_switch_info(b.s, sw)->enf_cap, 40);
	/* 40 entries are two blocks, the second of which is short */
	ck_assert_uint_eq(set_pkeys(&b, "\1", 2 << 16, keys, 1), 0);
	ck_assert_uint_eq(set_pkeys(&b, "\1", 2 << 16 | 2, keys, 1), 0x1c);
	memset(b.last.data, 0x11, MAD_DATA);
	ck_assert(
		smp_bench_ask(&b, "\1", MAD_SET, MAD_PKEY_TABLE, 2 << 16 | 1));
	ck_assert(
		smp_bench_ask(&b, "\1", MAD_GET, MAD_PKEY_TABLE, 2 << 16 | 1));
	ck_assert_uint_eq(be_get16(b.last.data + 14), 0x1111);
	ck_assert_uint_eq(be_get16(b.last.data + 16), 0);
	/* nothing is enforced until the SM enables it */
	ck_assert(sim_pkey_passes(b.s, sw, 2, 0x8009, true));
	pi = smp_bench_port_info(&b, "\1", 2);
	pi.enf_in = true;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 2));
	ck_assert(!sim_pkey_passes(b.s, sw, 2, 0x8009, true));
	ck_assert(sim_pkey_passes(b.s, sw, 2, 0x8009, false));
	ck_assert(sim_pkey_passes(b.s, sw, 2, 0x8005, true));
	ck_assert(sim_pkey_passes(b.s, sw, 2, 0x0005, true));
	ck_assert(sim_pkey_passes(b.s, sw, 2, 0x1111, true));
	smp_bench_free(&b);
	/* a switch that cannot enforce has no table and no bits */
	o.enf_cap = 0;
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	ck_assert_uint_eq(set_pkeys(&b, "\1", 2 << 16, keys, 1), 0x0c);
	ck_assert_uint_eq(set_pkeys(&b, "\1", 0, keys, 1), 0); /* port 0 */
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 2));
	ck_assert(!smp_bench_port_info(&b, "\1", 2).enf_in);
	smp_bench_free(&b);
}

TEST(bad_p_keys_and_q_keys_are_reported)
{
	const struct sim_bad_key k = {.inbound = true,
		.slid = 4,
		.dlid = 1,
		.key = 0x8009,
		.sl = 3,
		.qp1 = 0x10,
		.qp2 = 0x20};
	struct sim_bad_key q = k;
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_violation v;
	struct mad_notice n;

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	run_ms(&b, SECOND);
	smp_bench_repress(&b);
	run_ms(&b, SECOND);
	b.traps = 0;
	sim_bad_key(b.s, find_node(&b, "h2"), 1, &k);
	run_ms(&b, SECOND);
	ck_assert_uint_ge(b.traps, 5);
	mad_notice_decode(b.trap.data, &n);
	mad_violation_decode(b.trap.data, 257, &v);
	ck_assert_uint_eq(n.trap, 257);
	ck_assert_uint_eq(n.issuer_lid, 4);
	ck_assert_uint_eq(v.lid, 4);
	ck_assert_uint_eq(v.lid2, 1);
	ck_assert_uint_eq(v.key, 0x8009);
	ck_assert_uint_eq(v.sl, 3);
	ck_assert_uint_eq(v.qp1, 0x10);
	ck_assert_uint_eq(v.qp2, 0x20);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1\2\1", 1).pkey_viol, 1);
	smp_bench_repress(&b);
	run_ms(&b, 50);
	q.qkey = true;
	sim_bad_key(b.s, find_node(&b, "h2"), 1, &q);
	run_ms(&b, 50);
	mad_notice_decode(b.trap.data, &n);
	ck_assert_uint_eq(n.trap, 258);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1\2\1", 1).qkey_viol, 1);
	smp_bench_repress(&b);
	run_ms(&b, 50);
	/* a switch reports the port */
	sim_bad_key(b.s, find_node(&b, "sw1"), 1, &k);
	run_ms(&b, 50);
	mad_notice_decode(b.trap.data, &n);
	mad_violation_decode(b.trap.data, 259, &v);
	ck_assert_uint_eq(n.trap, 259);
	ck_assert_uint_eq(n.issuer_lid, 3);
	ck_assert_uint_eq(v.switch_lid, 3);
	ck_assert_uint_eq(v.port, 1);
	ck_assert_uint_eq(v.key, 0x8009);
	smp_bench_repress(&b);
	run_ms(&b, 50);
	b.traps = 0;
	run_ms(&b, SECOND);
	ck_assert_uint_eq(b.traps, 0);
}

TEST(notices_wait_in_line)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	const struct sim_bad_key k = {.slid = 1};
	struct mad_notice n;

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	run_ms(&b, SECOND);
	smp_bench_repress(&b);
	run_ms(&b, SECOND);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_NOTICE, 0));
	mad_notice_decode(b.last.data, &n);
	ck_assert_uint_eq(n.type, 0x7f); /* none */
	ck_assert_uint_eq(n.count, 0);
	sim_fault_capmask(b.s, find_node(&b, "h2"), 1, 0x123);
	sim_bad_key(b.s, find_node(&b, "h2"), 1, &k);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_NOTICE, 0));
	mad_notice_decode(b.last.data, &n);
	ck_assert_uint_eq(n.trap, 144);
	ck_assert_uint_eq(n.count, 2);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_SET, MAD_NOTICE, 0));
	mad_notice_decode(b.last.data, &n);
	ck_assert_uint_eq(n.trap, 144); /* the last notice; it is gone now */
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_NOTICE, 0));
	mad_notice_decode(b.last.data, &n);
	ck_assert_uint_eq(n.trap, 257);
	ck_assert_uint_eq(n.count, 1);
	ck_assert(n.toggle);
}

/* ---- tables ---- */

TEST(guids)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	uint64_t own = b.f->node[find_node(&b, "h2")].guid + 1;

	smp_bench_attach(&b);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1\2\1", 1).guid_cap, 8);
	memset(b.last.data, 0x10, MAD_DATA);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_SET, MAD_GUID_INFO, 0));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_SET, MAD_GUID_INFO, 1));
	ck_assert_uint_eq(b.last.status, 0x1c);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_GUID_INFO, 0));
	ck_assert_uint_eq(be_get64(b.last.data), own); /* read only */
	ck_assert_uint_eq(be_get64(b.last.data + 8), 0x1010101010101010);
	ck_assert_uint_eq(be_get64(b.last.data + 56), 0x1010101010101010);
	/* a switch has its own GUID and no other */
	memset(b.last.data, 0x55, MAD_DATA);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_GUID_INFO, 0));
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_GUID_INFO, 0));
	ck_assert_uint_eq(
		be_get64(b.last.data), b.f->node[find_node(&b, "sw0")].guid);
	ck_assert_uint_eq(be_get64(b.last.data + 8), 0);
}

/* Sets MulticastFDBTop of sw0; returns the status. */
static uint16_t
set_mft_top(struct bench *b, uint16_t top)
{
	struct mad_switch_info si = *sim_switch_info(b->s, find_node(b, "sw0"));

	si.mft_top = top;
	mad_switch_info_encode(&si, b->last.data);
	ck_assert(smp_bench_ask(b, "\1", MAD_SET, MAD_SWITCH_INFO, 0));
	return b->last.status;
}

TEST(multicast)
{
	struct sim_options o = sim_defaults();
	AUTO(smp_bench) struct bench b;
	uint32_t sw;
	uint64_t ports[4];

	o.mft_cap = 16384 - 8; /* the last block is short */
	b = smp_bench_new(
		gen_edit_ports(smp_bench_line(), 100, false, NULL), &o);
	sw = find_node(&b, "sw0");
	smp_bench_attach(&b);
	memset(b.last.data, 0, MAD_DATA);
	be_put16(b.last.data + 2 * 7, 0x8001);
	ck_assert(smp_bench_ask(
		&b, "\1", MAD_SET, MAD_MFT, 6U << 28 | (16384 / 32 - 1)));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_MFT, 16384 / 32));
	ck_assert_uint_eq(b.last.status, 0x1c);
	/* no position without ports: port 101 is the last */
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_MFT, 7U << 28));
	ck_assert_uint_eq(b.last.status, 0x1c);
	sim_mft(b.s, sw, (uint16_t)(0xc000 + 16384 - 32 + 7), ports);
	/* position 6: ports 96 to 111 */
	ck_assert_uint_eq(ports[1], 1ULL << 32 | 1ULL << 47);
	ck_assert_uint_eq(ports[0] | ports[2] | ports[3], 0);
	sim_mft(b.s, sw, 0xc000, ports);
	ck_assert_uint_eq(ports[1], 0);
	/* the top hides what is above it */
	ck_assert_uint_eq(set_mft_top(&b, (uint16_t)(0xc000 + 16384 - 26)), 0);
	sim_mft(b.s, sw, (uint16_t)(0xc000 + 16384 - 32 + 7), ports);
	ck_assert_uint_eq(ports[1], 0);
	ck_assert_uint_eq(set_mft_top(&b, 0), 0);
	sim_mft(b.s, sw, (uint16_t)(0xc000 + 16384 - 32 + 7), ports);
	ck_assert_uint_ne(ports[1], 0);
	ck_assert_uint_eq(set_mft_top(&b, 0xbfff), 0);
	sim_mft(b.s, sw, (uint16_t)(0xc000 + 16384 - 32 + 7), ports);
	ck_assert_uint_eq(ports[1], 0);
	ck_assert_uint_eq(set_mft_top(&b, 0x1234), 0x1c);
	ck_assert_uint_eq(set_mft_top(&b, 0xffff), 0x1c);
	ck_assert(smp_bench_port_info(&b, "\1", 0).capmask & 0x40000000);
}

TEST(optimized_sl2vl)
{
	struct sim_options o = sim_defaults();
	static const struct {
		uint32_t mod;
		bool written[3][3]; /* [in][out], enhanced port 0 */
	} form[] = {
		{0x30000, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
		{0x20002, {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}},
		{0x10100, {{0, 0, 0}, {1, 1, 1}, {0, 0, 0}}},
		{0x00102, {{0, 0, 0}, {0, 0, 1}, {0, 0, 0}}},
	};

	o.opt_sl2vl = true;
	for (unsigned i = 0; i < 2 * sizeof(form) / sizeof(form[0]); i++) {
		struct fabric *f = smp_bench_line();
		bool enhanced = i % 2;
		AUTO(smp_bench) struct bench b;
		uint32_t sw = fabric_find(f, "sw0");

		f->node[sw].enhanced_p0 = enhanced;
		b = smp_bench_new(f, &o);
		smp_bench_attach(&b);
		memset(b.last.data, 0x33, 8);
		ck_assert(smp_bench_ask(
			&b, "\1", MAD_SET, MAD_SL2VL, form[i / 2].mod));
		ck_assert_uint_eq(b.last.status, 0);
		ck_assert_uint_eq(b.last.data[0], 0x33);
		for (unsigned in = 0; in < 3; in++) {
			for (unsigned out = 0; out < 3; out++) {
				bool want = form[i / 2].written[in][out] &&
					    (enhanced || (in && out));

				ck_assert_msg((sim_vl(b.s, sw, in, out, 5) ==
						      3) == want,
					"form %u, %u to %u", i, in, out);
			}
		}
	}
}

static void
set_rows(struct bench *b, uint32_t mod, uint8_t value)
{
	memset(b->last.data, value, 8);
	ck_assert(smp_bench_ask(b, "\1", MAD_SET, MAD_SL2VL, mod));
	ck_assert_uint_eq(b->last.status, 0);
}

/* A Set of many rows counts as one that changed none where it only changes rows
 * that no packet is sent by: from a port back to itself. */
TEST(sets_that_change_no_row)
{
	static const uint32_t used[] = {0x001, 0x002, 0x102, 0x201};
	struct sim_options o = sim_defaults();
	struct fabric *f = smp_bench_line();
	AUTO(smp_bench) struct bench b;

	o.opt_sl2vl = true;
	b = smp_bench_new(f, &o);
	smp_bench_attach(&b);
	for (unsigned i = 0; i < sizeof(used) / sizeof(*used); i++)
		set_rows(&b, used[i], 0x33);
	set_rows(&b, 0x30000, 0x33);
	ck_assert_uint_eq(sim_stats(b.s)->sl2vl_blind, 1);
	set_rows(&b, 0x30000, 0x33);
	ck_assert_uint_eq(sim_stats(b.s)->sl2vl_blind, 2);
	set_rows(&b, 0x30000, 0x44);
	ck_assert_uint_eq(sim_stats(b.s)->sl2vl_blind, 2);
}

TEST(vl_tables)
{
	struct sim_options o = sim_defaults();
	struct bench b = smp_bench_new(smp_bench_line(), &o);
	uint32_t h = find_node(&b, "h2");

	smp_bench_attach(&b);
	/* as after power-on */
	ck_assert_uint_eq(sim_vl(b.s, h, 0, 1, 6), 6);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_SL2VL, 0));
	ck_assert_uint_eq(b.last.data[1], 0x23);
	memset(b.last.data, 0x44, 8);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_SET, MAD_SL2VL, 0));
	ck_assert_uint_eq(sim_vl(b.s, h, 0, 1, 6), 4);
	/* entries beyond the arbitration capacity of the port are not stored */
	memset(b.last.data, 0x22, MAD_DATA);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_VLARB, 1 << 16 | 2));
	ck_assert_uint_eq(b.last.data[15], 0x22);
	ck_assert_uint_eq(b.last.data[16], 0);
	smp_bench_free(&b);
	/* one VL: nothing to map, nothing to arbitrate */
	o.vl_cap = 1;
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_SL2VL, 1 << 8 | 2));
	ck_assert_uint_eq(b.last.status, 0x0c);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_VLARB, 1 << 16 | 2));
	ck_assert_uint_eq(b.last.status, 0x0c);
	ck_assert(!(smp_bench_port_info(&b, "\1", 0).capmask & 0x40));
	smp_bench_free(&b);
}

TEST(error_correction)
{
	struct sim_options o = sim_defaults();
	struct bench b = smp_bench_new(smp_bench_line(), &o);
	struct mad_port_ext x;

	smp_bench_attach(&b);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).capmask2 & 2, 2);
	x = (struct mad_port_ext){.edr_enabled = 1};
	mad_port_ext_encode(&x, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_EXT, 2));
	mad_port_ext_decode(b.last.data, &x);
	ck_assert_uint_eq(x.edr_supported, 1);
	ck_assert_uint_eq(x.edr_enabled, 1);
	ck_assert_uint_eq(x.fdr_enabled, 0);
	x.edr_enabled = 8;
	mad_port_ext_encode(&x, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_EXT, 2));
	ck_assert_uint_eq(b.last.status, 0x1c);
	smp_bench_free(&b);
	o.capmask2 = 0;
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_PORT_EXT, 2));
	ck_assert_uint_eq(b.last.status, 0x0c);
	ck_assert(!(smp_bench_port_info(&b, "\1", 0).capmask & 0x8000));
	smp_bench_free(&b);
}

/* The answer to the Set that protects a port shows the key: it was accepted. */
TEST(a_set_shows_the_key_it_wrote)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_port_info pi;

	smp_bench_attach(&b);
	pi = smp_bench_port_info(&b, "\1", 0);
	pi.mkey = KEY;
	pi.mkey_prot = 1;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b.last.data);
	b.last.mkey = 0;
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 0));
	ck_assert_uint_eq(be_get64(b.last.data), KEY);
	b.last.mkey = 0;
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_PORT_INFO, 0));
	ck_assert_uint_eq(be_get64(b.last.data), 0);
}
