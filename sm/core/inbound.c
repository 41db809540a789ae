/*
 * What others ask of us, or tell us: SMInfo, traps, and requests that no SM
 * answers on this port.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/core/sm_priv.h"

enum { TRAP_LINK_STATE = 128, TRAP_LOCAL_CHANGES = 144 };
enum { NEW_DESCRIPTION = 1 }; /* of trap 144's flags */

/*
 * The port that a trap is about, and in *t the topology that it is in: that of
 * the view, or of this run, in which somebody may have come who tells already
 * that his links came up. TOPO_NONE: nobody has this LID.
 */
static port_ix
port_behind(const struct sm *sm, uint16_t lid, const struct topo **t)
{
	port_ix p = TOPO_NONE;

	if (sm->view == NULL)
		return TOPO_NONE;
	*t = sm->view->topo;
	if (lid == 0)
		return (*t)->sm_port;
	p = topo_by_lid(*t, lid, NULL);
	if (p != TOPO_NONE || sm->topo == NULL)
		return p;
	*t = sm->topo;
	return topo_by_lid(*t, lid, NULL);
}

/* What is written of a trap: from whom, by name where names have been read. */
static void
cause_of(const struct topo *t, port_ix p, unsigned trap, uint16_t lid,
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
 * Whom to ask because of a trap about port p: of a link that changed the
 * switch, the port's own or the one that it hangs on; of what changed in a
 * host, such as an SM that began there, the host. 0: nobody knows.
 */
static uint64_t
whom_to_ask(const struct topo *t, port_ix p, unsigned trap)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	sw_ix s = topo_switch_of(t, p);

	if (trap == TRAP_LOCAL_CHANGES && n->type != TOPO_SWITCH)
		return n->guid;
	return s == TOPO_NONE ? 0 : t->node[t->sw[s].node].guid;
}

/*
 * Is this run's fabric different from the one in force at that switch? Then a
 * trap of a link most likely tells of just that: whoever lost a neighbour says
 * so, and many can be heard only when the tables are being repaired.
 */
static bool
is_known(const struct sm *sm, uint64_t guid)
{
	const struct topo *was = sm->view->topo, *is = sm->topo;
	node_ix o, n;
	unsigned p;

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

static void
act_on_trap(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	struct mono now)
{
	uint16_t about = n->data_lid ? n->data_lid : lid;
	const struct topo *t = NULL;
	port_ix p = port_behind(sm, about, &t);
	uint64_t guid = 0;
	char cause[128];

	if (n->trap != TRAP_LINK_STATE && n->trap != TRAP_LOCAL_CHANGES)
		return;
	if (p != TOPO_NONE) {
		guid = whom_to_ask(t, p, n->trap);
		if (n->trap == TRAP_LOCAL_CHANGES &&
			(n->change_flags & NEW_DESCRIPTION) != 0)
			builder_renamed(
				sm->draft, t->node[t->port[p].node].guid);
	}
	if (n->trap == TRAP_LINK_STATE && run_push_caused(sm, guid))
		return;
	cause_of(t, p, n->trap, about, cause);
	if (guid != 0 && n->trap == TRAP_LINK_STATE && is_known(sm, guid))
		dirty_mark_known(sm, guid, now, cause);
	else if (guid != 0 && n->trap == TRAP_LINK_STATE)
		dirty_mark_reported(sm, guid, now, cause);
	else if (guid != 0)
		dirty_mark(sm, guid, now, cause);
	else
		dirty_mark_full(sm, now, cause);
}

static void
trap(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	struct transport_msg answer;
	struct mad_notice n;
	unsigned swallowed;

	trap_repress(m, s, &answer);
	(void)sm->t->send(sm->t, &answer);
	mad_notice_decode(s->data, &n);
	sm->stat.traps++;
	if (sm->role != SM_MASTER || !n.generic)
		return;
	switch (trap_is_new(sm->traps, m->lid, s, &n, now)) {
	case TRAP_ACT:
		sa_trap(sm->sa, m->lid, s->data, now);
		act_on_trap(sm, m->lid, &n, now);
		break;
	case TRAP_REPEAT:
		sm->stat.traps_repeated++;
		break;
	case TRAP_FLOOD:
		sm->stat.traps_refused++;
		if (log_allowed(&sm->noise, 5, now, &swallowed))
			log_warn("trap: too many from lid=%u trap=%u, ignored",
				m->lid, n.trap);
		break;
	}
}

static void
answer_status(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	uint16_t status)
{
	struct transport_msg out = *m;
	struct smp r = *s;

	r.method = MAD_GET_RESP;
	r.response = true;
	r.status = status;
	out.error = 0;
	out.len = MAD_SIZE;
	smp_encode(&r, out.mad);
	(void)sm->t->send(sm->t, &out);
	sm->stat.requests_refused++;
}

void
inbound_request(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now)
{
	if (m->error != 0)
		return; /* one of ours come back after its end */
	if (s->method == MAD_TRAP && s->attr == MAD_NOTICE)
		trap(sm, m, s, now);
	else if (s->method == MAD_GET || s->method == MAD_SET) {
		if (s->attr == MAD_SM_INFO)
			master_sminfo(sm, m, s, now);
		else
			answer_status(sm, m, s, MAD_STATUS_METHOD_ATTR);
	}
}

/*
 * Subnet administration is not served by this release: say so with a status,
 * so that a client fails at once instead of timing out. Responses, and
 * requests of ours that came back, get no answer.
 */
void
inbound_refuse(struct sm *sm, const struct transport_msg *m)
{
	enum { METHOD = 3, STATUS = 4, RMPP_FLAGS = 26 };
	struct transport_msg out = *m;

	if (m->error != 0 || m->len < 56 || (m->mad[METHOD] & 0x80) != 0)
		return;
	if (m->mad[METHOD] != MAD_GET && m->mad[METHOD] != MAD_SET &&
		m->mad[METHOD] < 0x12)
		return; /* Send, Trap, Report, Repress: nothing to answer */
	out.len = MAD_SIZE;
	out.mad[METHOD] |= 0x80;
	be_put16(out.mad + STATUS, MAD_STATUS_METHOD_ATTR);
	out.mad[RMPP_FLAGS] = 0;
	(void)sm->t->send(sm->t, &out);
	sm->stat.requests_refused++;
}
