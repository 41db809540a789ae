/* The simulated fabric, driven by raw SMPs. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/smp_bench.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

TEST(directed_routes_find_their_way)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_node_info ni;
	char desc[MAD_DATA + 1];
	static const struct {
		const char *path, *name;
		uint8_t type, arrives;
	} way[] = {
		{"", "h1", 1, 1},
		{"\1", "sw0", 2, 1},
		{"\1\2", "sw1", 2, 2},
		{"\1\2\1", "h2", 1, 1},
		{"\1\1", "h1", 1, 1},
		{"\1\2\2", "sw0", 2, 2},
	};

	smp_bench_attach(&b);
	for (unsigned i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		ck_assert_msg(smp_bench_ask(&b, way[i].path, MAD_GET,
				      MAD_NODE_INFO, 0),
			"way %u", i);
		ck_assert_int_eq(
			mad_node_info_decode(b.last.data, &ni, NULL), 0);
		ck_assert_uint_eq(ni.type, way[i].type);
		ck_assert_uint_eq(ni.local_port, way[i].arrives);
		ck_assert_uint_eq((uint32_t)b.last.tid, b.tid);
		ck_assert(b.last.response);
		ck_assert(smp_bench_ask(
			&b, way[i].path, MAD_GET, MAD_NODE_DESC, 0));
		mad_node_desc_decode(b.last.data, desc);
		ck_assert_str_eq(desc, way[i].name);
	}
	/* a port that is not there, through a host, out of port 0 */
	ck_assert(!smp_bench_ask(&b, "\1\3", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert(!smp_bench_ask(&b, "\1\2\1\1", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert(!smp_bench_ask(&b, "\2", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert(!smp_bench_ask(&b, "\1\377", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert_uint_eq(sim_stats(b.s)->lost_link, 4);
}

TEST(ports_have_states)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	/* from, to, status, state afterwards */
	static const uint8_t step[][3] = {
		{PORT_INIT, 0x1c, PORT_INIT},
		{PORT_ACTIVE, 0x1c, PORT_INIT},
		{0, 0, PORT_INIT},
		{PORT_ARMED, 0, PORT_ARMED},
		{PORT_ARMED, 0x1c, PORT_ARMED},
		{PORT_INIT, 0x1c, PORT_ARMED},
		{PORT_ACTIVE, 0, PORT_ACTIVE},
		{PORT_ACTIVE, 0x1c, PORT_ACTIVE},
		{PORT_ARMED, 0x1c, PORT_ACTIVE},
		{0, 0, PORT_ACTIVE},
		{PORT_DOWN, 0, PORT_INIT},
	};

	smp_bench_attach(&b);
	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		uint16_t st = smp_bench_set_state(&b, "\1", 2, step[i][0]);

		ck_assert_msg(st == step[i][1] &&
				      smp_bench_port_info(&b, "\1", 2).state ==
					      step[i][2],
			"step %u: status %x, state %u", i, st,
			smp_bench_port_info(&b, "\1", 2).state);
	}
	/* a port that goes down takes the other end down */
	ck_assert_uint_eq(smp_bench_set_state(&b, "\1\2", 2, PORT_ARMED), 0);
	ck_assert_uint_eq(smp_bench_set_state(&b, "\1", 2, PORT_DOWN), 0);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1\2", 2).state, PORT_INIT);
	/* base port 0 has none */
	ck_assert_uint_eq(smp_bench_set_state(&b, "\1", 0, PORT_ARMED), 0x1c);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).state, 0);
}

TEST(port_info_is_checked)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_port_info pi;

	smp_bench_attach(&b);
	ck_assert_uint_eq(smp_bench_set_lid(&b, "\1", 0, 0xc000), 0x1c);
	ck_assert_uint_eq(smp_bench_set_lid(&b, "\1", 0, 77), 0);
	ck_assert_uint_eq(smp_bench_set_lid(&b, "\1", 0, 0), 0x1c);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).lid, 77);
	/* extended speeds are sent only on request */
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).speed_ext_active, 4);
	pi = smp_bench_port_info(&b, "\1", 2 | MAD_PORT_INFO_EXT);
	ck_assert_uint_eq(pi.speed_ext_active, 4);
	ck_assert_uint_eq(pi.width_active, 2);
	pi.mtu = 6;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 2));
	ck_assert_uint_eq(b.last.status, 0x1c);
	pi.mtu = 5;
	pi.op_vls = 4;
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 2));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).mtu, 5);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).op_vls, 4);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_PORT_INFO, 3));
	ck_assert_uint_eq(b.last.status, 0x1c);
}

