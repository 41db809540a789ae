/*
 * run: one run of the pipeline: sweep or probe -> topology -> LIDs ->
 * read-back -> routes -> plan -> push -> view. Each exported function is one
 * phase: it does what it can and returns; the event that it waits for calls it
 * again.
 */
#ifndef HEDDLE_SM_CORE_RUN_H
#define HEDDLE_SM_CORE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;
struct sm_work;

/* The marks become a run. */
void run_start(struct sm *sm, struct mono now);
/* One step of a phase; true when the phase changed. */
bool run_discover(struct sm *sm, struct mono now);
/* Discovery is over and we are master: assign LIDs and go on. */
bool run_assign_lids(struct sm *sm, struct mono now);
bool run_readback(struct sm *sm, struct mono now);
bool run_push(struct sm *sm, struct mono now);
bool run_commit(struct sm *sm, struct mono now);
bool run_names(struct sm *sm, struct mono now);
/* The worker is done. */
void run_routed(struct sm *sm, struct sm_work *w, struct mono now);

/*
 * Our own link is down. It may come back before other switches, which the open
 * requests were not meant for, Sets among them: they are given up, and no more
 * of them are sent. A sweep that was cut short says nothing: it is dropped.
 */
void run_link_lost(struct sm *sm, struct mono now);

#endif
