/*
 * Silence. An answer that is late may never come, because a link on its way is
 * down whose trap has not arrived, or cannot: the scout looks. A port that it
 * finds down is one that changed: a probe that is under way looks at it at
 * once, otherwise its switch is probed next. Whatever was on its way beyond is
 * given up by then.
 *
 * A light sweep looks for who is silent; it is ended early when others wait.
 */
#include <stdio.h>

#include "sm/core/sm_priv.h"

enum { LIGHT_GIVES = 4 }; /* light sweeps in a row that are ended early */

static void
found(void *cookie, const uint8_t path[64], unsigned hops, struct mono now)
{
	struct sm *sm = cookie;
	uint8_t port = path[hops + 1];
	char cause[96];
	builder_id n;

	sm->stat.ways_lost++;
	if (!builder_node_at(sm->draft, path, hops, &n))
		return; /* no way of ours any more */
	if (sm->phase == SM_DISCOVER && sweep_hint(sm->sweep, n, port))
		return;
	if (sm->role != SM_MASTER)
		return;
	(void)snprintf(cause, sizeof(cause),
		"no answer from behind port %u of 0x%016llx", port,
		(unsigned long long)builder_guid(sm->draft, n));
	dirty_mark(sm, builder_guid(sm->draft, n), now, cause);
}

static void
late(void *cookie, const void *owner, const struct xact_request *r,
	struct mono now)
{
	struct sm *sm = cookie;

	/* At the first bring-up no way is lost: who is late is busy. */
	if (sm->view == NULL)
		return;
	/* whether our own cable is there is asked by light sweeps */
	path_probe_late(sm->scout, owner, r,
		builder_self_is_switch(sm->draft) ? 0 : 1, now);
}

void
late_answer_new(struct sm *sm)
{
	sm->scout = path_probe_new(sm->x, found, sm);
	xact_on_late(sm->x, late, sm);
}

void
late_answer_free(struct sm *sm)
{
	path_probe_free(sm->scout);
}

/* ---- light sweeps ---- */

/* The light sweep is over, or was ended: what did it find? */
void
late_answer_light_done(struct sm *sm, struct mono now)
{
	const uint64_t *guid;
	size_t n, i;
	bool whole = !sm->light_short;

	if (sweep_self_changed(sm->sweep))
		dirty_mark_full(sm, now, "our own port changed");
	/* who is no longer known cannot be asked: then all must be looked for
	 */
	if (whole && sweep_stats(sm->sweep)->smps + sm->view->nquarantine <
			     sm->view->topo->nsw)
		dirty_mark_full(sm, now, "light sweep: switches are missing");
	guid = sweep_suspects(sm->sweep, &n);
	for (i = 0; i < n; i++) {
		struct sm_quarantined *b = quarantine_find(sm, guid[i]);

		if (b == NULL || !mono_before(now, b->until))
			dirty_mark(sm, guid[i], now, "light sweep");
	}
	sweep_free(sm->sweep);
	sm->sweep = NULL;
	master_review(sm, now);
	run_pkeys_light(sm, now);
	drift_light(sm, now);
	if (whole)
		commit_light(sm, now); /* from its end: what it found is
					     first */
	else
		sm->light_due = now; /* as soon as that is seen to */
	sm->light_early_ends = whole ? 0 : sm->light_early_ends + 1;
	sm_enter(sm, SM_IDLE, now);
}

/*
 * A light sweep that waits only for who is silent does not hold up what is
 * known to have changed; not for ever, or a port that flaps would keep the
 * silent ones from being looked at.
 */
struct mono
late_answer_light_until(const struct sm *sm)
{
	if (sm->phase != SM_DISCOVER || sm->kind != SWEEP_LIGHT ||
		sm->light_early_ends >= LIGHT_GIVES || sweep_done(sm->sweep) ||
		(sm->dirty.due.ns == MONO_NEVER.ns &&
			!sweep_saw_change(sm->sweep)) ||
		!sweep_only_late(sm->sweep))
		return MONO_NEVER;
	return sweep_saw_change(sm->sweep) ? sm->phase_began : sm->dirty.due;
}