TEST(mkeys_are_kept)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_port_info pi;

	smp_bench_attach(&b);
	pi = smp_bench_port_info(&b, "\1", 0);
	pi.lid = pi.sm_lid = 1;
	pi.mkey = 0x1234;
	pi.mkey_prot = 1;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 0));
	ck_assert_uint_eq(b.last.status, 0);
	ck_assert(b.last.mkey == 0);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey, 0);
	ck_assert(!smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 0));
	b.last.mkey = 0x1234;
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey, 0x1234);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 0).mkey_viol, 1);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0));
}

TEST(status_where_due)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	static const struct {
		const char *path;
		uint8_t method;
		uint16_t attr;
		uint32_t mod;
		uint16_t status;
	} q[] = {
		{"", MAD_GET, MAD_SWITCH_INFO, 0, 0x0c},
		{"", MAD_GET, MAD_LFT, 0, 0x0c},
		{"\1", MAD_GET, 0xff17, 4, 0x0c},
		{"\1", MAD_GET, 0x33, 0, 0},
		{"\1", MAD_GET, 0x33, 3, 0x1c},
		{"\1", MAD_GET, 0x34, 0, 0x0c},
		{"\1", MAD_GET, 0x1c, 0, 0x0c},
		{"\1", MAD_GET, MAD_NOTICE, 0, 0},
		{"\1", MAD_GET, MAD_SM_INFO, 0, 0x0c},
		{"\1", MAD_SET, MAD_NODE_INFO, 0, 0x0c},
		{"\1", 0x03, MAD_NODE_INFO, 0, 0x08},
		{"\1", MAD_GET, MAD_LFT, 767, 0},
		{"\1", MAD_GET, MAD_LFT, 768, 0x1c},
		{"\1", MAD_GET, MAD_SL2VL, 2 << 8 | 2, 0},
		{"\1", MAD_GET, MAD_SL2VL, 3 << 8 | 2, 0x1c},
		{"\1", MAD_GET, MAD_SL2VL, 0 << 8 | 2, 0},
		{"\1", MAD_GET, MAD_SL2VL, 2 << 8 | 0, 0x1c},
		{"\1", MAD_SET, MAD_SL2VL, 0x30000, 0},
		{"\1", MAD_SET, MAD_SL2VL, 0x40000, 0x1c},
		{"\1", MAD_GET, MAD_VLARB, 1 << 16 | 0, 0x1c},
		{"\1", MAD_GET, MAD_VLARB, 1 << 16 | 2, 0},
		{"\1", MAD_GET, MAD_VLARB, 2 << 16 | 2, 0x1c},
		{"\1", MAD_GET, MAD_VLARB, 3 << 16 | 2, 0},
		{"\1", MAD_GET, MAD_VLARB, 4 << 16 | 2, 0x1c},
		{"\1", MAD_GET, MAD_VLARB, 5 << 16 | 2, 0x1c},
		{"\1", MAD_GET, MAD_VLARB, 1 << 16 | 3, 0x1c},
		{"\1", MAD_GET, MAD_PKEY_TABLE, 2 << 16, 0},
		{"\1", MAD_GET, MAD_PKEY_TABLE, 3 << 16, 0x1c},
		{"\1", MAD_GET, MAD_PKEY_TABLE, 1, 0x1c},
		{"\1", MAD_GET, MAD_GUID_INFO, 0, 0},
		{"\1", MAD_GET, MAD_GUID_INFO, 1, 0x1c},
		{"\1", MAD_GET, MAD_MFT, 255, 0},
		{"\1", MAD_GET, MAD_MFT, 0x10000000U | 255, 0x1c},
		{"\1", MAD_GET, MAD_MFT, 256, 0x1c},
		{"", MAD_SET, MAD_SL2VL, 1, 0},
	};

	smp_bench_attach(&b);
	for (unsigned i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		ck_assert_msg(smp_bench_ask(&b, q[i].path, q[i].method,
				      q[i].attr, q[i].mod),
			"question %u", i);
		ck_assert_msg(b.last.status == q[i].status,
			"question %u: status %x", i, b.last.status);
	}
}

