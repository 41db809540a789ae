#include "sm/core/alarm.h"

#include <stdio.h>
#include <string.h>

#include "sm/core/sm_priv.h"

enum { REVIEW_MS = 1000 };

/* The text of each alarm of the core, empty for one that is off. */
static void
list_alarms(const struct sm *sm, const struct sm_status *s,
	const char *text[ALARM_CORE_KINDS])
{
	const char *const all[ALARM_CORE_KINDS] = {
		[ALARM_OWN_LINK] = s->own,
		[ALARM_RUN] = sm->stat.alarm,
		[ALARM_BLOCKED] = s->blocked,
		[ALARM_TAKEN] = s->taken,
		[ALARM_SM_KEY] = s->sm_key,
		[ALARM_MASTERS] = s->masters,
		[ALARM_DRIFT] = s->rival,
		[ALARM_PORT] = s->flaw,
		[ALARM_SETTINGS] = s->settings,
		[ALARM_M_KEYS] = s->m_keys.alarm,
		[ALARM_ADAPTIVE] = s->adaptive,
		[ALARM_MULTICAST] = run_mcast_alarm(sm),
		[ALARM_NAMES] = s->names,
		[ALARM_P_KEYS] = s->keys,
		[ALARM_VLS] = s->shortage,
		[ALARM_DRAINS] = s->drained,
	};

	memcpy(text, all, sizeof(all));
}

void
alarm_join(const struct sm *sm, struct sm_status *to)
{
	const char *text[ALARM_CORE_KINDS];
	size_t n = 0, size = sizeof(to->alarm);
	char *out = to->alarm;

	list_alarms(sm, to, text);
	to->alarms = 0;
	for (unsigned i = 0; i < ALARM_CORE_KINDS; i++) {
		if (text[i][0] == '\0')
			continue;
		to->alarms |= 1U << i;
		if (n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
				n > 0 ? "; " : "", text[i]);
	}
}

static struct mono
next_review(const struct sm *sm)
{
	return mono_add(sm->alarms.reviewed, mono_ms(REVIEW_MS));
}

bool
alarm_is_due(struct sm *sm, struct mono now)
{
	sm->alarms.waiting =
		(sm->phase != SM_IDLE && sm->phase != SM_STANDBY) ||
		mono_before(now, next_review(sm));
	return !sm->alarms.waiting;
}

struct mono
alarm_next(const struct sm *sm)
{
	return sm->alarms.waiting ? next_review(sm) : MONO_NEVER;
}

void
alarm_review(struct sm *sm, const struct sm_status *is, struct mono now)
{
	struct alarm_state *a = &sm->alarms;
	const char *text[ALARM_CORE_KINDS];

	a->reviewed = now;
	list_alarms(sm, is, text);
	for (unsigned i = 0; i < ALARM_CORE_KINDS; i++) {
		bool on = text[i][0] != '\0';
		struct event e = {
			.kind = on ? EVENT_ALARM_ON : EVENT_ALARM_OFF};

		if (on == a->on[i])
			continue;
		event_text(
			&e, "alarm", alarm_kind_row((enum alarm_kind)i)->name);
		if (on)
			event_text(&e, "text", text[i]);
		else
			event_seconds(&e, "lasted",
				mono_seconds(mono_sub(now, a->since[i])));
		a->on[i] = on;
		a->since[i] = now;
		events_tell(sm, &e, now);
	}
}
