/*
 * saver: the thread that writes the state to disk. An fsync may take seconds,
 * and neither traps nor queries may wait for it: the loop only prints the state
 * into memory. Each state is complete, so of several that wait only the newest
 * is written. A state that cannot be written leaves a mark (previous_run.h) for
 * the next start, and is tried again: a full disk may have room before anything
 * changes in the fabric.
 */
#ifndef HEDDLE_SM_STATE_SAVER_H
#define HEDDLE_SM_STATE_SAVER_H

#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/state/state_file.h"

struct saver;

/* Called in the loop's thread: how the last write went; why is NULL: it is on
 * disk. */
typedef void saver_done(void *cookie, const char *why);

/* Start the thread, for state in dir (copied); again: how long after a failure
 * it is tried again. NULL and a reason when no thread can be started. */
struct saver *saver_new(struct loop *l, const char *dir, struct mono again,
	saver_done *done, void *cookie, struct reason *why);

/* Have this state saved, soon; it is used during the call only. */
void saver_submit(struct saver *s, const struct state_file *state);

/* Wait until what was submitted is on disk, or could not be written, or a
 * second has passed. */
void saver_wait(struct saver *s);

/* Wait until what was submitted is on disk, report how that went, end the
 * thread, free. NULL allowed. */
void saver_free(struct saver *s);

#endif
