/*
 * replay: a recording (sm/record/record_entry.h) is lived again. The core that
 * it began with is made anew, is given the events that came into it, at their
 * times, and is listened to by a tap like the one that made the recording. As
 * long as both taps give the same entries, byte for byte, the same decisions
 * were taken; the first entry that differs is told, and the replay ends there.
 *
 *	recorded events --> core --> entries --> the same as recorded?
 *
 * Routes are computed again, at the place in the order where they were handed
 * back.
 */
#ifndef HEDDLE_TESTS_SIM_REPLAY_REPLAY_H
#define HEDDLE_TESTS_SIM_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "sm/core/sm.h"

/* Where the entries come from. */
struct replay_source {
	void *cookie;
	/* The next entry, valid until the next call: 1; 0: the end; -1 and why:
	 * the rest cannot be read. */
	int (*next)(
		void *cookie, uint8_t **entry, size_t *n, struct reason *why);
};

/* What is told on the way; each may be NULL. */
struct replay_listener {
	void *cookie;
	/* A core begins (the daemon was started, or found its port again). */
	void (*begins)(void *cookie, struct mono now);
	/* A view was committed. */
	void (*committed)(void *cookie, struct view *v, struct mono now);
	/* The core told an event. */
	void (*event)(void *cookie, const struct event *e, struct mono now);
};

enum replay_end {
	REPLAY_SAME,	/* all of it, with the same decisions */
	REPLAY_UNTIL,	/* with the same decisions up to the given time */
	REPLAY_DIFFERS, /* an entry differs: why */
	REPLAY_BROKEN,	/* the recording cannot be replayed any further: why */
};

struct replay_report {
	enum replay_end end;
	uint64_t inputs, sent, sets; /* messages compared, and Sets of these */
	uint64_t beyond; /* entries of the last event that were not recorded */
	unsigned begins;
	struct mono now; /* of the last event */
	uint64_t wall;	 /* nanoseconds since 1970 then; 0: not known */
	struct buf why;	 /* one or more lines; free it */
};

struct replay;

struct replay *replay_new(const struct replay_source *source,
	const struct replay_listener *listener);
void replay_free(struct replay *r); /* NULL allowed */

/* Nanoseconds since 1970 at now, as far as the recording tells: else 0. */
uint64_t replay_wall(const struct replay *r, struct mono now);

/* Replay events up to this time of day (nanoseconds since 1970; UINT64_MAX: all
 * of them). May be called again with a later time. */
void replay_run(struct replay *r, uint64_t until, struct replay_report *out);

#endif
