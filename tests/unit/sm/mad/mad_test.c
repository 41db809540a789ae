/* The attribute codec: positions, reserved bits, round trips, refusals. */
#include "sm/mad/mad.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { SEED = 20260, ROUNDS = 20000 };

/* One attribute behind one pair of functions. */
struct codec {
	const char *name;
	void (*pass)(const uint8_t *in, uint8_t *out); /* decode, encode */
	const char *mask; /* hex of the bits that are not reserved */
};

static void
pass_node(const uint8_t *in, uint8_t *out)
{
	struct mad_node_info x = {0};

	(void)mad_node_info_decode(in, &x, NULL);
	mad_node_info_encode(&x, out);
}

static void
pass_switch(const uint8_t *in, uint8_t *out)
{
	struct mad_switch_info x = {0};

	(void)mad_switch_info_decode(in, &x, NULL);
	mad_switch_info_encode(&x, out);
}

static void
pass_port(const uint8_t *in, uint8_t *out)
{
	struct mad_port_info x = {0};

	(void)mad_port_info_decode(in, &x, NULL);
	mad_port_info_encode(&x, out);
}

static void
pass_sm(const uint8_t *in, uint8_t *out)
{
	struct mad_sm_info x = {0};

	mad_sm_info_decode(in, &x);
	mad_sm_info_encode(&x, out);
}

static const struct codec codecs[] = {
	{"NodeInfo", pass_node,
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
		"ffffffffffffffffffff"},
	/* LinearFDBCap and LinearFDBTop are LIDs and clamped: tested
	 * separately. */
	{"SwitchInfo", pass_switch,
		"00ffffffffff00ff"
		"fffffffffffffffff800ffff"},
	{"PortInfo", pass_port,
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
		"ff"
		"ffffc7ffffffffffffffffffffffffffffffffff1fffffff7fffffffffffff"
		"1f"},
	{"SMInfo", pass_sm, "ffffffffffffffffffffffffffffffffffffffffff"},
};

static void
parse_hex(const char *hex, uint8_t *out)
{
	size_t n = strlen(hex) / 2;

	memset(out, 0, MAD_DATA);
	for (size_t i = 0; i < n; i++) {
		char two[3] = {hex[2 * i], hex[2 * i + 1], 0};

		out[i] = (uint8_t)strtoul(two, NULL, 16);
	}
}

LOOP_TEST(reserved_bits, 0, LEN(codecs))
{
	const struct codec *c = &codecs[_i];
	uint8_t mask[MAD_DATA], ones[MAD_DATA], got[MAD_DATA];

	parse_hex(c->mask, mask);
	memset(ones, 0xff, sizeof(ones));
	c->pass(ones, got);
	if (c->pass == pass_switch) {
		ck_assert_uint_eq(be_get16(got), MAD_LID_END);
		ck_assert_uint_eq(be_get16(got + 6), MAD_LID_END - 1);
		be_put16(got, 0xff);
		be_put16(got + 6, 0xff);
	}
	ck_assert_mem_eq(got, mask, sizeof(got));
}

LOOP_TEST(round_trip, 0, LEN(codecs))
{
	const struct codec *c = &codecs[_i];
	struct rng rng = {SEED};
	uint8_t mask[MAD_DATA], in[MAD_DATA], got[MAD_DATA];

	parse_hex(c->mask, mask);
	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < MAD_DATA; i++)
			in[i] = (uint8_t)(rng_next(&rng) & mask[i]);
		c->pass(in, got);
		if (memcmp(in, got, sizeof(in)) != 0)
			ck_abort_msg("%s: seed %d round %d", c->name, SEED, k);
	}
}

