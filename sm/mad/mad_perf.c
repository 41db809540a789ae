#include "sm/mad/mad_perf.h"

#include <infiniband/mad.h>
#include <string.h>

#include "sm/base/be.h"

enum {
	RESP_TIME_BITS = 5,
	RESP_TIME_MASK = (1 << RESP_TIME_BITS) - 1,
	EXT_AT = 8,
};

enum {
	AT_CLASS = 1,
	AT_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_TID = 8,
	AT_ATTR = 16,
};

void
mad_perf_class_info_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_class_info *out)
{
	uint32_t second = be_get32(d + 4);

	*out = (struct mad_perf_class_info){
		.base_version = d[0],
		.class_version = d[1],
		.capmask = be_get16(d + 2),
		.capmask2 = second >> RESP_TIME_BITS,
		.resp_time = second & RESP_TIME_MASK,
	};
}

void
mad_perf_class_info_encode(
	const struct mad_perf_class_info *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	d[0] = in->base_version;
	d[1] = in->class_version;
	be_put16(d + 2, in->capmask);
	be_put32(d + 4, in->capmask2 << RESP_TIME_BITS |
				(in->resp_time & RESP_TIME_MASK));
}

/* Name, field and bits in PortCounters; 0 bits: none. */
static const struct {
	const char *name;
	enum MAD_FIELDS field;
	uint8_t bits;
} kinds[MAD_PERF_KINDS] = {
	[MAD_PERF_XMIT_DATA] = {"PortXmitData", IB_PC_XMT_BYTES_F, 32},
	[MAD_PERF_RCV_DATA] = {"PortRcvData", IB_PC_RCV_BYTES_F, 32},
	[MAD_PERF_XMIT_PACKETS] = {"PortXmitPkts", IB_PC_XMT_PKTS_F, 32},
	[MAD_PERF_RCV_PACKETS] = {"PortRcvPkts", IB_PC_RCV_PKTS_F, 32},
	[MAD_PERF_XMIT_UNICAST] = {"PortUnicastXmitPkts", IB_NO_FIELD, 0},
	[MAD_PERF_RCV_UNICAST] = {"PortUnicastRcvPkts", IB_NO_FIELD, 0},
	[MAD_PERF_XMIT_MULTICAST] = {"PortMulticastXmitPkts", IB_NO_FIELD, 0},
	[MAD_PERF_RCV_MULTICAST] = {"PortMulticastRcvPkts", IB_NO_FIELD, 0},
	[MAD_PERF_SYMBOL_ERRORS] = {"SymbolErrorCounter", IB_PC_ERR_SYM_F, 16},
	[MAD_PERF_LINK_RECOVERED] = {"LinkErrorRecoveryCounter",
		IB_PC_LINK_RECOVERS_F, 8},
	[MAD_PERF_LINK_DOWNED] = {"LinkDownedCounter", IB_PC_LINK_DOWNED_F, 8},
	[MAD_PERF_RCV_ERRORS] = {"PortRcvErrors", IB_PC_ERR_RCV_F, 16},
	[MAD_PERF_RCV_REMOTE_PHYSICAL] = {"PortRcvRemotePhysicalErrors",
		IB_PC_ERR_PHYSRCV_F, 16},
	[MAD_PERF_RCV_RELAY_ERRORS] = {"PortRcvSwitchRelayErrors",
		IB_PC_ERR_SWITCH_REL_F, 16},
	[MAD_PERF_XMIT_DISCARDS] = {"PortXmitDiscards", IB_PC_XMT_DISCARDS_F,
		16},
	[MAD_PERF_XMIT_CONSTRAINT] = {"PortXmitConstraintErrors",
		IB_PC_ERR_XMTCONSTR_F, 8},
	[MAD_PERF_RCV_CONSTRAINT] = {"PortRcvConstraintErrors",
		IB_PC_ERR_RCVCONSTR_F, 8},
	[MAD_PERF_LOCAL_INTEGRITY] = {"LocalLinkIntegrityErrors",
		IB_PC_ERR_LOCALINTEG_F, 4},
	[MAD_PERF_BUFFER_OVERRUN] = {"ExcessiveBufferOverrunErrors",
		IB_PC_ERR_EXCESS_OVR_F, 4},
	[MAD_PERF_VL15_DROPPED] = {"VL15Dropped", IB_PC_VL15_DROPPED_F, 16},
	[MAD_PERF_XMIT_WAIT] = {"PortXmitWait", IB_PC_XMT_WAIT_F, 32},
};

const char *
mad_perf_name(enum mad_perf_kind kind)
{
	return kinds[kind].name;
}

uint64_t
mad_perf_limit(enum mad_perf_kind kind)
{
	return (UINT64_C(1) << kinds[kind].bits) - 1;
}

void
mad_perf_counters_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out)
{
	uint8_t copy[MAD_PERF_SIZE]; /* libibmad wants a mutable buffer */

	memcpy(copy, d, sizeof(copy));
	*out = (struct mad_perf_counters){
		.port = (uint8_t)mad_get_field(copy, 0, IB_PC_PORT_SELECT_F),
		.select = (uint16_t)mad_get_field(
			copy, 0, IB_PC_COUNTER_SELECT_F),
		.select2 = mad_get_field(copy, 0, IB_PC_COUNTER_SELECT2_F),
	};
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		if (kinds[k].bits > 0)
			out->count[k] = mad_get_field(copy, 0, kinds[k].field);
}

