/*
 * poll: a standby asks its master for its SMInfo again and again. It takes over
 * by hand-over (hand_over.h), or when the master misses polls: no answer, an
 * activity count that does not change, or state STANDBY (two standbys that wait
 * for each other would wait for ever). A poll is one packet: the next poll
 * repeats it.
 */
#ifndef HEDDLE_SM_CORE_POLL_H
#define HEDDLE_SM_CORE_POLL_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;

bool poll_step(struct sm *sm, struct mono now); /* SM_STANDBY */

#endif
