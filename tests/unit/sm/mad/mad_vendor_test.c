/*
 * Vendor attributes, PortInfoExtended, the switch's role, counters and the
 * details of security traps: known bytes, round trips of every bit, refusals.
 */
#include <check.h>
#include <infiniband/mad.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/rng.h"
#include "sm/mad/mad_ar.h"
#include "sm/mad/mad_perf.h"
#include "sm/mad/mad_role.h"
#include "sm/mad/mad_vendor.h"
#include "sm/mad/mad_violation.h"
#include "tests/sim/model/mad_nvidia_port.h"
#include "tests/sim/model/mad_port_ext.h"
#include "tests/unit/suite.h"

enum { SEED = 1867, ROUNDS = 2000, MOST = MAD_PERF_SIZE };

/* ---- round trips ---- */

static void
pass_ar_info(const uint8_t *in, uint8_t *out)
{
	struct mad_ar_info x;

	(void)mad_ar_info_decode(in, &x, NULL);
	mad_ar_info_encode(&x, out);
}

static void
pass_ar_group(const uint8_t *in, uint8_t *out)
{
	struct mad_ar_group x;

	mad_ar_group_decode(in, &x);
	mad_ar_group_encode(&x, out);
}

static void
pass_ar_lft(const uint8_t *in, uint8_t *out)
{
	struct mad_ar_entry x[MAD_AR_ENTRIES];

	mad_ar_lft_decode(in, x);
	mad_ar_lft_encode(x, out);
}

static void
pass_role(const uint8_t *in, uint8_t *out)
{
	struct mad_role x;
	uint8_t d[MAD_DATA];

	memcpy(d, in, sizeof(d));
	be_put32(d, MAD_ROLE_SIGNATURE);
	d[4] |= 1;
	d[5] = d[5] % 7;
	d[63] &= 0xfe;
	ck_assert_int_eq(mad_role_decode(d, &x, NULL), 0);
	mad_role_encode(&x, out);
	/* bytes that the codec forces are taken from the input */
	memcpy(out, in, 6);
	out[63] |= in[63] & 1;
}

static void
pass_general(const uint8_t *in, uint8_t *out)
{
	struct mad_vendor_general x;

	mad_vendor_general_decode(in, &x);
	mad_vendor_general_encode(&x, out);
}

static void
pass_ext_port(const uint8_t *in, uint8_t *out)
{
	struct mad_nvidia_port x;

	mad_nvidia_port_decode(in, &x);
	mad_nvidia_port_encode(&x, out);
}

static void
pass_port_ext(const uint8_t *in, uint8_t *out)
{
	struct mad_port_ext x;

	mad_port_ext_decode(in, &x);
	mad_port_ext_encode(&x, out);
}

static void
pass_class_info(const uint8_t *in, uint8_t *out)
{
	struct mad_perf_class_info x;

	mad_perf_class_info_decode(in, &x);
	mad_perf_class_info_encode(&x, out);
}

static void
pass_counters(const uint8_t *in, uint8_t *out)
{
	struct mad_perf_counters x;

	mad_perf_counters_decode(in, &x);
	mad_perf_counters_encode(&x, out);
}

static void
pass_extended(const uint8_t *in, uint8_t *out)
{
	struct mad_perf_counters x;

	mad_perf_extended_decode(in, &x);
	mad_perf_extended_encode(&x, out);
}

static void
pass_violation(uint16_t trap, const uint8_t *in, uint8_t *out)
{
	struct mad_violation x;

	mad_violation_decode(in, trap, &x);
	memset(out, 0, MAD_DATA);
	mad_violation_encode(&x, trap, out);
}

static void
pass_256(const uint8_t *in, uint8_t *out)
{
	pass_violation(256, in, out);
}

static void
pass_257(const uint8_t *in, uint8_t *out)
{
	pass_violation(257, in, out);
}

static void
pass_259(const uint8_t *in, uint8_t *out)
{
	pass_violation(259, in, out);
}

#define F8 "ffffffffffffffff"
#define F32 F8 F8 F8 F8

