/*
 * The codec of subnet administration against bytes made by hand.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/mad/mad_sa.h"
#include "tests/unit/suite.h"

TEST(the_header)
{
	static const uint8_t wire[MAD_SA_HEADER] = {1, 3, 2, 0x92, 0x03, 0x00,
		0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x00,
		0x35, 0, 0, 0x80, 0, 0, 1, 1, 1, 0xf9, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x20,
		0x10, 0x0c};
	uint8_t back[MAD_SA_HEADER];
	struct mad_sa h;

	ck_assert_int_eq(mad_sa_decode(wire, sizeof(wire), &h, NULL), 0);
	ck_assert_uint_eq(h.base_version, 1);
	ck_assert_uint_eq(h.class_version, 2);
	ck_assert_uint_eq(h.method, MAD_SA_GET_TABLE | MAD_SA_RESPONSE);
	ck_assert_uint_eq(h.status, MAD_SA_NO_RECORDS);
	ck_assert_uint_eq(h.tid, UINT64_C(0x1122334455667788));
	ck_assert_uint_eq(h.attr, MAD_SA_PATH_REC);
	ck_assert_uint_eq(h.mod, 0x80000001U);
	ck_assert(h.rmpp);
	ck_assert_uint_eq(h.rmpp_type, 1);
	ck_assert_uint_eq(h.sm_key, 7);
	ck_assert_uint_eq(h.offset, 8);
	ck_assert_uint_eq(h.mask, 0x20100c);
	mad_sa_encode(&h, back);
	ck_assert_mem_eq(back, wire, sizeof(wire));
	ck_assert_int_eq(mad_sa_decode(wire, sizeof(wire) - 1, &h, NULL), -1);
}

/* Fields filled with ff one at a time: a wrong width or position shows. */
TEST(a_path_record)
{
	static const uint8_t wire[MAD_SA_PATH] = {/* ServiceID */ 1, 2, 3, 4, 5,
		6, 7, 8,
		/* DGID */ 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0, 4,
		1, /* SGID */ 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0,
		5, 1, /* DLID, SLID */ 0x01, 0x02, 0x03, 0x04,
		/* raw, flow label, hop limit */ 0x80, 0x12, 0x34, 0x40,
		/* TClass */ 0xab, /* reversible, paths */ 0x85,
		/* P_Key */ 0xff, 0xff, /* QoS class, SL */ 0x12, 0x37,
		/* MTU */ 0x84, /* rate */ 0x15, /* life */ 0xd2,
		/* preference */ 3};
	struct mad_sa_path p;
	uint8_t back[MAD_SA_PATH];

	mad_sa_path_decode(wire, &p);
	ck_assert_uint_eq(p.service, UINT64_C(0x0102030405060708));
	ck_assert_uint_eq(p.dgid.prefix, UINT64_C(0xfe80000000000000));
	ck_assert_uint_eq(p.dgid.guid, UINT64_C(0x0002c90300000401));
	ck_assert_uint_eq(p.sgid.guid, UINT64_C(0x0002c90300000501));
	ck_assert_uint_eq(p.dlid, 0x102);
	ck_assert_uint_eq(p.slid, 0x304);
	ck_assert(p.raw);
	ck_assert_uint_eq(p.flow_label, 0x1234);
	ck_assert_uint_eq(p.hop_limit, 0x40);
	ck_assert_uint_eq(p.tclass, 0xab);
	ck_assert(p.reversible);
	ck_assert_uint_eq(p.npaths, 5);
	ck_assert_uint_eq(p.pkey, 0xffff);
	ck_assert_uint_eq(p.qos_class, 0x123);
	ck_assert_uint_eq(p.sl, 7);
	ck_assert_uint_eq(p.mtu_sel, MAD_SA_EXACTLY);
	ck_assert_uint_eq(p.mtu, 4);
	ck_assert_uint_eq(p.rate_sel, MAD_SA_GREATER);
	ck_assert_uint_eq(p.rate, 21);
	ck_assert_uint_eq(p.life_sel, MAD_SA_BEST);
	ck_assert_uint_eq(p.life, 18);
	ck_assert_uint_eq(p.preference, 3);
	mad_sa_path_encode(&p, back);
	ck_assert_mem_eq(back, wire, sizeof(wire));
}

