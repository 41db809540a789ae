/*
 * Mastership (IBA 14.4.1). After discovery every other SM that was seen is
 * asked for its SMInfo. A master, whatever its priority, or an SM of higher
 * priority (equal: lower GUID) makes us a standby: nothing is written, a
 * warning is logged, and the master is polled.
 *
 * A standby takes over by hand-over, or when the master misses polls: no
 * answer, an activity count that does not change, or state STANDBY (two
 * standbys that wait for each other would wait for ever). An SM that has handed
 * over to us is not given way to again, although it would outrank us.
 *
 * SMInfo requests of other SMs are answered here as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum { SMI_NOT_ACTIVE, SMI_DISCOVERING, SMI_STANDBY, SMI_MASTER };
enum { HANDOVER = 1, ACKNOWLEDGE = 2, DISABLE = 3, STANDBY = 4, DISCOVER = 5 };

static void
ask_sminfo(struct sm *sm, const struct sm_peer *p, struct mono now,
	xact_done *done, uint64_t tag)
{
	struct xact_request r;

	memset(&r, 0, sizeof(r));
	r.method = MAD_GET;
	r.attr = MAD_SM_INFO;
	r.mkey = sm->cfg->fabric.m_key;
	r.target = p->node_guid;
	r.hops = p->hops;
	memcpy(r.path, p->path, sizeof(r.path));
	xact_submit(sm->x, &r, now, done, sm, tag);
}

static void
take_answer(struct sm_peer *p, const struct xact_result *res)
{
	struct mad_sm_info i;

	p->id.answers = res->outcome == XACT_OK;
	if (!p->id.answers)
		return;
	mad_sm_info_decode(res->data, &i);
	p->id.guid = i.guid;
	p->id.priority = i.priority;
	p->id.state = i.state;
	p->act_count = i.act_count;
}

/* A tag is the round and the peer: the list may be another one by now. */
static void
elect_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;

	sm->asked--;
	if (tag >> 32 == sm->ask_round)
		take_answer(&sm->peer[(uint32_t)tag], res);
}

static void
ask_peers(struct sm *sm, struct mono now, xact_done *done)
{
	size_t i;

	sm->ask_round++;
	for (i = 0; i < sm->npeers; i++) {
		sm->asked++;
		ask_sminfo(sm, &sm->peer[i], now, done,
			(uint64_t)sm->ask_round << 32 | i);
	}
}

bool
master_begin(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->topo;
	port_ix p;

	sm->npeers = 0;
	for (p = 0; p < t->nports; p++) {
		struct sm_peer peer = {0};
		int hops;

		if ((t->port[p].flags & TP_IS_SM) == 0 || p == t->sm_port)
			continue;
		hops = topo_route(t, t->port[p].node, peer.path);
		if (hops < 0)
			continue;
		peer.hops = (uint8_t)hops;
		peer.node_guid = t->node[t->port[p].node].guid;
		peer.id.guid = t->port[p].guid;
		(void)snprintf(peer.id.name, sizeof(peer.id.name), "%s",
			topo_desc(t, t->port[p].node));
		sm->peer = mem_grow(
			sm->peer, sm->npeers, &sm->cappeers, sizeof(peer));
		sm->peer[sm->npeers++] = peer;
	}
	ask_peers(sm, now, elect_answer);
	return sm->npeers > 0;
}

/* True if p keeps us from being master. */
static bool
is_outranked_by(const struct sm *sm, const struct sm_peer *p)
{
	uint8_t ours = (uint8_t)sm->cfg->fabric.priority;
	bool higher = p->id.priority > ours ||
		      (p->id.priority == ours && p->id.guid < sm->port_guid);

	if (!p->id.answers || p->id.guid == sm->port_guid ||
		p->id.state == SMI_NOT_ACTIVE)
		return false;
	if (sm->role == SM_MASTER) /* two subnets met: the higher one stays */
		return p->id.state == SMI_MASTER && higher;
	if (p->id.state == SMI_MASTER)
		return !sm->handed_over || p->id.guid != sm->master.id.guid;
	return higher && !sm->handed_over;
}

/* As a master: an answer of an SM that outranks us and is master itself leads
 * to a full sweep. */
static void
review_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	const struct sm_peer *p = &sm->peer[(uint32_t)tag];

	elect_answer(cookie, tag, res);
	if (tag >> 32 != sm->ask_round || sm->role != SM_MASTER)
		return;
	if (is_outranked_by(sm, p))
		dirty_mark_full(sm, res->now, "another master");
	else if (p->id.answers && p->id.state == SMI_MASTER &&
		 p->id.guid != sm->port_guid)
		drift_other_master(sm, p);
}

/* Names are read later than peers are found. */
static void
name_peers(struct sm *sm)
{
	const struct topo *t = sm->view->topo;

	for (size_t i = 0; i < sm->npeers; i++) {
		struct sm_peer *p = &sm->peer[i];
		node_ix n = topo_by_node_guid(t, p->node_guid);

		if (n != TOPO_NONE && p->id.name[0] == '\0')
			(void)snprintf(p->id.name, sizeof(p->id.name), "%s",
				topo_desc(t, n));
	}
}

void
master_review(struct sm *sm, struct mono now)
{
	if (sm->asked > 0)
		return;
	name_peers(sm);
	drift_review(sm);
	ask_peers(sm, now, review_answer);
}

