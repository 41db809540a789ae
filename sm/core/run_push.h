/*
 * run_push: the push of a plan: what it waits for before its first Set, when
 * the fabric that it was made for is no more, and what its end says. What was
 * written is read back later (run_check.h).
 */
#ifndef HEDDLE_SM_CORE_RUN_PUSH_H
#define HEDDLE_SM_CORE_RUN_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;

/* Push sm->plan, for sm->routes. */
void run_push_start(struct sm *sm, struct mono now);
/* When a step of the push is due: the end of a drain, or news that stops it. */
struct mono run_push_next(const struct sm *sm);
/* True if the fabric has changed since this run began, so that its push would
 * write tables of a fabric that is no more; not for ever, or a port that flaps
 * would keep the tables from ever arriving. */
bool run_push_is_overtaken(const struct sm *sm, struct mono now);
void run_push_watch(struct sm *sm, struct mono now); /* stop it if overtaken */
void run_push_finish(struct sm *sm, struct mono now);
const char *run_push_writes(const struct sm *sm); /* name of its phase */
/* True if a trap from this switch is caused by our own plan. */
bool run_push_caused(struct sm *sm, uint64_t guid);
/* We became master of sm->topo: the manager before may have written anything,
 * and given out any SL. */
void run_push_forget(struct sm *sm);

#endif
