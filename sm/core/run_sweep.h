/*
 * run_sweep: the beginning of a run: its sweep, of everything, of the switches
 * that are marked dirty, or the light one.
 */
#ifndef HEDDLE_SM_CORE_RUN_SWEEP_H
#define HEDDLE_SM_CORE_RUN_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/sweep/sweep.h"
#include "sm/base/clock.h"

struct sm;

/* Of everything, or the light one. */
void run_sweep_start(struct sm *sm, struct mono now, enum sweep_kind kind);
/* Of these switches, or of those that are marked. */
void run_sweep_probe(
	struct sm *sm, struct mono now, const uint64_t *guid, size_t n);
void run_sweep_suspects(struct sm *sm, struct mono now);

#endif
