#include "sm/mad/mad_perf.h"

#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/fields.h"

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

/* Name, and place in PortCounters; 0 bits: none. */
static const struct {
	const char *name;
	uint16_t at;
	uint8_t bits;
} kinds[MAD_PERF_KINDS] = {
	[MAD_PERF_XMIT_DATA] = {"PortXmitData", 192, 32},
	[MAD_PERF_RCV_DATA] = {"PortRcvData", 224, 32},
	[MAD_PERF_XMIT_PACKETS] = {"PortXmitPkts", 256, 32},
	[MAD_PERF_RCV_PACKETS] = {"PortRcvPkts", 288, 32},
	[MAD_PERF_XMIT_UNICAST] = {"PortUnicastXmitPkts", 0, 0},
	[MAD_PERF_RCV_UNICAST] = {"PortUnicastRcvPkts", 0, 0},
	[MAD_PERF_XMIT_MULTICAST] = {"PortMulticastXmitPkts", 0, 0},
	[MAD_PERF_RCV_MULTICAST] = {"PortMulticastRcvPkts", 0, 0},
	[MAD_PERF_SYMBOL_ERRORS] = {"SymbolErrorCounter", 32, 16},
	[MAD_PERF_LINK_RECOVERED] = {"LinkErrorRecoveryCounter", 48, 8},
	[MAD_PERF_LINK_DOWNED] = {"LinkDownedCounter", 56, 8},
	[MAD_PERF_RCV_ERRORS] = {"PortRcvErrors", 64, 16},
	[MAD_PERF_RCV_REMOTE_PHYSICAL] = {"PortRcvRemotePhysicalErrors", 80,
		16},
	[MAD_PERF_RCV_RELAY_ERRORS] = {"PortRcvSwitchRelayErrors", 96, 16},
	[MAD_PERF_XMIT_DISCARDS] = {"PortXmitDiscards", 112, 16},
	[MAD_PERF_XMIT_CONSTRAINT] = {"PortXmitConstraintErrors", 128, 8},
	[MAD_PERF_RCV_CONSTRAINT] = {"PortRcvConstraintErrors", 136, 8},
	[MAD_PERF_LOCAL_INTEGRITY] = {"LocalLinkIntegrityErrors", 152, 4},
	[MAD_PERF_BUFFER_OVERRUN] = {"ExcessiveBufferOverrunErrors", 156, 4},
	[MAD_PERF_VL15_DROPPED] = {"VL15Dropped", 176, 16},
	[MAD_PERF_XMIT_WAIT] = {"PortXmitWait", 320, 32},
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

enum { AT_SELECT2 = 18 };

void
mad_perf_counters_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out)
{
	*out = (struct mad_perf_counters){
		.port = d[1],
		.select = be_get16(d + 2),
		.select2 = d[AT_SELECT2],
	};
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		if (kinds[k].bits > 0)
			out->count[k] =
				fields_get(d, kinds[k].at, kinds[k].bits);
}

void
mad_perf_counters_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	d[1] = in->port;
	be_put16(d + 2, in->select);
	d[AT_SELECT2] = (uint8_t)in->select2;
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++) {
		uint64_t most = mad_perf_limit((enum mad_perf_kind)k);
		uint64_t n = in->count[k] < most ? in->count[k] : most;

		if (kinds[k].bits > 0)
			fields_put(d, kinds[k].at, kinds[k].bits, n);
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

/* Bytes of PortExtendedSpeedsCounters; those of lanes follow one another. */
enum {
	AT_DETECTED = 20,
	AT_LANE_CORRECTED = 44,
	AT_LANE_UNCORRECTABLE = 92,
	AT_CORRECTED = 140,
	AT_UNCORRECTABLE = 144,
	AT_SYMBOLS = 148,
};

void
mad_perf_fec_decode(const uint8_t d[MAD_PERF_SIZE], struct mad_perf_fec *out)
{
	*out = (struct mad_perf_fec){
		.port = d[1],
		.corrected_blocks = be_get32(d + AT_CORRECTED),
		.uncorrectable_blocks = be_get32(d + AT_UNCORRECTABLE),
		.corrected_symbols = be_get32(d + AT_SYMBOLS),
	};
	for (size_t i = 0; i < MAD_PERF_LANES; i++) {
		out->detected[i] = be_get16(d + AT_DETECTED + 2 * i);
		out->lane_corrected[i] =
			be_get32(d + AT_LANE_CORRECTED + 4 * i);
		out->lane_uncorrectable[i] =
			be_get32(d + AT_LANE_UNCORRECTABLE + 4 * i);
	}
}

void
mad_perf_fec_encode(const struct mad_perf_fec *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	d[1] = in->port;
	be_put32(d + AT_CORRECTED, in->corrected_blocks);
	be_put32(d + AT_UNCORRECTABLE, in->uncorrectable_blocks);
	be_put32(d + AT_SYMBOLS, in->corrected_symbols);
	for (size_t i = 0; i < MAD_PERF_LANES; i++) {
		uint32_t n = in->detected[i];

		be_put16(d + AT_DETECTED + 2 * i,
			(uint16_t)(n < UINT16_MAX ? n : UINT16_MAX));
		be_put32(d + AT_LANE_CORRECTED + 4 * i, in->lane_corrected[i]);
		be_put32(d + AT_LANE_UNCORRECTABLE + 4 * i,
			in->lane_uncorrectable[i]);
	}
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