TEST(a_multi_path_record)
{
	static const uint8_t wire[MAD_SA_MULTI] = {0x00, 0, 0x01, 0xff, 0x11,
		0xc3, 0x80, 0x01, 0x00, 0x25, 0x84, 0x83, 0x92, 0x77, 0x40, 2,
		3, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00};
	struct mad_sa_multi m;

	mad_sa_multi_decode(wire, (1 << 5) | (1 << 21) | (1 << 19), &m);
	ck_assert_uint_eq(m.path.flow_label, 1);
	ck_assert_uint_eq(m.path.hop_limit, 0xff);
	ck_assert_uint_eq(m.path.tclass, 0x11);
	ck_assert(m.path.reversible);
	ck_assert_uint_eq(m.path.npaths, 0x43);
	ck_assert_uint_eq(m.path.pkey, 0x8001);
	ck_assert_uint_eq(m.path.qos_class, 2);
	ck_assert_uint_eq(m.path.sl, 5);
	ck_assert_uint_eq(m.path.mtu, 4);
	ck_assert_uint_eq(m.path.rate, 3);
	ck_assert_uint_eq(m.path.life, 18);
	ck_assert_uint_eq(m.path.service, UINT64_C(0x7766554433221100));
	ck_assert_uint_eq(m.nsgid, 2);
	ck_assert_uint_eq(m.ndgid, 3);
	ck_assert_uint_eq(m.mask, MAD_SA_PATH_REVERSIBLE | 2);
}

TEST(an_inform_info)
{
	static const uint8_t wire[MAD_SA_INFORM] = {0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x00, 0x10, 0, 0, 1, 1, 0xff,
		0xfe, 0x00, 0x40, 0x00, 0x00, 0x01, 0x13, 0, 0, 0, 4};
	struct mad_sa_inform i;
	uint8_t back[MAD_SA_INFORM];

	mad_sa_inform_decode(wire, &i);
	ck_assert_uint_eq(i.lid_first, 0xffff);
	ck_assert_uint_eq(i.lid_last, 0x10);
	ck_assert(i.generic && i.subscribe);
	ck_assert_uint_eq(i.type, 0xfffe);
	ck_assert_uint_eq(i.trap, 64);
	ck_assert_uint_eq(i.qpn, 1);
	ck_assert_uint_eq(i.resp_time, 0x13);
	ck_assert_uint_eq(i.producer, 4);
	mad_sa_inform_encode(&i, back);
	ck_assert_mem_eq(back, wire, sizeof(wire));
}

TEST(the_others)
{
	static const uint8_t trace[MAD_SA_TRACE] = {0xfe, 0x80, 0, 0, 0, 0, 0,
		0, 0x12, 0x34, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6};
	static const uint8_t info[MAD_SA_PORT_INFO] = {1, 2, 0x24, 0x04, 0x00,
		0x00, 0x94, 0x12, [33] = 0, [35] = 1, [36] = 0x80, [37] = 1};
	const struct mad_sa_trace t = {
		UINT64_C(0xfe80) << 48, 0x1234, 2, 1, 2, 3, 4, 5, 6};
	const struct mad_sa_port_info i = {
		.cap = 0x2404,
		.cap2 = 0x4a0,
		.resp_time = 0x12,
		.qp = 1,
		.qkey = 0x80010000U,
	};
	uint8_t service[MAD_SA_SERVICE] = {0, 0, 0, 0, 0, 0, 0,
		9, [15] = 1, [23] = 2, [24] = 0x80, 3, 0, 0, 0, 0, 1,
		0, [32] = 0xaa, [47] = 0xbb, [48] = 'x'};
	struct mad_sa_service s;
	uint8_t d[MAD_SA_PORT_INFO];

	mad_sa_trace_encode(&t, d);
	ck_assert_mem_eq(d, trace, sizeof(trace));
	mad_sa_port_info_encode(&i, d);
	ck_assert_mem_eq(d, info, sizeof(info));
	mad_sa_service_decode(service, &s);
	ck_assert_uint_eq(s.id, 9);
	ck_assert_uint_eq(s.gid.prefix, 1);
	ck_assert_uint_eq(s.gid.guid, 2);
	ck_assert_uint_eq(s.pkey, 0x8003);
	ck_assert_uint_eq(s.lease, 256);
	ck_assert_uint_eq(s.key[0], 0xaa);
	ck_assert_uint_eq(s.key[15], 0xbb);
	ck_assert_uint_eq(s.name[0], 'x');
}
