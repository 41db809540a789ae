#include "sm/core/idle.h"

#include "sm/core/sm_priv.h"

bool
idle_step(struct sm *sm, struct mono now)
{
	bool master = sm->role == SM_MASTER;

	if (master && master_between_runs(sm, now))
		return true;
	if (master && (sm->mastership.paused || hand_over_idle(sm, now)))
		return false;
	if (master && timer_is_due(&sm->timers, TIMER_RETRY, now)) {
		timer_stop(&sm->timers, TIMER_RETRY);
		retry_mark(sm, now);
	}
	if (master && light_sweep_is_overdue(sm, now)) {
		light_sweep_start(sm, now);
		return true;
	}
	if (timer_is_due(&sm->timers, TIMER_RUN, now) &&
		!in_flight_expects_sets(sm, now)) {
		run_start(sm, now);
		return true;
	}
	if (!master)
		return false;
	if (timer_is_due(&sm->timers, TIMER_CHECK, now))
		return run_check_begin(sm, now);
	if (timer_is_due(&sm->timers, TIMER_NAMES, now)) {
		timer_stop(&sm->timers, TIMER_NAMES);
		run_sa_reregister(sm, now);
		sm->run.sweep =
			sweep_new(SWEEP_NAMES, sm->builder, sm->x, NULL, 0);
		phase_enter(sm, SM_NAMES, now);
		return true;
	}
	if (timer_is_due(&sm->timers, TIMER_LIGHT, now)) {
		light_sweep_start(sm, now);
		return true;
	}
	return false;
}
