#include "sm/core/master.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/core/sm_priv.h"

/* A timer of the master that is served so late: the daemon was stopped, and
 * another manager may have taken over. */
enum { PAUSE_MS = 1000 };

/* True if p keeps us from being master. */
static bool
is_outranked_by(const struct sm *sm, const struct sm_peer *p)
{
	if (!p->id.answers || p->id.state == SMI_NOT_ACTIVE)
		return false;
	if (sm->role == SM_MASTER) /* two subnets met: the higher one stays */
		return p->id.state == SMI_MASTER && role_is_below(sm, p) &&
		       p->key == SM_KEY_SHARED &&
		       sm->hand_over.offered != p->id.guid;
	if (sm->hand_over.taking == TAKES_CONFIRMED &&
		p->id.guid == sm->mastership.master.id.guid)
		return false;
	if (p->id.state == SMI_MASTER)
		return true;
	return role_is_below(sm, p) &&
	       sm->hand_over.taking != TAKES_CONFIRMED &&
	       p->key != SM_KEY_OTHER && p->id.guid != sm->mastership.not_taken;
}

/* ---- asking the others ---- */

/*
 * A manager that this one outranks is master too: subnets have met, or this
 * daemon was stopped and the other one took over. What it wrote is read anew,
 * as after a take-over; it is no drift.
 */
static void
meet_second_master(struct sm *sm, struct sm_peer *p, struct mono now)
{
	bool is_master = p->id.answers && p->id.state == SMI_MASTER;

	if (is_master && !p->met && p->key == SM_KEY_SHARED &&
		!is_outranked_by(sm, p)) {
		sm->reign.retake = true;
		dirty_mark_full(sm, now, DIRTY_SECOND_MASTER, NULL);
		timer_set(&sm->timers, TIMER_RUN, now);
	}
	p->met = is_master;
}

static void
elect_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	struct sm_peer *p = peers_answered(sm, tag, res);

	if (p != NULL && sm->role == SM_MASTER)
		meet_second_master(sm, p, res->now);
}

bool
master_begin(struct sm *sm, struct mono now)
{
	peers_list(sm, now);
	peers_ask_all(sm, now, elect_answer);
	return sm->peers.n > 0;
}

/* As a master: an answer of an SM that outranks us and is master itself makes
 * us a standby before the next run begins. */
static void
review_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	struct sm_peer *p = peers_answered(sm, tag, res);

	if (p == NULL || sm->role != SM_MASTER)
		return;
	meet_second_master(sm, p, res->now);
	if (is_outranked_by(sm, p)) {
		sm->mastership.yield_to = p->id.guid;
		if (sm->phase != SM_IDLE) {
			dirty_mark_full(sm, res->now, DIRTY_SECOND_MASTER,
				"another master");
			timer_set(&sm->timers, TIMER_RUN, res->now);
		}
	} else if (p->id.answers && p->id.state == SMI_MASTER) {
		drift_other_master(sm, p, res->now);
	}
}

void
master_review(struct sm *sm, struct mono now)
{
	if (sm->peers.asked > 0)
		return;
	peers_name(sm);
	drift_review(sm);
	peers_ask_all(sm, now, review_answer);
}

void
master_look(struct sm *sm, uint64_t guid, struct mono now)
{
	struct sm_peer *p = peers_find(sm, guid);

	if (p != NULL && sm->role == SM_MASTER)
		peers_look(sm, p, now, review_answer);
}

void
master_paused(struct sm *sm, struct mono due, struct mono now)
{
	if (sm->role != SM_MASTER || sm->peers.n == 0 ||
		due.ns == MONO_NEVER.ns || due.ns == 0 ||
		mono_before(now, mono_add(due, mono_ms(PAUSE_MS))))
		return;
	log_warn("sm: stopped for %.1f s: another manager may be master",
		mono_seconds(mono_sub(now, due)));
	sm->mastership.paused = true;
	master_review(sm, now);
}

bool
master_between_runs(struct sm *sm, struct mono now)
{
	struct sm_peer *p = peers_find(sm, sm->mastership.yield_to);

	sm->mastership.paused &= sm->peers.asked > 0;
	sm->mastership.yield_to = 0;
	if (p != NULL && is_outranked_by(sm, p)) {
		struct sm_peer other = *p;

		hand_over_reset(sm);
		role_stand_by(sm, &other, ROLE_OUTRANKED, now);
		return true;
	}
	return false;
}

/* ---- election ---- */

