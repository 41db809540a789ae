/*
 * alarm: what an administrator should act on, by name: each is a text of the
 * status that is empty while all is well. That one begins or ends is an event;
 * that its text changes meanwhile is none.
 */
#ifndef HEDDLE_SM_CORE_ALARM_H
#define HEDDLE_SM_CORE_ALARM_H

#include <stdbool.h>

#include "sm/base/clock.h"

struct sm;
struct sm_status;

enum { ALARMS = 16 };

struct alarm_state {
	bool on[ALARMS];
	struct mono since[ALARMS];
	struct mono reviewed;
};

/* All of them in to->alarm; the others in *to are made. */
void alarm_join(const struct sm *sm, struct sm_status *to);

/* Whether they are to be reviewed: in the midst of a run they are not settled,
 * and once a second is enough. */
bool alarm_is_due(const struct sm *sm, struct mono now);

/* Tell what has begun or ended by this status. */
void alarm_review(struct sm *sm, const struct sm_status *is, struct mono now);

#endif
