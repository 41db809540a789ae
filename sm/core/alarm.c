#include "sm/core/alarm.h"

#include <stdio.h>
#include <string.h>

#include "sm/core/sm_priv.h"

enum { REVIEW_MS = 1000 };

struct alarm_text {
	const char *name, *text;
};

static void
list_alarms(const struct sm *sm, const struct sm_status *s,
	struct alarm_text out[ALARMS])
{
	const struct alarm_text all[ALARMS] = {
		{"own-link", s->own},
		{"run", sm->stat.alarm},
		{"blocked", s->blocked},
		{"taken", s->taken},
		{"sm-key", s->sm_key},
		{"masters", s->masters},
		{"drift", s->rival},
		{"port", s->flaw},
		{"settings", s->settings},
		{"m-keys", s->m_keys.alarm},
		{"adaptive", s->adaptive},
		{"multicast", run_mcast_alarm(sm)},
		{"names", s->names},
		{"p-keys", s->keys},
		{"vls", s->shortage},
		{"drains", s->drained},
	};

	memcpy(out, all, sizeof(all));
}

void
alarm_join(const struct sm *sm, struct sm_status *to)
{
	struct alarm_text all[ALARMS];
	size_t n = 0, size = sizeof(to->alarm);
	char *out = to->alarm;

	list_alarms(sm, to, all);
	for (size_t i = 0; i < ALARMS; i++)
		if (all[i].text[0] != '\0' && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
				n > 0 ? "; " : "", all[i].text);
}

bool
alarm_is_due(const struct sm *sm, struct mono now)
{
	return (sm->phase == SM_IDLE || sm->phase == SM_STANDBY) &&
	       !mono_before(
		       now, mono_add(sm->alarms.reviewed, mono_ms(REVIEW_MS)));
}

void
alarm_review(struct sm *sm, const struct sm_status *is, struct mono now)
{
	struct alarm_state *a = &sm->alarms;
	struct alarm_text all[ALARMS];

	a->reviewed = now;
	list_alarms(sm, is, all);
	for (size_t i = 0; i < ALARMS; i++) {
		bool on = all[i].text[0] != '\0';
		struct event e = {
			.kind = on ? EVENT_ALARM_ON : EVENT_ALARM_OFF};

		if (on == a->on[i])
			continue;
		event_text(&e, "alarm", all[i].name);
		if (on)
			event_text(&e, "text", all[i].text);
		else
			event_seconds(&e, "lasted",
				mono_seconds(mono_sub(now, a->since[i])));
		a->on[i] = on;
		a->since[i] = now;
		events_tell(sm, &e, now);
	}
}
