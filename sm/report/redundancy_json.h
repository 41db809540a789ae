/*
 * points: nodes with several ports, and single points of failure that they have
 * all the same: of the status, of a plan, and one by one.
 */
#ifndef HEDDLE_SM_REPORT_REDUNDANCY_JSON_H
#define HEDDLE_SM_REPORT_REDUNDANCY_JSON_H

#include <jansson.h>

#include "routing/improve/redundancy.h"
#include "sm/view/view.h"

enum { REDUNDANCY_JSON_FIRST = 10 }; /* listed in a status */

/* The first n of all points: switch, name, port (0: the switch), nodes. */
json_t *redundancy_json_list(
	const struct topo *t, const struct redundancy_point *p, size_t n);

/* What is known of v: nodes, single_points, points; null: not counted yet, and
 * there is something to count. */
json_t *redundancy_json_all(const struct view *v);

/* Node i of those of v with a single point of failure; v was counted. */
json_t *redundancy_json_node(const struct view *v, size_t i, const void *param);

#endif