static const struct {
	const char *name;
	void (*pass)(const uint8_t *in, uint8_t *out);
	const char *mask; /* hex of the bits that are not reserved */
} codecs[] = {
	{"ARInfo", pass_ar_info,
		"7fffff7fffffffffffffffff000000ffffffffffff00ff"},
	{"ARGroupTable", pass_ar_group, F32 F32},
	{"ARLFT", pass_ar_lft,
		"cfff0fffcfff0fffcfff0fffcfff0fffcfff0fffcfff0fffcfff0fff"
		"cfff0fffcfff0fffcfff0fffcfff0fffcfff0fffcfff0fffcfff0fff"
		"cfff0fffcfff0fff"},
	{"SwitchRole", pass_role, "ffffffffffffffffffffffffffffff00" F8 F8 F32},
	{"GeneralInfo", pass_general, F8 F8},
	{"ExtendedPortInfo", pass_ext_port, "000000ff000000ff000000ff000000ff"},
	{"PortInfoExtended", pass_port_ext, "ffffffffffffffffffffffffffff"},
	{"ClassPortInfo", pass_class_info, F8},
	{"PortCounters", pass_counters,
		"00ffffff" F8 F8 "0000ffff" F8 F8 "ffffffff"},
	{"PortCountersExtended", pass_extended, "00ffffffffffffff" F32 F32},
	{"trap 256", pass_256,
		"000000000000000000000000ffffffffff00ffffffffffff" F8
		"00ff" F8 F8 F8 "ffffffffffff"},
	{"trap 257", pass_257,
		"000000000000000000000000fffffffffffffffff0ffffff00ffffff" F32},
	{"trap 259", pass_259,
		"00000000000000000000ffffffffffffffffF0ffffff00ffffff" F32
		"ffffff"},
};

enum { NCODECS = sizeof(codecs) / sizeof(codecs[0]) };

