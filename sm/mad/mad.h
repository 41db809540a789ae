/*
 * mad: the wire codec. One pair of decode and encode functions per attribute;
 * host-order structs outside, exact bytes inside, never a cast of a buffer to a
 * struct.
 *
 * Attributes are tables of fields (fields.h), at the positions of IBA and of
 * libibmad, which the real tools use. Decode functions take the 64 bytes of an
 * SMP's payload, so they cannot run off a buffer; they return -1 with a reason
 * for an impossible value (a node type of 0, a switch with 0 ports): bytes from
 * the wire are hostile until they are checked.
 *
 * IBA volume 1: MAD header 13.4.3, SMP formats 14.2.1, attributes 14.2.5.
 *
 * Folder sm/mad: bytes of MADs <-> host-order structs, and every constant of
 * the wire. Callers: sm/transport, discovery, distribution, sm/sa, sm/core and
 * sm/audit, for what they send and receive. Read next: sm/mad/mad_sa.h for
 * records of subnet administration, mad_notice.c for traps.
 */
#ifndef HEDDLE_SM_MAD_MAD_H
#define HEDDLE_SM_MAD_MAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/reason.h"
#include "sm/mad/port_values.h"

enum {
	MAD_SIZE = 256,
	MAD_DATA = 64, /* bytes of an SMP's payload */
	MAD_LID_END = LID_MULTICAST_MIN,
	MAD_LID_PERMISSIVE = 0xffff,
	MAD_PORT_MAX = 254, /* 255 means no port in tables and paths */
};

enum mad_class { MAD_SUBN_LID = 0x01, MAD_SUBN_DR = 0x81, MAD_SA = 0x03 };

enum mad_method {
	MAD_GET = 0x01,
	MAD_SET = 0x02,
	MAD_TRAP = 0x05,
	MAD_TRAP_REPRESS = 0x07,
	MAD_GET_RESP = 0x81,
};

enum mad_attr {
	MAD_NOTICE = 0x02,
	MAD_NODE_DESC = 0x10,
	MAD_NODE_INFO = 0x11,
	MAD_SWITCH_INFO = 0x12,
	MAD_GUID_INFO = 0x14,
	MAD_PORT_INFO = 0x15,
	MAD_PKEY_TABLE = 0x16,
	MAD_SL2VL = 0x17,
	MAD_VLARB = 0x18,
	MAD_LFT = 0x19,
	MAD_MFT = 0x1b,
	MAD_SM_INFO = 0x20,
};

/* Notices (IBA 14.2.5.1); violations of keys are in mad_violation.h. */
enum mad_trap {
	MAD_TRAP_PORT_CAME = 64,
	MAD_TRAP_PORT_GONE = 65,
	MAD_TRAP_GROUP_CREATED = 66,
	MAD_TRAP_GROUP_DELETED = 67,
	MAD_TRAP_LINK_STATE = 128,
	MAD_TRAP_LINK_ERRORS = 129,
	MAD_TRAP_OVERRUNS = 130,
	MAD_TRAP_FLOW_CONTROL = 131,
	MAD_TRAP_LOCAL_CHANGES = 144,
	MAD_TRAP_IMAGE_GUID = 145, /* SystemImageGUID has changed */
};

/* Trap 144: what changed in the host. */
enum { MAD_TRAP_NEW_DESCRIPTION = 1 };

/* GIDs of a link, whatever its subnet prefix is (IBA 4.1.1). */
#define MAD_GID_LINK_LOCAL UINT64_C(0xfe80000000000000)

/* MAD status, D bit masked out (IBA 13.4.7). */
enum {
	MAD_STATUS_BUSY = 0x0001,
	MAD_STATUS_VERSION = 0x0004,
	MAD_STATUS_METHOD = 0x0008,
	MAD_STATUS_METHOD_ATTR = 0x000c,
	MAD_STATUS_FIELD = 0x001c,
};

/* PortInfo attribute modifier: this SM understands extended speeds. */
#define MAD_PORT_INFO_EXT 0x80000000U

/* An SMP of either class. */
struct smp {
	uint8_t mgmt_class; /* MAD_SUBN_LID or MAD_SUBN_DR */
	uint8_t method;
	bool response;	 /* DR: the D bit; LID: method has bit 7 */
	uint16_t status; /* without the D bit */
	uint8_t hop_ptr, hop_cnt;
	uint64_t tid;
	uint16_t attr;
	uint32_t mod;
	uint64_t mkey;
	uint16_t dr_slid, dr_dlid;
	uint8_t data[MAD_DATA];
	uint8_t path[64]; /* initial path; [1..hop_cnt] */
	uint8_t ret_path[64];
};

/*
 * Decode an SMP from len bytes. -1 and a reason (naming the field) unless it
 * is a whole, well-formed MAD of class 0x01 or 0x81: base version 1, class
 * version 1, hop count and pointer below 64.
 */
int smp_decode(
	const uint8_t *buf, size_t len, struct smp *out, struct reason *why);

/* Encode an SMP into the 256 bytes at buf. */
void smp_encode(const struct smp *in, uint8_t buf[MAD_SIZE]);

struct mad_node_info {
	uint64_t sysimg, guid, port_guid;
	uint32_t vendor, revision;
	uint16_t device, partition_cap;
	uint8_t base_version, class_version;
	uint8_t type; /* 1 CA, 2 switch, 3 router */
	uint8_t nports, local_port;
};

/* -1: unknown type, 0 ports, a GUID of 0, an impossible local port. */
int mad_node_info_decode(
	const uint8_t d[MAD_DATA], struct mad_node_info *out, struct reason *);
