#include "tests/sim/sim_int.h"

#include <string.h>

enum { NOTICE_URGENT = 1, NOTICE_INFO = 4 };

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
		.tid = t->tid,
		.mkey = pi->mkey,
	};
	struct sim_way w;

	t->tries++;
	s->stats.traps++;
	if (!sim_route_lid(s, node, t->port, pi->sm_lid, false, &w))
		return;
	mad_notice_encode(&t->notice, m.data);
	smp_encode(&m, msg.m.mad);
	msg.m.len = MAD_SIZE;
	msg.m.lid = pi->lid;
	msg.m.sl = pi->sm_sl;
	msg.node = w.node;
	msg.port = w.port;
	sim_queue_send(s, &msg, -1, EV_DELIVER,
		(struct mono){s->o.hop.ns * (int64_t)(w.hops + 1)});
}

/* A new reason to trap: what was said before is void. */
static void
raise(struct sim *s, uint32_t node, unsigned which,
	const struct mad_notice *notice)
{
	struct sim_trap *t = &s->node[node].trap[which];
	const struct mad_port_info *pi = &sim_int_port(s, node, t->port)->pi;

	t->generation++;
	t->pending = false;
	if (!sim_int_alive(&s->node[node]) || !pi->lid || !pi->sm_lid)
		return; /* nobody to tell */
	t->pending = true;
	t->tries = 0;
	t->tid = ++s->trap_tid;
	t->notice = *notice;
	t->notice.issuer_lid = t->notice.data_lid = pi->lid;
	/* sent by an event, so that one change of many links is one trap */
	sim_queue_event(s, s->now, EV_TRAP, node << 2 | which, t->generation);
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
	raise(s, node, TRAP_128, &n);
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
	raise(s, node, TRAP_144, &n);
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
			EV_TRAP, node << 2 | which, gen);
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
			t->notice.trap == n.trap)
			t->pending = false;
	}
}
