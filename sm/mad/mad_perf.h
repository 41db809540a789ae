/*
 * mad_perf: performance counters of ports, as the PerfMgt class carries them
 * (IBA volume 1, 16.1): ClassPortInfo, PortCounters, PortCountersExtended, and
 * of PortExtendedSpeedsCounters what error correction and detection did.
 *
 * Such a MAD is no SMP: it travels as data, between queue pairs 1, and has no
 * M_Key. Its payload begins at byte 64.
 */
#ifndef HEDDLE_SM_MAD_MAD_PERF_H
#define HEDDLE_SM_MAD_MAD_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/mad/mad.h"

enum {
	MAD_PERF = 0x04, /* the class */
	MAD_PERF_VERSION = 1,
	MAD_PERF_CLASS_INFO = 0x01,
	MAD_PERF_COUNTERS = 0x12,
	MAD_PERF_COUNTERS_EXT = 0x1d,
	MAD_PERF_FEC_COUNTERS = 0x1f, /* PortExtendedSpeedsCounters */
	MAD_PERF_AT = 64,	      /* first byte of the payload */
	MAD_PERF_SIZE = 192,	      /* bytes of the payload */
	MAD_PERF_ALL_PORTS = 255,     /* PortSelect */
};

/* ClassPortInfo.CapabilityMask, and CapabilityMask2. */
enum {
	MAD_PERF_CAP_ALL_PORTS = 0x0100,
	MAD_PERF_CAP_EXT = 0x0200,	   /* all of PortCountersExtended */
	MAD_PERF_CAP_EXT_NO_IETF = 0x0400, /* of it, data and packets alone */
	MAD_PERF_CAP_XMIT_WAIT = 0x1000,   /* PortXmitWait counts */
	MAD_PERF_CAP_RS_FEC = 0x4000,	   /* FEC counters of such links */
	MAD_PERF_CAP2_EXT_ERRORS = 1 << 1, /* and the errors in 64 bits */
};

struct mad_perf_class_info {
	uint8_t base_version, class_version;
	uint16_t capmask;
	uint32_t capmask2; /* 27 bits */
	uint8_t resp_time; /* 4.096 us x 2^n */
};

void mad_perf_class_info_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_class_info *out);
void mad_perf_class_info_encode(
	const struct mad_perf_class_info *in, uint8_t d[MAD_PERF_SIZE]);

/*
 * The counters, in the order of PortCountersExtended, which is that of the bits
 * of its two selects. Data is in units of 4 bytes, the wait in ticks of the
 * port's own.
 */
enum mad_perf_kind {
	MAD_PERF_XMIT_DATA,
	MAD_PERF_RCV_DATA,
	MAD_PERF_XMIT_PACKETS,
	MAD_PERF_RCV_PACKETS,
	MAD_PERF_XMIT_UNICAST,
	MAD_PERF_RCV_UNICAST,
	MAD_PERF_XMIT_MULTICAST,
	MAD_PERF_RCV_MULTICAST,
	MAD_PERF_SYMBOL_ERRORS, /* the first error */
	MAD_PERF_LINK_RECOVERED,
	MAD_PERF_LINK_DOWNED,
	MAD_PERF_RCV_ERRORS,
	MAD_PERF_RCV_REMOTE_PHYSICAL,
	MAD_PERF_RCV_RELAY_ERRORS,
	MAD_PERF_XMIT_DISCARDS,
	MAD_PERF_XMIT_CONSTRAINT,
	MAD_PERF_RCV_CONSTRAINT,
	MAD_PERF_LOCAL_INTEGRITY,
	MAD_PERF_BUFFER_OVERRUN,
	MAD_PERF_VL15_DROPPED,
	MAD_PERF_XMIT_WAIT,
	MAD_PERF_KINDS
};

enum { MAD_PERF_FLOWS = MAD_PERF_SYMBOL_ERRORS };

/*
 * The counters of a port in either attribute. select, select2: those that a Set
 * is for; of PortCountersExtended as above; of PortCounters a bit for each
 * error but the wait, then for data and packets sent and received, and bit 0 of
 * select2 for the wait.
 */
struct mad_perf_counters {
	uint8_t port;
	uint16_t select;
	uint32_t select2;
	uint64_t count[MAD_PERF_KINDS];
};

/*
 * PortCounters: errors in 4, 8 or 16 bits, all else in 32; no packets by kind,
 * which decode as 0. A counter stops at the highest value of its field: encode
 * cuts each to its width.
 */
void mad_perf_counters_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out);
void mad_perf_counters_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE]);

/* The value at which a counter of PortCounters stops; 0: it has no such
 * counter. */
uint64_t mad_perf_limit(enum mad_perf_kind kind);

/* PortCountersExtended: 64 bits each. Its errors count only where the agent
 * says MAD_PERF_CAP2_EXT_ERRORS. */
void mad_perf_extended_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out);
void mad_perf_extended_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE]);

/*
 * PortExtendedSpeedsCounters, of links of FDR and faster. With RS-FEC there are
 * totals of the port, and each lane has the symbols that were corrected in
 * place of its blocks; a symbol is 10 bits, of which the correction does not
 * tell how many were wrong. Without it the totals are 0, and each lane has the
 * blocks that its own correction corrected and could not correct, and the
 * errors that were detected, with or without correction. The latter have 16
 * bits, all others 32, and they stop at their highest value: encode cuts each
 * to its width.
 */
enum { MAD_PERF_LANES = 12 };

struct mad_perf_fec {
	uint8_t port;
	uint32_t detected[MAD_PERF_LANES];
	uint32_t lane_corrected[MAD_PERF_LANES];
	uint32_t lane_uncorrectable[MAD_PERF_LANES];
	uint32_t corrected_blocks, uncorrectable_blocks;
	uint32_t corrected_symbols;
};

void mad_perf_fec_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_fec *out);
void mad_perf_fec_encode(
	const struct mad_perf_fec *in, uint8_t d[MAD_PERF_SIZE]);

/* The name of a counter in the specification: "SymbolErrorCounter". */
const char *mad_perf_name(enum mad_perf_kind kind);

/* The header of a MAD of the class. */
struct mad_perf_head {
	uint8_t method;
	uint16_t status;
	uint64_t tid;
	uint16_t attr;
};

/* Encode the header, and zeroes for the payload. */
void mad_perf_head_encode(
	const struct mad_perf_head *in, uint8_t mad[MAD_SIZE]);

/* False unless these are a whole MAD of the class and of its version. */
bool mad_perf_head_decode(
	const uint8_t *mad, size_t len, struct mad_perf_head *out);

#endif
