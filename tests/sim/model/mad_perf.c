#include "tests/sim/model/mad_perf.h"

#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/fields.h"

enum { RESP_TIME_BITS = 0x1f, EXT_AT = 8 };

void
mad_perf_class_info_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_class_info *out)
{
	*out = (struct mad_perf_class_info){
		.base_version = d[0],
		.class_version = d[1],
		.capmask = be_get16(d + 2),
		.resp_time = d[7] & RESP_TIME_BITS,
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
	d[7] = in->resp_time & RESP_TIME_BITS;
}

#define ROW(m, field) FIELDS_ROW(struct mad_perf_counters, m, field)
static const struct fields_row counters[] = {
	ROW(port, IB_PC_PORT_SELECT_F),
	ROW(select, IB_PC_COUNTER_SELECT_F),
	ROW(select2, IB_PC_COUNTER_SELECT2_F),
	ROW(symbol_errors, IB_PC_ERR_SYM_F),
	ROW(link_recovered, IB_PC_LINK_RECOVERS_F),
	ROW(link_downed, IB_PC_LINK_DOWNED_F),
	ROW(rcv_errors, IB_PC_ERR_RCV_F),
	ROW(rcv_remote_physical, IB_PC_ERR_PHYSRCV_F),
	ROW(rcv_relay_errors, IB_PC_ERR_SWITCH_REL_F),
	ROW(xmit_discards, IB_PC_XMT_DISCARDS_F),
	ROW(xmit_constraint, IB_PC_ERR_XMTCONSTR_F),
	ROW(rcv_constraint, IB_PC_ERR_RCVCONSTR_F),
	ROW(local_integrity, IB_PC_ERR_LOCALINTEG_F),
	ROW(buffer_overrun, IB_PC_ERR_EXCESS_OVR_F),
	ROW(vl15_dropped, IB_PC_VL15_DROPPED_F),
	ROW(xmit_data, IB_PC_XMT_BYTES_F),
	ROW(rcv_data, IB_PC_RCV_BYTES_F),
	ROW(xmit_packets, IB_PC_XMT_PKTS_F),
	ROW(rcv_packets, IB_PC_RCV_PKTS_F),
	ROW(xmit_wait, IB_PC_XMT_WAIT_F),
};
#undef ROW

enum { ROWS = sizeof(counters) / sizeof(counters[0]) };

void
mad_perf_counters_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_counters *out)
{
	fields_decode(counters, ROWS, d, out);
}

void
mad_perf_counters_encode(
	const struct mad_perf_counters *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	fields_encode(counters, ROWS, in, d);
}

void
mad_perf_extended_decode(
	const uint8_t d[MAD_PERF_SIZE], struct mad_perf_extended *out)
{
	out->port = d[1];
	out->select = be_get16(d + 2);
	for (size_t i = 0; i < MAD_PERF_EXT_COUNTERS; i++)
		out->counter[i] = be_get64(d + EXT_AT + 8 * i);
}

void
mad_perf_extended_encode(
	const struct mad_perf_extended *in, uint8_t d[MAD_PERF_SIZE])
{
	memset(d, 0, MAD_PERF_SIZE);
	d[1] = in->port;
	be_put16(d + 2, in->select);
	for (size_t i = 0; i < MAD_PERF_EXT_COUNTERS; i++)
		be_put64(d + EXT_AT + 8 * i, in->counter[i]);
}
