#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/sim_int.h"

/* ibsim's CapabilityMask of the class; its meaning there is unknown. */
enum { IBSIM_CAPMASK = 0x1200 }; /* as captured */

enum {
	AT_BASE_VERSION = 0,
	AT_CLASS_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_ATTR = 16,
};

enum {
	PACKET_WORDS = 72, /* a MAD with its headers, in 4 bytes */
	RESP_TIME = 18,
};

/* CounterSelect's bits, in the order of the fields of PortCounters. */
enum {
	SEL_SYMBOL,
	SEL_RECOVERED,
	SEL_DOWNED,
	SEL_RCV,
	SEL_REMOTE,
	SEL_RELAY,
	SEL_DISCARD,
	SEL_XMIT_CONSTRAINT,
	SEL_RCV_CONSTRAINT,
	SEL_INTEGRITY,
	SEL_OVERRUN,
	SEL_VL15,
	SEL_XMIT_DATA,
	SEL_RCV_DATA,
	SEL_XMIT_PACKETS,
	SEL_RCV_PACKETS,
};

static void
up_8(uint8_t *n)
{
	*n = (uint8_t)(*n + (*n < UINT8_MAX));
}

static void
up_16(uint16_t *n)
{
	*n = (uint16_t)(*n + (*n < UINT16_MAX));
}

void
sim_perf_count(struct sim_port *p, enum sim_count what)
{
	switch (what) {
	case SIM_COUNT_SYMBOL:
		up_16(&p->err.symbol_errors);
		break;
	case SIM_COUNT_DOWNED:
		up_8(&p->err.link_downed);
		break;
	case SIM_COUNT_RCV_ERROR:
		up_16(&p->err.rcv_errors);
		break;
	case SIM_COUNT_RELAY:
		up_16(&p->err.rcv_relay_errors);
		break;
	case SIM_COUNT_DISCARD:
		up_16(&p->err.xmit_discards);
		break;
	case SIM_COUNT_XMIT_CONSTRAINT:
		up_8(&p->err.xmit_constraint);
		break;
	case SIM_COUNT_RCV_CONSTRAINT:
		up_8(&p->err.rcv_constraint);
		break;
	case SIM_COUNT_VL15:
		up_16(&p->err.vl15_dropped);
		break;
	}
}

void
sim_perf_hop(struct sim_port *out, struct sim_port *in)
{
	out->flow[SIM_FLOW_XMIT_DATA] += PACKET_WORDS;
	out->flow[SIM_FLOW_XMIT_PACKETS]++;
	out->flow[SIM_FLOW_XMIT_UNICAST]++;
	in->flow[SIM_FLOW_RCV_DATA] += PACKET_WORDS;
	in->flow[SIM_FLOW_RCV_PACKETS]++;
	in->flow[SIM_FLOW_RCV_UNICAST]++;
}

/* ---- PortCounters ---- */