TEST(tables_are_kept)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	static const struct {
		uint16_t attr;
		uint32_t mod, other;
		unsigned bytes;
	} t[] = {
		{MAD_LFT, 500, 499, 64},
		{MAD_MFT, 3, 2, 64},
		{MAD_SL2VL, 1 << 8 | 2, 2 << 8 | 1, 8},
		{MAD_VLARB, 1 << 16 | 1, 3 << 16 | 1, 16},
		{MAD_PKEY_TABLE, 1 << 16, 2 << 16, 64},
	};

	smp_bench_attach(&b);
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint8_t want[MAD_DATA];

		for (unsigned k = 0; k < MAD_DATA; k++)
			want[k] = (uint8_t)(k * 7 + i);
		memcpy(b.last.data, want, MAD_DATA);
		ck_assert(
			smp_bench_ask(&b, "\1", MAD_SET, t[i].attr, t[i].mod));
		ck_assert(
			smp_bench_ask(&b, "\1", MAD_GET, t[i].attr, t[i].mod));
		ck_assert_msg(memcmp(b.last.data, want, t[i].bytes) == 0,
			"table %u", i);
		ck_assert(smp_bench_ask(
			&b, "\1", MAD_GET, t[i].attr, t[i].other));
		ck_assert_msg(memcmp(b.last.data, want, t[i].bytes) != 0,
			"table %u", i);
	}
	ck_assert_uint_eq(sim_stats(b.s)->lft_sets, 1);
	ck_assert_uint_eq(sim_stats(b.s)->lft_same, 0);
	ck_assert_uint_eq(sim_stats(b.s)->by[MAD_SL2VL][MAD_SET], 1);
}

TEST(optimized_sl2vl)
{
	struct sim_options o = sim_defaults();
	AUTO(smp_bench) struct bench b;

	o.opt_sl2vl = true;
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	memset(b.last.data, 0x55, 8);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_SL2VL, 0x20000 | 2));
	ck_assert_uint_eq(b.last.status, 0);
	for (unsigned in = 0; in < 3; in++) {
		for (unsigned out = 0; out < 3; out++) {
			ck_assert(smp_bench_ask(
				&b, "\1", MAD_GET, MAD_SL2VL, in << 8 | out));
			/* port 0 is not enhanced: it is left out */
			ck_assert((b.last.data[3] == 0x55) ==
				  (out == 2 && in > 0));
		}
	}
}

TEST(lid_routes_follow_the_tables)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	char desc[MAD_DATA + 1];
	static const char *const name[] = {"h1", "sw0", "sw1", "h2"};

	smp_bench_attach(&b);
	ck_assert(!smp_bench_ask_lid(&b, 4, MAD_NODE_DESC));
	smp_bench_configure(&b);
	for (uint16_t lid = 1; lid <= 4; lid++) {
		ck_assert_msg(smp_bench_ask_lid(&b, lid, MAD_NODE_DESC),
			"LID %u", lid);
		mad_node_desc_decode(b.last.data, desc);
		ck_assert_str_eq(desc, name[lid - 1]);
		ck_assert_uint_eq(b.raw.addr.lid, lid);
	}
	sim_clear_stats(b.s);
	ck_assert(!smp_bench_ask_lid(&b, 5, MAD_NODE_DESC));
	ck_assert_uint_eq(sim_stats(b.s)->lost_entry, 1);
	/* sw1 sends LID 4 back: a loop */
	sim_set_lft(b.s, 2, 4, 2);
	ck_assert(!smp_bench_ask_lid(&b, 4, MAD_NODE_DESC));
	ck_assert_uint_eq(sim_stats(b.s)->lost_loop, 1);
	/* sw1 has no path back to LID 1: the answer is lost */
	sim_set_lft(b.s, 2, 4, 1);
	sim_set_lft(b.s, 2, 1, 255);
	ck_assert(!smp_bench_ask_lid(&b, 4, MAD_NODE_DESC));
	ck_assert_uint_eq(sim_stats(b.s)->lost_entry, 2);
}

