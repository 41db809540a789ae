/*
 * members: the partitions of a view as a part of the status: how many ports
 * each has, which members of the configuration no port answers to, and whose
 * table has no room.
 */
#ifndef HEDDLE_SM_REPORT_PARTITION_JSON_H
#define HEDDLE_SM_REPORT_PARTITION_JSON_H

#include <jansson.h>

#include "sm/view/view.h"

/* no_room: in words, "" when all have room. A new object. */
json_t *partition_json(const struct view *v, const char *no_room);

#endif