static void
parse_hex(const char *hex, uint8_t out[MOST])
{
	memset(out, 0, MOST);
	for (size_t i = 0; i < strlen(hex) / 2; i++) {
		char byte[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		out[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

LOOP_TEST(every_bit_there_and_back, 0, NCODECS)
{
	uint8_t mask[MOST], in[MOST], out[MOST];
	struct rng rng = {SEED};

	parse_hex(codecs[_i].mask, mask);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < MOST; i++)
			in[i] = (uint8_t)rng_next(&rng);
		memset(out, 0, sizeof(out));
		codecs[_i].pass(in, out);
		for (size_t i = 0; i < MAD_DATA; i++)
			ck_assert_msg(out[i] == (in[i] & mask[i]),
				"%s byte %zu: %02x became %02x",
				codecs[_i].name, i, in[i], out[i]);
	}
}

/* ---- known bytes ---- */

TEST(ar_info_is_where_it_should_be)
{
	const struct mad_ar_info in = {
		.enabled = true,
		.frn_sup = true,
		.by_sl_enabled = true,
		.sub_groups_active = 2,
		.group_table_cap = 1,
		.group_top = 0x123,
		.group_cap = 0x800,
		.sl_mask = 0x8001,
		.sub_groups_sup = 2,
		.version = 1,
		.transport_disable = 1,
		.ageing_us = 30,
	};
	uint8_t want[MOST], d[MAD_DATA];
	struct mad_ar_info out;
	struct reason why;

	parse_hex("10000205011238008001020100000001" /* SL mask at 8 */
		  "0000001e",
		want);
	want[3] = 0x05;
	mad_ar_info_encode(&in, d);
	ck_assert_mem_eq(d, want, MAD_DATA);
	ck_assert_int_eq(mad_ar_info_decode(d, &out, &why), 0);
	ck_assert_uint_eq(out.group_cap, 0x800);
	ck_assert(out.enabled && out.frn_sup && !out.arn_sup);
	/* GroupTop beyond GroupCap is refused; without AR it is ignored */
	d[6] = 0x00;
	d[7] = 0x10;
	ck_assert_int_eq(mad_ar_info_decode(d, &out, &why), -1);
	ck_assert_str_eq(
		why.text, "ARInfo: GroupTop 288 of a switch with 16 groups");
	d[6] = d[7] = d[5] = 0;
	d[6] = 0x30;
	ck_assert_int_eq(mad_ar_info_decode(d, &out, &why), 0);
}

/* What forwards beside the LFT is read bit by bit, and cleared without a trace
 * in the rest, of whatever kind that is. */
TEST(what_is_on_is_switched_off)
{
	static const struct {
		uint8_t byte, value;
		unsigned on;
	} at[] = {
		{3, 0x01, MAD_AR_ON_GROUPS},
		{3, 0x10, MAD_AR_ON_RECOVERY},
		{3, 0x20, 0},
		{22, 0x80, MAD_AR_ON_HASH},
		{22, 0x20, MAD_AR_ON_HASH},
		{22, 0x10, MAD_AR_ON_RECOVERY},
		{3, 0x4e, 0},
		{22, 0x0f, 0},
	};
	uint8_t d[MAD_DATA], want[MAD_DATA];

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		memset(d, 0xff, sizeof(d));
		d[3] = d[22] = 0;
		ck_assert_uint_eq(mad_ar_info_on(d), 0);
		d[at[i].byte] = at[i].value;
		ck_assert_uint_eq(mad_ar_info_on(d), at[i].on);
	}
	memset(d, 0xff, sizeof(d));
	memset(want, 0xff, sizeof(want));
	want[3] = 0xce;
	want[22] = 0x0f;
	mad_ar_info_off(d);
	ck_assert_mem_eq(d, want, MAD_DATA);
	ck_assert_uint_eq(mad_ar_info_on(d), 0);
	memset(d, 0xff, sizeof(d));
	memset(want, 0xff, sizeof(want));
	want[3] = 0;
	ck_assert_uint_eq(mad_ar_plft_on(d), MAD_AR_ON_PLFT);
	mad_ar_plft_off(d);
	ck_assert_mem_eq(d, want, MAD_DATA);
	ck_assert_uint_eq(mad_ar_plft_on(d), 0);
}

TEST(which_switches_are_asked)
{
	ck_assert(mad_vendor_has_general(0x2c9, 0xd2f0));  /* Quantum */
	ck_assert(mad_vendor_has_general(0x2c9, 0xd2f2));  /* Quantum-2 */
	ck_assert(mad_vendor_has_general(0x2c9, 0xcb20));  /* Switch-IB */
	ck_assert(mad_vendor_has_general(0x2c9, 0xcf08));  /* Switch-IB 2 */
	ck_assert(mad_vendor_has_general(0x2c9, 0xc738));  /* SwitchX */
	ck_assert(!mad_vendor_has_general(0x2c9, 0xbd36)); /* InfiniScale IV */
	ck_assert(!mad_vendor_has_general(0x2c9, 0x101b)); /* ConnectX-6 */
	ck_assert(!mad_vendor_has_general(0x1175, 0xd2f0));
}

TEST(ports_of_a_group)
{
	struct mad_ar_group g = {
		{{1ULL << 1 | 1ULL << 63, 0, 0, 1ULL << 62}, {0, 1, 0, 0}}};
	uint8_t d[MAD_DATA], want[MOST] = {0};

	want[31] = 0x02;     /* port 1 */
	want[31 - 7] = 0x80; /* port 63 */
	want[0] = 0x40;	     /* port 254 */
	want[63 - 8] = 0x01; /* port 64, secondary */
	mad_ar_group_encode(&g, d);
	ck_assert_mem_eq(d, want, MAD_DATA);
	ck_assert_uint_eq(mad_ar_group_mod(0x1234, 3, 9), 0x09030234);
	ck_assert_uint_eq(mad_ar_lft_mod(0xbfff, 1), 0x01000bff);
}

TEST(an_entry_of_arlft)
{
	struct mad_ar_entry e[MAD_AR_ENTRIES] = {{0}};
	uint8_t d[MAD_DATA];
	static const uint8_t want[8] = {0x40, 17, 0x0a, 0xbc, 0x82, 3, 0, 0};

	e[0] = (struct mad_ar_entry){MAD_AR_FREE, 0, 17, 0xabc};
	e[1] = (struct mad_ar_entry){MAD_AR_STATIC, 2, 3, 0};
	mad_ar_lft_encode(e, d);
	ck_assert_mem_eq(d, want, 8);
}

TEST(roles)
{
	struct mad_role in =
				{
					.version = 1,
					.role = MAD_ROLE_LEAF,
					.level = 0,
					.flags = MAD_ROLE_CAN_SET |
						 MAD_ROLE_UP_VALID,
					.generation = 5,
					.tree = 6,
					.plane = 7,
					.pod = 8,
					.index = 9,
					.owner = 10,
					.up = {1ULL << 33, 0, 0, 0},
				},
			out;
	uint8_t d[MAD_DATA], want[MOST];
	struct reason why;

	parse_hex("53574c520101008100000005000607000000000800000009"
		  "000000000000000a",
		want);
	want[63 - 4] = 0x02;
	mad_role_encode(&in, d);
	ck_assert_mem_eq(d, want, MAD_DATA);
	ck_assert_int_eq(mad_role_decode(d, &out, &why), 0);
	ck_assert_mem_eq(&in.up, &out.up, sizeof(in.up));
	d[5] = 77; /* unknown: none */
	ck_assert_int_eq(mad_role_decode(d, &out, &why), 0);
	ck_assert_uint_eq(out.role, MAD_ROLE_NONE);
	d[5] = 0xff;
	ck_assert_int_eq(mad_role_decode(d, &out, &why), 0);
	ck_assert_uint_eq(out.role, MAD_ROLE_IGNORE);
	d[63] = 1;
	ck_assert_int_eq(mad_role_decode(d, &out, &why), -1);
	ck_assert_str_eq(why.text, "SwitchRole: port 0 among the upward ports");
	d[7] = 0; /* without a valid role it does not matter */
	ck_assert_int_eq(mad_role_decode(d, &out, &why), 0);
	d[4] = 0;
	ck_assert_int_eq(mad_role_decode(d, &out, &why), -1);
	d[4] = 9;
	ck_assert_int_eq(mad_role_decode(d, &out, &why), 0);
	d[0] = 'X';
	ck_assert_int_eq(mad_role_decode(d, &out, &why), -1);
	ck_assert_str_eq(why.text,
		"SwitchRole: signature 0x58574c52: another use of the "
		"attribute");
	ck_assert_str_eq(mad_role_name(MAD_ROLE_LEAF_ROOT), "leaf-root");
	ck_assert_str_eq(mad_role_name(0xff), "ignore");
	ck_assert_str_eq(mad_role_name(77), "unknown");
}

TEST(capability_bits)
{
	struct mad_vendor_general g = {{0}};
	uint8_t d[MAD_DATA];

	mad_vendor_set(&g, MAD_VENDOR_CAP_AR_REV1);
	mad_vendor_set(&g, 67);
	mad_vendor_general_encode(&g, d);
	ck_assert_uint_eq(d[3], 4);
	ck_assert_uint_eq(d[11], 8);
	ck_assert(mad_vendor_has(&g, 2));
	ck_assert(mad_vendor_has(&g, 67));
	ck_assert(!mad_vendor_has(&g, 1));
	ck_assert(!mad_vendor_has(&g, 128 + 2));
}

/* PortCountersExtended against libibmad, which reads all but the errors: they
 * follow. */
TEST(extended_counters_as_libibmad)
{
	struct mad_perf_counters x = {.port = 5, .select = 0x1234};
	uint8_t d[MAD_PERF_SIZE];

	for (int i = 0; i < MAD_PERF_FLOWS; i++)
		x.count[i] = 0x0102030405060708ULL * (unsigned)(i + 1);
	mad_perf_extended_encode(&x, d);
	ck_assert_uint_eq(mad_get_field(d, 0, IB_PC_EXT_PORT_SELECT_F), 5);
	ck_assert_uint_eq(
		mad_get_field(d, 0, IB_PC_EXT_COUNTER_SELECT_F), 0x1234);
	for (int i = 0; i < MAD_PERF_FLOWS; i++)
		ck_assert(
			mad_get_field64(d, 0,
				(enum MAD_FIELDS)(IB_PC_EXT_XMT_BYTES_F +
						  (unsigned)i)) == x.count[i]);
	x.count[MAD_PERF_SYMBOL_ERRORS] = 0x1122334455667788;
	x.count[MAD_PERF_XMIT_WAIT] = 7;
	mad_perf_extended_encode(&x, d);
	ck_assert(be_get64(d + 72) == 0x1122334455667788);
	ck_assert_uint_eq(be_get64(d + 168), 7);
}

/* The totals of PortExtendedSpeedsCounters with RS-FEC: the last of its fields.
 */
TEST(fec_counters)
{
	const struct mad_perf_fec x = {.port = 5,
		.corrected_blocks = 0x01020304,
		.uncorrectable_blocks = 0x11121314,
		.corrected_symbols = 0xf1222324};
	struct mad_perf_fec back;
	uint8_t d[MAD_PERF_SIZE];

	mad_perf_fec_encode(&x, d);
	ck_assert_uint_eq(d[1], 5);
	ck_assert_uint_eq(be_get32(d + 140), x.corrected_blocks);
	ck_assert_uint_eq(be_get32(d + 144), x.uncorrectable_blocks);
	ck_assert_uint_eq(be_get32(d + 148), x.corrected_symbols);
	mad_perf_fec_decode(d, &back);
	ck_assert_mem_eq(&back, &x, sizeof(x));
}

/* Those of lanes, without RS-FEC. */
TEST(fec_counters_of_lanes)
{
	struct mad_perf_fec x = {.port = 5}, back;
	uint8_t d[MAD_PERF_SIZE];

	for (unsigned i = 0; i < MAD_PERF_LANES; i++) {
		x.detected[i] = 0x0101 + i;
		x.lane_corrected[i] = 0x01020304 + i;
		x.lane_uncorrectable[i] = 0xf1121314 + i;
	}
	mad_perf_fec_encode(&x, d);
	ck_assert_uint_eq(be_get16(d + 20), x.detected[0]);
	ck_assert_uint_eq(be_get16(d + 42), x.detected[11]);
	ck_assert_uint_eq(be_get32(d + 44), x.lane_corrected[0]);
	ck_assert_uint_eq(be_get32(d + 88), x.lane_corrected[11]);
	ck_assert_uint_eq(be_get32(d + 92), x.lane_uncorrectable[0]);
	ck_assert_uint_eq(be_get32(d + 136), x.lane_uncorrectable[11]);
	mad_perf_fec_decode(d, &back);
	ck_assert_mem_eq(&back, &x, sizeof(x));
	x.detected[0] = 1 << 20;
	mad_perf_fec_encode(&x, d);
	ck_assert_uint_eq(be_get16(d + 20), UINT16_MAX);
}

/* A counter of PortCounters stops at what its field holds. */
TEST(short_counters_stop)
{
	struct mad_perf_counters x = {.port = 1}, y;
	uint8_t d[MAD_PERF_SIZE];

	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		x.count[k] = UINT64_C(1) << 40;
	mad_perf_counters_encode(&x, d);
	mad_perf_counters_decode(d, &y);
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		ck_assert_uint_eq(
			y.count[k], mad_perf_limit((enum mad_perf_kind)k));
	ck_assert_uint_eq(y.count[MAD_PERF_SYMBOL_ERRORS], 0xffff);
	ck_assert_uint_eq(y.count[MAD_PERF_LINK_DOWNED], 0xff);
	ck_assert_uint_eq(y.count[MAD_PERF_LOCAL_INTEGRITY], 15);
	ck_assert_uint_eq(y.count[MAD_PERF_XMIT_WAIT], UINT32_MAX);
	ck_assert_uint_eq(y.count[MAD_PERF_XMIT_UNICAST], 0);
}

TEST(head_of_a_performance_mad)
{
	const struct mad_perf_head h = {.method = MAD_GET,
		.tid = 0x0102030405060708,
		.attr = MAD_PERF_COUNTERS};
	struct mad_perf_head out;
	uint8_t mad[MAD_SIZE];

	mad_perf_head_encode(&h, mad);
	ck_assert_uint_eq(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), MAD_PERF);
	ck_assert(mad_get_field64(mad, 0, IB_MAD_TRID_F) == h.tid);
	ck_assert_uint_eq(mad_get_field(mad, 0, IB_MAD_ATTRID_F), 0x12);
	mad[5] = 0x0c;
	ck_assert(mad_perf_head_decode(mad, MAD_SIZE, &out));
	ck_assert_uint_eq(out.status, 0x0c);
	ck_assert(out.tid == h.tid);
	ck_assert(!mad_perf_head_decode(mad, MAD_SIZE - 1, &out));
	mad[2] = 2;
	ck_assert(!mad_perf_head_decode(mad, MAD_SIZE, &out));
}

TEST(a_bad_key_in_words)
{
	struct mad_violation v = {
		.lid = 3,
		.directed = true,
		.dr_slid = 0xffff,
		.method = MAD_SET,
		.attr = MAD_PORT_INFO,
		.mod = 7,
		.mkey = 0x1122334455667788,
		.hops = 2,
		.ret_path = {1, 2},
	};
	uint8_t d[MAD_DATA] = {0}, want[MOST];

	parse_hex("000000000000000000000000"
		  "0003ffff0200001500000007112233445566778800820102",
		want);
	mad_violation_encode(&v, MAD_VIOLATION_M_KEY, d);
	ck_assert_mem_eq(d, want, MAD_DATA);
}