static uint32_t
clamp_u32(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static struct mad_perf_counters
counters_of(const struct sim_port *p)
{
	struct mad_perf_counters c = p->err;

	c.xmit_data = clamp_u32(p->flow[SIM_FLOW_XMIT_DATA]);
	c.rcv_data = clamp_u32(p->flow[SIM_FLOW_RCV_DATA]);
	c.xmit_packets = clamp_u32(p->flow[SIM_FLOW_XMIT_PACKETS]);
	c.rcv_packets = clamp_u32(p->flow[SIM_FLOW_RCV_PACKETS]);
	return c;
}

/* Write the selected counters; the value is 0 as a rule. */
static void
write_counters(struct sim_port *p, const struct mad_perf_counters *in)
{
	struct mad_perf_counters *e = &p->err;
	uint16_t sel = in->select;

	if (sel >> SEL_SYMBOL & 1)
		e->symbol_errors = in->symbol_errors;
	if (sel >> SEL_RECOVERED & 1)
		e->link_recovered = in->link_recovered;
	if (sel >> SEL_DOWNED & 1)
		e->link_downed = in->link_downed;
	if (sel >> SEL_RCV & 1)
		e->rcv_errors = in->rcv_errors;
	if (sel >> SEL_REMOTE & 1)
		e->rcv_remote_physical = in->rcv_remote_physical;
	if (sel >> SEL_RELAY & 1)
		e->rcv_relay_errors = in->rcv_relay_errors;
	if (sel >> SEL_DISCARD & 1)
		e->xmit_discards = in->xmit_discards;
	if (sel >> SEL_XMIT_CONSTRAINT & 1)
		e->xmit_constraint = in->xmit_constraint;
	if (sel >> SEL_RCV_CONSTRAINT & 1)
		e->rcv_constraint = in->rcv_constraint;
	if (sel >> SEL_INTEGRITY & 1)
		e->local_integrity = in->local_integrity;
	if (sel >> SEL_OVERRUN & 1)
		e->buffer_overrun = in->buffer_overrun;
	if (sel >> SEL_VL15 & 1)
		e->vl15_dropped = in->vl15_dropped;
	if (sel >> SEL_XMIT_DATA & 1)
		p->flow[SIM_FLOW_XMIT_DATA] = in->xmit_data;
	if (sel >> SEL_RCV_DATA & 1)
		p->flow[SIM_FLOW_RCV_DATA] = in->rcv_data;
	if (sel >> SEL_XMIT_PACKETS & 1)
		p->flow[SIM_FLOW_XMIT_PACKETS] = in->xmit_packets;
	if (sel >> SEL_RCV_PACKETS & 1)
		p->flow[SIM_FLOW_RCV_PACKETS] = in->rcv_packets;
	if (in->select2 & 1)
		e->xmit_wait = in->xmit_wait;
}

/* Ports first to last of a PortSelect; false: no such port. */
static bool
select_ports(const struct sim_node *n, unsigned select, unsigned *first,
	unsigned *last)
{
	unsigned lowest = n->type == FABRIC_SWITCH ? 0 : 1;

	if (select == MAD_PERF_ALL_PORTS && n->nports < MAD_PERF_ALL_PORTS) {
		*first = lowest > 0 ? lowest : 1;
		*last = n->nports;
		return true;
	}
	*first = *last = select;
	return select >= lowest && select <= n->nports;
}

static uint16_t
sum_16(uint16_t a, uint16_t b)
{
	return (uint32_t)a + b > UINT16_MAX ? UINT16_MAX : (uint16_t)(a + b);
}

static uint32_t
sum_32(uint32_t a, uint32_t b)
{
	return clamp_u32((uint64_t)a + b);
}

/* Sums over ports; only of counters that the simulation counts. */
static void
add_counters(struct mad_perf_counters *a, const struct mad_perf_counters *b)
{
	a->symbol_errors = sum_16(a->symbol_errors, b->symbol_errors);
	a->link_downed = (uint8_t)(a->link_downed + b->link_downed > UINT8_MAX
					   ? UINT8_MAX
					   : a->link_downed + b->link_downed);
	a->rcv_errors = sum_16(a->rcv_errors, b->rcv_errors);
	a->rcv_relay_errors = sum_16(a->rcv_relay_errors, b->rcv_relay_errors);
	a->xmit_discards = sum_16(a->xmit_discards, b->xmit_discards);
	a->vl15_dropped = sum_16(a->vl15_dropped, b->vl15_dropped);
	a->xmit_data = sum_32(a->xmit_data, b->xmit_data);
	a->rcv_data = sum_32(a->rcv_data, b->rcv_data);
	a->xmit_packets = sum_32(a->xmit_packets, b->xmit_packets);
	a->rcv_packets = sum_32(a->rcv_packets, b->rcv_packets);
}

static uint16_t
act_counters(struct sim *s, uint32_t node, bool set, uint8_t *d)
{
	struct mad_perf_counters in, out = {0};
	unsigned first, last;

	mad_perf_counters_decode(d, &in);
	if (!select_ports(&s->node[node], in.port, &first, &last))
		return MAD_STATUS_FIELD;
	for (unsigned p = first; p <= last; p++) {
		struct sim_port *port = sim_int_port(s, node, p);
		struct mad_perf_counters c;

		if (set)
			write_counters(port, &in);
		c = counters_of(port);
		if (p == first)
			out = c;
		else
			add_counters(&out, &c);
	}
	out.port = in.port;
	out.select = in.select;
	out.select2 = in.select2;
	mad_perf_counters_encode(&out, d);
	return 0;
}

static uint16_t
act_extended(struct sim *s, uint32_t node, bool set, uint8_t *d)
{
	struct mad_perf_extended in, out = {0};
	unsigned first, last;

	mad_perf_extended_decode(d, &in);
	if (!select_ports(&s->node[node], in.port, &first, &last))
		return MAD_STATUS_FIELD;
	out.port = in.port;
	out.select = in.select;
	for (unsigned p = first; p <= last; p++) {
		uint64_t *flow = sim_int_port(s, node, p)->flow;

		for (unsigned i = 0; i < MAD_PERF_EXT_COUNTERS; i++) {
			if (set && in.select >> i & 1)
				flow[i] = in.counter[i];
			out.counter[i] += flow[i];
		}
	}
	mad_perf_extended_encode(&out, d);
	return 0;
}

static uint16_t
act_on_attr(
	struct sim *s, uint32_t node, uint8_t method, uint16_t attr, uint8_t *d)
{
	const struct mad_perf_class_info info = {
		.base_version = 1,
		.class_version = 1,
		.capmask = s->o.ibsim
				   ? IBSIM_CAPMASK
				   : MAD_PERF_CAP_ALL_PORTS | MAD_PERF_CAP_EXT,
		.resp_time = RESP_TIME,
	};
	bool set = method == MAD_SET;

	if (!set && method != MAD_GET)
		return MAD_STATUS_METHOD;
	switch (attr) {
	case MAD_PERF_CLASS_INFO:
		if (set)
			return MAD_STATUS_METHOD_ATTR;
		mad_perf_class_info_encode(&info, d);
		return 0;
	case MAD_PERF_COUNTERS:
		return act_counters(s, node, set, d);
	case MAD_PERF_COUNTERS_EXT:
		return act_extended(s, node, set, d);
	default:
		return MAD_STATUS_METHOD_ATTR;
	}
}

bool
sim_perf_act(struct sim *s, struct sim_msg *q)
{
	uint8_t *mad = q->m.mad;
	uint16_t status;

	if (!sim_int_alive(&s->node[q->node]) || q->m.len != MAD_SIZE ||
		mad[AT_BASE_VERSION] != 1)
		return false;
	if (mad[AT_CLASS_VERSION] == 1)
		status = act_on_attr(s, q->node, mad[AT_METHOD],
			be_get16(mad + AT_ATTR), mad + MAD_PERF_AT);
	else
		status = MAD_STATUS_VERSION;
	mad[AT_METHOD] = MAD_GET_RESP;
	be_put16(mad + AT_STATUS, status);
	q->from = q->node;
	s->stats.answers++;
	return true;
}