/* A value in each member, at the positions of IBA 14.2.5, written by hand. */
TEST(node_info_positions)
{
	struct mad_node_info in = {.base_version = 1,
		.class_version = 1,
		.type = 2,
		.nports = 36,
		.sysimg = 0x0102030405060708,
		.guid = 0x1112131415161718,
		.port_guid = 0x2122232425262728,
		.partition_cap = 0x3132,
		.device = 0x4142,
		.revision = 0x51525354,
		.local_port = 7,
		.vendor = 0x0002c9};
	struct mad_node_info out;
	uint8_t d[MAD_DATA];

	mad_node_info_encode(&in, d);
	ck_assert_uint_eq(be_get32(d), 0x01010224);
	ck_assert_uint_eq(be_get64(d + 4), in.sysimg);
	ck_assert_uint_eq(be_get64(d + 12), in.guid);
	ck_assert_uint_eq(be_get64(d + 20), in.port_guid);
	ck_assert_uint_eq(be_get16(d + 28), in.partition_cap);
	ck_assert_uint_eq(be_get16(d + 30), in.device);
	ck_assert_uint_eq(be_get32(d + 32), in.revision);
	ck_assert_uint_eq(be_get32(d + 36), 0x070002c9);
	ck_assert_int_eq(mad_node_info_decode(d, &out, NULL), 0);
	ck_assert_uint_eq(out.guid, in.guid);
	ck_assert_uint_eq(out.vendor, in.vendor);
}

TEST(port_info_positions)
{
	struct mad_port_info in = {.mkey = 0x0102030405060708,
		.gid_prefix = 0xfe80000000000000,
		.lid = 0x1234,
		.sm_lid = 0x4321,
		.capmask = 0x02514868,
		.state = 4,
		.phys_state = 5,
		.lmc = 3,
		.mtu = 5,
		.op_vls = 4,
		.enf_in = true,
		.client_rereg = true,
		.subnet_timeout = 18,
		.capmask2 = 0xabcd,
		.speed_ext_active = 4,
		.speed_ext_supported = 7,
		.speed_ext_enabled = 31,
		.speed_ext2_active = 1,
		.speed_ext2_supported = 1,
		.speed_ext2_enabled = 5};
	uint8_t d[MAD_DATA];

	mad_port_info_encode(&in, d);
	ck_assert_uint_eq(be_get64(d), in.mkey);
	ck_assert_uint_eq(be_get64(d + 8), in.gid_prefix);
	ck_assert_uint_eq(be_get16(d + 16), in.lid);
	ck_assert_uint_eq(be_get16(d + 18), in.sm_lid);
	ck_assert_uint_eq(be_get32(d + 20), in.capmask);
	ck_assert_uint_eq(d[32], 0x04);
	ck_assert_uint_eq(d[33], 0x50);
	ck_assert_uint_eq(d[34], 0x03);
	ck_assert_uint_eq(d[36], 0x50);
	ck_assert_uint_eq(d[43], 0x48);
	ck_assert_uint_eq(d[51], 0x92);
	ck_assert_uint_eq(d[56], 0x2d);
	ck_assert_uint_eq(be_get16(d + 60), in.capmask2);
	ck_assert_uint_eq(d[62], 0x47);
	ck_assert_uint_eq(d[63], 0x1f);
}

