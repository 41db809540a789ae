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
/* What tree_json gives, in a status or a plan: tiers, the first oddities. */
void show_tiers(const json_t *tree, struct buf *out);
/* Likewise, of nodes with several ports: how many have single points of
 * failure, and which points these are. */
void show_redundancy(const json_t *homes, struct buf *out);
void show_routes(const json_t *result, struct buf *out);
void show_groups(const json_t *result, struct buf *out);
void show_explain(const json_t *result, struct buf *out);
void show_sweep(const json_t *result, struct buf *out);

#endif
