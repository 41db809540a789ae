/*
 * commit: the end of a run. What was acknowledged becomes the view that all
 * readers share; ports that are not as they should be are asked again later;
 * one line logs the run.
 */
#ifndef HEDDLE_SM_CORE_COMMIT_H
#define HEDDLE_SM_CORE_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"

struct sm;

/* Swap the view and call the ops. */
void commit_run(struct sm *sm, struct mono now);
/* A run is over: when nodes are asked again, the next light sweep, names. */
void commit_schedule(struct sm *sm, struct mono now);
/* Report that a run is over, and what is not as it should be. */
void commit_log_run(struct sm *sm);

#endif
