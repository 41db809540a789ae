/*
 * watch_json: what the manager did about a link that is bad, or was, as JSON,
 * and shown: whether it is drained for its health, or which limit forbids it.
 */
#ifndef HEDDLE_SM_REPORT_WATCH_JSON_H
#define HEDDLE_SM_REPORT_WATCH_JSON_H

#include <jansson.h>

#include "discovery/topo.h"
#include "sm/base/buf.h"
#include "sm/health/link_watch.h"

/* The record of the link of port p of t, which has one; NULL: none, as where w
 * is NULL. */
const struct link_watch *watch_json_find(
	const struct link_watches *w, const struct topo *t, port_ix p);

/*
 * {"state", "times", "quiet", "left", "full", "kept"}: "used", "drained" or
 * "spared"; how often it was drained; its quiet time and how much of it is
 * left, in seconds; whether its counters are at their limit, so that no quiet
 * time passes; and why it is not drained though it is bad, or "". null for
 * NULL. A new value.
 */
json_t *watch_json(const struct link_watch *l);

/* Append a line that begins with indent, if something was done about the link.
 */
void watch_json_show(const json_t *watch, const char *indent, struct buf *out);

/* {"drained", "kept"}: how many links are drained for their health, and how
 * many are bad and may not be. A new object; w: NULL allowed. */
json_t *watch_json_counts(const struct link_watches *w);

/* [{"ends", "why", "kept"}]: the bad links of t that may not be drained. A new
 * array; w: NULL allowed. */
json_t *watch_json_kept(const struct link_watches *w, const struct topo *t);

#endif
