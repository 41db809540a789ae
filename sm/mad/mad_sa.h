/*
 * mad_sa: subnet administration on the wire: the header of every message of
 * class 0x03, and the attributes that are more than a management attribute with
 * a LID in front of it. Host order outside, exact bytes inside.
 *
 * A message is the header (56 bytes) and records. A request has one record, of
 * at most 200 bytes; the answer to GetTable has all that match, each padded to
 * 8 bytes, and AttributeOffset is the distance between them.
 *
 * IBA volume 1: SA MADs 15.2.1.1, RMPP 13.6, records 15.2.5, Notice 13.4.8.2,
 * InformInfo 13.4.8.3, ClassPortInfo 13.4.8.1.
 */
#ifndef HEDDLE_SM_MAD_MAD_SA_H
#define HEDDLE_SM_MAD_MAD_SA_H

#include "sm/mad/mad.h"

#define MAD_SA_QKEY                                                            \
	0x80010000U /* ClassPortInfo of SA (IBA 15.2.5.1.1): bits of           \
		     * CapabilityMask and CapabilityMask2. */
enum {
	MAD_SA_CAP_MASK2 = 1 << 2,
	MAD_SA_CAP_UD_MULTICAST = 1 << 9,
	MAD_SA_CAP_MULTI_PATH = 1 << 10,
	MAD_SA_CAP_PORT_CAPMASK_MATCH = 1 << 13,
	MAD_SA_CAP2_QOS = 1 << 1,
	MAD_SA_CAP2_ALIAS_GUIDS = 1 << 5,
	MAD_SA_CAP2_FULL_PORT_INFO = 1 << 6,
	MAD_SA_CAP2_EXT_SPEEDS = 1 << 7,
	MAD_SA_CAP2_PORT_CAPMASK2_MATCH = 1 << 10,
	MAD_SA_CAP2_SEND_ONLY_FULL = 1 << 12,
	MAD_SA_CAP2_2X = 1 << 13,
	MAD_SA_CAP2_HDR = 1 << 15,
	MAD_SA_CAP2_NDR = 1 << 17,
};

/* of QP1, which the class is addressed by */

enum {
	MAD_SA_QP = 1,
	MAD_SA_HEADER = 56,
	MAD_SA_DATA = 200, /* bytes of a record in one MAD */
	MAD_SA_VERSION = 2,
	MAD_SA_PATH = 64,
	MAD_SA_INFORM = 36,
	MAD_SA_SERVICE = 176,
	MAD_SA_NOTICE = 80,
	MAD_SA_TRACE = 48,
	MAD_SA_MULTI = 24, /* of a MultiPathRecord, before the GIDs */
	MAD_SA_PORT_INFO = 72,
	MAD_SA_MEMBER_REC = 52,
};

/* Methods of the class besides Get and Set; responses have bit 7. */
enum {
	MAD_SA_REPORT = 0x06,
	MAD_SA_GET_TABLE = 0x12,
	MAD_SA_GET_TRACE = 0x13,
	MAD_SA_GET_MULTI = 0x14,
	MAD_SA_DELETE = 0x15,
	MAD_SA_RESPONSE = 0x80,
};

enum mad_sa_attr {
	MAD_SA_CLASS_PORT_INFO = 0x01,
	MAD_SA_NOTICE_ATTR = 0x02,
	MAD_SA_INFORM_INFO = 0x03,
	MAD_SA_NODE = 0x11,
	MAD_SA_PORT = 0x12,
	MAD_SA_SL2VL = 0x13,
	MAD_SA_SWITCH = 0x14,
	MAD_SA_LFT = 0x15,
	MAD_SA_MFT = 0x17,
	MAD_SA_SM = 0x18,
	MAD_SA_LINK = 0x20,
	MAD_SA_GUID = 0x30,
	MAD_SA_SERVICE_REC = 0x31,
	MAD_SA_PKEY = 0x33,
	MAD_SA_PATH_REC = 0x35,
	MAD_SA_VLARB = 0x36,
	MAD_SA_MEMBER = 0x38,
	MAD_SA_TRACE_REC = 0x39,
	MAD_SA_MULTI_PATH = 0x3a,
	MAD_SA_INFORM_REC = 0xf3,
};

/* Status codes of the class, in the upper byte (IBA 15.2.2). */
enum mad_sa_status {
	MAD_SA_OK = 0,
	MAD_SA_NO_RESOURCES = 0x0100,
	MAD_SA_REQ_INVALID = 0x0200,
	MAD_SA_NO_RECORDS = 0x0300,
	MAD_SA_TOO_MANY = 0x0400,
	MAD_SA_INVALID_GID = 0x0500,
	MAD_SA_INSUF_COMPS = 0x0600,
	MAD_SA_DENIED = 0x0700,
};

