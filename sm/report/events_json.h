/*
 * events_json: what happened to the fabric, what is missing, and which links
 * run below what both their ends support, as JSON, for the control socket.
 */
#ifndef HEDDLE_SM_REPORT_EVENTS_JSON_H
#define HEDDLE_SM_REPORT_EVENTS_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/view/event_log.h"

/* {"last", "events": [{"seq", "age", "kind", "text", "ends"}]}: the events
 * after seq since that are kept, oldest first. A new object. */
json_t *events_json(const struct event_log *l, uint64_t since, struct mono now);

/* {"nodes", "links", "list"}: what is missing of the fabric t, at most `most`
 * of it by name, nodes first. A new object. */
json_t *events_missing_json(const struct event_log *l, const struct topo *t,
	size_t most, struct mono now);

/* Events since the start: {"nodes": {"new", ..}, "links": {"down", ..}}. */
json_t *events_counts_json(const struct event_log *l);

/* {"links", "list"}: links narrower or slower than both ends support, at most
 * `most` of them by name. A new object. O(ports). */
json_t *events_degraded_json(const struct topo *t, size_t most);

#endif
