#include "sm/core/role.h"

#include <stdio.h>
#include <string.h>

#include "sm/core/sm_priv.h"

bool
role_is_below(const struct sm *sm, const struct sm_peer *p)
{
	uint8_t ours = (uint8_t)sm->cfg->fabric.priority;

	return p->id.priority > ours ||
	       (p->id.priority == ours && p->id.guid < sm->port_guid);
}

/*
 * The fabric was this manager's, and it has not given it away. That is an alarm
 * unless the other one is known: it shares a secret key, or the two have stood
 * by for each other before.
 */
static void
raise_taken(struct sm *sm, const struct sm_peer *p)
{
	if (map_get(&sm->peers.key_shown, p->id.guid, NULL) ||
		map_get(&sm->peers.once_master, p->id.guid, NULL))
		return;
	(void)snprintf(sm->stat.taken, sizeof(sm->stat.taken),
		"another subnet manager took the fabric from this one: "
		"0x%016llx \"%s\" priority %u; if it should not run, stop it; "
		"if it should, reload this daemon",
		(unsigned long long)p->id.guid, p->id.name, p->id.priority);
}

static void
tell_standby(struct sm *sm, const struct sm_peer *p, const char *why,
	struct mono now)
{
	struct event e = {.kind = EVENT_STANDBY};
	struct event_end master = {.guid = p->id.guid};

	memcpy(master.name, p->id.name, sizeof(master.name));
	event_end(&e, "master", &master);
	event_text(&e, "why", why);
	events_tell(sm, &e, now);
}

void
role_stand_by(struct sm *sm, const struct sm_peer *p, enum role_cause cause,
	struct mono now)
{
	bool was_master = sm->role == SM_MASTER;
	char why[256];

	run_sa_lost(sm, now);
	sm->mastership.master = *p;
	sm->role = SM_STANDING_BY;
	sm->reign.stood_by = true;
	sm->reign.tables = TABLES_OURS;
	sm->reign.elected = false;
	/* of a former reign */
	sm->stat.alarm[0] = sm->stat.blocked[0] = sm->stat.names[0] = '\0';
	sm->stat.keys[0] = sm->stat.shortage[0] = sm->stat.drained[0] = '\0';
	sm->stat.adaptive[0] = '\0';
	health_drain_lost(sm);
	drift_reset(sm);
	dirty_forget(sm);
	run_settings_reset(sm);
	m_keys_reset(sm);
	sm->mastership.missed = 0;
	sm->mastership.heard = now;
	sm->hand_over.taking = TAKES_NOTHING;
	sm->mastership.paused = false;
	sm->hand_over.offered = sm->mastership.not_taken =
		sm->mastership.yield_to = 0;
	timer_set(&sm->timers, TIMER_POLL,
		mono_add(now, sm->cfg->standby.poll_interval));
	if (was_master && cause != ROLE_GAVE)
		raise_taken(sm, p);
	else
		map_put(&sm->peers.once_master, p->id.guid, 0);
	(void)snprintf(why, sizeof(why),
		"%s: guid=0x%016llx name=\"%s\" "
		"priority=%u state=%s; standing by, nothing is written",
		cause == ROLE_GAVE ? "the fabric is handed over"
				   : "another subnet manager is master",
		(unsigned long long)p->id.guid, p->id.name, p->id.priority,
		p->id.state == SMI_MASTER ? "MASTER"
		: cause == ROLE_GAVE	  ? "STANDBY"
					  : "higher priority");
	tell_standby(sm, p, why, now);
	wire_configure(sm);
	shared_drains_reset(sm);
	shared_drains_ask(sm, now);
	standby_begin(sm, now);
	phase_enter(sm, SM_STANDBY, now);
	sm->ops->stood_by(sm->ops->cookie, why);
}