/*
 * The header, with the RMPP fields that an application sees: those of the first
 * segment of a message, in whose place the rest was put below us. The second
 * half of them is written there and not by mad_sa_encode.
 */
struct mad_sa {
	uint8_t base_version, class_version;
	uint8_t method;
	uint16_t status;
	uint64_t tid;
	uint16_t attr;
	uint32_t mod;
	bool rmpp;	     /* the Active flag */
	uint8_t rmpp_type;   /* 1: data */
	uint8_t rmpp_status; /* 0: no error */
	uint8_t rmpp_version;
	bool rmpp_first, rmpp_last; /* segment flags */
	uint32_t rmpp_segment;
	uint32_t rmpp_payload; /* PayloadLength: of all segments, class headers
				  included; 0: not told */
	uint64_t sm_key;
	uint16_t offset; /* AttributeOffset: 8-byte units */
	uint64_t mask;	 /* ComponentMask */
};

/* -1: shorter than the header, or another class. The SA judges the rest. */
int mad_sa_decode(
	const uint8_t *buf, size_t len, struct mad_sa *out, struct reason *why);
void mad_sa_encode(const struct mad_sa *in, uint8_t buf[MAD_SA_HEADER]);

struct mad_gid {
	uint64_t prefix, guid;
};
struct mad_gid mad_sa_gid_decode(const uint8_t d[16]);
void mad_sa_gid_encode(const struct mad_gid *g, uint8_t d[16]);

/* Selectors of MTU, rate and packet lifetime. */
enum { MAD_SA_GREATER, MAD_SA_LESS, MAD_SA_EXACTLY, MAD_SA_BEST };

/* PathRecord (IBA 15.2.5.16); a MultiPathRecord has the same fields except the
 * ends. */
struct mad_sa_path {
	uint64_t service;
	struct mad_gid dgid, sgid;
	uint16_t dlid, slid;
	bool raw;
	uint32_t flow_label;
	uint8_t hop_limit, tclass;
	bool reversible;
	uint8_t npaths;
	uint16_t pkey, qos_class;
	uint8_t sl;
	uint8_t mtu_sel, mtu, rate_sel, rate, life_sel, life;
	uint8_t preference;
};

/* Components of a PathRecord in a mask. */
enum {
	MAD_SA_PATH_SERVICE = 3 << 0,
	MAD_SA_PATH_DGID = 1 << 2,
	MAD_SA_PATH_SGID = 1 << 3,
	MAD_SA_PATH_DLID = 1 << 4,
	MAD_SA_PATH_SLID = 1 << 5,
	MAD_SA_PATH_RAW = 1 << 6,
	MAD_SA_PATH_FLOW = 1 << 8,
	MAD_SA_PATH_HOPS = 1 << 9,
	MAD_SA_PATH_TCLASS = 1 << 10,
	MAD_SA_PATH_REVERSIBLE = 1 << 11,
	MAD_SA_PATH_NPATHS = 1 << 12,
	MAD_SA_PATH_PKEY = 1 << 13,
	MAD_SA_PATH_QOS = 1 << 14,
	MAD_SA_PATH_SL = 1 << 15,
	MAD_SA_PATH_MTU_SEL = 1 << 16,
	MAD_SA_PATH_MTU = 1 << 17,
	MAD_SA_PATH_RATE_SEL = 1 << 18,
	MAD_SA_PATH_RATE = 1 << 19,
	MAD_SA_PATH_LIFE_SEL = 1 << 20,
	MAD_SA_PATH_LIFE = 1 << 21,
};

void mad_sa_path_decode(const uint8_t d[MAD_SA_PATH], struct mad_sa_path *out);
void mad_sa_path_encode(const struct mad_sa_path *in, uint8_t d[MAD_SA_PATH]);

/* MultiPathRecord (IBA 15.2.5.20) without its GIDs, which follow. */
struct mad_sa_multi {
	struct mad_sa_path path; /* ends and LIDs unused */
	uint8_t nsgid, ndgid;
	bool disjoint; /* disjoint paths are asked for (IndependenceSelector) */
	uint64_t mask; /* the given mask, as components of a PathRecord */
};
enum {
	MAD_SA_MULTI_DISJOINT = 1 << 17,
	MAD_SA_MULTI_NSGID = 1 << 19,
	MAD_SA_MULTI_NDGID = 1 << 20,
};

