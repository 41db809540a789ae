#include "sm/core/poll.h"

#include <stdio.h>

#include "sm/core/sm_priv.h"

/* The master shows a key that is not ours, although it was shown ours. */
static void
watch_key(struct sm *sm)
{
	const struct sm_other *m = &sm->mastership.master.id;

	if (sm->mastership.master.key != SM_KEY_OTHER ||
		m->state != SMI_MASTER) {
		sm->stat.sm_key[0] = '\0';
		return;
	}
	(void)snprintf(sm->stat.sm_key, sizeof(sm->stat.sm_key),
		"the master 0x%016llx \"%s\" does not show the SM_Key of this "
		"manager (fabric.sm_key): standing by, neither will hand over "
		"to the other",
		(unsigned long long)m->guid, m->name);
}

static void
poll_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	uint32_t before = sm->mastership.master.act_count;

	(void)tag;
	sm->mastership.poll_open = false;
	if (sm->role != SM_STANDING_BY)
		return;
	peers_take(sm, &sm->mastership.master, res);
	watch_key(sm);
	if (hand_over_polled(sm, res->now))
		return;
	if (!sm->mastership.master.id.answers ||
		sm->mastership.master.act_count == before ||
		sm->mastership.master.id.state == SMI_NOT_ACTIVE ||
		sm->mastership.master.id.state == SMI_STANDBY)
		sm->mastership.missed++;
	else
		sm->mastership.missed = 0;
	if (sm->mastership.missed == 0)
		sm->mastership.heard = res->now;
	shared_drains_ask(sm, res->now);
}

static void
leave_standby(struct sm *sm, struct mono now, const char *cause)
{
	log_warn("sm: leaving standby: %s", cause);
	standby_end(sm, now);
	shared_drains_reset(sm);
	if (sm->hand_over.taking != TAKES_CONFIRMED ||
		!sm->hand_over.nothing_in_flight)
		in_flight_inherit(sm, sm->mastership.heard);
	sm->role = SM_DISCOVERING;
	wire_configure(sm);
	sm->stat.sm_key[0] = '\0';
	dirty_mark_full(sm, now, DIRTY_MASTERSHIP, cause);
	timer_set(&sm->timers, TIMER_RUN, now);
	if (!take_over_begin(sm, now))
		phase_enter(sm, SM_IDLE, now);
}

bool
poll_step(struct sm *sm, struct mono now)
{
	if (sm->hand_over.taking == TAKES_CONFIRMED) {
		if (shared_drains_is_reading(sm))
			return false;
		leave_standby(sm, now, "hand-over from the previous master");
		return true;
	}
	if (sm->mastership.not_taken != 0) {
		leave_standby(sm, now, "the hand-over was not taken up");
		return true;
	}
	if (sm->mastership.missed >= sm->cfg->standby.missed_polls) {
		leave_standby(sm, now, "the master does not answer");
		return true;
	}
	if (!sm->mastership.poll_open &&
		!mono_before(now, timer_due(&sm->timers, TIMER_POLL))) {
		sm->mastership.poll_open = true;
		timer_set(&sm->timers, TIMER_POLL,
			mono_add(now, sm->cfg->standby.poll_interval));
		peers_ask(
			sm, &sm->mastership.master, true, now, poll_answer, 0);
	}
	standby_step(sm, now);
	return false;
}
