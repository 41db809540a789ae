#include "sm/core/trap.h"

#include <inttypes.h>
#include <stdio.h>

#include "sm/core/sm_priv.h"

/*
 * The port that a trap is about, and in *t the topology that it is in: that of
 * the view, or of this run, in which a new switch may already report its links,
 * and which is all that there is before the first view. TOPO_NONE: no port has
 * this LID.
 */
static port_ix
port_of_lid(const struct sm *sm, uint16_t lid, const struct topo **t)
{
	port_ix p = TOPO_NONE;

	*t = sm->view != NULL ? sm->view->topo : sm->run.topo;
	if (*t == NULL)
		return TOPO_NONE;
	if (lid == 0)
		return (*t)->sm_port;
	p = topo_by_lid(*t, lid, NULL);
	if (p != TOPO_NONE || sm->run.topo == NULL)
		return p;
	*t = sm->run.topo;
	return topo_by_lid(*t, lid, NULL);
}

/* The text for a trap: its source by name where names have been read. */
static void
describe_trap(const struct topo *t, port_ix p, unsigned trap, uint16_t lid,
	char out[128])
{
	const char *name = p != TOPO_NONE ? topo_desc(t, t->port[p].node) : "";

	if (p == TOPO_NONE)
		(void)snprintf(out, 128,
			"trap %u from lid %u, which no port here has", trap,
			lid);
	else if (*name == '\0')
		(void)snprintf(out, 128, "trap %u from 0x%016" PRIx64 " lid %u",
			trap, t->node[t->port[p].node].guid, lid);
	else
		(void)snprintf(
			out, 128, "trap %u from %.64s lid %u", trap, name, lid);
}

/*
 * The node to ask because of a trap about port p: of a link that changed the
 * switch, the port's own or the one that it is connected to; of a change in a
 * host, such as an SM that began there, the host. 0: there is no switch.
 */
static uint64_t
guid_to_probe(const struct topo *t, port_ix p, unsigned trap)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	sw_ix s = topo_switch_of(t, p);

	if (trap == MAD_TRAP_LOCAL_CHANGES && n->type != TOPO_SWITCH)
		return n->guid;
	return s == TOPO_NONE ? 0 : t->node[t->sw[s].node].guid;
}

/*
 * True if this run's topology differs at that switch from the one in force.
 * Then a trap of a link most likely reports just that: every switch that lost a
 * neighbour sends one, and many can arrive only when the tables are being
 * repaired.
 */
static bool
is_change_known(const struct sm *sm, uint64_t guid)
{
	const struct topo *was, *is = sm->run.topo;
	node_ix o, n;
	unsigned p;

	if (sm->view == NULL)
		return false;
	was = sm->view->topo;
	if (sm->phase != SM_READBACK && sm->phase != SM_ROUTE &&
		sm->phase != SM_PUSH && sm->phase != SM_COMMIT)
		return false;
	o = topo_by_node_guid(was, guid);
	n = is != NULL ? topo_by_node_guid(is, guid) : TOPO_NONE;
	if (o == TOPO_NONE || n == TOPO_NONE ||
		was->node[o].nports != is->node[n].nports)
		return false;
	for (p = 1; p <= is->node[n].nports; p++)
		if ((was->port[was->node[o].first_port + p].peer ==
			    TOPO_NONE) !=
			(is->port[is->node[n].first_port + p].peer ==
				TOPO_NONE))
			return true;
	return false;
}

/*
 * True if port p of t, that a trap is about, is of the node that sent it, or of
 * the switch next to its port: no other node's ports are its business.
 */
static bool
is_of_sender(const struct sm *sm, uint16_t lid, const struct topo *t, port_ix p)
{
	uint64_t guid = t->node[t->port[p].node].guid;
	const struct topo *from = NULL;
	port_ix q = port_of_lid(sm, lid, &from);
	sw_ix s;

	if (q == TOPO_NONE)
		return false;
	s = topo_switch_of(from, q);
	return from->node[from->port[q].node].guid == guid ||
	       (s != TOPO_NONE && from->node[from->sw[s].node].guid == guid);
}

/*
 * A trap about a LID that no port has, or that is no business of its sender,
 * which may be next to what changed: that switch is asked whether anything did.
 * An unknown sender, or one too many such traps, costs a light sweep, which
 * finds a change at any switch; it comes later, not never. A full sweep, or a
 * probe for each, would let one host occupy the manager.
 */
static void
act_on_stranger(struct sm *sm, uint16_t lid, struct mono now, const char *cause)
{
	const struct topo *t = NULL;
	port_ix p = port_of_lid(sm, lid, &t);
	uint64_t guid =
		p != TOPO_NONE ? guid_to_probe(t, p, MAD_TRAP_LINK_STATE) : 0;
	struct mono due = mono_before(now, sm->traps.stranger_next)
				  ? sm->traps.stranger_next
				  : now;

	if (guid != 0 && due.ns == now.ns) {
		sm->traps.stranger_next = mono_add(now, mono_ms(STRANGER_MS));
		dirty_mark_reported(sm, guid, now, cause);
		return;
	}
	if (due.ns < timer_due(&sm->timers, TIMER_LIGHT).ns)
		log_info("trap: light sweep cause=\"%s\"", cause);
	timer_sooner(&sm->timers, TIMER_LIGHT, due);
}

