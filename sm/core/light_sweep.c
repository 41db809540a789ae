#include "sm/core/light_sweep.h"

#include "sm/core/sm_priv.h"

enum { LIGHT_GIVES = 4 }; /* light sweeps in a row that are ended early */

void
light_sweep_schedule(struct sm *sm, struct mono now)
{
	const struct mono interval = sm->cfg->sweep.interval;

	timer_set(&sm->timers, TIMER_LIGHT,
		interval.ns > 0 ? mono_add(now, interval) : MONO_NEVER);
}

bool
light_sweep_is_overdue(const struct sm *sm, struct mono now)
{
	return timer_is_set(&sm->timers, TIMER_LIGHT) &&
	       !mono_before(now, mono_add(timer_due(&sm->timers, TIMER_LIGHT),
					 sm->cfg->sweep.interval));
}

void
light_sweep_start(struct sm *sm, struct mono now)
{
	sm->traps.stranger_next = mono_add(now, mono_ms(STRANGER_MS));
	if (sm->view->topo->nsw == 0) {
		run_pkeys_light(sm, now);
		light_sweep_schedule(sm, now);
		dirty_mark_full(sm, now, DIRTY_LIGHT, NULL);
		return;
	}
	run_state_begin(sm, now, SWEEP_LIGHT);
	sm->run.cut_short = false;
	sm->stat.sweeps_light++;
	run_sweep_start(sm, now, SWEEP_LIGHT);
}

/* The light sweep is over, or was ended early: mark what it found. */
void
light_sweep_end(struct sm *sm, struct mono now)
{
	const uint64_t *guid;
	size_t n, i;
	bool whole = !sm->run.cut_short;

	if (sweep_self_changed(sm->run.sweep))
		dirty_mark_full(sm, now, DIRTY_OWN_PORT, NULL);
	/* a switch that the builder no longer has cannot be asked: only a full
	 * sweep finds it */
	if (whole && sweep_stats(sm->run.sweep)->smps + sm->view->nquarantine <
			     sm->view->topo->nsw)
		dirty_mark_full(sm, now, DIRTY_MISSING, NULL);
	guid = sweep_suspects(sm->run.sweep, &n);
	for (i = 0; i < n; i++) {
		struct sm_quarantined *b = quarantine_find(sm, guid[i]);

		if (b == NULL || !mono_before(now, b->until))
			dirty_mark(sm, guid[i], now, DIRTY_LIGHT, NULL);
	}
	sweep_free(sm->run.sweep);
	sm->run.sweep = NULL;
	master_review(sm, now);
	run_pkeys_light(sm, now);
	drift_light(sm, now);
	if (whole)
		light_sweep_schedule(sm, now); /* what it found comes first */
	else
		/* once what is dirty has been handled */
		timer_set(&sm->timers, TIMER_LIGHT, now);
	sm->dirty.cut_short = whole ? 0 : sm->dirty.cut_short + 1;
	phase_enter(sm, SM_IDLE, now);
}

/*
 * A light sweep that waits only for silent switches does not hold up what is
 * known to have changed. Not for ever, or a port that flaps would keep the
 * silent switches from being found.
 */
struct mono
light_sweep_until(const struct sm *sm)
{
	if (sm->phase != SM_DISCOVER || sm->run.kind != SWEEP_LIGHT ||
		sm->dirty.cut_short >= LIGHT_GIVES ||
		sweep_done(sm->run.sweep) ||
		(!timer_is_set(&sm->timers, TIMER_RUN) &&
			!sweep_saw_change(sm->run.sweep)) ||
		!sweep_only_late(sm->run.sweep))
		return MONO_NEVER;
	return sweep_saw_change(sm->run.sweep)
		       ? sm->run.phase_began
		       : timer_due(&sm->timers, TIMER_RUN);
}
