/*
 * events_select: which events a user of heddlectl(8) wants to see: since when,
 * of which kind, about which port. Events are objects as events_json.h makes
 * them, from the daemon or from a file.
 */
#ifndef HEDDLE_SM_REPORT_EVENTS_SELECT_H
#define HEDDLE_SM_REPORT_EVENTS_SELECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sm/base/reason.h"

struct events_select {
	uint64_t after;	  /* numbers above this one */
	double since;	  /* ... and not before this, in seconds since 1970 */
	const char *kind; /* the name of a kind, or NULL */
	const char *port; /* a node by name or GUID, then perhaps /PORT, or
			     NULL */
};

/*
 * Read "since": a number ("17": events after it), a time ago ("90s", "30min",
 * "2h", "3d") or a local time ("2026-11-26 14:40", "14:40:00", "yesterday");
 * now is in seconds since 1970. 0, or -1 and why.
 */
int events_select_since(struct events_select *s, const char *text, double now,
	struct reason *why);

/* Check the name of a kind: 0, or -1 and why, with what it may have meant. */
int events_select_kind(
	struct events_select *s, const char *kind, struct reason *why);

/* True if this event is wanted. */
bool events_select_takes(const struct events_select *s, const json_t *event);

#endif
