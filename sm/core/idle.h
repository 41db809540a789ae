/*
 * idle: between runs: which of the things that are due begins. Phases never
 * nest, so one at a time, the most urgent first.
 */
#ifndef HEDDLE_SM_CORE_IDLE_H
#define HEDDLE_SM_CORE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;

bool idle_step(struct sm *sm, struct mono now); /* SM_IDLE */

#endif
