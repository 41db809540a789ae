/*
 * qos_json: the QoS levels of a view as a part of the status: their SLs and
 * weights, whether all tables are written, and where links have too few VLs.
 */
#ifndef HEDDLE_SM_REPORT_QOS_JSON_H
#define HEDDLE_SM_REPORT_QOS_JSON_H

#include <jansson.h>

#include "config/config.h"
#include "sm/view/view.h"

/* A new object, or null if v has no QoS data. */
json_t *qos_json(const struct view *v);

/*
 * Put into o what routes r make of the layers that the configuration asks for:
 * lanes_short (why there are fewer, view_slvl_why_few), lanes_shared (where
 * they share VLs, view_slvl_why_shared) and lanes_shared_ports. If c or r is
 * NULL the texts are empty.
 */
void qos_json_layers(json_t *o, const struct config *c, const struct routes *r);

#endif
