/* What waits for the next run. Events only mark; run.c makes a run of the marks
 * when the hold-down is over. */
#include <stdio.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

static void
dirty_add(struct sm *sm, struct mono now, const char *cause)
{
	struct sm_dirty *d = &sm->dirty;
	size_t n = strlen(d->cause);

	d->patient = false;
	if (d->due.ns == MONO_NEVER.ns) {
		d->due = mono_add(now, sm->cfg->sweep.hold_down);
		d->since = now;
	}
	if (cause != NULL && strstr(d->cause, cause) == NULL &&
		n + strlen(cause) + 3 < sizeof(d->cause))
		(void)snprintf(d->cause + n, sizeof(d->cause) - n, "%s%s",
			n > 0 ? "; " : "", cause);
}

static void
add_suspect(struct sm_dirty *d, uint64_t guid, bool told)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->who[i].guid == guid) {
			d->who[i].told &= told;
			return;
		}
	d->who = mem_grow(d->who, d->n, &d->cap, sizeof(*d->who));
	d->who[d->n++] = (struct sm_suspect){guid, told};
}

void
dirty_mark(struct sm *sm, uint64_t guid, struct mono now, const char *cause)
{
	dirty_add(sm, now, cause);
	add_suspect(&sm->dirty, guid, false);
}

void
dirty_mark_reported(
	struct sm *sm, uint64_t guid, struct mono now, const char *cause)
{
	dirty_add(sm, now, cause);
	add_suspect(&sm->dirty, guid, true);
}

void
dirty_mark_known(
	struct sm *sm, uint64_t guid, struct mono now, const char *cause)
{
	bool patient = sm->dirty.patient || sm->dirty.due.ns == MONO_NEVER.ns;

	dirty_mark_reported(sm, guid, now, cause);
	sm->dirty.patient = patient;
}

void
dirty_mark_full(struct sm *sm, struct mono now, const char *cause)
{
	sm->dirty.full = true;
	dirty_add(sm, now, cause);
}

void
dirty_mark_replan(struct sm *sm, struct mono now, const char *cause)
{
	sm->dirty.replan = true;
	dirty_add(sm, now, cause);
}