static void
act_on_trap(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	struct mono now)
{
	uint16_t about = n->data_lid ? n->data_lid : lid;
	const struct topo *t = NULL;
	port_ix p = port_of_lid(sm, about, &t);
	uint64_t guid = 0;
	char cause[128];

	if (n->trap != MAD_TRAP_LINK_STATE && n->trap != MAD_TRAP_LOCAL_CHANGES)
		return;
	if (p != TOPO_NONE && sm->view != NULL &&
		!is_of_sender(sm, lid, t, p)) {
		(void)snprintf(cause, sizeof(cause),
			"trap %u from lid %u about lid %u, of another node",
			n->trap, lid, about);
		act_on_stranger(sm, lid, now, cause);
		return;
	}
	if (p != TOPO_NONE) {
		if (n->trap == MAD_TRAP_LOCAL_CHANGES)
			master_look(sm, t->port[p].guid, now);
		guid = guid_to_probe(t, p, n->trap);
		if (n->trap == MAD_TRAP_LOCAL_CHANGES &&
			(n->change_flags & MAD_TRAP_NEW_DESCRIPTION) != 0)
			builder_renamed(
				sm->builder, t->node[t->port[p].node].guid);
	}
	if (n->trap == MAD_TRAP_LINK_STATE && run_push_caused(sm, guid))
		return;
	describe_trap(t, p, n->trap, about, cause);
	if (guid != 0 && n->trap == MAD_TRAP_LINK_STATE &&
		is_change_known(sm, guid))
		dirty_mark_known(sm, guid, now, cause);
	else if (guid != 0 && n->trap == MAD_TRAP_LINK_STATE)
		dirty_mark_reported(sm, guid, now, cause);
	else if (guid != 0)
		dirty_mark(sm, guid, now, DIRTY_TRAP, cause);
	else if (p == TOPO_NONE && sm->view != NULL)
		act_on_stranger(sm, lid, now, cause);
	else
		dirty_mark_full(sm, now, DIRTY_TRAP, cause);
}

/*
 * The M_Key that the port of a LID takes: TrapRepress needs it, too. None is
 * sent to a LID that is not known to be that of a port with this key.
 */
static uint64_t
key_of_source(const struct sm *sm, uint16_t lid)
{
	const struct topo *t = NULL;
	port_ix p = port_of_lid(sm, lid, &t);

	return p == TOPO_NONE
		       ? 0
		       : keyring_find(xact_keys(sm->x), topo_sma_guid(t, p), 0);
}

/* Traps about changes of a port that are no events of the fabric. */
static void
tell_local(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	struct mono now)
{
	uint16_t about = n->data_lid != 0 ? n->data_lid : lid;
	struct event e = {.kind = EVENT_PORT_CHANGE};
	const struct topo *t = NULL;
	char what[128];
	port_ix p;

	if (n->trap != MAD_TRAP_LOCAL_CHANGES && n->trap != MAD_TRAP_IMAGE_GUID)
		return;
	p = port_of_lid(sm, about, &t);
	describe_trap(t, p, n->trap, about, what);
	event_number(&e, "trap", n->trap);
	event_text(&e, "what", what);
	event_text(&e, "change",
		n->trap == MAD_TRAP_IMAGE_GUID
			? "another system image GUID"
			: "capabilities, name or link settings");
	events_tell(sm, &e, now);
}

void
trap_receive(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	struct transport_msg answer;
	struct mad_notice n;
	enum trap_verdict verdict;
	unsigned swallowed;

	trap_filter_repress(m, s, key_of_source(sm, m->addr.lid), &answer);
	(void)sm->t->send(sm->t, &answer);
	mad_notice_decode(s->data, &n);
	sm->stat.traps++;
	if (sm->role != SM_MASTER || !n.generic)
		return;
	verdict = trap_filter_judge(sm->traps.filter, m->addr.lid, s, &n, now);
	switch (verdict) {
	case TRAP_ACT:
	case TRAP_AGAIN:
		tell_local(sm, m->addr.lid, &n, now);
		sa_trap(sm->hosts.sa, m->addr.lid, s->data);
		act_on_trap(sm, m->addr.lid, &n, now);
		trap_fault_report(
			sm, m->addr.lid, &n, s->data, verdict == TRAP_ACT, now);
		break;
	case TRAP_REPEAT:
		sm->stat.traps_repeated++;
		break;
	case TRAP_FLOOD:
		sm->stat.traps_refused++;
		if (log_allowed(&sm->traps.noise, 5, now, &swallowed))
			log_warn("trap: too many from lid=%u trap=%u, ignored",
				m->addr.lid, n.trap);
		break;
	}
}
