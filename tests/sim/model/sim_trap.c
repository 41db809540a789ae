#include "tests/sim/model/sim_int.h"

#include <string.h>

#include "sm/mad/mad_violation.h"

enum {
	NOTICE_URGENT = 1,
	NOTICE_SECURITY = 2,
	NOTICE_INFO = 4,
	NOTICE_EMPTY = 0x7f
};

static void
send_trap(struct sim *s, uint32_t node, unsigned which)
{
	struct sim_trap *t = &s->node[node].trap[which];
	struct mad_port_info *pi = &sim_int_port(s, node, t->port)->pi;
	struct sim_msg msg = {.from = node};
	struct smp m = {
		.mgmt_class = MAD_SUBN_LID,
		.method = MAD_TRAP,
		.attr = MAD_NOTICE,
		.tid = t->tid, /* the M_Key is 0: IBA o14-1 */
	};
	struct sim_way w;

	t->tries++;
	s->stats.traps++;
	if (!sim_route_lid(s, node, t->port, pi->sm_lid, false, &w))
		return;
	if (s->stats.first_trap.ns == 0)
		s->stats.first_trap = sim_now(s);
	memcpy(m.data, t->data, MAD_DATA);
	smp_encode(&m, msg.m.mad);
	msg.m.len = MAD_SIZE;
	msg.m.addr.lid = pi->lid;
	msg.m.addr.sl = pi->sm_sl;
	msg.node = w.node;
	msg.port = w.port;
	sim_queue_send(s, &msg, -1, EV_DELIVER, w.time);
}

/* Queue a trap in the place of the pending one. NULL: no SM is known. */
static struct sim_trap *
raise_trap(
	struct sim *s, uint32_t node, unsigned which, struct mad_notice *notice)
{
	struct sim_trap *t = &s->node[node].trap[which];
	const struct mad_port_info *pi = &sim_int_port(s, node, t->port)->pi;

	t->generation++;
	t->pending = false;
	if (!sim_int_alive(&s->node[node]) || !pi->lid || !pi->sm_lid)
		return NULL; /* no SM is known */
	t->pending = true;
	t->tries = 0;
	t->tid = ++s->trap_tid;
	t->number = notice->trap;
	notice->issuer_lid = notice->data_lid = pi->lid;
	mad_notice_encode(notice, t->data);
	/* sent by an event, so that one change of many links is one trap */
	sim_queue_event(
		s, s->now, EV_TRAP, SIM_TRAP_EVENT(node, which), t->generation);
	return t;
}

void
sim_trap_link(struct sim *s, uint32_t node)
{
	struct mad_notice n = {
		.generic = true,
		.type = NOTICE_URGENT,
		.producer = FABRIC_SWITCH,
		.trap = 128,
	};

	s->node[node].trap[TRAP_128].port = 0;
	(void)raise_trap(s, node, TRAP_128, &n);
}

void
sim_trap_local(struct sim *s, uint32_t node, unsigned port, uint16_t flags)
{
	struct mad_notice n = {
		.generic = true,
		.type = NOTICE_INFO,
		.producer = s->node[node].type,
		.trap = 144,
		.capmask = sim_int_port(s, node, port)->pi.capmask,
		.change_flags = flags,
	};

	s->node[node].trap[TRAP_144].port = (uint8_t)port;
	(void)raise_trap(s, node, TRAP_144, &n);
}

/*
 * One trap of a kind at a time: until it is repressed, further ones are
 * dropped.
 */
void
sim_trap_violation(struct sim *s, uint32_t node, unsigned port, uint16_t trap,
	const struct mad_violation *v)
{
	unsigned which = TRAP_256 + (trap - MAD_VIOLATION_M_KEY);
	struct sim_trap *t = &s->node[node].trap[which];
	struct mad_notice n = {
		.generic = true,
		.type = NOTICE_SECURITY,
		.producer = s->node[node].type,
		.trap = trap,
	};

	if (t->pending)
		return;
	t->port = (uint8_t)port;
	t = raise_trap(s, node, which, &n);
	if (t)
		mad_violation_encode(v, trap, t->data);
}

void
sim_trap_due(struct sim *s, uint32_t node, unsigned which, uint32_t gen)
{
	struct sim_trap *t = &s->node[node].trap[which];

	if (!t->pending || t->generation != gen ||
		!sim_int_alive(&s->node[node]))
		return;
	send_trap(s, node, which);
	if (s->o.trap_tries && t->tries >= s->o.trap_tries)
		t->pending = false;
	else
		sim_queue_event(s, mono_add(s->now, s->o.trap_interval),
			EV_TRAP, SIM_TRAP_EVENT(node, which), gen);
}

void
sim_trap_repress(struct sim *s, uint32_t node, const struct smp *m)
{
	struct mad_notice n;

	if (m->attr != MAD_NOTICE)
		return;
	mad_notice_decode(m->data, &n);
	/* the lower half only: libumad2sim.so writes into the upper one */
	for (unsigned i = 0; i < NTRAPS; i++) {
		struct sim_trap *t = &s->node[node].trap[i];

		if (t->pending && (uint32_t)t->tid == (uint32_t)m->tid &&
			t->number == n.trap)
			t->pending = false;
	}
}

/*
 * The notices that wait, oldest kind first: Get shows the first and how many
 * there are, Set with its toggle bit takes it away (IBA 13.4.9).
 */
uint16_t
sim_trap_notice(struct sim *s, uint32_t node, const struct smp *req, uint8_t *d)
{
	struct sim_node *n = &s->node[node];
	struct sim_trap *first = NULL;
	struct mad_notice head = {.generic = true, .type = NOTICE_EMPTY}, in;
	uint16_t count = 0;

	for (unsigned i = 0; i < NTRAPS; i++) {
		if (!n->trap[i].pending)
			continue;
		if (!first)
			first = &n->trap[i];
		count++;
	}
	mad_notice_decode(req->data, &in);
	if (req->method == MAD_SET && first && in.toggle == n->notice_toggle) {
		first->pending = false;
		n->notice_toggle = !n->notice_toggle;
	}
	mad_notice_encode(&head, d);
	if (first)
		memcpy(d, first->data, MAD_DATA);
	/* toggle bit and count share a word */
	d[8] = (uint8_t)((unsigned)n->notice_toggle << 7 | count >> 8);
	d[9] = (uint8_t)count;
	return 0;
}
