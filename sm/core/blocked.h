/*
 * blocked: blocked (in-port, out-port) pairs (SL2VL -> VL15), across restarts.
 * A pair that stays blocked for longer than distribution.block_limit raises an
 * alarm at once, whatever the core is doing and whichever daemon blocked it.
 */
#ifndef HEDDLE_SM_CORE_BLOCKED_H
#define HEDDLE_SM_CORE_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/state/state_file.h"

struct sm;

/* Pairs that the state file records count as blocked. */
void blocked_load(struct sm *sm, const struct state_file *s);
/* Their ages, counted back from 0 so far, count from now. */
void blocked_start(struct sm *sm, struct mono now);
/* Seconds for which it has been blocked. */
uint64_t blocked_age(const struct sm *sm, const struct blocked_row *h);
/* When the first will have been blocked for too long; then raise the alarm. */
struct mono blocked_next(const struct sm *sm);
/* Raise the alarm for those that are blocked for too long. */
void blocked_watch(struct sm *sm, struct mono now);
void blocked_review(struct sm *sm, struct mono now); /* after a check */

#endif