TEST(fabric_is_as_described)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);

	/* assumed by the other tests */
	ck_assert_str_eq(sim_name(b.s, 0), "sw0");
	ck_assert_str_eq(sim_name(b.s, 2), "sw1");
	ck_assert_str_eq(sim_name(b.s, b.sm), "h1");
}

TEST(traps_repeat_until_repressed)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct mad_notice n;
	struct mad_switch_info si;

	smp_bench_attach(&b);
	sim_fault_link(b.s, 2, 1, false);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(500)));
	ck_assert_uint_eq(b.traps, 0); /* no destination for traps yet */
	sim_fault_link(b.s, 2, 1, true);
	smp_bench_configure(&b);
	sim_fault_link(b.s, 2, 1, false);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(900)));
	ck_assert_uint_eq(b.traps, 5); /* 0, 200, 400, 600, 800 ms */
	mad_notice_decode(b.trap.data, &n);
	ck_assert_uint_eq(n.trap, 128);
	ck_assert_uint_eq(n.data_lid, 3);
	ck_assert_uint_eq(b.raw.addr.lid, 3);
	smp_bench_repress(&b);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(900)));
	ck_assert_uint_eq(b.traps, 5);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_SWITCH_INFO, 0));
	mad_switch_info_decode(b.last.data, &si, NULL);
	ck_assert(si.state_change);
	mad_switch_info_encode(&si, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_SET, MAD_SWITCH_INFO, 0));
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_SWITCH_INFO, 0));
	mad_switch_info_decode(b.last.data, &si, NULL);
	ck_assert(!si.state_change);
	/* an old TrapRepress does not stop a new change's trap */
	sim_fault_link(b.s, 2, 1, true);
	smp_bench_repress(&b);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(500)));
	ck_assert_uint_ge(b.traps, 7);
	/* trap 144 */
	smp_bench_repress(&b);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(10)));
	sim_fault_rename(b.s, 2, "new name");
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(10)));
	mad_notice_decode(b.trap.data, &n);
	ck_assert_uint_eq(n.trap, 144);
	ck_assert_uint_eq(n.change_flags, 1);
}

TEST(links_and_nodes_fail)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_fault_link(b.s, 0, 2, false);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).state, PORT_DOWN);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).phys_state, 2);
	ck_assert(!smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	sim_fault_link(b.s, 0, 2, true);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).state, PORT_INIT);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	sim_fault_node(b.s, 2, false);
	ck_assert(!smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	sim_fault_node(b.s, 2, true);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1\2", 0).lid, 0);
	/* sw0 still knows the path to LID 4, sw1 does not */
	ck_assert(!smp_bench_ask_lid(&b, 4, MAD_NODE_DESC));
	ck_assert_uint_eq(smp_bench_set_lid(&b, "\1\2", 0, 3), 0);
	sim_fault_reboot(b.s, 2);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1\2", 0).lid, 0);
	ck_assert_uint_eq(smp_bench_port_info(&b, "\1", 2).state, PORT_INIT);
	/* disabled by the SM, and back */
	ck_assert_uint_eq(sim_lft(b.s, 2, 4), 255);
	b.last.mkey = 0;
	{
		struct mad_port_info pi = smp_bench_port_info(&b, "\1", 2);

		pi.state = 0;
		pi.phys_state = 3;
		mad_port_info_encode(&pi, b.last.data);
		ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 2));
		ck_assert_uint_eq(b.last.status, 0);
		ck_assert_uint_eq(
			smp_bench_port_info(&b, "\1", 2).phys_state, 3);
		ck_assert(
			!smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
		pi.phys_state = 2;
		mad_port_info_encode(&pi, b.last.data);
		ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 2));
		ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	}
}

