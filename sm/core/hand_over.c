#include "sm/core/hand_over.h"

#include <stdio.h>
#include <string.h>

#include "sm/core/sm_priv.h"

enum {
	ANSWER_MS = 500,    /* for the answer to a HANDOVER, or to an ACK */
	TAKEN_MS = 2000,    /* until the other manager is master */
	POLL_MS = 50,	    /* meanwhile it is asked so often */
	AGAIN_MS = 60000,   /* not offered again to the same manager before */
	DISTRUST_MS = 1000, /* after an acknowledgement was refused */
};

/* ActCount of a hand-over. */
enum { NOTHING_IN_FLIGHT = 0 };

static void
send_order(struct sm *sm, const struct sm_peer *p, uint32_t order,
	struct mono now, xact_done *done)
{
	struct mad_sm_info i;
	struct xact_request r;

	peers_request(sm, p, peers_may_see_key(sm, p), now, &r);
	mad_sm_info_decode(r.data, &i);
	/* OpenSM wants these states with these orders */
	i.state = order == SMI_HANDOVER ? SMI_MASTER : SMI_STANDBY;
	if (order == SMI_HANDOVER)
		i.act_count = NOTHING_IN_FLIGHT;
	mad_sm_info_encode(&i, r.data);
	r.method = MAD_SET;
	r.mod = order;
	r.once = mono_ms(ANSWER_MS);
	xact_submit(sm->x, &r, now, done, sm, p->id.guid);
}

/* ---- giving ---- */

bool
hand_over_is_open(const struct sm *sm)
{
	return sm->hand_over.giving == GIVES_OFFERED;
}

/* The other manager took the offer, or says that it is master. */
static void
become_given(struct sm *sm, struct mono now)
{
	struct sm_peer p = sm->hand_over.to;

	if (sm->role != SM_MASTER || sm->hand_over.giving == GIVES_GIVEN)
		return;
	sm->hand_over.giving = GIVES_GIVEN;
	sm->hand_over.until = mono_add(now, mono_ms(TAKEN_MS));
	role_stand_by(sm, &p, ROLE_GAVE, now);
	timer_set(&sm->timers, TIMER_POLL, mono_add(now, mono_ms(POLL_MS)));
}

static void
take_offer_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	struct sm_peer *p;

	(void)tag;
	if (!hand_over_is_open(sm) || res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome == XACT_OK) {
		become_given(sm, res->now);
		return;
	}
	log_warn("sm: hand-over to 0x%016llx \"%s\" refused: %s",
		(unsigned long long)sm->hand_over.to.id.guid,
		sm->hand_over.to.id.name,
		res->outcome == XACT_STATUS ? mad_status_name(res->status)
					    : "no answer");
	p = peers_find(sm, sm->hand_over.to.id.guid);
	if (p != NULL)
		p->offer_after = mono_add(res->now, mono_ms(AGAIN_MS));
	sm->hand_over.giving = GIVES_NOTHING;
}

/* True if p may be given the fabric; any: whatever its priority. */
static bool
may_give(
	const struct sm *sm, const struct sm_peer *p, bool any, struct mono now)
{
	return p->id.answers && p->id.state == SMI_STANDBY &&
	       p->key == SM_KEY_SHARED && !mono_before(now, p->offer_after) &&
	       (any || (role_is_below(sm, p) &&
			       !mono_before(now, p->back_after)));
}

static const struct sm_peer *
best_standby(const struct sm *sm, bool any, struct mono now)
{
	const struct sm_peer *best = NULL;

	for (size_t i = 0; i < sm->peers.n; i++) {
		const struct sm_peer *p = &sm->peers.list[i];

		if (may_give(sm, p, any, now) &&
			(best == NULL || peers_outranks(p, best)))
			best = p;
	}
	return best;
}

/* Log once what keeps the fabric from a manager that outranks this one. */
static void
note_strangers(struct sm *sm)
{
	for (size_t i = 0; i < sm->peers.n; i++) {
		struct sm_peer *p = &sm->peers.list[i];

		if (p->noted || !p->id.answers || p->id.state != SMI_STANDBY ||
			p->key == SM_KEY_SHARED || !role_is_below(sm, p))
			continue;
		p->noted = true;
		log_warn("sm: standby 0x%016llx \"%s\" has priority %u, and "
			 "does not show the SM_Key of this manager: not handed "
			 "over to",
			(unsigned long long)p->id.guid, p->id.name,
			p->id.priority);
	}
}

