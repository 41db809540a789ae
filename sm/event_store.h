/*
 * event_store: the events of this daemon, of the fabric and its own: each gets
 * a number and the time. The last ones are kept for the control socket, all are
 * handed to a thread that writes them to files (sm/state/event_writer.h).
 * Numbers go on over a restart, by what is in these files.
 */
#ifndef HEDDLE_SM_EVENT_STORE_H
#define HEDDLE_SM_EVENT_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/event/event.h"
#include "sm/state/event_writer.h"

enum { EVENT_STORE_KEPT = 512 };

struct event_store;

struct event_store_job {
	const char *dir;	 /* of the files, copied */
	uint64_t most;		 /* bytes of them; 0: none are written */
	uint64_t after;		 /* numbers begin above this */
	event_writer_told *told; /* how writing goes */
	void *cookie;
};

/*
 * A store that goes on with what is in the files. *why: what is wrong with
 * them, or "". NULL and why when no thread can be started.
 */
struct event_store *event_store_new(
	struct loop *l, const struct event_store_job *job, struct reason *why);

/* Waits until the events are written, if they can be. NULL allowed. */
void event_store_free(struct event_store *s);

/* Keep an event that happened at this time, in seconds since 1970: its number.
 */
uint64_t event_store_add(
	struct event_store *s, const struct event *e, double time);

/* Whether the newest event is the end of a run, or there is none. */
bool event_store_ended(const struct event_store *s);

/* The number of the newest event; 0: there was none. */
uint64_t event_store_last(const struct event_store *s);

/*
 * {"first", "last", "file", "events": [...]}: the events above number since
 * that are kept, oldest first, as in sm/report/events_json.h, with "age" in
 * seconds. first: the number of the oldest one that is kept; file: of these and
 * of older ones, "" for none. A new object.
 */
json_t *event_store_json(
	const struct event_store *s, uint64_t since, double time);

#endif
