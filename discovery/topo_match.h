/*
 * topo_match: the switches of a topology in an older one.
 *
 * Topologies number switches by their distance from the manager, so that a
 * link that is lost may change the numbers of switches that are nowhere near
 * it. Here they are known by their GUIDs, and links by their two ports.
 *
 * Callers: routing/adaptive, routing/verify. Where switches must have their
 * numbers still, discovery/topo_diff.h is the quicker one.
 */
#ifndef HEDDLE_DISCOVERY_TOPO_MATCH_H
#define HEDDLE_DISCOVERY_TOPO_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

struct topo_match {
	const struct topo *t, *was; /* borrowed */
	sw_ix *sw; /* [t->nsw] the same switch of was; TOPO_NONE: there is none
		      that is live, or in quarantine, as it is now */
	bool *links; /* [t->nsw] it had the same links to the same switches;
			rates may differ */
};

/* Fill *m, to be closed. No two switches are the same one of was: of those that
 * share a GUID at most one has a match. */
void topo_match_open(
	struct topo_match *m, const struct topo *t, const struct topo *was);
void topo_match_close(struct topo_match *m); /* zeroes allowed */

#endif
