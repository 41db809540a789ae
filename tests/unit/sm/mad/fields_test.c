/* The fields of attributes are where libibmad has them. */
#include <check.h>
#include <infiniband/mad.h>
#include <stddef.h>
#include <string.h>

#include "sm/base/rng.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_perf.h"
#include "tests/unit/suite.h"

enum { SEED = 4711, ROUNDS = 200, HELD = sizeof(struct mad_perf_counters) };

struct member {
	enum MAD_FIELDS id;
	uint16_t offset, size;
};

#define MEMBER(t, m, id)                                                       \
	{                                                                      \
		id, offsetof(t, m), sizeof(((t *)0)->m)                        \
	}

#define ROW(m, id) MEMBER(struct mad_node_info, m, id)
static const struct member node_members[] = {
	ROW(base_version, IB_NODE_BASE_VERS_F),
	ROW(class_version, IB_NODE_CLASS_VERS_F),
	ROW(type, IB_NODE_TYPE_F),
	ROW(nports, IB_NODE_NPORTS_F),
	ROW(sysimg, IB_NODE_SYSTEM_GUID_F),
	ROW(guid, IB_NODE_GUID_F),
	ROW(port_guid, IB_NODE_PORT_GUID_F),
	ROW(partition_cap, IB_NODE_PARTITION_CAP_F),
	ROW(device, IB_NODE_DEVID_F),
	ROW(revision, IB_NODE_REVISION_F),
	ROW(local_port, IB_NODE_LOCAL_PORT_F),
	ROW(vendor, IB_NODE_VENDORID_F),
};
#undef ROW

#define ROW(m, id) MEMBER(struct mad_switch_info, m, id)
static const struct member switch_members[] = {
	ROW(rft_cap, IB_SW_RANDOM_FDB_CAP_F),
	ROW(mft_cap, IB_SW_MCAST_FDB_CAP_F),
	ROW(def_port, IB_SW_DEF_PORT_F),
	ROW(def_mcast_pri, IB_SW_DEF_MCAST_PRIM_F),
	ROW(def_mcast_not, IB_SW_DEF_MCAST_NOT_PRIM_F),
	ROW(life, IB_SW_LIFE_TIME_F),
	ROW(state_change, IB_SW_STATE_CHANGE_F),
	ROW(opt_sl2vl, IB_SW_OPT_SLTOVL_MAPPING_F),
	ROW(lids_per_port, IB_SW_LIDS_PER_PORT_F),
	ROW(enf_cap, IB_SW_PARTITION_ENFORCE_CAP_F),
	ROW(enf_in, IB_SW_PARTITION_ENF_INB_F),
	ROW(enf_out, IB_SW_PARTITION_ENF_OUTB_F),
	ROW(filter_in, IB_SW_FILTER_RAW_INB_F),
	ROW(filter_out, IB_SW_FILTER_RAW_OUTB_F),
	ROW(enhanced_p0, IB_SW_ENHANCED_PORT0_F),
	ROW(mft_top, IB_SW_MCAST_FDB_TOP_F),
};
#undef ROW