bool
master_elect(struct sm *sm, struct mono now)
{
	const struct sm_peer *best = NULL;
	size_t i;

	if (sm->peers.asked > 0 || hand_over_confirm(sm, now))
		return false;
	for (i = 0; i < sm->peers.n; i++) {
		const struct sm_peer *p = &sm->peers.list[i];

		if (is_outranked_by(sm, p) &&
			(best == NULL || p->id.state == SMI_MASTER))
			best = p;
	}
	if (best != NULL) {
		struct sm_peer other = *best;

		hand_over_reset(sm);
		role_stand_by(sm, &other, ROLE_OUTRANKED, now);
	}
	return true;
}

bool
master_step(struct sm *sm, struct mono now)
{
	if (!master_elect(sm, now))
		return false;
	if (sm->phase == SM_ELECT)
		phase_enter(sm, SM_TAKE, now);
	return true;
}

void
master_become(struct sm *sm, struct mono now)
{
	struct event e = {.kind = EVENT_MASTER};

	event_number(&e, "nodes", sm->run.topo->nnodes);
	event_number(&e, "switches", sm->run.topo->nsw);
	events_tell(sm, &e, now);
	sm->role = SM_MASTER;
	sm->reign.tables = TABLES_ELECTED;
	sm->reign.from_other = sm->mastership.master.id.guid != 0;
	sm->reign.clean = sm->hand_over.taking == TAKES_CONFIRMED;
	sm->reign.elected = false;
	hand_over_taken(sm, now);
	sm->mastership.not_taken = 0;
	sm->stat.taken[0] = '\0';
	sm->mastership.master = (struct sm_peer){0};
}

/* ---- requests of others ---- */

static uint16_t
take_sminfo_set(struct sm *sm, uint32_t mod, const struct mad_sm_info *from,
	struct mono now)
{
	uint16_t status = MAD_STATUS_FIELD;
	unsigned n;

	if (mod == SMI_HANDOVER)
		status = hand_over_offered(sm, from, now);
	else if (mod == SMI_ACKNOWLEDGE)
		status = hand_over_acknowledged(sm, from, now);
	/* STANDBY, DISCOVER and DISABLE are refused: a master could stop every
	 * standby by them */
	if (status != 0 && log_allowed(&sm->traps.noise, 5, now, &n))
		log_warn("sm: refused SMInfo order=%u from guid=0x%016llx "
			 "suppressed=%u",
			mod, (unsigned long long)from->guid, n);
	return status;
}

/*
 * A manager has sent a request from its own port: one that says that it is
 * master, or that is not what it was when it was asked last, is asked at once.
 */
static void
hear_peer(struct sm *sm, uint64_t sender, const struct mad_sm_info *from,
	struct mono now)
{
	struct sm_peer *p;
	bool news;

	if (sm->role != SM_MASTER || hand_over_is_open(sm) || sender == 0 ||
		sender == sm->port_guid ||
		(from->guid != 0 && from->guid != sender))
		return;
	p = peers_find(sm, sender);
	if (p == NULL && from->guid != 0)
		p = peers_add(sm, sender, now);
	if (p == NULL)
		return;
	news = from->guid != 0
		       ? from->state == SMI_MASTER ||
				 from->state != p->id.state || !p->id.answers
		       : p->id.state != SMI_STANDBY;
	if (news || (p->key != SM_KEY_SHARED && peers_may_see_key(sm, p)))
		peers_look(sm, p, now, review_answer);
}

void
master_sminfo(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	uint64_t sender = peers_sender(sm, m, s);
	uint64_t ours = sm->cfg->fabric.sm_key;
	struct transport_msg out = *m;
	struct mad_sm_info from, i;
	struct smp r = *s;

	mad_sm_info_decode(s->data, &from);
	peers_note_key(sm, from.guid, from.key);
	r.status = s->method == MAD_SET
			   ? take_sminfo_set(sm, s->mod, &from, now)
			   : 0;
	peers_say(sm,
		from.key == ours || map_get(&sm->peers.key_shown, sender, NULL),
		now, &i);
	r.method = MAD_GET_RESP;
	r.response = true;
	memset(r.data, 0, sizeof(r.data));
	mad_sm_info_encode(&i, r.data);
	if (s->method == MAD_GET && peers_key_fits(sm, from.key))
		shared_drains_say(sm, s->mod, now, r.data);
	out.error = 0;
	out.len = MAD_SIZE;
	smp_encode(&r, out.mad);
	(void)sm->t->send(sm->t, &out);
	hear_peer(sm, sender, &from, now);
	if (sender != 0 && sender == sm->mastership.master.id.guid)
		shared_drains_ask(sm, now);
}