/* Encoding the settings alone gives the same bytes as the whole. */
LOOP_TEST(port_info_settings, 0, 200)
{
	struct rng r = {(uint64_t)_i + 1};
	struct mad_port_info all, few;
	uint8_t d[MAD_DATA];

	for (unsigned i = 0; i < sizeof(d); i++)
		d[i] = (uint8_t)rng_below(&r, 256);
	ck_assert_int_eq(mad_port_info_settings(d, &few),
		mad_port_info_decode(d, &all, NULL));
	ck_assert_uint_eq(few.mkey, all.mkey);
	ck_assert_uint_eq(few.mkey_prot, all.mkey_prot);
	ck_assert_uint_eq(few.mkey_lease, all.mkey_lease);
	ck_assert_uint_eq(few.gid_prefix, all.gid_prefix);
	ck_assert_uint_eq(few.lid, all.lid);
	ck_assert_uint_eq(few.sm_lid, all.sm_lid);
	ck_assert_uint_eq(few.state, all.state);
	ck_assert_uint_eq(few.lmc, all.lmc);
	ck_assert_uint_eq(few.sm_sl, all.sm_sl);
	ck_assert_uint_eq(few.vl_high_limit, all.vl_high_limit);
	ck_assert_uint_eq(few.arb_high_cap, all.arb_high_cap);
	ck_assert_uint_eq(few.arb_low_cap, all.arb_low_cap);
	ck_assert_uint_eq(few.vl_stall, all.vl_stall);
	ck_assert_uint_eq(few.hoq_life, all.hoq_life);
	ck_assert_int_eq(few.enf_in, all.enf_in);
	ck_assert_int_eq(few.enf_out, all.enf_out);
	ck_assert_uint_eq(few.subnet_timeout, all.subnet_timeout);
	ck_assert_uint_eq(few.phy_errors, all.phy_errors);
	ck_assert_uint_eq(few.overrun_errors, all.overrun_errors);
	ck_assert_uint_eq(few.mkey_lease, all.mkey_lease);
	ck_assert_uint_eq(few.mkey_prot, all.mkey_prot);
	ck_assert_uint_eq(few.mtu, all.mtu);
	ck_assert_uint_eq(few.op_vls, all.op_vls);
	for (uint8_t state = 0; state <= PORT_ACTIVE_DEFER; state++) {
		struct mad_port_info is;

		mad_port_info_put_state(d, state);
		ck_assert_int_eq(mad_port_info_decode(d, &is, NULL), 0);
		ck_assert_uint_eq(is.state, state);
		ck_assert_uint_eq(is.speed_supported, all.speed_supported);
	}
}

TEST(switch_info_positions)
{
	struct mad_switch_info in = {.lft_cap = 0xc000,
		.lft_top = 0x1234,
		.def_mcast_not = 255,
		.life = 18,
		.state_change = true,
		.opt_sl2vl = 1,
		.enhanced_p0 = true,
		.mft_top = 0xc123};
	uint8_t d[MAD_DATA];

	mad_switch_info_encode(&in, d);
	ck_assert_uint_eq(be_get16(d), 0xc000);
	ck_assert_uint_eq(be_get16(d + 6), 0x1234);
	ck_assert_uint_eq(d[10], 255);
	ck_assert_uint_eq(d[11], 0x95);
	ck_assert_uint_eq(d[16], 0x08);
	ck_assert_uint_eq(be_get16(d + 18), 0xc123);
}

/* An invalid NodeInfo, made by one byte, and the reason given. */
static const struct {
	size_t at;
	uint8_t value;
	const char *says;
} bad_node[] = {
	{2, 0, "node type 0"},
	{2, 4, "node type 4"},
	{3, 0, "0 ports"},
	{3, 255, "255 ports"},
	{19, 0, "node GUID"},
	{27, 0, "port GUID"},
	{36, 9, "local port 9 of a node with 8"},
	{36, 0, "local port 0"},
};

LOOP_TEST(node_info_refused, 0, LEN(bad_node))
{
	struct mad_node_info x = {.type = 1,
		.nports = 8,
		.guid = 1,
		.port_guid = 2,
		.local_port = 1};
	struct reason why = {""};
	uint8_t d[MAD_DATA];

	mad_node_info_encode(&x, d);
	ck_assert_int_eq(mad_node_info_decode(d, &x, &why), 0);
	d[bad_node[_i].at] = bad_node[_i].value;
	ck_assert_int_eq(mad_node_info_decode(d, &x, &why), -1);
	ck_assert_msg(
		strstr(why.text, bad_node[_i].says) != NULL, "%s", why.text);
}

TEST(port_state_refused)
{
	struct mad_port_info x;
	struct reason why = {""};
	uint8_t d[MAD_DATA] = {0};

	for (uint8_t s = 0; s < 16; s++) {
		d[32] = s;
		ck_assert_int_eq(
			mad_port_info_decode(d, &x, &why), s > 5 ? -1 : 0);
	}
	ck_assert_ptr_nonnull(strstr(why.text, "state 15"));
	/* Unknown future values are no error. */
	memset(d, 0xff, sizeof(d));
	d[32] = 0xf4;
	ck_assert_int_eq(mad_port_info_decode(d, &x, &why), 0);
}

