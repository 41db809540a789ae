/*
 * hop_json: parts of a path as JSON: its ends, its switches, the links between
 * them. For the commands routes and path.
 */
#ifndef HEDDLE_SM_REPORT_HOP_JSON_H
#define HEDDLE_SM_REPORT_HOP_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sm/view/view.h"

/* No verified path has more switches than a directed route has hops. */
enum { HOP_JSON_STEPS = 2 * TOPO_MAX_HOPS };

/* Put "switch" and "name" of switch s into o. */
void hop_json_switch(json_t *o, const struct topo *t, sw_ix s);

/* An end of a path: {"guid", "port", "lid", "name"}. A new object. */
json_t *hop_json_port(const struct topo *t, port_ix p, uint16_t lid);

/* Put into o the link by which a step leaves: its rate, and its load. */
void hop_json_link(
	json_t *o, const struct routes *r, const struct route_step *step);

/* The VL that packets with this SL take out of port `out` of node n, to which
 * they came by port `in` (0: the node sends them). False: unknown. */
bool hop_json_vl(const struct view *v, node_ix n, unsigned in, unsigned out,
	uint8_t sl, uint8_t *vl);

#endif
