/*
 * adaptive_found: the sets of ports by which switches were found choosing, as
 * after a restart, from the groups and entries that were read back
 * (adaptive_read.h): what routing keeps of them is written to no switch.
 *
 * The set of a destination switch are the ports that the groups of all LIDs
 * there have in common: the group of a LID has its default beside the set. It
 * is a claim and no proof: routing keeps only ports that are legal.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_FOUND_H
#define HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_FOUND_H

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "routing/core/route_sets.h"

/* Sets for t, of its switches that were found choosing (DEVICE_FOUND); NULL:
 * none was. can[nsw] is copied. One reference, the caller's. */
struct route_sets *adaptive_found_sets(const struct device_store *hw,
	const struct topo *t, const struct route_choice *can);

#endif
