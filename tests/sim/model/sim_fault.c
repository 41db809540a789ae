#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/model/sim_int.h"

/* SMInfo: orders, and states. */
enum { HAND_OVER = 1, ACKNOWLEDGE, DISABLE, STAND_BY, DISCOVER };
enum { SM_INACTIVE, SM_IS_DISCOVERING, SM_IS_STANDBY, SM_IS_MASTER };

/* Trap 144, ChangeFlags: the NodeDescription. */
enum { CHANGED_DESC = 1 };

void
sim_fault_behave(struct sim *s, uint32_t node, const struct sim_behaviour *b)
{
	s->node[node].how = *b;
}

const struct sim_behaviour *
sim_behaviour(const struct sim *s, uint32_t node)
{
	return &s->node[node].how;
}

void
sim_fault_chances(struct sim *s, const struct sim_faults *f)
{
	s->o.faults = *f;
}

void
sim_fault_link(struct sim *s, uint32_t node, unsigned port, bool up)
{
	struct sim_port *p = sim_int_port(s, node, port);

	if (p->peer == FABRIC_NONE)
		return;
	p->cut = !up;
	sim_int_port(s, p->peer, p->peer_port)->cut = !up;
	sim_port_refresh(s, node, port);
}

/* Take the peer of a port, and that of this peer, from the fabric. */
static void
plug_port(struct sim *s, const struct fabric *f, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port), *q;
	unsigned far = 0;

	(void)fabric_peer(f, node, port, &p->peer, &far);
	p->peer_port = p->to_port = (uint8_t)far;
	p->to = p->peer;
	q = sim_int_port(s, p->peer, far);
	q->peer = q->to = node;
	q->peer_port = q->to_port = (uint8_t)port;
}

void
sim_fault_swap(struct sim *s, const struct fabric *f, uint32_t a, unsigned pa,
	uint32_t b, unsigned pb)
{
	sim_fault_link(s, a, pa, false);
	sim_fault_link(s, b, pb, false);
	plug_port(s, f, a, pa);
	plug_port(s, f, b, pb);
	sim_fault_link(s, a, pa, true);
	sim_fault_link(s, b, pb, true);
}

void
sim_fault_flap(struct sim *s, uint32_t node, unsigned port, struct mono period,
	unsigned count)
{
	size_t i = 0;

	if (sim_int_port(s, node, port)->peer == FABRIC_NONE || count == 0)
		return;
	while (i < s->nflap && s->flap[i].left > 0)
		i++;
	if (i == s->nflap) {
		s->flap = mem_grow(
			s->flap, s->nflap, &s->flap_cap, sizeof(*s->flap));
		s->nflap++;
	}
	s->flap[i] = (struct sim_flap){
		.node = node,
		.port = (uint8_t)port,
		.left = 2 * count,
		.half = {period.ns / 2},
	};
	sim_queue_event(s, s->now, EV_FLAP, (uint32_t)i, 0);
}

void
sim_fault_flap_due(struct sim *s, uint32_t ix)
{
	struct sim_flap f = s->flap[ix];

	s->flap[ix].left--;
	s->flap[ix].up = !f.up;
	sim_fault_link(s, f.node, f.port, f.up);
	if (f.left > 1)
		sim_queue_event(s, mono_add(s->now, f.half), EV_FLAP, ix, 0);
}

/* Forget everything that an SM has written. */
static void
wipe_node(struct sim *s, uint32_t node)
{
	struct sim_node *n = &s->node[node];

	sim_table_boot(s, node);
	sim_vendor_boot(s, node);
	for (unsigned i = 0; i < NTRAPS; i++) {
		n->trap[i].pending = false;
		n->trap[i].generation++;
	}
	for (unsigned p = 0; p <= n->nports; p++)
		sim_port_boot(s, node, p);
}

void
sim_fault_node(struct sim *s, uint32_t node, bool present)
{
	struct sim_node *n = &s->node[node];

	if (n->present == present)
		return;
	n->present = present;
	if (present)
		wipe_node(s, node);
	for (unsigned p = 1; p <= n->nports; p++)
		sim_port_refresh(s, node, p);
}

void
sim_fault_reboot(struct sim *s, uint32_t node)
{
	if (!s->node[node].present)
		return;
	sim_fault_node(s, node, false);
	sim_fault_node(s, node, true);
}

void
sim_fault_guid(struct sim *s, uint32_t node, uint64_t guid)
{
	struct sim_node *n = &s->node[node];

	for (unsigned p = 0; p <= n->nports; p++) {
		struct sim_port *q = sim_int_port(s, node, p);

		if (q->guid)
			q->guid = q->guid - n->guid + guid;
	}
	n->guid = guid;
}

void
sim_fault_cross(struct sim *s, uint32_t node, unsigned port, uint32_t to_node,
	unsigned to_port)
{
	struct sim_port *p = sim_int_port(s, node, port);

	p->to = to_node;
	p->to_port = (uint8_t)to_port;
}