TEST(nodes_misbehave)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct sim_behaviour bad = {.hung = true};
	struct mad_node_info ni;

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	sim_fault_behave(b.s, 2, &bad);
	ck_assert(!smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert(!smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert(smp_bench_ask_lid(
		&b, 4, MAD_NODE_DESC)); /* tables still work */
	bad = (struct sim_behaviour){.mute = 1ULL << MAD_NODE_DESC,
		.refuse = 1ULL << MAD_GUID_INFO | 1ULL << MAD_LFT,
		.wrong = 1ULL << MAD_PORT_INFO,
		.zero_ports = true};
	sim_fault_behave(b.s, 2, &bad);
	ck_assert(!smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_DESC, 0));
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_GUID_INFO, 0));
	ck_assert_uint_eq(b.last.status, 0x0c);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_PORT_INFO, 0));
	ck_assert_uint_eq(b.last.attr, 0x14);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert_int_eq(mad_node_info_decode(b.last.data, &ni, NULL), -1);
	bad = (struct sim_behaviour){.refuse = 1ULL << MAD_LFT, .status = 0x1c};
	sim_fault_behave(b.s, 2, &bad);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_LFT, 0));
	ck_assert_uint_eq(b.last.status, 0x1c);
	/* duplicate GUIDs */
	sim_fault_guid(b.s, 2, b.f->node[0].guid);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	mad_node_info_decode(b.last.data, &ni, NULL);
	ck_assert_uint_eq(ni.guid, b.f->node[0].guid);
	ck_assert_uint_eq(ni.port_guid, b.f->node[0].guid);
	/* sw0's port 2 leads to h2, but h2's link leads to sw1 */
	sim_fault_cross(b.s, 0, 2, 3, 1);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	mad_node_info_decode(b.last.data, &ni, NULL);
	ck_assert_uint_eq(ni.guid, b.f->node[3].guid);
}

/* A thousand requests with these chances; returns the number of answers. */
static unsigned
count_answers(const struct sim_faults *f, unsigned *garbage, unsigned *busy)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	unsigned before;

	smp_bench_attach(&b);
	sim_fault_chances(b.s, f);
	*garbage = *busy = 0;
	for (unsigned i = 0; i < 1000; i++) {
		before = b.got;
		(void)smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0);
		if (b.got == before)
			continue;
		*garbage += b.garbage;
		*busy += !b.garbage && b.last.status == MAD_STATUS_BUSY;
	}
	before = b.got;
	return before;
}

TEST(chances_are_as_configured)
{
	unsigned garbage, busy, again, n;
	struct sim_faults none = {0}, loss = {.loss = 100000};
	struct sim_faults dup = {.dup = 1000000}, all = {.loss = 1000000};
	struct sim_faults bad = {.truncate = 500000};
	struct sim_faults wait = {.busy = 300000};

	ck_assert_uint_eq(count_answers(&none, &garbage, &busy), 1000);
	ck_assert_uint_eq(garbage + busy, 0);
	ck_assert_uint_eq(count_answers(&all, &garbage, &busy), 0);
	ck_assert_uint_eq(count_answers(&dup, &garbage, &busy), 4000);
	n = count_answers(&loss, &garbage, &busy); /* 0.9 in each direction */
	ck_assert_msg(n > 760 && n < 860, "%u answers", n);
	again = count_answers(&loss, &garbage, &busy);
	ck_assert_uint_eq(n, again);
	n = count_answers(&bad, &garbage, &busy);
	ck_assert_msg(n > 440 && n < 560, "%u answers", n);
	ck_assert_msg(garbage > 200 && garbage < 300, "%u garbage", garbage);
	ck_assert_uint_eq(count_answers(&wait, &garbage, &busy), 1000);
	ck_assert_msg(busy > 250 && busy < 350, "%u busy", busy);
}

