#include "sm/mad/mad.h"

#include <string.h>

#include "sm/base/be.h"
#include "sm/base/utf8.h"
#include "sm/mad/fields.h"

#define ROWS(table) (table), sizeof(table) / sizeof((table)[0])

#define ROW(m, field) FIELDS_ROW(struct mad_node_info, m, field)
static const struct fields_row node_info[] = {
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

#define ROW(m, field) FIELDS_ROW(struct mad_switch_info, m, field)
static const struct fields_row switch_info[] = {
	ROW(lft_cap, IB_SW_LINEAR_FDB_CAP_F),
	ROW(rft_cap, IB_SW_RANDOM_FDB_CAP_F),
	ROW(mft_cap, IB_SW_MCAST_FDB_CAP_F),
	ROW(lft_top, IB_SW_LINEAR_FDB_TOP_F),
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

#define ROW(m, field) FIELDS_ROW(struct mad_port_info, m, field)
static const struct fields_row port_info[] = {
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

#define ROW(m, field) FIELDS_ROW(struct mad_sm_info, m, field)
static const struct fields_row sm_info[] = {
	ROW(guid, IB_SMINFO_GUID_F),
	ROW(key, IB_SMINFO_KEY_F),
	ROW(act_count, IB_SMINFO_ACT_F),
	ROW(priority, IB_SMINFO_PRIO_F),
	ROW(state, IB_SMINFO_STATE_F),
};
#undef ROW

int
mad_node_info_decode(const uint8_t d[MAD_DATA], struct mad_node_info *out,
	struct reason *why)
{
	fields_decode(ROWS(node_info), d, out);
	if (out->type < 1 || out->type > 3)
		return reason_set(why,
			"NodeInfo: node type %u is none of 1 (CA), 2 (switch), "
			"3 (router)",
			out->type);
	if (out->nports == 0 || out->nports > MAD_PORT_MAX)
		return reason_set(
			why, "NodeInfo: a node with %u ports", out->nports);
	if (out->guid == 0 || out->port_guid == 0)
		return reason_set(why, "NodeInfo: %s GUID is 0",
			out->guid == 0 ? "node" : "port");
	if (out->local_port > out->nports)
		return reason_set(why,
			"NodeInfo: local port %u of a node with %u ports",
			out->local_port, out->nports);
	if (out->local_port == 0 && out->type != 2)
		return reason_set(why,
			"NodeInfo: local port 0 of a node that is no switch");
	return 0;
}

void
mad_node_info_encode(const struct mad_node_info *in, uint8_t d[MAD_DATA])
{
	fields_encode(ROWS(node_info), in, d);
}

void
mad_node_desc_decode(const uint8_t d[MAD_DATA], char out[MAD_DATA + 1])
{
	memcpy(out, d, MAD_DATA);
	out[MAD_DATA] = '\0';
	utf8_tame(out);
}

int
mad_switch_info_decode(const uint8_t d[MAD_DATA], struct mad_switch_info *out,
	struct reason *why)
{
	(void)why;
	fields_decode(ROWS(switch_info), d, out);
	if (out->lft_cap > MAD_LID_END)
		out->lft_cap = MAD_LID_END;
	if (out->lft_top >= MAD_LID_END)
		out->lft_top = MAD_LID_END - 1;
	return 0;
}

void
mad_switch_info_encode(const struct mad_switch_info *in, uint8_t d[MAD_DATA])
{
	fields_encode(ROWS(switch_info), in, d);
}

/*
 * The byte of LinkSpeedExtActive2 (2 bits), Supported2 (2) and Enabled2 (3),
 * after a reserved bit: libibmad has no fields for them before release 49.
 */
enum { EXT2_AT = 56, EXT2_ACTIVE = 5, EXT2_SUPPORTED = 3 };

int
mad_port_info_decode(const uint8_t d[MAD_DATA], struct mad_port_info *out,
	struct reason *why)
{
	fields_decode(ROWS(port_info), d, out);
	out->speed_ext2_active = d[EXT2_AT] >> EXT2_ACTIVE & 3;
	out->speed_ext2_supported = d[EXT2_AT] >> EXT2_SUPPORTED & 3;
	out->speed_ext2_enabled = d[EXT2_AT] & 7;
	if (out->state > PORT_ACTIVE_DEFER)
		return reason_set(why,
			"PortInfo: port state %u is above 5 (active defer)",
			out->state);
	return 0;
}

void
mad_port_info_encode(const struct mad_port_info *in, uint8_t d[MAD_DATA])
{
	fields_encode(ROWS(port_info), in, d);
	d[EXT2_AT] =
		(uint8_t)((in->speed_ext2_active & 3) << EXT2_ACTIVE |
			  (in->speed_ext2_supported & 3) << EXT2_SUPPORTED |
			  (in->speed_ext2_enabled & 7));
}

uint8_t
mad_extended_speed(
	const struct mad_port_info *i, uint32_t capmask, uint16_t capmask2)
{
	bool second = (capmask & MAD_CAP_CAPMASK2) != 0 &&
		      (capmask2 & MAD_CAP2_EXT_SPEEDS2) != 0;

	return second && (i->speed_ext2_active & 1) != 0 ? PORT_XDR
							 : i->speed_ext_active;
}

int
mad_port_info_settings(const uint8_t d[MAD_DATA], struct mad_port_info *out)
{
	*out = (struct mad_port_info){
		.mkey = be_get64(d),
		.gid_prefix = be_get64(d + 8),
		.lid = be_get16(d + 16),
		.sm_lid = be_get16(d + 18),
		.mkey_lease = be_get16(d + 26),
		.state = d[32] & 15,
		.mkey_prot = d[34] >> 6,
		.lmc = d[34] & 7,
		.mtu = d[36] >> 4,
		.sm_sl = d[36] & 15,
		.vl_high_limit = d[38],
		.arb_high_cap = d[39],
		.arb_low_cap = d[40],
		.vl_stall = d[42] >> 5,
		.hoq_life = d[42] & 31,
		.op_vls = d[43] >> 4,
		.enf_in = (d[43] & 8) != 0,
		.enf_out = (d[43] & 4) != 0,
		.subnet_timeout = d[51] & 31,
		.phy_errors = d[53] >> 4,
		.overrun_errors = d[53] & 15,
	};
	return out->state > PORT_ACTIVE_DEFER ? -1 : 0;
}

void
mad_port_info_put_state(uint8_t d[MAD_DATA], uint8_t state)
{
	d[32] = (uint8_t)((d[32] & 0xf0) | (state & 15));
}

void
mad_sm_info_decode(const uint8_t d[MAD_DATA], struct mad_sm_info *out)
{
	fields_decode(ROWS(sm_info), d, out);
}

void
mad_sm_info_encode(const struct mad_sm_info *in, uint8_t d[MAD_DATA])
{
	fields_encode(ROWS(sm_info), in, d);
}
