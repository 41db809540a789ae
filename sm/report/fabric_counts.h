/*
 * census: what there is in a fabric, counted: figures, the same as JSON, and
 * the line "fabric" of every page that begins with one (status, plan, audit).
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_COUNTS_H
#define HEDDLE_SM_REPORT_FABRIC_COUNTS_H

#include <jansson.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/buf.h"

struct fabric_counts {
	uint32_t switches, hosts, routers, aggregation, links;
	uint32_t owners; /* ports with LIDs */
	uint32_t lids;	 /* that they hold together */
};

struct fabric_counts fabric_counts_of(const struct topo *t);

/* The same without LIDs, and "seen_from": where t was looked at from. */
json_t *fabric_counts_json(const struct topo *t);

/* Append the line that says it, from what fabric_counts_json made. */
void fabric_counts_line(const json_t *census, struct buf *out);

#endif
