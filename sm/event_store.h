/*
 * event_store: the events of this daemon, of the fabric and its own: each gets
 * a number and the time, the last ones are kept for the control socket.
 */
#ifndef HEDDLE_SM_EVENT_STORE_H
#define HEDDLE_SM_EVENT_STORE_H

#include <jansson.h>
#include <stdint.h>

#include "sm/event/event.h"

enum { EVENT_STORE_KEPT = 512 };

struct event_store;

/* An empty store; its first event has the number after + 1. */
struct event_store *event_store_new(uint64_t after);
void event_store_free(struct event_store *s); /* NULL allowed */

/* Keep an event that happened at this time, in seconds since 1970: its number.
 */
uint64_t event_store_add(
	struct event_store *s, const struct event *e, double time);

/* The number of the newest event; 0: there was none. */
uint64_t event_store_last(const struct event_store *s);

/*
 * {"last", "events": [...]}: the events above number since that are kept,
 * oldest first, as in sm/report/events_json.h, with "age" in seconds. A new
 * object.
 */
json_t *event_store_json(
	const struct event_store *s, uint64_t since, double time);

#endif
