#include "tests/sim/model/sim_int.h"

/* Byte positions in a directed-route SMP (IBA 14.2.1.2). */
enum { AT_HOP_CNT = 7, AT_PATH = 128, AT_RET = 192 };

/* A packet that made this many hops is in a loop. */
enum { LOOP_HOPS = 256 };

/* Leave a node by a port; w becomes the node and port at the other end. */
static bool
cross_link(struct sim *s, uint32_t node, unsigned port, struct sim_way *w)
{
	const struct sim_node *n = &s->node[node];
	const struct sim_port *p;

	if (port == 0 || port > n->nports)
		return false;
	p = sim_int_port(s, node, port);
	if (!p->up || !s->node[p->to].present)
		return false;
	w->node = p->to;
	w->port = p->to_port;
	w->hops++;
	w->time.ns += n->attrs.hop_ns ? n->attrs.hop_ns : s->o.hop.ns;
	return true;
}

/* Whether a directed SMP may leave a node by port out. */
static bool
is_forwarded(const struct sim *s, uint32_t node, unsigned first_port,
	unsigned hop, unsigned out)
{
	const struct sim_node *n = &s->node[node];

	if (hop == 1 && n->type != FABRIC_SWITCH)
		return out == first_port;
	return n->type == FABRIC_SWITCH && (hop == 1 || sim_int_alive(n));
}

bool
sim_route_directed(struct sim *s, uint32_t node, unsigned port,
	const uint8_t *mad, uint8_t *ret, struct sim_way *out)
{
	unsigned hops = mad[AT_HOP_CNT];

	*out = (struct sim_way){node, (uint8_t)port, 0, s->o.hop};
	if (hops > 63) {
		s->stats.lost_silent++;
		return false;
	}
	for (unsigned i = 1; i <= hops; i++) {
		unsigned egress = mad[AT_PATH + i];

		if (!is_forwarded(s, out->node, port, i, egress) ||
			!cross_link(s, out->node, egress, out)) {
			s->stats.lost_link++;
			return false;
		}
		if (ret)
			ret[i] = out->port;
	}
	return true;
}

bool
sim_route_return(
	struct sim *s, uint32_t node, const uint8_t *mad, struct sim_way *out)
{
	unsigned hops = mad[AT_HOP_CNT];

	*out = (struct sim_way){node, 0, 0, s->o.hop};
	for (unsigned i = hops; i >= 1 && hops <= 63; i--) {
		const struct sim_node *n = &s->node[out->node];

		if ((i < hops && n->type != FABRIC_SWITCH) ||
			!cross_link(s, out->node, mad[AT_RET + i], out)) {
			s->stats.lost_link++;
			return false;
		}
	}
	if (s->node[out->node].type == FABRIC_SWITCH)
		out->port = 0;
	return hops <= 63;
}

/* True if the LID is one of the port's. */
static bool
is_lid_of_port(const struct sim_port *p, uint16_t lid)
{
	unsigned base = p->pi.lid;

	return base && lid >= base && lid < base + (1U << p->pi.lmc);
}

/* Data wakes an Armed port; anything less than Armed drops it. */
static bool
carries_data(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port);
	struct sim_port *q;

	if (p->pi.state != PORT_ACTIVE)
		return false;
	q = sim_int_port(s, p->to, p->to_port);
	if (q->pi.state == PORT_ARMED) {
		q->pi.state = PORT_ACTIVE;
		sim_int_changed(s, SIM_PORT, p->to, p->to_port);
	}
	return q->pi.state == PORT_ACTIVE;
}

/* ibsim demands this for management packets too. */
static bool
both_active(struct sim *s, uint32_t node, unsigned port)
{
	const struct sim_port *p = sim_int_port(s, node, port);

	return p->up && p->pi.state == PORT_ACTIVE &&
	       sim_int_port(s, p->to, p->to_port)->pi.state == PORT_ACTIVE;
}

/* Leave a node by LID: 1 to go on, 0 arrived, -1 lost (counted). */
static int
lid_hop(struct sim *s, struct sim_way *w, bool first, uint16_t lid, bool data)
{
	const struct sim_node *n = &s->node[w->node];
	unsigned out = w->port;
	struct sim_port *leaves;

	if (n->type != FABRIC_SWITCH && !first) {
		bool ours =
			n->present &&
			is_lid_of_port(sim_int_port(s, w->node, w->port), lid);

		s->stats.lost_nobody += !ours;
		return ours ? 0 : -1;
	}
	if (n->type == FABRIC_SWITCH) {
		out = sim_table_lft(n->sw, lid);
		if (out == 0 &&
			is_lid_of_port(sim_int_port(s, w->node, 0), lid))
			return 0;
		if (out == 0 || out > n->nports) {
			s->stats.lost_entry++;
			sim_perf_count(sim_int_port(s, w->node, w->port),
				MAD_PERF_RCV_RELAY_ERRORS);
			return -1;
		}
	}
	leaves = sim_int_port(s, w->node, out);
	if ((data && !carries_data(s, w->node, out)) ||
		(s->o.ibsim && !both_active(s, w->node, out)) ||
		!cross_link(s, w->node, out, w)) {
		s->stats.lost_link++;
		sim_perf_count(leaves, MAD_PERF_XMIT_DISCARDS);
		return -1;
	}
	if (data)
		sim_perf_hop(leaves, sim_int_port(s, w->node, w->port));
	return 1;
}

bool
sim_route_lid(struct sim *s, uint32_t node, unsigned port, uint16_t lid,
	bool data, struct sim_way *out)
{
	*out = (struct sim_way){node, (uint8_t)port, 0, s->o.hop};
	if (is_lid_of_port(sim_int_port(s, node, port), lid))
		return true;
	for (unsigned i = 0; i < LOOP_HOPS; i++) {
		int rc = lid_hop(s, out, i == 0, lid, data);

		if (rc <= 0)
			return rc == 0;
	}
	s->stats.lost_loop++;
	return false;
}