void
mad_perf_counters_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	mad_set_field(d, 0, IB_PC_PORT_SELECT_F, in->port);
	mad_set_field(d, 0, IB_PC_COUNTER_SELECT_F, in->select);
	mad_set_field(d, 0, IB_PC_COUNTER_SELECT2_F, in->select2 & UINT8_MAX);
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++) {
		uint64_t most = mad_perf_limit((enum mad_perf_kind)k);
		uint64_t n = in->count[k] < most ? in->count[k] : most;

		if (kinds[k].bits > 0)
			mad_set_field(d, 0, kinds[k].field, (uint32_t)n);
	}
}

void
mad_perf_extended_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out)
{
	out->port = d[1];
	out->select = be_get16(d + 2);
	out->select2 = be_get32(d + 4);
	for (size_t i = 0; i < MAD_PERF_KINDS; i++)
		out->count[i] = be_get64(d + EXT_AT + 8 * i);
}

void
mad_perf_extended_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	d[1] = in->port;
	be_put16(d + 2, in->select);
	be_put32(d + 4, in->select2);
	for (size_t i = 0; i < MAD_PERF_KINDS; i++)
		be_put64(d + EXT_AT + 8 * i, in->count[i]);
}

/* A counter of a lane; those of lane 0 to 11 follow one another. */
static enum MAD_FIELDS
of_lane(enum MAD_FIELDS first, unsigned lane)
{
	return (enum MAD_FIELDS)((unsigned)first + lane);
}

void
mad_perf_fec_decode(const uint8_t d[MAD_PERF_SIZE], struct mad_perf_fec *out)
{
	uint8_t copy[MAD_PERF_SIZE]; /* libibmad wants a mutable buffer */

	memcpy(copy, d, sizeof(copy));
	*out = (struct mad_perf_fec){
		.port = (uint8_t)mad_get_field(copy, 0, IB_PESC_PORT_SELECT_F),
		.corrected_blocks = mad_get_field(
			copy, 0, IB_PESC_PORT_FEC_CORR_BLOCK_CTR_F),
		.uncorrectable_blocks = mad_get_field(
			copy, 0, IB_PESC_PORT_FEC_UNCORR_BLOCK_CTR_F),
		.corrected_symbols = mad_get_field(
			copy, 0, IB_PESC_PORT_FEC_CORR_SYMBOL_CTR_F),
	};
	for (unsigned i = 0; i < MAD_PERF_LANES; i++) {
		out->detected[i] = mad_get_field(
			copy, 0, of_lane(IB_PESC_ERR_DET_CTR_LANE0_F, i));
		out->lane_corrected[i] = mad_get_field(copy, 0,
			of_lane(IB_PESC_FEC_CORR_BLOCK_CTR_LANE0_F, i));
		out->lane_uncorrectable[i] = mad_get_field(copy, 0,
			of_lane(IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE0_F, i));
	}
}

void
mad_perf_fec_encode(const struct mad_perf_fec *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	mad_set_field(d, 0, IB_PESC_PORT_SELECT_F, in->port);
	for (unsigned i = 0; i < MAD_PERF_LANES; i++) {
		uint32_t n = in->detected[i];

		mad_set_field(d, 0, of_lane(IB_PESC_ERR_DET_CTR_LANE0_F, i),
			n < UINT16_MAX ? n : UINT16_MAX);
		mad_set_field(d, 0,
			of_lane(IB_PESC_FEC_CORR_BLOCK_CTR_LANE0_F, i),
			in->lane_corrected[i]);
		mad_set_field(d, 0,
			of_lane(IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE0_F, i),
			in->lane_uncorrectable[i]);
	}
	mad_set_field(
		d, 0, IB_PESC_PORT_FEC_CORR_BLOCK_CTR_F, in->corrected_blocks);
	mad_set_field(d, 0, IB_PESC_PORT_FEC_UNCORR_BLOCK_CTR_F,
		in->uncorrectable_blocks);
	mad_set_field(d, 0, IB_PESC_PORT_FEC_CORR_SYMBOL_CTR_F,
		in->corrected_symbols);
}

void
mad_perf_head_encode(const struct mad_perf_head *in, uint8_t mad[MAD_SIZE])
{
	memset(mad, 0, MAD_SIZE);
	mad[0] = 1;
	mad[AT_CLASS] = MAD_PERF;
	mad[AT_VERSION] = MAD_PERF_VERSION;
	mad[AT_METHOD] = in->method;
	be_put16(mad + AT_STATUS, in->status);
	be_put64(mad + AT_TID, in->tid);
	be_put16(mad + AT_ATTR, in->attr);
}

bool
mad_perf_head_decode(const uint8_t *mad, size_t len, struct mad_perf_head *out)
{
	if (len != MAD_SIZE || mad[0] != 1 || mad[AT_CLASS] != MAD_PERF ||
		mad[AT_VERSION] != MAD_PERF_VERSION)
		return false;
	*out = (struct mad_perf_head){
		.method = mad[AT_METHOD],
		.status = be_get16(mad + AT_STATUS),
		.tid = be_get64(mad + AT_TID),
		.attr = be_get16(mad + AT_ATTR),
	};
	return true;
}
