/*
 * standby_json: that an answer is from what a standby read, and when it did:
 *
 *	"standby": {"read": 1795402881, "tables": 1795402622, "unread": 0}
 *
 * in seconds since 1970; the tables of switches may have been read earlier than
 * the rest. Times, not ages: an answer may be kept. unread: switches whose
 * tables are not known; "unread_first" is the GUID of one.
 */
#ifndef HEDDLE_SM_REPORT_STANDBY_JSON_H
#define HEDDLE_SM_REPORT_STANDBY_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/view/view.h"

/* Add it to o if v is a standby's. */
void standby_json_put(json_t *o, const struct view *v);

/* The order of switches that the routes obey; null: only their maker knows. */
json_t *standby_json_order(const struct view *v);

/* A line for people, if r says so; now: seconds since 1970. */
void standby_json_line(const json_t *r, uint64_t now, struct buf *out);

#endif