#define ROW(m, id) MEMBER(struct mad_port_info, m, id)
static const struct member port_members[] = {
	ROW(mkey, IB_PORT_MKEY_F),
	ROW(gid_prefix, IB_PORT_GID_PREFIX_F),
	ROW(lid, IB_PORT_LID_F),
	ROW(sm_lid, IB_PORT_SMLID_F),
	ROW(capmask, IB_PORT_CAPMASK_F),
	ROW(diag, IB_PORT_DIAG_F),
	ROW(mkey_lease, IB_PORT_MKEY_LEASE_F),
	ROW(local_port, IB_PORT_LOCAL_PORT_F),
	ROW(width_enabled, IB_PORT_LINK_WIDTH_ENABLED_F),
	ROW(width_supported, IB_PORT_LINK_WIDTH_SUPPORTED_F),
	ROW(width_active, IB_PORT_LINK_WIDTH_ACTIVE_F),
	ROW(speed_supported, IB_PORT_LINK_SPEED_SUPPORTED_F),
	ROW(state, IB_PORT_STATE_F),
	ROW(phys_state, IB_PORT_PHYS_STATE_F),
	ROW(down_default, IB_PORT_LINK_DOWN_DEF_F),
	ROW(mkey_prot, IB_PORT_MKEY_PROT_BITS_F),
	ROW(lmc, IB_PORT_LMC_F),
	ROW(speed_active, IB_PORT_LINK_SPEED_ACTIVE_F),
	ROW(speed_enabled, IB_PORT_LINK_SPEED_ENABLED_F),
	ROW(mtu, IB_PORT_NEIGHBOR_MTU_F),
	ROW(sm_sl, IB_PORT_SMSL_F),
	ROW(vl_cap, IB_PORT_VL_CAP_F),
	ROW(init_type, IB_PORT_INIT_TYPE_F),
	ROW(vl_high_limit, IB_PORT_VL_HIGH_LIMIT_F),
	ROW(arb_high_cap, IB_PORT_VL_ARBITRATION_HIGH_CAP_F),
	ROW(arb_low_cap, IB_PORT_VL_ARBITRATION_LOW_CAP_F),
	ROW(init_reply, IB_PORT_INIT_TYPE_REPLY_F),
	ROW(mtu_cap, IB_PORT_MTU_CAP_F),
	ROW(vl_stall, IB_PORT_VL_STALL_COUNT_F),
	ROW(hoq_life, IB_PORT_HOQ_LIFE_F),
	ROW(op_vls, IB_PORT_OPER_VLS_F),
	ROW(enf_in, IB_PORT_PART_EN_INB_F),
	ROW(enf_out, IB_PORT_PART_EN_OUTB_F),
	ROW(filter_in, IB_PORT_FILTER_RAW_INB_F),
	ROW(filter_out, IB_PORT_FILTER_RAW_OUTB_F),
	ROW(mkey_viol, IB_PORT_MKEY_VIOL_F),
	ROW(pkey_viol, IB_PORT_PKEY_VIOL_F),
	ROW(qkey_viol, IB_PORT_QKEY_VIOL_F),
	ROW(guid_cap, IB_PORT_GUID_CAP_F),
	ROW(client_rereg, IB_PORT_CLIENT_REREG_F),
	ROW(mcast_pkey_supr, IB_PORT_MCAST_PKEY_SUPR_ENAB_F),
	ROW(subnet_timeout, IB_PORT_SUBN_TIMEOUT_F),
	ROW(resp_time, IB_PORT_RESP_TIME_VAL_F),
	ROW(phy_errors, IB_PORT_LOCAL_PHYS_ERR_F),
	ROW(overrun_errors, IB_PORT_OVERRUN_ERR_F),
	ROW(credit_hint, IB_PORT_MAX_CREDIT_HINT_F),
	ROW(link_round_trip, IB_PORT_LINK_ROUND_TRIP_F),
	ROW(capmask2, IB_PORT_CAPMASK2_F),
	ROW(speed_ext_active, IB_PORT_LINK_SPEED_EXT_ACTIVE_F),
	ROW(speed_ext_supported, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F),
	ROW(speed_ext_enabled, IB_PORT_LINK_SPEED_EXT_ENABLED_F),
};
#undef ROW

#define ROW(m, id) MEMBER(struct mad_sm_info, m, id)
static const struct member sm_members[] = {
	ROW(guid, IB_SMINFO_GUID_F),
	ROW(key, IB_SMINFO_KEY_F),
	ROW(act_count, IB_SMINFO_ACT_F),
	ROW(priority, IB_SMINFO_PRIO_F),
	ROW(state, IB_SMINFO_STATE_F),
};
#undef ROW

#define ROW(m, id) MEMBER(struct mad_notice, m, id)
static const struct member notice_members[] = {
	ROW(generic, IB_NOTICE_IS_GENERIC_F),
	ROW(type, IB_NOTICE_TYPE_F),
	ROW(producer, IB_NOTICE_PRODUCER_F),
	ROW(trap, IB_NOTICE_TRAP_NUMBER_F),
	ROW(issuer_lid, IB_NOTICE_ISSUER_LID_F),
	ROW(toggle, IB_NOTICE_TOGGLE_F),
	ROW(count, IB_NOTICE_COUNT_F),
};
#undef ROW