void mad_node_info_encode(const struct mad_node_info *in, uint8_t d[MAD_DATA]);

/* Printable copy of a NodeDescription, up to the first zero: control bytes
 * become '?'. */
void mad_node_desc_decode(const uint8_t d[MAD_DATA], char out[MAD_DATA + 1]);

struct mad_switch_info {
	uint16_t lft_cap, rft_cap, mft_cap, lft_top, lids_per_port, enf_cap;
	uint16_t mft_top;
	uint8_t def_port, def_mcast_pri, def_mcast_not, life;
	bool state_change; /* read: ports changed; written: clear it */
	uint8_t opt_sl2vl; /* 2 bits: capability, as in byte 11 */
	bool enf_in, enf_out, filter_in, filter_out, enhanced_p0;
};

/*
 * Never fails at present. A LinearFDBCap or LinearFDBTop beyond the unicast
 * LIDs is read as the end of these, so that it can bound a table. The caller
 * judges a LinearFDBCap of 0 (no linear tables).
 */
int mad_switch_info_decode(const uint8_t d[MAD_DATA],
	struct mad_switch_info *out, struct reason *why);
void mad_switch_info_encode(
	const struct mad_switch_info *in, uint8_t d[MAD_DATA]);

struct mad_port_info {
	uint64_t mkey, gid_prefix;
	uint32_t capmask;
	uint16_t lid, sm_lid, diag, mkey_lease, capmask2;
	uint16_t mkey_viol, pkey_viol, qkey_viol, credit_hint;
	uint32_t link_round_trip;
	uint8_t local_port, width_enabled, width_supported, width_active;
	uint8_t speed_supported, state, phys_state, down_default, mkey_prot;
	uint8_t lmc, speed_active, speed_enabled, mtu, sm_sl, vl_cap;
	uint8_t init_type, vl_high_limit, arb_high_cap, arb_low_cap;
	uint8_t init_reply, mtu_cap, vl_stall, hoq_life, op_vls;
	bool enf_in, enf_out, filter_in, filter_out;
	uint8_t guid_cap;
	bool client_rereg;
	uint8_t mcast_pkey_supr; /* 2 bits */
	uint8_t subnet_timeout, resp_time, phy_errors, overrun_errors;
	uint8_t speed_ext_active, speed_ext_supported, speed_ext_enabled;
	/* XDR, bit 0; they mean nothing without MAD_CAP2_EXT_SPEEDS2 */
	uint8_t speed_ext2_active, speed_ext2_supported, speed_ext2_enabled;
};

/*
 * -1: a port state above PORT_ACTIVE_DEFER. State 0 passes: Sets carry it (no
 * change), and a base switch port 0 need not have one. Unknown speeds, widths,
 * MTUs and VLs pass, and so does any LID: LID assignment judges it.
 */
int mad_port_info_decode(
	const uint8_t d[MAD_DATA], struct mad_port_info *out, struct reason *);
void mad_port_info_encode(const struct mad_port_info *in, uint8_t d[MAD_DATA]);

/*
 * Decode only the fields of a PortInfo that a subnet manager sets in a port
 * that is up: keys, LIDs, MTU, VLs, time-outs, thresholds, partition
 * enforcement, and the state; the others are 0. Decoding all fields of all
 * ports of a fabric would be the longest part of a plan that concerns two
 * ports.
 */
int mad_port_info_settings(
	const uint8_t d[MAD_DATA], struct mad_port_info *out);

/* Read, or write, the port state alone. */
uint8_t mad_port_info_state(const uint8_t d[MAD_DATA]);
void mad_port_info_put_state(uint8_t d[MAD_DATA], uint8_t state);

/*
 * The active extended speed, one of enum port_speed_ext; 0: none. capmask and
 * capmask2 are those of the port, or of its switch's port 0: without
 * MAD_CAP2_EXT_SPEEDS2 the place of the second set is reserved.
 */
uint8_t mad_extended_speed(
	const struct mad_port_info *i, uint32_t capmask, uint16_t capmask2);

struct mad_sm_info {
	uint64_t guid, key;
	uint32_t act_count;
	uint8_t priority,
		state; /* 0 not active 1 discovering 2 standby 3 master */
};
void mad_sm_info_decode(const uint8_t d[MAD_DATA], struct mad_sm_info *out);
void mad_sm_info_encode(const struct mad_sm_info *in, uint8_t d[MAD_DATA]);

/* Notice; of its details those that Heddle acts on. */
struct mad_notice {
	bool generic;
	uint8_t type;	   /* 1 urgent, 2 security, 3 SM, 4 info */
	uint32_t producer; /* node type, or vendor id */
	uint16_t trap;	   /* trap number, or device id */
	uint16_t issuer_lid;
	bool toggle;
	uint16_t count;
	uint16_t data_lid; /* traps 128 to 131, 144, 145, 256: LID the trap is
			      about */
	uint8_t data_port; /* traps 129 to 131: the port of the node with it */
	uint32_t capmask;  /* trap 144: new CapabilityMask */
	uint16_t change_flags; /* trap 144: what else changed */
};
void mad_notice_decode(const uint8_t d[MAD_DATA], struct mad_notice *out);
void mad_notice_encode(const struct mad_notice *in, uint8_t d[MAD_DATA]);

/* Names for messages: "PortInfo", "Set", "invalid field"; never NULL. */
const char *mad_attr_name(uint16_t attr);
const char *mad_method_name(uint8_t method);
const char *mad_status_name(uint16_t status);

#endif
