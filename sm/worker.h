/*
 * worker: a thread for long computations, so that traps and queries never wait
 * for them: routes and the plans that lead to them, counts of redundancy. It
 * takes one job at a time, runs the pure part of it and wakes the loop, which
 * hands the result back in the loop's thread. Between submit and done the job
 * belongs to the worker alone: no data is shared, so nothing else needs a lock.
 */
#ifndef HEDDLE_SM_WORKER_H
#define HEDDLE_SM_WORKER_H

#include <stdbool.h>

#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"

struct worker;

/* Called in the thread for each job. */
typedef void worker_run(void *job);

/* Called in the loop's thread for each job that was run. */
typedef void worker_done(void *cookie, void *job, struct mono now);

/* Start the thread. NULL and a reason when it cannot be started. */
struct worker *worker_new(struct loop *l, worker_run *run, worker_done *done,
	void *cookie, struct reason *why);

/* Run the job in the thread. Only while worker_busy is false. */
void worker_submit(struct worker *w, void *job);

/* True from submit until done is called. */
bool worker_busy(const struct worker *w);

/*
 * Wait for the running job, end the thread, free. done is not called: a job not
 * yet handed back stays the owner's. NULL allowed.
 */
void worker_free(struct worker *w);

#endif
