#include "sm/mad/mad.h"

#include <string.h>

#include "sm/base/be.h"
#include "sm/base/utf8.h"
#include "sm/mad/fields.h"

#define ROWS(table) (table), sizeof(table) / sizeof((table)[0])

#define ROW(m, at, bits) FIELDS_ROW(struct mad_node_info, m, at, bits)
static const struct fields_row node_info[] = {
	ROW(base_version, 0, 8),
	ROW(class_version, 8, 8),
	ROW(type, 16, 8),
	ROW(nports, 24, 8),
	ROW(sysimg, 32, 64),
	ROW(guid, 96, 64),
	ROW(port_guid, 160, 64),
	ROW(partition_cap, 224, 16),
	ROW(device, 240, 16),
	ROW(revision, 256, 32),
	ROW(local_port, 288, 8),
	ROW(vendor, 296, 24),
};
#undef ROW

#define ROW(m, at, bits) FIELDS_ROW(struct mad_switch_info, m, at, bits)
static const struct fields_row switch_info[] = {
	ROW(lft_cap, 0, 16),
	ROW(rft_cap, 16, 16),
	ROW(mft_cap, 32, 16),
	ROW(lft_top, 48, 16),
	ROW(def_port, 64, 8),
	ROW(def_mcast_pri, 72, 8),
	ROW(def_mcast_not, 80, 8),
	ROW(life, 88, 5),
	ROW(state_change, 93, 1),
	ROW(opt_sl2vl, 94, 2),
	ROW(lids_per_port, 96, 16),
	ROW(enf_cap, 112, 16),
	ROW(enf_in, 128, 1),
	ROW(enf_out, 129, 1),
	ROW(filter_in, 130, 1),
	ROW(filter_out, 131, 1),
	ROW(enhanced_p0, 132, 1),
	ROW(mft_top, 144, 16),
};
#undef ROW

#define ROW(m, at, bits) FIELDS_ROW(struct mad_port_info, m, at, bits)
static const struct fields_row port_info[] = {
	ROW(mkey, 0, 64),
	ROW(gid_prefix, 64, 64),
	ROW(lid, 128, 16),
	ROW(sm_lid, 144, 16),
	ROW(capmask, 160, 32),
	ROW(diag, 192, 16),
	ROW(mkey_lease, 208, 16),
	ROW(local_port, 224, 8),
	ROW(width_enabled, 232, 8),
	ROW(width_supported, 240, 8),
	ROW(width_active, 248, 8),
	ROW(speed_supported, 256, 4),
	ROW(state, 260, 4),
	ROW(phys_state, 264, 4),
	ROW(down_default, 268, 4),
	ROW(mkey_prot, 272, 2),
	ROW(lmc, 277, 3),
	ROW(speed_active, 280, 4),
	ROW(speed_enabled, 284, 4),
	ROW(mtu, 288, 4),
	ROW(sm_sl, 292, 4),
	ROW(vl_cap, 296, 4),
	ROW(init_type, 300, 4),
	ROW(vl_high_limit, 304, 8),
	ROW(arb_high_cap, 312, 8),
	ROW(arb_low_cap, 320, 8),
	ROW(init_reply, 328, 4),
	ROW(mtu_cap, 332, 4),
	ROW(vl_stall, 336, 3),
	ROW(hoq_life, 339, 5),
	ROW(op_vls, 344, 4),
	ROW(enf_in, 348, 1),
	ROW(enf_out, 349, 1),
	ROW(filter_in, 350, 1),
	ROW(filter_out, 351, 1),
	ROW(mkey_viol, 352, 16),
	ROW(pkey_viol, 368, 16),
	ROW(qkey_viol, 384, 16),
	ROW(guid_cap, 400, 8),
	ROW(client_rereg, 408, 1),
	ROW(mcast_pkey_supr, 409, 2),
	ROW(subnet_timeout, 411, 5),
	ROW(resp_time, 419, 5),
	ROW(phy_errors, 424, 4),
	ROW(overrun_errors, 428, 4),
	ROW(credit_hint, 432, 16),
	ROW(speed_ext2_active, 449, 2),
	ROW(speed_ext2_supported, 451, 2),
	ROW(speed_ext2_enabled, 453, 3),
	ROW(link_round_trip, 456, 24),
	ROW(capmask2, 480, 16),
	ROW(speed_ext_active, 496, 4),
	ROW(speed_ext_supported, 500, 4),
	ROW(speed_ext_enabled, 507, 5),
};
#undef ROW

#define ROW(m, at, bits) FIELDS_ROW(struct mad_sm_info, m, at, bits)
static const struct fields_row sm_info[] = {
	ROW(guid, 0, 64),
	ROW(key, 64, 64),
	ROW(act_count, 128, 32),
	ROW(priority, 160, 4),
	ROW(state, 164, 4),
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

int
mad_port_info_decode(const uint8_t d[MAD_DATA], struct mad_port_info *out,
	struct reason *why)
{
	fields_decode(ROWS(port_info), d, out);
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

uint8_t
mad_port_info_state(const uint8_t d[MAD_DATA])
{
	return d[32] & 15;
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
