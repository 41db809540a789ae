/*
 * timers: the times at which the core has something to do. One table: a module
 * sets its timer, or stops it, and nothing else; sm.c looks at the table to
 * know when the next one is due, and calls those who set them. A timer that is
 * due stays due until it is set anew or stopped. Which of them count in which
 * phase is in the table of sm.c.
 */
#ifndef HEDDLE_SM_CORE_TIMERS_H
#define HEDDLE_SM_CORE_TIMERS_H

#include <stdbool.h>

#include "sm/base/clock.h"

enum timer {
	TIMER_STEP,  /* a phase was entered, or goes on in a tick of its own */
	TIMER_RUN,   /* hold-down: what is dirty becomes a run */
	TIMER_RETRY, /* ports that are not as they should be */
	TIMER_CHECK, /* what was written, a while after the push */
	TIMER_NAMES, /* of nodes that are new */
	TIMER_LIGHT, /* light sweep */
	TIMER_POLL,  /* of the master, by a standby */
	TIMER_READ,  /* of the fabric, by a standby */
	TIMER_SAVE,  /* of the state */
	TIMER_UNBLOCK, /* a plan for pairs that others left blocked */
	TIMER_LEASE,   /* leases of M_Keys */
	TIMER_MCAST,   /* a cycle of multicast tables */
	TIMERS
};

struct timers {
	struct mono due[TIMERS]; /* MONO_NEVER: stopped */
};

static inline struct mono
timer_due(const struct timers *t, enum timer which)
{
	return t->due[which];
}

static inline bool
timer_is_set(const struct timers *t, enum timer which)
{
	return t->due[which].ns != MONO_NEVER.ns;
}

static inline bool
timer_is_due(const struct timers *t, enum timer which, struct mono now)
{
	return timer_is_set(t, which) && !mono_before(now, t->due[which]);
}

static inline void
timer_set(struct timers *t, enum timer which, struct mono when)
{
	t->due[which] = when;
}

/* At this time, or when it is due already. */
static inline void
timer_sooner(struct timers *t, enum timer which, struct mono when)
{
	t->due[which] = mono_min(t->due[which], when);
}

static inline void
timer_stop(struct timers *t, enum timer which)
{
	t->due[which] = MONO_NEVER;
}

static inline void
timers_stop_all(struct timers *t)
{
	for (int i = 0; i < TIMERS; i++)
		t->due[i] = MONO_NEVER;
}

#endif
