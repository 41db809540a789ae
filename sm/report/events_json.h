/*
 * events_json: events, and what is missing, as JSON, for the control socket and
 * for files.
 */
#ifndef HEDDLE_SM_REPORT_EVENTS_JSON_H
#define HEDDLE_SM_REPORT_EVENTS_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/view/event_log.h"

/*
 * An event with its number, and its time, given in seconds since 1970 and
 * written as in sm/event/event_time.h, as a new object: {"seq", "time", "kind",
 * "severity", "text", "ends", "fields"}. Ends are {"guid", "name", "port",
 * "is"}, the last their field; the other fields that have a value are in
 * "fields".
 */
json_t *events_json_one(const struct event *e, uint64_t seq, double time);

/* {"nodes", "links", "list"}: what is missing of the fabric t, at most `most`
 * of it by name, nodes first. A new object. */
json_t *events_missing_json(const struct event_log *l, const struct topo *t,
	size_t most, struct mono now);

/* Events since the start: {"nodes": {"new", ..}, "links": {"down", ..}}. */
json_t *events_counts_json(const struct event_log *l);

/* [{"guid", "name", "port"}]: one or two ends; one without a GUID is left out.
 * A new array. */
json_t *events_ends_json(const struct event_end *a, const struct event_end *b);

#endif