TEST(garbage_does_not_crash_an_sma)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct rng {
		uint64_t x;
	} r = {88172645463325252U};
	struct transport_msg m;

	smp_bench_attach(&b);
	smp_bench_configure(&b);
	for (unsigned i = 0; i < 50000; i++) {
		struct smp q = {
			.mgmt_class = i & 1 ? MAD_SUBN_DR : MAD_SUBN_LID,
			.method = (uint8_t)(1 + (i >> 1 & 1)),
			.hop_cnt = (uint8_t)(i % 4),
			.path = {0, 1, 2, 1}};

		for (unsigned k = 0; k < MAD_DATA; k++) {
			r.x ^= r.x << 13;
			r.x ^= r.x >> 7;
			r.x ^= r.x << 17;
			q.data[k] = (uint8_t)r.x;
		}
		q.attr = (uint16_t)(r.x >> 8 & 0x23);
		q.mod = (uint32_t)(r.x >> 20) >> (i % 29);
		m = (struct transport_msg){
			.addr.lid = (uint16_t)(r.x >> 50), .len = MAD_SIZE};
		smp_encode(&q, m.mad);
		if (i % 7 == 0) {
			m.mad[r.x % 250] = (uint8_t)(r.x >> 32);
			m.len = i % 3 ? MAD_SIZE : r.x % MAD_SIZE;
		}
		sim_transport(b.e)->send(sim_transport(b.e), &m);
		if (i % 64 == 0)
			sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(1)));
	}
	ck_assert_uint_gt(sim_stats(b.s)->answers, 10000);
}

/* The script: drop one attribute, rewrite another, count. */
struct script {
	unsigned seen, dropped;
};

static enum sim_verdict
on_hook(void *cookie, struct sim_msg *msg)
{
	struct script *sc = cookie;

	sc->seen++;
	if (msg->where == SIM_AT_SMA && be_get16(msg->m.mad + 16) == MAD_LFT) {
		sc->dropped++;
		return SIM_DROP;
	}
	if (msg->where == SIM_AT_ENDPOINT &&
		be_get16(msg->m.mad + 16) == MAD_NODE_DESC)
		memcpy(msg->m.mad + 64, "forged", 7);
	return SIM_PASS;
}

static void
break_link(void *cookie, struct sim *s)
{
	(void)cookie;
	sim_fault_link(s, 0, 2, false);
}

TEST(scripts_have_the_last_word)
{
	AUTO(smp_bench) struct bench b = smp_bench_new(smp_bench_line(), NULL);
	struct script sc = {0};
	struct transport_msg m = {.len = 3};

	smp_bench_attach(&b);
	sim_set_hook(b.s, on_hook, &sc);
	ck_assert(!smp_bench_ask(&b, "\1", MAD_GET, MAD_LFT, 0));
	ck_assert_uint_eq(sc.dropped, 1);
	ck_assert(smp_bench_ask(&b, "\1", MAD_GET, MAD_NODE_DESC, 0));
	ck_assert_str_eq((char *)b.last.data, "forged");
	ck_assert_uint_eq(sc.seen, 3);
	sim_inject(b.e, &m, mono_ms(1));
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(2)));
	ck_assert(b.garbage);
	ck_assert_uint_eq(b.raw.len, 3);
	sim_at(b.s, mono_add(sim_now(b.s), mono_ms(50)), break_link, NULL);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(50)));
	ck_assert(!smp_bench_ask(&b, "\1\2", MAD_GET, MAD_NODE_INFO, 0));
}

TEST(time_is_what_it_takes)
{
	struct sim_options o = sim_defaults();
	AUTO(smp_bench) struct bench b;
	struct smp q = {.mgmt_class = MAD_SUBN_DR,
		.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.hop_cnt = 2,
		.path = {0, 1, 2}};
	struct transport_msg m = {.addr.lid = 0xffff, .len = MAD_SIZE};

	o.hop = mono_us(10);
	o.service = mono_us(100);
	o.sma_queue = 5;
	b = smp_bench_new(smp_bench_line(), &o);
	smp_bench_attach(&b);
	smp_encode(&q, m.mad);
	for (unsigned i = 0; i < 10; i++)
		sim_transport(b.e)->send(sim_transport(b.e), &m);
	ck_assert_int_eq(sim_next(b.s).ns, mono_us(30).ns);
	sim_run_until(b.s, mono_us(159));
	ck_assert_uint_eq(b.got, 0);
	sim_run_until(b.s, mono_us(160)); /* 30 there, 100, 30 back */
	ck_assert_uint_eq(b.got, 1);
	sim_run_until(b.s, mono_ms(5)); /* one served, five wait, four lost */
	ck_assert_uint_eq(b.got, 6);
	ck_assert_uint_eq(sim_stats(b.s)->lost_queue, 4);
	ck_assert_int_eq(sim_now(b.s).ns, mono_ms(5).ns);
}

