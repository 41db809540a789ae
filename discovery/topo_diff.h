/*
 * topo_diff: what differs between two topologies that have the same switches
 * and LIDs by the same numbers: links only.
 */
#ifndef HEDDLE_DISCOVERY_TOPO_DIFF_H
#define HEDDLE_DISCOVERY_TOPO_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/arena.h"

/* The same switches and LIDs by the same numbers as in an older topology. */
struct topo_diff {
	const struct topo *was;
	bool *seed;  /* [nsw] switches whose links differ, and */
	sw_ix *list; /* a list of them */
	uint32_t n;
};

/*
 * How t differs from was, in the arena. NULL: in more than cables between
 * switches.
 */
const struct topo_diff *topo_diff(
	const struct topo *t, const struct topo *was, struct arena *a);

#endif
