/*
 * names: how things are named in JSON and in tables: GUIDs as 0x%016x, states,
 * widths, speeds, kinds of nodes, and texts that were received from the fabric.
 */
#ifndef HEDDLE_SM_REPORT_NAMES_H
#define HEDDLE_SM_REPORT_NAMES_H

#include <jansson.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/routes.h"

/* The ending of a noun: "s", or "" for one thing. */
const char *names_plural(long long n);

/* The ending of switch: "es", or "" for one. */
const char *names_plural_es(long long n);

/* A new JSON string "0x0002c90300a1b2c3". */
json_t *names_guid(uint64_t guid);

/*
 * A new JSON string of a text received from the fabric: what is not printable
 * UTF-8 becomes '?', so that it can break neither JSON nor a terminal.
 */
json_t *names_text(const char *s);

/* The NodeDescription of node n, as names_text. */
json_t *names_node_desc(const struct topo *t, node_ix n);

/* {"guid", "name"} of node n; a new object. */
json_t *names_node(const struct topo *t, node_ix n);

/* {"guid", "port", "name"}: port p of its node; null for TOPO_NONE. A new
 * value. */
json_t *names_port(const struct topo *t, port_ix p);

/* "switch", "host", "router", "aggregation". */
const char *names_type(const struct topo_node *n);

/* PortState: "Down", "Init", "Armed", "Active". */
const char *names_state(uint8_t state);

/* "4x". */
const char *names_width(uint8_t width);

/* From both speed fields: "HDR". */
const char *names_speed(const struct topo_port *p);

/* "tiers", "single", "roots". */
const char *names_order(enum route_order order);

/* What the fabric of a switch was classified as: "tree", "mesh", "unknown". */
const char *names_topo_class(enum route_read read);

/* The columns that the longest "name" of a list of objects takes. */
size_t names_column(const json_t *list);

#endif
