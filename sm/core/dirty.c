#include "sm/core/dirty.h"

#include <stdio.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

static const char *const texts[DIRTY_CAUSES] = {
	[DIRTY_START] = "start",
	[DIRTY_REQUEST] = "sweep requested",
	[DIRTY_CONFIG] = "configuration changed",
	[DIRTY_DRAIN] = "drained",
	[DIRTY_REBALANCE] = "rebalance requested",
	[DIRTY_RENAMED] = "partition members were renamed",
	[DIRTY_TRAP] = "trap",
	[DIRTY_NO_ANSWER] = "no answer from behind a link",
	[DIRTY_LIGHT] = "light sweep",
	[DIRTY_MISSING] = "light sweep: switches are missing",
	[DIRTY_OWN_PORT] = "our own port changed",
	[DIRTY_SILENT] = "switches do not answer",
	[DIRTY_NOT_UP] = "ports not yet up, or settings not kept",
	[DIRTY_HALF_DOWN] = "one end of a link went down",
	[DIRTY_FAILED_RUN] = "retry after a failed run",
	[DIRTY_MASTERSHIP] = "hand-over from another master",
	[DIRTY_SECOND_MASTER] = "another manager is master as well",
	[DIRTY_BLOCKED] = "dependencies are still blocked",
	[DIRTY_LEFT_BLOCKED] =
		"dependencies left blocked by another subnet manager",
	[DIRTY_LOST] = "a switch lost its tables",
	[DIRTY_TABLES] = ("tables were modified by something other than this "
			  "daemon"),
	[DIRTY_PORTS] = ("ports were modified by something other than this "
			 "daemon"),
	[DIRTY_PKEYS] = "P_Key tables were modified",
	[DIRTY_GUIDS] = "alias GUIDs were assigned",
	[DIRTY_LATE_COPY] = "a delayed copy of an old table arrived",
	[DIRTY_NOT_HELD] = "tables are not as acknowledged",
	[DIRTY_MCAST] = "multicast table not written",
	[DIRTY_M_KEY] = "M_Key or its protection is not as written",
	[DIRTY_UNLOCKED] = "an M_Key may be known now",
	[DIRTY_RELAYERED] = ("no path is given out any more that needs what is "
			     "blocked"),
	[DIRTY_ADAPTIVE] = "adaptive groups are not complete",
};

static void
add_text(struct sm_dirty *d, const char *text)
{
	size_t n = strlen(d->text);

	if (strstr(d->text, text) == NULL &&
		n + strlen(text) + 3 < sizeof(d->text))
		(void)snprintf(d->text + n, sizeof(d->text) - n, "%s%s",
			n > 0 ? "; " : "", text);
}

static void
dirty_add(struct sm *sm, struct mono now, enum dirty_cause cause,
	const char *text)
{
	struct sm_dirty *d = &sm->dirty;

	d->patient = false;
	d->causes |= 1U << cause;
	if (!timer_is_set(&sm->timers, TIMER_RUN)) {
		timer_set(&sm->timers, TIMER_RUN,
			mono_add(now, sm->cfg->sweep.hold_down));
		d->since = now;
	}
	add_text(d, text != NULL ? text : texts[cause]);
}

static void
add_suspect(struct sm_dirty *d, uint64_t guid, bool told)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->suspect[i].guid == guid) {
			d->suspect[i].told &= told;
			return;
		}
	d->suspect = mem_grow(d->suspect, d->n, &d->cap, sizeof(*d->suspect));
	d->suspect[d->n++] = (struct sm_suspect){guid, told};
}

void
dirty_mark(struct sm *sm, uint64_t guid, struct mono now,
	enum dirty_cause cause, const char *text)
{
	dirty_add(sm, now, cause, text);
	add_suspect(&sm->dirty, guid, false);
}

void
dirty_mark_reported(
	struct sm *sm, uint64_t guid, struct mono now, const char *text)
{
	dirty_add(sm, now, DIRTY_TRAP, text);
	add_suspect(&sm->dirty, guid, true);
}

void
dirty_mark_known(
	struct sm *sm, uint64_t guid, struct mono now, const char *text)
{
	bool patient =
		sm->dirty.patient || !timer_is_set(&sm->timers, TIMER_RUN);

	dirty_mark_reported(sm, guid, now, text);
	sm->dirty.patient = patient;
}

void
dirty_mark_full(struct sm *sm, struct mono now, enum dirty_cause cause,
	const char *text)
{
	sm->dirty.full = true;
	dirty_add(sm, now, cause, text);
}

void
dirty_mark_replan(struct sm *sm, struct mono now, enum dirty_cause cause,
	const char *text)
{
	sm->dirty.replan = true;
	dirty_add(sm, now, cause, text);
}

static void
clear_marks(struct sm *sm)
{
	struct sm_dirty *d = &sm->dirty;

	d->causes = 0;
	d->full = d->replan = false;
	d->n = 0;
	d->text[0] = '\0';
	timer_stop(&sm->timers, TIMER_RUN);
}

void
dirty_take(struct sm *sm)
{
	struct sm_dirty *d = &sm->dirty;

	sm->dirty.unfinished |= d->causes;
	(void)snprintf(
		sm->run.cause_text, sizeof(sm->run.cause_text), "%s", d->text);
	sm->dirty.is_all &= !d->full && !d->replan;
	clear_marks(sm);
}

void
dirty_forget(struct sm *sm)
{
	sm->dirty.unfinished =
		(sm->dirty.unfinished | sm->dirty.causes) & 1U << DIRTY_CONFIG;
	clear_marks(sm);
}
