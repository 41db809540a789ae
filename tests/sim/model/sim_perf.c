#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/sim_int.h"

/* ibsim's CapabilityMask of the class, as captured. */
enum { IBSIM_CAPMASK = MAD_PERF_CAP_XMIT_WAIT | MAD_PERF_CAP_EXT };

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

void
sim_perf_count(struct sim_port *p, enum mad_perf_kind what)
{
	p->count[what]++;
}

void
sim_perf_hop(struct sim_port *out, struct sim_port *in)
{
	out->count[MAD_PERF_XMIT_DATA] += PACKET_WORDS;
	out->count[MAD_PERF_XMIT_PACKETS]++;
	out->count[MAD_PERF_XMIT_UNICAST]++;
	in->count[MAD_PERF_RCV_DATA] += PACKET_WORDS;
	in->count[MAD_PERF_RCV_PACKETS]++;
	in->count[MAD_PERF_RCV_UNICAST]++;
}

/* ---- PortCounters and PortCountersExtended ---- */

/* The counters that a Set of an attribute selects, a bit each. */
static uint32_t
selected_by(const struct mad_perf_counters *in, bool extended)
{
	const uint32_t errors = MAD_PERF_XMIT_WAIT - MAD_PERF_FLOWS;
	uint32_t all = 0;

	if (extended)
		return in->select | in->select2 << MAD_PERF_FLOWS;
	all = (in->select & ((1U << errors) - 1)) << MAD_PERF_FLOWS;
	all |= (uint32_t)in->select >> errors; /* data and packets */
	all |= (in->select2 & 1) << MAD_PERF_XMIT_WAIT;
	return all;
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

/* Read, after a Set wrote, the counters of the ports that are selected; of
 * several ports their sums. */
static uint16_t
act_counters(struct sim *s, uint32_t node, bool set,
	struct mad_perf_counters *io, bool extended)
{
	struct mad_perf_counters in = *io;
	uint32_t which = set ? selected_by(&in, extended) : 0;
	unsigned first, last;

	if (!select_ports(&s->node[node], in.port, &first, &last))
		return MAD_STATUS_FIELD;
	memset(io->count, 0, sizeof(io->count));
	for (unsigned p = first; p <= last; p++) {
		uint64_t *count = sim_int_port(s, node, p)->count;

		for (unsigned k = 0; k < MAD_PERF_KINDS; k++) {
			if (which >> k & 1)
				count[k] = in.count[k];
			io->count[k] += count[k];
		}
	}
	return 0;
}

static uint16_t
act_short(struct sim *s, uint32_t node, bool set, uint8_t *d)
{
	struct mad_perf_counters c;
	uint16_t status;

	mad_perf_counters_decode(d, &c);
	status = act_counters(s, node, set, &c, false);
	if (status == 0)
		mad_perf_counters_encode(&c, d);
	return status;
}

static uint16_t
act_extended(struct sim *s, uint32_t node, bool set, uint8_t *d)
{
	struct mad_perf_counters c;
	uint16_t status;

	mad_perf_extended_decode(d, &c);
	status = act_counters(s, node, set, &c, true);
	if (status != 0)
		return status;
	if (s->node[node].how.perf != SIM_PERF_WIDE)
		memset(c.count + MAD_PERF_FLOWS, 0,
			sizeof(c.count) - sizeof(c.count[0]) * MAD_PERF_FLOWS);
	mad_perf_extended_encode(&c, d);
	return 0;
}

static uint16_t
act_fec(struct sim *s, uint32_t node, bool set, uint8_t *d)
{
	struct mad_perf_fec c;

	mad_perf_fec_decode(d, &c);
	if (set || c.port == 0 || c.port > s->node[node].nports)
		return MAD_STATUS_FIELD;
	sim_fec(s, node, c.port)->port = c.port;
	mad_perf_fec_encode(sim_fec(s, node, c.port), d);
	return 0;
}

/* Whether a port of the node runs at HDR or faster. */
static bool
has_rs_fec(const struct sim *s, uint32_t node)
{
	for (unsigned p = 1; p <= s->node[node].nports; p++)
		if (sim_int_port(s, node, p)->rate.speed_ext >= PORT_HDR)
			return true;
	return false;
}

static struct mad_perf_class_info
class_info(const struct sim *s, uint32_t node)
{
	const struct sim_behaviour *how = &s->node[node].how;
	enum sim_perf_agent agent = how->perf;
	struct mad_perf_class_info info = {
		.base_version = 1,
		.class_version = MAD_PERF_VERSION,
		.capmask = MAD_PERF_CAP_ALL_PORTS | MAD_PERF_CAP_XMIT_WAIT,
		.resp_time = RESP_TIME,
	};

	if (s->o.ibsim)
		info.capmask = IBSIM_CAPMASK;
	else if (agent != SIM_PERF_SHORT)
		info.capmask |= MAD_PERF_CAP_EXT;
	if (how->fec && has_rs_fec(s, node))
		info.capmask |= MAD_PERF_CAP_RS_FEC;
	if (agent == SIM_PERF_WIDE)
		info.capmask2 = MAD_PERF_CAP2_EXT_ERRORS;
	return info;
}

static uint16_t
act_on_attr(
	struct sim *s, uint32_t node, uint8_t method, uint16_t attr, uint8_t *d)
{
	enum sim_perf_agent agent = s->node[node].how.perf;
	struct mad_perf_class_info info = class_info(s, node);
	bool set = method == MAD_SET;

	if (!set && method != MAD_GET)
		return MAD_STATUS_METHOD;
	if (attr == MAD_PERF_CLASS_INFO && !set && agent != SIM_PERF_REFUSES) {
		mad_perf_class_info_encode(&info, d);
		return 0;
	}
	if (attr == MAD_PERF_COUNTERS && agent != SIM_PERF_REFUSES)
		return act_short(s, node, set, d);
	if (attr == MAD_PERF_COUNTERS_EXT && agent <= SIM_PERF_WIDE)
		return act_extended(s, node, set, d);
	if (attr == MAD_PERF_FEC_COUNTERS && s->node[node].how.fec)
		return act_fec(s, node, set, d);
	return MAD_STATUS_METHOD_ATTR;
}

struct mad_perf_fec *
sim_fec(struct sim *s, uint32_t node, unsigned port)
{
	return &sim_int_port(s, node, port)->fec;
}

uint64_t
sim_counter(const struct sim *s, uint32_t node, unsigned port,
	enum mad_perf_kind kind)
{
	return sim_int_port(s, node, port)->count[kind];
}

void
sim_hand_counter(struct sim *s, uint32_t node, unsigned port,
	enum mad_perf_kind kind, uint64_t count)
{
	sim_int_port(s, node, port)->count[kind] = count;
}

bool
sim_perf_act(struct sim *s, struct sim_msg *q)
{
	uint8_t *mad = q->m.mad;
	uint16_t status;

	if (!sim_int_alive(&s->node[q->node]) || q->m.len != MAD_SIZE ||
		mad[AT_BASE_VERSION] != 1 ||
		s->node[q->node].how.perf == SIM_PERF_MUTE)
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