#define ROW(m, id) MEMBER(struct mad_perf_counters, m, id)
static const struct member perf_members[] = {
	ROW(port, IB_PC_PORT_SELECT_F),
	ROW(select, IB_PC_COUNTER_SELECT_F),
	ROW(select2, IB_PC_COUNTER_SELECT2_F),
	ROW(count[MAD_PERF_XMIT_DATA], IB_PC_XMT_BYTES_F),
	ROW(count[MAD_PERF_RCV_DATA], IB_PC_RCV_BYTES_F),
	ROW(count[MAD_PERF_XMIT_PACKETS], IB_PC_XMT_PKTS_F),
	ROW(count[MAD_PERF_RCV_PACKETS], IB_PC_RCV_PKTS_F),
	ROW(count[MAD_PERF_SYMBOL_ERRORS], IB_PC_ERR_SYM_F),
	ROW(count[MAD_PERF_LINK_RECOVERED], IB_PC_LINK_RECOVERS_F),
	ROW(count[MAD_PERF_LINK_DOWNED], IB_PC_LINK_DOWNED_F),
	ROW(count[MAD_PERF_RCV_ERRORS], IB_PC_ERR_RCV_F),
	ROW(count[MAD_PERF_RCV_REMOTE_PHYSICAL], IB_PC_ERR_PHYSRCV_F),
	ROW(count[MAD_PERF_RCV_RELAY_ERRORS], IB_PC_ERR_SWITCH_REL_F),
	ROW(count[MAD_PERF_XMIT_DISCARDS], IB_PC_XMT_DISCARDS_F),
	ROW(count[MAD_PERF_XMIT_CONSTRAINT], IB_PC_ERR_XMTCONSTR_F),
	ROW(count[MAD_PERF_RCV_CONSTRAINT], IB_PC_ERR_RCVCONSTR_F),
	ROW(count[MAD_PERF_LOCAL_INTEGRITY], IB_PC_ERR_LOCALINTEG_F),
	ROW(count[MAD_PERF_BUFFER_OVERRUN], IB_PC_ERR_EXCESS_OVR_F),
	ROW(count[MAD_PERF_VL15_DROPPED], IB_PC_VL15_DROPPED_F),
	ROW(count[MAD_PERF_XMIT_WAIT], IB_PC_XMT_WAIT_F),
};
#undef ROW

static void
read_node(const uint8_t *d, void *out)
{
	(void)mad_node_info_decode(d, out, NULL);
}

static void
read_switch(const uint8_t *d, void *out)
{
	(void)mad_switch_info_decode(d, out, NULL);
}

static void
read_port(const uint8_t *d, void *out)
{
	(void)mad_port_info_decode(d, out, NULL);
}

static void
read_sm(const uint8_t *d, void *out)
{
	mad_sm_info_decode(d, out);
}

static void
read_notice(const uint8_t *d, void *out)
{
	mad_notice_decode(d, out);
}

static void
read_perf(const uint8_t *d, void *out)
{
	mad_perf_counters_decode(d, out);
}

static const struct {
	void (*read)(const uint8_t *d, void *out);
	const struct member *member;
	size_t n;
} attributes[] = {
	{read_node, node_members, LEN(node_members)},
	{read_switch, switch_members, LEN(switch_members)},
	{read_port, port_members, LEN(port_members)},
	{read_sm, sm_members, LEN(sm_members)},
	{read_notice, notice_members, LEN(notice_members)},
	{read_perf, perf_members, LEN(perf_members)},
};

static uint64_t
value_of(const uint8_t *held, const struct member *m)
{
	uint64_t v = 0;

	memcpy(&v, held + m->offset, m->size); /* a little-endian host */
	return v;
}

LOOP_TEST(positions, 0, LEN(attributes))
{
	struct rng rng = {SEED};
	uint8_t d[MAD_PERF_SIZE];
	uint64_t held[HELD / sizeof(uint64_t) + 1];

	for (unsigned k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < sizeof(d); i++)
			d[i] = (uint8_t)rng_next(&rng);
		attributes[_i].read(d, held);
		for (size_t i = 0; i < attributes[_i].n; i++) {
			const struct member *m = &attributes[_i].member[i];
			uint64_t is = value_of((const uint8_t *)held, m);
			uint64_t want =
				m->size == 8 && attributes[_i].read != read_perf
					? mad_get_field64(d, 0, m->id)
					: mad_get_field(d, 0, m->id);

			ck_assert_msg(is == want,
				"attribute %d, field %d: %#jx, and not %#jx",
				_i, (int)m->id, (uintmax_t)is, (uintmax_t)want);
		}
	}
}