TEST(node_desc)
{
	uint8_t d[MAD_DATA];
	char out[MAD_DATA + 1];

	memset(d, 'x', sizeof(d));
	mad_node_desc_decode(d, out);
	ck_assert_uint_eq(strlen(out), MAD_DATA);
	memcpy(d, "a\x1b[31m\xff\x7f\nz", 11);
	mad_node_desc_decode(d, out);
	ck_assert_str_eq(out, "a?[31m???z");
	/* UTF-8 is allowed; control characters and incomplete ones are not. */
	memset(d, 'x', sizeof(d));
	memcpy(d, "h\xc3\xa9\xe2\x82\xac\xc2\x85\xc3z", 10);
	d[MAD_DATA - 1] = 0xc3;
	mad_node_desc_decode(d, out);
	ck_assert_mem_eq(out, "h\xc3\xa9\xe2\x82\xac???zx", 11);
	ck_assert_str_eq(out + MAD_DATA - 2, "x?");
	d[0] = 0;
	mad_node_desc_decode(d, out);
	ck_assert_str_eq(out, "");
}

static const struct mad_notice notices[] = {
	{.generic = true,
		.type = 1,
		.producer = 2,
		.trap = 128,
		.issuer_lid = 7,
		.toggle = true,
		.count = 3,
		.data_lid = 0x1234},
	{.generic = true,
		.type = 1,
		.producer = 2,
		.trap = 130,
		.count = 0x7fff,
		.data_lid = 0x2345,
		.data_port = 0x36},
	{.generic = true,
		.type = 4,
		.producer = 1,
		.trap = 144,
		.data_lid = 0x3456,
		.capmask = 0x87654321,
		.change_flags = 0x1234},
	{.generic = false, .type = 2, .producer = 0x2c9, .trap = 128},
};

LOOP_TEST(notice_round_trip, 0, LEN(notices))
{
	const struct mad_notice *in = &notices[_i];
	struct mad_notice out;
	uint8_t d[MAD_DATA], again[MAD_DATA];

	mad_notice_encode(in, d);
	ck_assert_uint_eq(d[0], (in->generic ? 0x80U : 0U) | in->type);
	ck_assert_uint_eq(be_get16(d + 4), in->trap);
	mad_notice_decode(d, &out);
	ck_assert(out.generic == in->generic && out.toggle == in->toggle);
	ck_assert_uint_eq(out.type, in->type);
	ck_assert_uint_eq(out.producer, in->producer);
	ck_assert_uint_eq(out.trap, in->trap);
	ck_assert_uint_eq(out.issuer_lid, in->issuer_lid);
	ck_assert_uint_eq(out.count, in->count);
	ck_assert_uint_eq(out.data_lid, in->data_lid);
	ck_assert_uint_eq(out.data_port, in->data_port);
	ck_assert_uint_eq(out.capmask, in->capmask);
	ck_assert_uint_eq(out.change_flags, in->change_flags);
	mad_notice_encode(&out, again);
	ck_assert_mem_eq(d, again, sizeof(d));
}

TEST(names)
{
	ck_assert_str_eq(mad_attr_name(MAD_PORT_INFO), "PortInfo");
	ck_assert_str_eq(mad_attr_name(0xff90), "vendor attribute");
	ck_assert_str_eq(mad_attr_name(0x7777), "unknown attribute");
	ck_assert_str_eq(mad_method_name(MAD_SET), "Set");
	ck_assert_str_eq(mad_method_name(0x55), "unknown method");
	ck_assert_str_eq(mad_status_name(0), "success");
	ck_assert_str_eq(mad_status_name(MAD_STATUS_BUSY), "busy");
	ck_assert_str_eq(mad_status_name(MAD_STATUS_FIELD), "invalid field");
	ck_assert_str_eq(mad_status_name(0x801c), "invalid field");
	ck_assert_str_eq(mad_status_name(0x0100), "class-specific error");
	ck_assert_str_eq(mad_status_name(0x0010), "reserved status");
}
