/*
 * partition_json: the partitions of a view as a part of the status: the ports
 * of each, configured members that match no port, and a P_Key table that is too
 * small.
 */
#ifndef HEDDLE_SM_REPORT_PARTITION_JSON_H
#define HEDDLE_SM_REPORT_PARTITION_JSON_H

#include <jansson.h>

#include "sm/view/view.h"

/* no_room: which table is too small, in words; "" if none. A new object. */
json_t *partition_json(const struct view *v, const char *no_room);

#endif
