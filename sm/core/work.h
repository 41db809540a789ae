/*
 * work: what the worker computes for a run: routes, where the fabric is
 * another one, and the plan that leads to them. All that it reads is
 * referenced by the job, or owned by the worker until the job is back: the
 * pool of tables, the device store. A standby has the tables that it read
 * judged in the same way.
 */
#ifndef HEDDLE_SM_CORE_WORK_H
#define HEDDLE_SM_CORE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct sm;
struct view;
struct topo;
struct routes;
struct device_store;
struct sm_work;
struct reason;

/* A view that is released when the worker has ended. */
struct sm_pending_view {
	struct view *view;
};

/* The worker, and what waits until it has ended: views that the SA released
 * while it owned the pool of tables. */
struct worker {
	struct sm_work *work; /* its job, or NULL */
	struct sm_pending_view *pending;
	size_t npending, cap;
};

/* True if nothing that routing depends on has changed: the routes in force
 * stay. */
bool work_is_same_fabric(const struct sm *sm);
/* Hand sm->topo to the worker, for routes and plan. */
void work_start(struct sm *sm, struct mono now);
/* Have the worker judge routes that a standby read, which takes them over. */
void work_judge(struct sm *sm, struct routes *found);
/* The worker is done. What it judged, which stays its own; or NULL. */
struct routes *work_judged(const struct sm_work *w);
/* ... its routes and plan are the run's. False: there are none, and why. */
bool work_take(struct sm *sm, struct sm_work *w, struct reason *why);
/* Free a job, its result included; NULL allowed. In the core's thread. */
void work_free(struct sm_work *w);

#endif
