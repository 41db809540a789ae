/*
 * alarm: what an administrator should act on, by name: each is a text of the
 * status that is empty while all is well. That one begins or ends is an event;
 * that its text changes meanwhile is none.
 */
#ifndef HEDDLE_SM_CORE_ALARM_H
#define HEDDLE_SM_CORE_ALARM_H

#include <stdbool.h>

#include "sm/base/clock.h"
#include "sm/event/alarm_kind.h"

struct sm;
struct sm_status;

struct alarm_state {
	bool on[ALARM_CORE_KINDS];
	struct mono since[ALARM_CORE_KINDS];
	struct mono reviewed;
	bool waiting; /* something happened since, and was not reviewed */
};

/* Join the texts of all that are on in to->alarm, and their kinds in
 * to->alarms; the other members of *to are made. */
void alarm_join(const struct sm *sm, struct sm_status *to);

/* After every event: whether they are to be reviewed now. In the midst of a run
 * they are not settled, and once a second is enough: then they wait. */
bool alarm_is_due(struct sm *sm, struct mono now);

/* Until when they wait; MONO_NEVER: nothing happened since the last review. */
struct mono alarm_next(const struct sm *sm);

/* Tell what has begun or ended by this status. */
void alarm_review(struct sm *sm, const struct sm_status *is, struct mono now);

#endif
