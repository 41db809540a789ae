/*
 * MADs that real tools sent and received (tests/golden): decoding gives what
 * those tools printed, and encoding gives the same bytes.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sm/mad/mad.h"
#include "tests/unit/suite.h"

static void
node_info_switch(const struct smp *s, uint8_t *again)
{
	struct mad_node_info x;

	ck_assert_int_eq(mad_node_info_decode(s->data, &x, NULL), 0);
	ck_assert_uint_eq(x.type, 2);
	ck_assert_uint_eq(x.nports, 36);
	ck_assert_uint_eq(x.sysimg, 0x0002c903007b78b0);
	ck_assert_uint_eq(x.guid, 0x0002c903007b78b0);
	ck_assert_uint_eq(x.port_guid, 0x0002c903007b78b0);
	ck_assert_uint_eq(x.partition_cap, 8);
	ck_assert_uint_eq(x.device, 0xc738);
	ck_assert_uint_eq(x.revision, 0xa1);
	ck_assert_uint_eq(x.local_port, 3);
	ck_assert_uint_eq(x.vendor, 0x2c9);
	mad_node_info_encode(&x, again);
}

static void
node_info_ca(const struct smp *s, uint8_t *again)
{
	struct mad_node_info x;

	ck_assert_int_eq(mad_node_info_decode(s->data, &x, NULL), 0);
	ck_assert_uint_eq(x.type, 1);
	ck_assert_uint_eq(x.nports, 1);
	ck_assert_uint_eq(x.guid, 0xe41d2d03005cf34c);
	ck_assert_uint_eq(x.port_guid, 0xe41d2d03005cf34d);
	ck_assert_uint_eq(x.device, 0x1013);
	ck_assert_uint_eq(x.local_port, 1);
	mad_node_info_encode(&x, again);
}

static void
node_desc(const struct smp *s, uint8_t *again)
{
	char text[MAD_DATA + 1];

	mad_node_desc_decode(s->data, text);
	ck_assert_str_eq(text, "MF0;r-ufm-sw226:SX6036/U1");
	memcpy(again, s->data, MAD_DATA);
}

static void
switch_info(const struct smp *s, uint8_t *again)
{
	struct mad_switch_info x;

	ck_assert_int_eq(mad_switch_info_decode(s->data, &x, NULL), 0);
	ck_assert_uint_eq(x.lft_cap, 30720);
	ck_assert_uint_eq(x.mft_cap, 1024);
	ck_assert_uint_eq(x.lft_top, 101);
	ck_assert_uint_eq(x.life, 18);
	ck_assert(!x.state_change && x.enhanced_p0);
	ck_assert(x.filter_in && x.filter_out && !x.enf_in && !x.enf_out);
	ck_assert_uint_eq(x.enf_cap, 64);
	mad_switch_info_encode(&x, again);
}

/* opensm clears PortStateChange and raises the top. */
static void
switch_info_set(const struct smp *s, uint8_t *again)
{
	struct mad_switch_info x;

	ck_assert_uint_eq(s->method, MAD_SET);
	ck_assert_int_eq(mad_switch_info_decode(s->data, &x, NULL), 0);
	ck_assert(x.state_change);
	ck_assert_uint_eq(x.lft_cap, 30720);
	mad_switch_info_encode(&x, again);
}

static void
port_info_ca(const struct smp *s, uint8_t *again)
{
	struct mad_port_info x;

	ck_assert_int_eq(mad_port_info_decode(s->data, &x, NULL), 0);
	ck_assert_uint_eq(x.gid_prefix, 0xfe80000000000000);
	ck_assert_uint_eq(x.lid, 3);
	ck_assert_uint_eq(x.sm_lid, 101);
	ck_assert_uint_eq(x.capmask, 0x50c048);
	ck_assert_uint_eq(x.mkey_lease, 4089);
	ck_assert_uint_eq(x.width_enabled, 3);
	ck_assert_uint_eq(x.width_supported, 31);
	ck_assert_uint_eq(x.width_active, 2);
	ck_assert_uint_eq(x.state, 4);
	ck_assert_uint_eq(x.phys_state, 5);
	ck_assert_uint_eq(x.speed_active, 4);
	ck_assert_uint_eq(x.speed_enabled, 7);
	ck_assert_uint_eq(x.mtu, 4);
	ck_assert_uint_eq(x.mtu_cap, 4);
	ck_assert_uint_eq(x.vl_cap, 4);
	ck_assert_uint_eq(x.op_vls, 4);
	ck_assert_uint_eq(x.arb_high_cap, 8);
	ck_assert_uint_eq(x.arb_low_cap, 8);
	ck_assert_uint_eq(x.vl_stall, 7);
	ck_assert_uint_eq(x.guid_cap, 32);
	ck_assert_uint_eq(x.subnet_timeout, 31);
	ck_assert_uint_eq(x.capmask2, 0x30);
	ck_assert_uint_eq(x.speed_ext_active, 1);
	ck_assert_uint_eq(x.speed_ext_supported, 7);
	ck_assert_uint_eq(x.speed_ext_enabled, 1);
	mad_port_info_encode(&x, again);
}

static void
port_info_switch(const struct smp *s, uint8_t *again)
{
	struct mad_port_info x;

	ck_assert_uint_eq(s->mod, 1);
	ck_assert_int_eq(mad_port_info_decode(s->data, &x, NULL), 0);
	ck_assert_uint_eq(x.local_port, 3);
	ck_assert_uint_eq(x.lid, 0);
	ck_assert_uint_eq(x.state, 4);
	ck_assert_uint_eq(x.hoq_life, 18);
	ck_assert_uint_eq(x.speed_ext_active, 1);
	mad_port_info_encode(&x, again);
}

