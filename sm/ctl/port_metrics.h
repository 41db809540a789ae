/*
 * port_metrics: the counters of ports in the Prometheus text exposition format,
 * under the names and labels of infiniband_exporter, so that its dashboards
 * show them: infiniband_switch_port_... and infiniband_hca_port_..., by GUID
 * and port, and an info family each that names the node of a GUID and what a
 * port is linked to.
 */
#ifndef HEDDLE_SM_CTL_PORT_METRICS_H
#define HEDDLE_SM_CTL_PORT_METRICS_H

#include <jansson.h>

#include "sm/base/buf.h"

/* Append the nodes of the pages of the command "counters"
 * (sm/report/counters_json.h), an array of them all. */
void port_metrics_text(const json_t *nodes, struct buf *out);

#endif
