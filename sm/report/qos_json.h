/*
 * qos_json: the levels of service of a view as a part of the status: their
 * numbers, lanes and weights, whether all tables are in place, and where there
 * are too few lanes.
 */
#ifndef HEDDLE_SM_REPORT_QOS_JSON_H
#define HEDDLE_SM_REPORT_QOS_JSON_H

#include <jansson.h>

#include "config/config.h"
#include "sm/view/view.h"

/* A new object, or null where nothing is known. */
json_t *qos_json(const struct view *v);

/*
 * What these routes make of the lanes that the configuration asks for, put into
 * an object: view_slvl_why_few (why they are fewer), view_slvl_why_shared
 * (where they share VLs), lanes_shared_ports. Either may be NULL: nothing to
 * say.
 */
void qos_json_lanes(json_t *o, const struct config *c, const struct routes *r);

#endif
