/*
 * mad_perf: performance counters of ports, as the PerfMgt class carries them
 * (IBA volume 1, 16.1): ClassPortInfo, PortCounters, PortCountersExtended.
 *
 * Such a MAD is no SMP: it travels as data and has no M_Key. Its payload begins
 * at byte 64.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_MAD_PERF_H
#define HEDDLE_TESTS_SIM_MODEL_MAD_PERF_H

#include <stdint.h>

#include "sm/mad/mad.h"

enum {
	MAD_PERF = 0x04, /* the class */
	MAD_PERF_CLASS_INFO = 0x01,
	MAD_PERF_COUNTERS = 0x12,
	MAD_PERF_COUNTERS_EXT = 0x1d,
	MAD_PERF_AT = 64,	  /* first byte of the payload */
	MAD_PERF_SIZE = 192,	  /* bytes of the payload */
	MAD_PERF_ALL_PORTS = 255, /* PortSelect */
};

/* ClassPortInfo.CapabilityMask. */
enum {
	MAD_PERF_CAP_ALL_PORTS = 0x0100,
	MAD_PERF_CAP_EXT = 0x0200, /* all of PortCountersExtended */
};

struct mad_perf_class_info {
	uint8_t base_version, class_version;
	uint16_t capmask;
	uint8_t resp_time; /* 4.096 us x 2^n */
};

void mad_perf_class_info_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_class_info *out);
void mad_perf_class_info_encode(
	const struct mad_perf_class_info *in, uint8_t d[MAD_PERF_SIZE]);

/*
 * PortCounters. A counter stops at the highest value of its field on the wire,
 * so encode cuts each to its width. select: the counters that a Set is for, bit
 * n for the nth.
 */
struct mad_perf_counters {
	uint8_t port;
	uint16_t select;
	uint8_t select2; /* bit 0: xmit_wait */
	uint16_t symbol_errors;
	uint8_t link_recovered, link_downed;
	uint16_t rcv_errors, rcv_remote_physical, rcv_relay_errors;
	uint16_t xmit_discards;
	uint8_t xmit_constraint, rcv_constraint;
	uint8_t local_integrity, buffer_overrun; /* 4 bits */
	uint16_t vl15_dropped;
	uint32_t xmit_data, rcv_data; /* in 4 bytes */
	uint32_t xmit_packets, rcv_packets;
	uint32_t xmit_wait;
};

void mad_perf_counters_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out);
void mad_perf_counters_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE]);

/* PortCountersExtended, in the order of select's bits. */
enum { MAD_PERF_EXT_COUNTERS = 8 };

struct mad_perf_extended {
	uint8_t port;
	uint16_t select;
	/*
	 * data sent and received, in units of 4 bytes; packets sent and
	 * received; of these unicast sent and received, multicast sent and
	 * received
	 */
	uint64_t counter[MAD_PERF_EXT_COUNTERS];
};

void mad_perf_extended_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_extended *out);
void mad_perf_extended_encode(
	const struct mad_perf_extended *in, uint8_t d[MAD_PERF_SIZE]);

#endif
