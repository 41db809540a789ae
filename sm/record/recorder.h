/*
 * recorder: the thread that writes a recording (record_file.h). The core's
 * thread gathers entries for a second, or 128 KiB of them, hands them over, and
 * never waits: they are kept in a queue of bounded size, and compressed and
 * written elsewhere. What finds no room in the queue, or cannot be written, as
 * on a full disk, is missing; the recording says so by an entry in its place,
 * and cannot be replayed past it. tests/bench/record.sh measures what all of
 * this costs.
 */
#ifndef HEDDLE_SM_RECORD_RECORDER_H
#define HEDDLE_SM_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"

/* Bytes of entries that wait at most. */
enum { RECORDER_WAITING = 16 << 20 };

struct recorder;

/* Called in the loop's thread when entries begin to be missing, and why; with
 * why NULL when they are recorded again. */
typedef void recorder_told(void *cookie, const char *why);

struct recorder_job {
	const char *dir;    /* copied */
	uint64_t room;	    /* bytes */
	uint64_t recording; /* its name: nanoseconds since 1970 */
	struct mono again;  /* how long after a failure it is tried again */
	recorder_told *told;
	void *cookie;
};

/* Start the thread. NULL and a reason when it cannot be started. */
struct recorder *recorder_new(
	struct loop *l, const struct recorder_job *job, struct reason *why);

/* Have an entry of n bytes recorded, soon. cookie is the recorder: a
 * record_sink. */
void recorder_put(void *cookie, const uint8_t *entry, size_t n);

struct recorder_status {
	uint64_t entries; /* put so far */
	uint64_t written; /* of these: on disk, or missing */
	uint64_t lost;	  /* missing */
	uint64_t bytes, segments;
	char why[256]; /* why nothing can be written now; or "" */
};

/* Have what was put written at once, and tell how far it is. */
void recorder_flush(struct recorder *r, struct recorder_status *out);

/* Write what was put, or fail to for once more; end the thread, free. NULL
 * allowed. */
void recorder_free(struct recorder *r);

#endif
