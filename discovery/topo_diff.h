/*
 * topo_diff: which links differ between two topologies that have the same
 * switches and the same LIDs under the same numbers. Then tables can be
 * repaired where links differ, instead of being computed anew.
 */
#ifndef HEDDLE_DISCOVERY_TOPO_DIFF_H
#define HEDDLE_DISCOVERY_TOPO_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/arena.h"

struct topo_diff {
	const struct topo *was;
	bool *seed;  /* [nsw] switches whose links differ, and */
	sw_ix *list; /* a list of them */
	uint32_t n;
};

/*
 * How t differs from was, in the arena. NULL: in more than links between
 * switches.
 */
const struct topo_diff *topo_diff(
	const struct topo *t, const struct topo *was, struct arena *a);

#endif
