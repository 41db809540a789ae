/*
 * What a Set leaves alone: on a fabric of devices as real ones are, from power-
 * on to a restart, every Set of a PortInfo or SwitchInfo is compared byte by
 * byte with what the device holds. Only the fields that a subnet manager sets
 * may differ; those for which 0 says "no change" are 0.
 */
#include <stdio.h>

#include "sm/base/be.h"
#include "tests/unit/core_fixture.h"

/* Bits of a byte of an attribute, by the kinds of ports that they belong to. */
enum kind { BASE_P0 = 1, EXTERNAL = 2, HOST = 4, END = BASE_P0 | HOST };
enum { LINKED = EXTERNAL | HOST, ANY = END | EXTERNAL };

struct bits {
	uint8_t at, n; /* bytes */
	uint8_t mask, of;
};

/* Fields that a manager sets; of external ports, the addresses become 0. */
static const struct bits port_ours[] = {
	{0, 20, 0xff, ANY},	 /* M_Key, GidPrefix, LID, MasterSMLID */
	{26, 2, 0xff, END},	 /* M_KeyLeasePeriod */
	{32, 1, 0x0f, LINKED},	 /* PortState */
	{33, 1, 0x0f, ANY},	 /* LinkDownDefaultState */
	{34, 1, 0xc7, END},	 /* M_KeyProtectBits, LMC */
	{36, 1, 0xf0, LINKED},	 /* NeighborMTU */
	{36, 1, 0x0f, END},	 /* MasterSMSL */
	{38, 1, 0xff, LINKED},	 /* VLHighLimit */
	{42, 1, 0xff, EXTERNAL}, /* VLStallCount, HOQLife */
	{43, 1, 0xf0, LINKED},	 /* OperationalVLs */
	{43, 1, 0x0c, EXTERNAL}, /* PartitionEnforcement */
	{51, 1, 0x80, HOST},	 /* ClientReregister */
	{51, 1, 0x1f, END},	 /* SubnetTimeOut */
	{53, 1, 0xff, LINKED},	 /* LocalPhyErrors, OverrunErrors */
};

/* Fields in which 0 changes nothing. */
static const struct bits port_zero[] = {
	{29, 1, 0xff, ANY}, /* LinkWidthEnabled */
	{33, 1, 0xf0, ANY}, /* PortPhysicalState */
	{35, 1, 0x0f, ANY}, /* LinkSpeedEnabled */
	{37, 1, 0x0f, ANY}, /* InitType */
	{63, 1, 0x1f, ANY}, /* LinkSpeedExtEnabled */
};

/* LinearFDBTop; LifeTimeValue and PortStateChange; MulticastFDBTop. */
static const struct bits switch_ours[] = {
	{6, 2, 0xff, ANY}, {11, 1, 0xfc, ANY}, {18, 2, 0xff, ANY}};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void
mark_bits(const struct bits *b, size_t n, unsigned kind, uint8_t mask[MAD_DATA])
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < b[i].n && b[i].of & kind; k++)
			mask[b[i].at + k] |= b[i].mask;
}

struct echo {
	struct world *w;
	unsigned sets[MAD_PORT_INFO + 1];
	char wrong[160];
};

/* Compares a Set with what the device holds. */
static void
compare_set(struct echo *e, const struct sim_msg *q, const struct smp *m,
	unsigned kind)
{
	uint8_t is[MAD_DATA], ours[MAD_DATA] = {0}, zero[MAD_DATA] = {0};

	if (m->attr == MAD_PORT_INFO) {
		mark_bits(port_ours, COUNT(port_ours), kind, ours);
		mark_bits(port_zero, COUNT(port_zero), kind, zero);
		ours[28] = 0xff; /* LocalPortNum: by which it was read */
	} else {
		mark_bits(switch_ours, COUNT(switch_ours), kind, ours);
	}
	ck_assert_uint_eq(
		sim_read(e->w->sim, q->node, q->port, m->attr, m->mod, is), 0);
	for (unsigned i = 0; i < MAD_DATA; i++) {
		uint8_t want = is[i] & (uint8_t)~zero[i];

		if (((m->data[i] ^ want) & (uint8_t)~ours[i]) == 0)
			continue;
		(void)snprintf(e->wrong, sizeof(e->wrong),
			"%s 0x%x of %s: byte %u is 0x%02x, sent 0x%02x",
			mad_attr_name(m->attr), m->mod,
			sim_name(e->w->sim, q->node), i, is[i], m->data[i]);
	}
}

static enum sim_verdict
watch_sets(void *cookie, struct sim_msg *q)
{
	struct echo *e = cookie;
	struct smp m;
	bool sw;

	if (q->where != SIM_AT_SMA ||
		smp_decode(q->m.mad, q->m.len, &m, NULL) != 0 ||
		m.method != MAD_SET ||
		(m.attr != MAD_PORT_INFO && m.attr != MAD_SWITCH_INFO))
		return SIM_PASS;
	sw = e->w->fabric->node[q->node].type == FABRIC_SWITCH;
	e->sets[m.attr]++;
	compare_set(e, q, &m,
		!sw		      ? HOST
		: (m.mod & 0xff) == 0 ? BASE_P0
				      : EXTERNAL);
	return SIM_PASS;
}

/* Values in fields that no manager sets, unlike those of other ports. */
static void
mark_ports(struct world *w)
{
	for (uint32_t n = 0; n < w->fabric->nnodes; n++) {
		const struct fabric_node *node = &w->fabric->node[n];
		bool sw = node->type == FABRIC_SWITCH;

		for (unsigned p = sw ? 0 : 1; p <= node->nports; p++) {
			struct mad_port_info pi = *sim_port_info(w->sim, n, p);

			pi.diag = (uint16_t)(0x1200 + n);
			pi.credit_hint = (uint16_t)(0x3400 + p);
			pi.link_round_trip = 0x10000 + 16 * n + p;
			pi.mkey_viol = 7;
			pi.pkey_viol = (uint16_t)(8 + n);
			pi.qkey_viol = (uint16_t)(9 + p);
			pi.filter_in = sw && p % 2;
			pi.filter_out = sw && p % 3;
			pi.init_reply = 5;
			sim_hand_port(w->sim, n, p, &pi);
		}
	}
}

LOOP_TEST(sets_leave_the_rest_alone, 0, 2)
{
	static const char *const yaml[] = {"",
		"partitions: {blue: {pkey: 0x5, members: {\"h*\": full}}}\n"
		"qos: {levels: {default: {weight: 3}, fast: {weight: 8, sl: "
		"3}}}\n"
		"fabric: {m_key: 0x1234}\n"};
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &o, yaml[_i]);
	struct echo e = {.w = w};

	mark_ports(w);
	sim_set_hook(w->sim, watch_sets, &e);
	world_start(w);
	core_expect_order(w, "bring-up");
	ck_assert_msg(e.wrong[0] == '\0', "%s", e.wrong);
	ck_assert_uint_gt(e.sets[MAD_PORT_INFO], 2 * 128);
	ck_assert_uint_ge(e.sets[MAD_SWITCH_INFO], f->nswitches);
	world_reload(w, yaml[!_i]);
	core_expect_order(w, "another configuration");
	sim_fault_reboot(w->sim, fabric_find(f, "leaf5"));
	world_run(w, mono_ms(30000));
	core_expect_order(w, "a reboot");
	ck_assert_msg(e.wrong[0] == '\0', "%s", e.wrong);
}