static void
stand_by(struct sm *sm, const struct sm_peer *p, struct mono now)
{
	char why[256];

	sm->master = *p;
	sm->role = SM_STANDING_BY;
	run_sa_lost(sm, now);
	drift_reset(sm);
	run_settings_reset(sm);
	sm->missed = 0;
	sm->master_heard = now;
	sm->handed_over = false;
	sm->poll_due = mono_add(now, sm->cfg->standby.poll_interval);
	(void)snprintf(why, sizeof(why),
		"another subnet manager is master: guid=0x%016llx name=\"%s\" "
		"priority=%u state=%s; standing by, nothing is written",
		(unsigned long long)p->id.guid, p->id.name, p->id.priority,
		p->id.state == SMI_MASTER ? "MASTER" : "higher priority");
	log_warn("sm: %s", why);
	sm_enter(sm, SM_STANDBY, now);
	sm->ops->finished(sm->ops->cookie, false, why);
}

bool
master_step(struct sm *sm, struct mono now)
{
	const struct sm_peer *best = NULL;
	size_t i;

	if (sm->asked > 0)
		return false;
	for (i = 0; i < sm->npeers; i++) {
		const struct sm_peer *p = &sm->peer[i];

		if (is_outranked_by(sm, p) &&
			(best == NULL || p->id.state == SMI_MASTER))
			best = p;
	}
	if (best != NULL) {
		stand_by(sm, best, now);
		return true;
	}
	sm_enter(sm, SM_TAKE, now);
	return true;
}

static void
poll_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	uint32_t before = sm->master.act_count;

	(void)tag;
	sm->poll_open = false;
	sm->poll_due = mono_add(res->now, sm->cfg->standby.poll_interval);
	take_answer(&sm->master, res);
	if (!sm->master.id.answers || sm->master.act_count == before ||
		sm->master.id.state == SMI_NOT_ACTIVE ||
		sm->master.id.state == SMI_STANDBY)
		sm->missed++;
	else
		sm->missed = 0;
	if (sm->missed == 0)
		sm->master_heard = res->now;
}

static void
leave_standby(struct sm *sm, struct mono now, const char *cause)
{
	log_warn("sm: leaving standby: %s", cause);
	run_push_inherit(sm, sm->master_heard);
	sm->role = SM_DISCOVERING;
	dirty_mark_full(sm, now, cause);
	sm->dirty.due = now;
	sm_enter(sm, SM_IDLE, now);
}

bool
master_standby(struct sm *sm, struct mono now)
{
	if (sm->handed_over) {
		leave_standby(sm, now, "hand-over from the previous master");
		return true;
	}
	if (sm->missed >= sm->cfg->standby.missed_polls) {
		leave_standby(sm, now, "the master does not answer");
		return true;
	}
	if (!sm->poll_open && !mono_before(now, sm->poll_due)) {
		sm->poll_open = true;
		ask_sminfo(sm, &sm->master, now, poll_answer, 0);
	}
	return false;
}

static uint8_t
our_state(const struct sm *sm)
{
	return sm->role == SM_MASTER	    ? SMI_MASTER
	       : sm->role == SM_STANDING_BY ? SMI_STANDBY
					    : SMI_DISCOVERING;
}

/* Set(SMInfo) that tells the old master that its hand-over arrived, with the
 * state of a standby, which opensm insists on. */
static void
acknowledge_handover(struct sm *sm, struct mono now, xact_done *done)
{
	struct mad_sm_info i = {
		.guid = sm->port_guid,
		.key = sm->cfg->fabric.sm_key,
		.priority = (uint8_t)sm->cfg->fabric.priority,
		.state = SMI_STANDBY,
	};
	struct xact_request r;

	memset(&r, 0, sizeof(r));
	r.method = MAD_SET;
	r.attr = MAD_SM_INFO;
	r.mod = ACKNOWLEDGE;
	r.target = sm->master.node_guid;
	r.hops = sm->master.hops;
	memcpy(r.path, sm->master.path, sizeof(r.path));
	mad_sm_info_encode(&i, r.data);
	xact_submit(sm->x, &r, now, done, sm, 0);
}

static void
ack_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	(void)cookie;
	(void)tag;
	if (res->outcome != XACT_OK)
		log_info("sm: the previous master did not accept the "
			 "acknowledgement");
}

static uint16_t
take_sminfo_set(struct sm *sm, uint32_t mod, const struct mad_sm_info *from,
	struct mono now)
{
	switch (mod) {
	case HANDOVER:
		if (sm->role != SM_STANDING_BY ||
			from->guid != sm->master.id.guid)
			return MAD_STATUS_FIELD;
		sm->handed_over = true;
		sm->master_heard = now;
		acknowledge_handover(sm, now, ack_done);
		return 0;
	case ACKNOWLEDGE:
	case STANDBY:
	case DISCOVER:
	case DISABLE:
		/*
		 * commands of a master to a standby, which only an
		 * authenticated master may give: without an SM_Key no SM is one
		 */
		log_warn("sm: refused SMInfo order=%u from guid=0x%016llx", mod,
			(unsigned long long)from->guid);
		return MAD_STATUS_FIELD;
	default:
		return MAD_STATUS_FIELD;
	}
}

void
master_sminfo(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	struct mad_sm_info i = {
		.guid = sm->port_guid,
		.key = sm->cfg->fabric.sm_key,
		.act_count = (uint32_t)(now.ns / 1000000),
		.priority = (uint8_t)sm->cfg->fabric.priority,
	};
	struct transport_msg out = *m;
	struct mad_sm_info from;
	struct smp r = *s;

	mad_sm_info_decode(s->data, &from);
	r.status = s->method == MAD_SET
			   ? take_sminfo_set(sm, s->mod, &from, now)
			   : 0;
	i.state = our_state(sm);
	r.method = MAD_GET_RESP;
	r.response = true;
	memset(r.data, 0, sizeof(r.data));
	mad_sm_info_encode(&i, r.data);
	out.error = 0;
	out.len = MAD_SIZE;
	smp_encode(&r, out.mad);
	(void)sm->t->send(sm->t, &out);
}
