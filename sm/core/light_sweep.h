/*
 * light_sweep: the light sweep, in between runs: SwitchInfo of every switch
 * says which of them changed or do not answer; these are marked dirty. Tables
 * of some switches are sampled after it (drift.c, run_pkeys.c).
 *
 * A light sweep that only waits for silent switches is ended early when a run
 * is due.
 */
#ifndef HEDDLE_SM_CORE_LIGHT_SWEEP_H
#define HEDDLE_SM_CORE_LIGHT_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;

/* Begin one; without a switch to ask, everything is swept. */
void light_sweep_start(struct sm *sm, struct mono now);
/* True if it has waited for other runs for a whole interval. */
bool light_sweep_is_overdue(const struct sm *sm, struct mono now);
/* When one that only waits for silent switches is to end early. */
struct mono light_sweep_until(const struct sm *sm);
/* It is over, or was ended early: mark what it found. */
void light_sweep_end(struct sm *sm, struct mono now);
/* Due an interval from now. */
void light_sweep_schedule(struct sm *sm, struct mono now);

#endif