bool
hand_over_idle(struct sm *sm, struct mono now)
{
	const struct sm_peer *p;

	if (hand_over_is_open(sm))
		return true;
	note_strangers(sm);
	p = best_standby(sm, sm->hand_over.resigning, now);
	if (p == NULL) {
		sm->hand_over.resigning = false;
		return false;
	}
	if (xact_pending(sm->x) > 0 || run_mcast_writing(sm))
		return sm->hand_over.resigning;
	log_info("sm: handing over to 0x%016llx \"%s\" priority=%u %s",
		(unsigned long long)p->id.guid, p->id.name, p->id.priority,
		sm->hand_over.resigning ? sm->hand_over.resign_why
					: "which outranks this manager");
	sm->hand_over.giving = GIVES_OFFERED;
	sm->hand_over.to = *p;
	send_order(sm, p, SMI_HANDOVER, now, take_offer_answer);
	return true;
}

bool
hand_over_resign(struct sm *sm, const char *why, struct mono now)
{
	sm->hand_over.resigning =
		sm->role == SM_MASTER && best_standby(sm, true, now) != NULL;
	(void)snprintf(sm->hand_over.resign_why,
		sizeof(sm->hand_over.resign_why), "%s", why);
	return sm->hand_over.resigning;
}

const struct sm_other *
hand_over_choice(const struct sm *sm, struct mono now, struct reason *why)
{
	const struct sm_peer *best = best_standby(sm, true, now);
	const struct sm_peer *other = NULL;

	if (sm->role != SM_MASTER) {
		(void)reason_set(why, "not the master of this fabric");
		return NULL;
	}
	if (best != NULL)
		return &best->id;
	for (size_t i = 0; i < sm->peers.n; i++)
		if (sm->peers.list[i].id.answers &&
			sm->peers.list[i].id.state == SMI_STANDBY)
			other = &sm->peers.list[i];
	if (other == NULL)
		(void)reason_set(why, "no standby was found in this fabric");
	else if (other->key != SM_KEY_SHARED)
		(void)reason_set(why,
			"standby 0x%016llx \"%s\" does not show the SM_Key of "
			"this manager",
			(unsigned long long)other->id.guid, other->id.name);
	else
		(void)reason_set(why,
			"standby 0x%016llx \"%s\" refused the fabric less than "
			"a minute ago",
			(unsigned long long)other->id.guid, other->id.name);
	return NULL;
}

bool
hand_over_is_pending(const struct sm *sm)
{
	return sm->hand_over.resigning &&
	       (sm->role == SM_MASTER || sm->hand_over.giving != GIVES_NOTHING);
}

/* The end of an offer that was taken. */
static void
end_offer(struct sm *sm, struct mono now)
{
	log_info("sm: handed over to 0x%016llx \"%s\"",
		(unsigned long long)sm->hand_over.to.id.guid,
		sm->hand_over.to.id.name);
	sm->hand_over.gave = sm->hand_over.to.id.guid;
	sm->hand_over.resigning = false;
	sm->hand_over.giving = GIVES_NOTHING;
	sm->mastership.missed = 0;
	timer_set(&sm->timers, TIMER_POLL,
		mono_add(now, sm->cfg->standby.poll_interval));
}

bool
hand_over_polled(struct sm *sm, struct mono now)
{
	struct sm_peer *p;

	if (sm->hand_over.giving != GIVES_GIVEN)
		return false;
	if (sm->mastership.master.id.answers &&
		sm->mastership.master.id.state == SMI_MASTER) {
		end_offer(sm, now);
		return true;
	}
	timer_set(&sm->timers, TIMER_POLL, mono_add(now, mono_ms(POLL_MS)));
	if (mono_before(now, sm->hand_over.until))
		return true;
	log_warn("sm: hand-over to 0x%016llx \"%s\" was answered, but it did "
		 "not become master",
		(unsigned long long)sm->hand_over.to.id.guid,
		sm->hand_over.to.id.name);
	p = peers_find(sm, sm->hand_over.to.id.guid);
	if (p != NULL)
		p->offer_after = mono_add(now, mono_ms(AGAIN_MS));
	sm->hand_over.giving = GIVES_NOTHING;
	sm->mastership.not_taken = sm->mastership.master.id.guid;
	return true;
}

