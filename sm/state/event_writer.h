/*
 * event_writer: the thread that appends events to the files of event_file.h.
 * The loop hands lines over and never waits. Lines that cannot be written, as
 * on a full disk, wait in memory and are tried again; of more than it keeps the
 * newest are given up and counted.
 */
#ifndef HEDDLE_SM_STATE_EVENT_WRITER_H
#define HEDDLE_SM_STATE_EVENT_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"

/* Bytes of lines that wait at most. */
enum { EVENT_WRITER_WAITING = 1 << 20 };

struct event_writer;

/*
 * Called in the loop's thread when writing begins to fail, and why; and with
 * why NULL when it succeeds again, lost lines having been given up meanwhile.
 */
typedef void event_writer_told(void *cookie, const char *why, uint64_t lost);

struct event_writer_job {
	const char *dir;   /* copied */
	uint64_t most;	   /* bytes of the files */
	struct mono again; /* how long after a failure it is tried again */
	event_writer_told *told;
	void *cookie;
};

/* Start the thread. NULL and a reason when it cannot be started. */
struct event_writer *event_writer_new(
	struct loop *l, const struct event_writer_job *job, struct reason *why);

/* Have a line (n bytes, the newline included) written, soon. */
void event_writer_submit(struct event_writer *w, const char *line, size_t n);

/* Wait until what was submitted is written, or failed to be for once more; tell
 * how that went, end the thread, free. NULL allowed. */
void event_writer_free(struct event_writer *w);

#endif
