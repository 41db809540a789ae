/*
 * qos_json: the levels of service of a view as a part of the status: their
 * numbers, lanes and weights, whether all tables are in place, and where there
 * are too few lanes.
 */
#ifndef HEDDLE_SM_QOS_JSON_H
#define HEDDLE_SM_QOS_JSON_H

#include <jansson.h>

#include "sm/view.h"

/* A new object, or null where nothing is known. */
json_t *qos_json(const struct view *v);

#endif