void mad_sa_multi_decode(
	const uint8_t d[MAD_SA_MULTI], uint64_t mask, struct mad_sa_multi *out);

/* InformInfo (IBA 13.4.8.3). */
struct mad_sa_inform {
	struct mad_gid gid; /* 0: LIDs instead */
	uint16_t lid_first, lid_last;
	bool generic, subscribe;
	uint16_t type;	   /* 0xffff: all */
	uint16_t trap;	   /* trap number or device; 0xffff: all */
	uint32_t qpn;	   /* 24 bits */
	uint8_t resp_time; /* 5 bits */
	uint32_t producer; /* node type or vendor; 0xffffff: all */
};

void mad_sa_inform_decode(
	const uint8_t d[MAD_SA_INFORM], struct mad_sa_inform *out);
void mad_sa_inform_encode(
	const struct mad_sa_inform *in, uint8_t d[MAD_SA_INFORM]);

/* The fields of a ServiceRecord that the SA uses. */
struct mad_sa_service {
	uint64_t id;
	struct mad_gid gid;
	uint16_t pkey;
	uint32_t lease; /* seconds, 0xffffffff: for ever */
	uint8_t key[16];
	uint8_t name[64];
};

void mad_sa_service_decode(
	const uint8_t d[MAD_SA_SERVICE], struct mad_sa_service *out);

/* MCMemberRecord (IBA 15.2.5.17): a group, one member, its join state. */
struct mad_sa_member {
	struct mad_gid mgid, gid;
	uint32_t qkey;
	uint16_t mlid, pkey;
	uint8_t mtu_sel, mtu, rate_sel, rate, life_sel, life;
	uint8_t tclass, sl, hop_limit, scope, state;
	uint32_t flow_label;
	bool proxy;
};

/* Components of an MCMemberRecord in a mask. */
enum {
	MAD_SA_MEMBER_MGID = 1 << 0,
	MAD_SA_MEMBER_GID = 1 << 1,
	MAD_SA_MEMBER_QKEY = 1 << 2,
	MAD_SA_MEMBER_MLID = 1 << 3,
	MAD_SA_MEMBER_MTU_SEL = 1 << 4,
	MAD_SA_MEMBER_MTU = 1 << 5,
	MAD_SA_MEMBER_TCLASS = 1 << 6,
	MAD_SA_MEMBER_PKEY = 1 << 7,
	MAD_SA_MEMBER_RATE_SEL = 1 << 8,
	MAD_SA_MEMBER_RATE = 1 << 9,
	MAD_SA_MEMBER_LIFE_SEL = 1 << 10,
	MAD_SA_MEMBER_LIFE = 1 << 11,
	MAD_SA_MEMBER_SL = 1 << 12,
	MAD_SA_MEMBER_FLOW = 1 << 13,
	MAD_SA_MEMBER_HOPS = 1 << 14,
	MAD_SA_MEMBER_SCOPE = 1 << 15,
	MAD_SA_MEMBER_STATE = 1 << 16,
	MAD_SA_MEMBER_PROXY = 1 << 17,
};

/* Bits of a join state. */
enum {
	MAD_SA_JOIN_FULL = 1,
	MAD_SA_JOIN_NON = 2,	   /* receives, does not keep the group alive */
	MAD_SA_JOIN_SEND = 4,	   /* sends only */
	MAD_SA_JOIN_SEND_FULL = 8, /* sends only, keeps the group alive */
};

void mad_sa_member_decode(
	const uint8_t d[MAD_SA_MEMBER_REC], struct mad_sa_member *out);
void mad_sa_member_encode(
	const struct mad_sa_member *in, uint8_t d[MAD_SA_MEMBER_REC]);

/* TraceRecord (IBA 15.2.5.19). */
struct mad_sa_trace {
	uint64_t prefix;
	uint16_t generation;
	uint8_t node_type;
	uint64_t node, chassis, entry_id, exit_id;
	uint8_t entry, exit;
};
void mad_sa_trace_encode(
	const struct mad_sa_trace *in, uint8_t d[MAD_SA_TRACE]);

/* ClassPortInfo, the fields that an SA fills (IBA 13.4.8.1). */
struct mad_sa_port_info {
	uint16_t cap;
	uint32_t cap2;	   /* 27 bits */
	uint8_t resp_time; /* 5 bits */
	uint32_t qp, qkey; /* at which the class answers */
};
void mad_sa_port_info_encode(
	const struct mad_sa_port_info *in, uint8_t d[MAD_SA_PORT_INFO]);

#endif
