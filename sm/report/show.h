/*
 * show: results of the control socket as tables for people.
 */
#ifndef HEDDLE_SM_REPORT_SHOW_H
#define HEDDLE_SM_REPORT_SHOW_H

#include <jansson.h>

#include "sm/base/buf.h"

/* Each appends the result of the command of that name. */
void show_status(const json_t *result, struct buf *out);
void show_topology(const json_t *result, struct buf *out);
void show_tree(const json_t *result, struct buf *out);
/* Append the tiers and first irregularities of an object of tree_json, in a
 * status or a plan. */
void show_tiers(const json_t *tree, struct buf *out);
/* Append the redundancy of an object of redundancy_json: how many multi-port
 * nodes have single points of failure, and which these are. */
void show_redundancy(const json_t *redundancy, struct buf *out);
void show_routes(const json_t *result, struct buf *out);
void show_path(const json_t *result, struct buf *out);
void show_groups(const json_t *result, struct buf *out);
void show_change(const json_t *result, struct buf *out);
void show_pkeys(const json_t *result, struct buf *out);
void show_events(const json_t *result, struct buf *out);
void show_names(const json_t *result, struct buf *out);
void show_config(const json_t *result, struct buf *out);
void show_links(const json_t *result, struct buf *out);
/* The "ends" of an object in a text of page_print: "leaf1" (0x..) port 5, then
 * `between` and the other one, if there are two. */
#define SHOW_ENDS(between)                                                     \
	"%(ends)*{%(#)?{" between "}%(name)?{\"%(name)s\" (%(guid)s)}"         \
	"%(name)!{%(guid)s}%(port)?{ port %(port)d}}"

/* How many links are drained for their health, and may not be, of the object
 * "health" of a status, in a text of page_print. */
#define SHOW_ACTED                                                             \
	"%(drained)?{, %(drained)d drained for health}"                        \
	"%(kept)?{, %(kept)d not drained because of a limit}"                  \
	"%(bad)?{; list: heddlectl links --bad}\n"

/* Append the list in an object of events_missing_json, and in one of
 * links_degraded_json, a line each. */
void show_missing(const json_t *missing, struct buf *out);
void show_degraded(const json_t *degraded, struct buf *out);
void show_sweep(const json_t *result, struct buf *out);
void show_undrain(const json_t *result, struct buf *out);
void show_handover(const json_t *result, struct buf *out);

#endif
