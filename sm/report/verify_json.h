/*
 * verify_json: how the fabric differs from its plan (sm/cabling), as JSON for
 * the control socket, and as a page.
 */
#ifndef HEDDLE_SM_REPORT_VERIFY_JSON_H
#define HEDDLE_SM_REPORT_VERIFY_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/cabling/deviation.h"

/*
 * {"plan", "as_planned", "deviations", "drained", "kinds": {NAME: n}, "nodes":
 * {"planned", "matched", "unnamed"}, "links": {"planned", "there", "unknown"},
 * "unread", "left_out": {CLASS: n}, "list": [..]}, a new object. An element of
 * the list, which has at most `most`, is {"kind", "text", "drained"} and either
 * {"type", "ends", "links", "behind"} of a node or {"planned": [[end, end]],
 * "there": [[end, end]]} of links; ends are as in events_json.h.
 */
json_t *verify_json(const struct deviations *d, size_t most);

/* How many there are of each kind, none included: {NAME: n}. A new object. */
json_t *verify_json_kinds(const struct deviations *d);

/* Append the result as a page: "as planned", or a line for each deviation; or
 * what became of a plan that was written: {"written", "nodes", "links"}. */
void show_verify(const json_t *result, struct buf *out);

/* Append the line of a status, of its member "expected". */
void show_verify_status(const json_t *expected, struct buf *out);

#endif
