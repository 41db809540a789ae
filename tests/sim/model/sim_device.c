#include "tests/sim/model/sim_device.h"

/* Codes of PortInfo (IBA 14.2.5.6). */
enum {
	SDR = 1,
	QDR = 4,
	UP_TO_NDR = 15,
	W_1X_4X_2X = PORT_WIDTH_1X | PORT_WIDTH_4X | PORT_WIDTH_2X,
	MTU_256 = 1,
	MTU_4096 = 5,
	VLS_1 = 1,
	VLS_4 = 3,
	VLS_8 = 4,
	DISCARD = 255, /* the port that drops: default of multicast */
};

#define SWITCH_CAPS 0xe550d848U
#define SWITCH_CAPS2 0x43bU
#define LINK_LOCAL 0xfe80000000000000U

static const struct mad_port_info ports[SIM_DEVICE_PORTS] = {
	[SIM_DEVICE_BASE_P0] =
		{
			.gid_prefix = LINK_LOCAL,
			.capmask = SWITCH_CAPS,
			.capmask2 = SWITCH_CAPS2,
			.guid_cap = 1,
			.resp_time = 19,
		},
	[SIM_DEVICE_ENHANCED_P0] =
		{
			.gid_prefix = LINK_LOCAL,
			.capmask = SWITCH_CAPS,
			.capmask2 = SWITCH_CAPS2,
			.width_supported = W_1X_4X_2X,
			.width_enabled = W_1X_4X_2X,
			.width_active = PORT_WIDTH_4X,
			.speed_supported = SDR | QDR,
			.speed_enabled = SDR | QDR,
			.speed_active = QDR,
			.state = PORT_ACTIVE,
			.phys_state = PORT_PHYS_LINK_UP,
			.down_default = PORT_PHYS_POLLING,
			.mtu = MTU_256,
			.mtu_cap = MTU_4096,
			.vl_cap = VLS_8,
			.op_vls = VLS_1,
			.arb_high_cap = 8,
			.arb_low_cap = 8,
			.guid_cap = 1,
			.resp_time = 19,
		},
	[SIM_DEVICE_SWITCH] =
		{
			.gid_prefix = LINK_LOCAL,
			.width_supported = W_1X_4X_2X,
			.width_enabled = W_1X_4X_2X,
			.speed_supported = SDR | QDR,
			.speed_enabled = SDR | QDR,
			.speed_active = QDR,
			.speed_ext_supported = UP_TO_NDR,
			.speed_ext_enabled = UP_TO_NDR,
			.state = PORT_DOWN,
			.phys_state = PORT_PHYS_POLLING,
			.down_default = PORT_PHYS_POLLING,
			.mtu = MTU_256,
			.mtu_cap = MTU_4096,
			.vl_cap = VLS_8,
			.op_vls = VLS_1,
			.arb_high_cap = 8,
			.arb_low_cap = 8,
			.mcast_pkey_supr = 1,
		},
	[SIM_DEVICE_CA] =
		{
			.gid_prefix = LINK_LOCAL,
			.capmask = 0xa751e848U,
			.capmask2 = 0x432,
			.width_supported = W_1X_4X_2X,
			.width_enabled = W_1X_4X_2X,
			.speed_supported = SDR,
			.speed_enabled = SDR,
			.speed_ext_supported = UP_TO_NDR,
			.speed_ext_enabled = UP_TO_NDR,
			.state = PORT_DOWN,
			.phys_state = PORT_PHYS_POLLING,
			.down_default = PORT_PHYS_POLLING,
			.mtu = MTU_256,
			.mtu_cap = MTU_4096,
			.vl_cap = VLS_4,
			.op_vls = VLS_1,
			.arb_high_cap = 8,
			.arb_low_cap = 8,
			.guid_cap = 8,
			.mcast_pkey_supr = 1,
			.resp_time = 16,
		},
};

const struct mad_port_info *
sim_device_port(enum sim_device_port kind)
{
	return &ports[kind];
}

const struct mad_switch_info *
sim_device_switch(void)
{
	static const struct mad_switch_info si = {
		.lft_cap = 0xc000,
		.mft_cap = 8192,
		.enf_cap = 32,
		.def_mcast_pri = DISCARD,
		.def_mcast_not = DISCARD,
		.opt_sl2vl = 3,
		.enf_in = true,
		.enf_out = true,
		.filter_in = true,
		.filter_out = true,
	};

	return &si;
}
