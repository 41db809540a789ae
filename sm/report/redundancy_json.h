/*
 * redundancy_json: multi-port nodes and their remaining single points of
 * failure: for the status, for a plan, and node by node.
 */
#ifndef HEDDLE_SM_REPORT_REDUNDANCY_JSON_H
#define HEDDLE_SM_REPORT_REDUNDANCY_JSON_H

#include <jansson.h>

#include "routing/improve/redundancy.h"
#include "sm/view/view.h"

enum { REDUNDANCY_JSON_FIRST = 10 }; /* listed in a status */

/* The first of n points: switch, name, port (0: the switch itself), nodes. */
json_t *redundancy_json_list(
	const struct topo *t, const struct redundancy_point *p, size_t n);

/* The redundancy of v: nodes, single_points, points; null while v has
 * multi-port nodes that are not counted yet. */
json_t *redundancy_json_all(const struct view *v);

/* Node i of those with a single point of failure; v->redundancy has been
 * counted. */
json_t *redundancy_json_node(const struct view *v, size_t i, const void *param);

#endif