static void
port_info_set(const struct smp *s, uint8_t *again)
{
	struct mad_port_info x;

	ck_assert_uint_eq(s->method, MAD_SET);
	ck_assert_uint_eq(s->mod, 0x17);
	ck_assert_int_eq(mad_port_info_decode(s->data, &x, NULL), 0);
	ck_assert_uint_eq(x.state, 0);
	ck_assert_uint_eq(x.phys_state, 0);
	ck_assert_uint_eq(x.speed_enabled, 7);
	ck_assert_uint_eq(x.mtu, 4);
	ck_assert_uint_eq(x.vl_stall, 7);
	ck_assert_uint_eq(x.hoq_life, 0);
	mad_port_info_encode(&x, again);
}

static void
sm_info(const struct smp *s, uint8_t *again)
{
	struct mad_sm_info x;

	ck_assert_uint_eq(s->mgmt_class, MAD_SUBN_LID);
	mad_sm_info_decode(s->data, &x);
	ck_assert_uint_eq(x.guid, 0xc42a103008b40d1);
	ck_assert_uint_eq(x.key, 1);
	ck_assert_uint_eq(x.act_count, 364);
	ck_assert_uint_eq(x.priority, 0);
	ck_assert_uint_eq(x.state, 3);
	mad_sm_info_encode(&x, again);
}

static void
lft_block(const struct smp *s, uint8_t *again)
{
	static const uint8_t first[] = {0xff, 0x21, 0x22, 3, 5, 9};

	ck_assert_uint_eq(s->attr, MAD_LFT);
	ck_assert_uint_eq(s->mod, 0);
	ck_assert_mem_eq(s->data, first, sizeof(first));
	memcpy(again, s->data, MAD_DATA);
}

static void
trap_128(const struct smp *s, uint8_t *again)
{
	struct mad_notice x;

	ck_assert_uint_eq(s->attr, MAD_NOTICE);
	ck_assert(!s->response);
	mad_notice_decode(s->data, &x);
	ck_assert(x.generic && !x.toggle);
	ck_assert_uint_eq(x.type, 1);
	ck_assert_uint_eq(x.producer, 2);
	ck_assert_uint_eq(x.trap, 128);
	ck_assert_uint_eq(x.issuer_lid, 19);
	ck_assert_uint_eq(x.data_lid, 19);
	ck_assert_uint_eq(x.count, 0);
	mad_notice_encode(&x, again);
}

static void
any_attribute(const struct smp *s, uint8_t *again)
{
	memcpy(again, s->data, MAD_DATA);
}

static const struct {
	const char *file;
	uint8_t method;
	uint8_t hops;
	void (*check)(const struct smp *s, uint8_t *again);
} golden[] = {
	{"node_info_get", MAD_GET, 1, any_attribute},
	{"node_info_switch", MAD_GET_RESP, 1, node_info_switch},
	{"node_info_ca", MAD_GET_RESP, 0, node_info_ca},
	{"node_desc", MAD_GET_RESP, 1, node_desc},
	{"switch_info", MAD_GET_RESP, 1, switch_info},
	{"switch_info_set", MAD_SET, 1, switch_info_set},
	{"port_info_ca", MAD_GET_RESP, 0, port_info_ca},
	{"port_info_switch", MAD_GET_RESP, 1, port_info_switch},
	{"port_info_set", MAD_SET, 2, port_info_set},
	{"sm_info", MAD_GET_RESP, 0, sm_info},
	{"lft_set", MAD_SET, 1, lft_block},
	{"lft_resp", MAD_GET_RESP, 1, lft_block},
	{"trap_128", MAD_TRAP, 0, trap_128},
	{"trap_repress", MAD_TRAP_REPRESS, 0, trap_128},
};

/* Reads 256 hex bytes; lines that begin with # tell their source. */
static void
load_mad(const char *name, uint8_t mad[MAD_SIZE])
{
	char path[256], line[256];
	size_t n = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "tests/golden/%s.hex", name);
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "cannot open %s (run from the top)", path);
	while (fgets(line, sizeof(line), f) != NULL) {
		unsigned byte;
		int used;

		for (const char *p = line;
			*p != '#' && sscanf(p, "%2x%n", &byte, &used) == 1;
			p += used) {
			ck_assert_uint_lt(n, MAD_SIZE);
			mad[n++] = (uint8_t)byte;
		}
	}
	(void)fclose(f);
	ck_assert_uint_eq(n, MAD_SIZE);
}

LOOP_TEST(golden_mad, 0, LEN(golden))
{
	uint8_t mad[MAD_SIZE], again[MAD_SIZE], data[MAD_DATA];
	struct reason why = {""};
	struct smp s;

	load_mad(golden[_i].file, mad);
	ck_assert_msg(smp_decode(mad, sizeof(mad), &s, &why) == 0, "%s: %s",
		golden[_i].file, why.text);
	ck_assert_uint_eq(s.method, golden[_i].method);
	ck_assert_uint_eq(s.hop_cnt, golden[_i].hops);
	ck_assert_uint_eq(s.status, 0);
	/* opensm leaves old memory after a LID routed payload: reserved
	 * bytes. */
	if (s.mgmt_class == MAD_SUBN_LID)
		memset(mad + 128, 0, sizeof(mad) - 128);
	smp_encode(&s, again);
	ck_assert_msg(memcmp(mad, again, sizeof(mad)) == 0, "%s: envelope",
		golden[_i].file);
	golden[_i].check(&s, data);
	ck_assert_msg(memcmp(s.data, data, sizeof(data)) == 0, "%s: payload",
		golden[_i].file);
}