/* A second endpoint that answers SMInfo itself. */
static void
on_other(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct bench *b = cookie;
	struct transport_msg a = *m;
	struct smp q;

	(void)now;
	ck_assert_int_eq(smp_decode(m->mad, m->len, &q, NULL), 0);
	b->got++;
	q.method = MAD_GET_RESP;
	q.response = true;
	mad_sm_info_encode(
		&(struct mad_sm_info){.guid = 42, .priority = 7, .state = 3},
		q.data);
	smp_encode(&q, a.mad);
	sim_transport(b->e)->send(sim_transport(b->e), &a);
}

TEST(subnet_managers_meet)
{
	struct bench b = smp_bench_new(smp_bench_line(), NULL), other = {0};
	struct mad_sm_info si, says = {.guid = 9, .priority = 3, .state = 2};
	uint32_t mod;

	smp_bench_attach(&b);
	other.e = sim_attach(b.s, 3, 1, on_other, &other);
	smp_bench_configure(&b);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_SM_INFO, 0));
	mad_sm_info_decode(b.last.data, &si);
	ck_assert_uint_eq(si.guid, 42);
	ck_assert(smp_bench_ask_lid(&b, 4, MAD_SM_INFO));
	ck_assert_uint_eq(other.got, 2);
	ck_assert(smp_bench_ask(&b, "\1\2\1", MAD_GET, MAD_NODE_INFO, 0));
	ck_assert_uint_eq(other.got, 2);
	/* one without an SM behind it */
	sim_fault_other_sm(b.s, 2, 0, &says);
	ck_assert(smp_bench_port_info(&b, "\1\2", 0).capmask & MAD_CAP_IS_SM);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_GET, MAD_SM_INFO, 0));
	mad_sm_info_decode(b.last.data, &si);
	ck_assert_uint_eq(si.guid, 9);
	ck_assert_uint_eq(si.state, 2);
	ck_assert(!sim_fault_other_sm_last(b.s, 2, &mod, &si));
	says.state = 3;
	mad_sm_info_encode(&says, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1\2", MAD_SET, MAD_SM_INFO, 1));
	ck_assert(sim_fault_other_sm_last(b.s, 2, &mod, &si));
	ck_assert_uint_eq(mod, 1);
	smp_bench_free(&b);
}

TEST(data_needs_active_ports)
{
	struct bench b = smp_bench_new(smp_bench_line(), NULL), other = {0};
	struct transport_msg m = {
		.addr.lid = 4, .addr.qpn = 1, .len = MAD_SIZE};

	smp_bench_attach(&b);
	other.e = sim_attach(b.s, 3, 1, smp_bench_on_recv, &other);
	smp_bench_configure(&b);
	m.mad[0] = 1;
	m.mad[1] = MAD_SA;
	m.mad[2] = 2;
	m.mad[3] = MAD_GET;
	sim_transport(b.e)->send(sim_transport(b.e), &m);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(1)));
	ck_assert_uint_eq(other.got, 0);
	sim_activate_all(b.s);
	sim_transport(b.e)->send(sim_transport(b.e), &m);
	sim_run_until(b.s, mono_add(sim_now(b.s), mono_ms(1)));
	ck_assert_uint_eq(other.got, 1);
	ck_assert_uint_eq(other.raw.mad[1], MAD_SA);
	ck_assert_uint_eq(other.raw.addr.lid, 1);
	smp_bench_free(&b);
}