/* The port from which a node sends traps. */
static unsigned
first_end_port(const struct sim *s, uint32_t node)
{
	const struct sim_node *n = &s->node[node];

	if (n->type == FABRIC_SWITCH)
		return 0;
	for (unsigned p = 1; p <= n->nports; p++) {
		if (sim_int_port(s, node, p)->up)
			return p;
	}
	return 1;
}

void
sim_fault_rename(struct sim *s, uint32_t node, const char *name)
{
	struct sim_node *n = &s->node[node];

	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, name, strnlen(name, sizeof(n->desc)));
	sim_trap_local(s, node, first_end_port(s, node), CHANGED_DESC);
}

void
sim_fault_capmask(struct sim *s, uint32_t node, unsigned port, uint32_t capmask)
{
	sim_int_port(s, node, port)->pi.capmask = capmask;
	sim_trap_local(s, node, port, 0);
}

/* Index of the second SM at a node, or -1. */
static int
find_other(const struct sim *s, uint32_t node)
{
	for (int i = 0; i < s->nothers; i++) {
		if (s->other[i].node == node)
			return i;
	}
	return -1;
}

void
sim_fault_other_sm(struct sim *s, uint32_t node, unsigned port,
	const struct mad_sm_info *says)
{
	int i = find_other(s, node);

	if (i < 0) {
		assert(s->nothers < SIM_MAX_OTHER_SMS);
		i = s->nothers++;
		s->other[i].node = node;
		s->other[i].port = (uint8_t)port;
		sim_fault_capmask(s, node, port,
			sim_int_port(s, node, port)->pi.capmask |
				MAD_CAP_IS_SM);
	}
	s->other[i].says = *says;
	if (says->guid == 0)
		s->other[i].says.guid = sim_int_port(s, node, port)->guid;
}

/* Send an order to a LID. */
static bool
send_order(struct sim *s, const struct sim_other_sm *o, uint16_t lid,
	uint32_t order)
{
	bool sw = s->node[o->node].type == FABRIC_SWITCH;
	unsigned port = sw ? 0 : o->port;
	const struct mad_port_info *pi = &sim_int_port(s, o->node, port)->pi;
	struct sim_msg msg = {.from = o->node};
	struct smp m = {
		.mgmt_class = MAD_SUBN_LID,
		.method = MAD_SET,
		.attr = MAD_SM_INFO,
		.mod = order,
		.tid = ++s->trap_tid,
	};
	struct sim_way w;

	if (!sim_int_alive(&s->node[o->node]) || pi->lid == 0 ||
		!sim_route_lid(s, o->node, port, lid, false, &w))
		return false;
	mad_sm_info_encode(&o->says, m.data);
	smp_encode(&m, msg.m.mad);
	msg.m.len = MAD_SIZE;
	msg.m.addr.lid = pi->lid;
	msg.node = w.node;
	msg.port = w.port;
	sim_queue_send(s, &msg, -1, EV_ARRIVE, w.time);
	return true;
}

bool
sim_fault_other_sm_tells(
	struct sim *s, uint32_t node, uint16_t lid, uint32_t order)
{
	int i = find_other(s, node);

	assert(i >= 0);
	if (!send_order(s, &s->other[i], lid, order))
		return false;
	if (order == HAND_OVER) {
		s->other[i].says.state = SM_IS_STANDBY;
		s->other[i].handed_over = true;
	}
	return true;
}

/*
 * Whether the manager takes an order (IBA 14.4.1, as OpenSM does): orders come
 * from a master, an acknowledgement from a standby; one that is master takes no
 * order but a hand-over, and an acknowledgement only of its own hand-over.
 */
bool
sim_fault_may_order(const struct sim_other_sm *o, const struct smp *req)
{
	struct mad_sm_info from;

	mad_sm_info_decode(req->data, &from);
	switch (req->mod) {
	case HAND_OVER:
		return from.state == SM_IS_MASTER &&
		       o->says.state != SM_INACTIVE;
	case ACKNOWLEDGE:
		return from.state == SM_IS_STANDBY && o->handed_over;
	case DISABLE:
	case DISCOVER:
		return from.state == SM_IS_MASTER &&
		       o->says.state == SM_IS_STANDBY;
	case STAND_BY:
		return from.state == SM_IS_MASTER &&
		       o->says.state == SM_INACTIVE;
	default:
		return false;
	}
}

void
sim_fault_obey(struct sim_other_sm *o, const struct smp *req)
{
	o->was_set = true;
	o->modifier = req->mod;
	mad_sm_info_decode(req->data, &o->sent);
	switch (req->mod) {
	case HAND_OVER:
		o->says.state = SM_IS_MASTER;
		break;
	case DISABLE:
		o->says.state = SM_INACTIVE;
		break;
	case STAND_BY:
		o->says.state = SM_IS_STANDBY;
		break;
	case DISCOVER:
		o->says.state = SM_IS_DISCOVERING;
		break;
	default:
		break; /* acknowledged: nothing to do */
	}
}

bool
sim_fault_other_sm_last(const struct sim *s, uint32_t node, uint32_t *modifier,
	struct mad_sm_info *sent)
{
	int i = find_other(s, node);

	if (i < 0 || !s->other[i].was_set)
		return false;
	*modifier = s->other[i].modifier;
	*sent = s->other[i].sent;
	return true;
}
