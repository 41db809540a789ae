/*
 * fabric_counts: the nodes, links and LIDs of a fabric, counted: as a struct,
 * as JSON, and as the line "fabric" of every page that begins with one (status,
 * plan, audit).
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_COUNTS_H
#define HEDDLE_SM_REPORT_FABRIC_COUNTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/buf.h"

struct fabric_counts {
	uint32_t switches, hosts, routers, aggregation, links;
	uint32_t owners; /* ports with LIDs */
	uint32_t lids;	 /* the LIDs of these ports */
};

struct fabric_counts fabric_counts_of(const struct topo *t);

/* True for a node that counts as a host: a compute node that is no router. */
bool fabric_counts_is_host(const struct topo *t, node_ix n);

/* The counts without LIDs, and "seen_from": the node t was discovered from. */
json_t *fabric_counts_json(const struct topo *t);

/* Append the line "fabric" from the object that fabric_counts_json returned. */
void fabric_counts_line(const json_t *census, struct buf *out);

#endif