uint16_t
hand_over_acknowledged(
	struct sm *sm, const struct mad_sm_info *from, struct mono now)
{
	if (!peers_key_fits(sm, from->key) || from->guid == 0)
		return MAD_STATUS_FIELD;
	if (sm->role == SM_STANDING_BY && sm->hand_over.gave == from->guid)
		return 0; /* our answer was lost */
	if (sm->hand_over.giving == GIVES_NOTHING ||
		sm->hand_over.to.id.guid != from->guid)
		return MAD_STATUS_FIELD;
	become_given(sm, now);
	end_offer(sm, now);
	return 0;
}

/* ---- taking ---- */

static void
forget_offered(struct sm *sm)
{
	sm->hand_over.taking = TAKES_NOTHING;
	sm->hand_over.offered = 0;
}

/* tag: the manager that was asked. */
static void
take_ack_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	struct hand_over *h = &sm->hand_over;

	if (h->taking != TAKES_ASKED || h->offered != tag)
		return; /* another master has come, or this one stands by */
	h->taking = TAKES_OFFERED;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome != XACT_OK) {
		log_warn("sm: a hand-over in the name of 0x%016llx was not "
			 "confirmed by it: ignored",
			(unsigned long long)h->offered);
		h->distrust_until = mono_add(res->now, mono_ms(DISTRUST_MS));
		forget_offered(sm);
		return;
	}
	if (sm->role == SM_MASTER) { /* two subnets met */
		forget_offered(sm);
		dirty_mark_full(sm, res->now, DIRTY_MASTERSHIP, NULL);
		return;
	}
	h->taking = TAKES_CONFIRMED;
	sm->mastership.heard = res->now;
}

/* Ask the manager in whose name the hand-over came whether it handed over. */
static void
ask_for_confirmation(struct sm *sm, const struct sm_peer *p, struct mono now)
{
	sm->hand_over.taking = TAKES_ASKED;
	send_order(sm, p, SMI_ACKNOWLEDGE, now, take_ack_answer);
}

bool
hand_over_confirm(struct sm *sm, struct mono now)
{
	struct sm_peer *p = sm->hand_over.taking == TAKES_OFFERED
				    ? peers_find(sm, sm->hand_over.offered)
				    : NULL;

	if (p == NULL)
		return sm->hand_over.taking == TAKES_ASKED;
	sm->mastership.master = *p;
	ask_for_confirmation(sm, p, now);
	return true;
}

uint16_t
hand_over_offered(
	struct sm *sm, const struct mad_sm_info *from, struct mono now)
{
	struct hand_over *h = &sm->hand_over;
	bool known = sm->role == SM_STANDING_BY
			     ? from->guid == sm->mastership.master.id.guid
			     : from->guid != 0 && from->guid != sm->port_guid;

	if (!known || from->state != SMI_MASTER ||
		!peers_key_fits(sm, from->key) || hand_over_is_open(sm) ||
		(sm->role == SM_MASTER && peers_find(sm, from->guid) == NULL))
		return MAD_STATUS_FIELD;
	if (h->offered == from->guid)
		return 0; /* repeated */
	if (mono_before(now, h->distrust_until) || h->taking == TAKES_ASKED)
		return MAD_STATUS_FIELD;
	h->offered = from->guid;
	h->taking = TAKES_OFFERED;
	h->nothing_in_flight = from->act_count == NOTHING_IN_FLIGHT;
	if (sm->role == SM_STANDING_BY)
		ask_for_confirmation(sm, &sm->mastership.master, now);
	else if (sm->role == SM_MASTER)
		ask_for_confirmation(sm, peers_find(sm, from->guid), now);
	return 0;
}

void
hand_over_reset(struct sm *sm)
{
	sm->hand_over.giving = GIVES_NOTHING;
	sm->hand_over.gave = 0;
	forget_offered(sm);
}

/* A manager that hands over has a reason: it does not get the fabric back at
 * once. */
void
hand_over_taken(struct sm *sm, struct mono now)
{
	struct sm_peer *p =
		sm->hand_over.taking == TAKES_CONFIRMED
			? peers_find(sm, sm->mastership.master.id.guid)
			: NULL;

	if (p != NULL)
		p->back_after = mono_add(now, mono_ms(AGAIN_MS));
	hand_over_reset(sm);
}
