/*
 * shared_switch: the switches that all of several paths pass, found path by
 * path: the single points of failure of a node whose ports the paths lead to.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_SHARED_SWITCH_H
#define HEDDLE_ROUTING_IMPROVE_SHARED_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

struct shared_switch {
	uint64_t *seen; /* [nsw] stamp of the last path that passes it, as all
			   before that one do; zeroes at first */
	uint64_t stamp; /* of the path at hand */
	uint32_t npaths;
	bool any; /* some switch is on all paths up to here */
};

/* Begin anew, with no path. */
static inline void
shared_switch_begin(struct shared_switch *x)
{
	x->stamp++;
	x->npaths = 0;
	x->any = true;
}

static inline void
shared_switch_next_path(struct shared_switch *x)
{
	x->stamp++;
	x->npaths++;
	x->any = false;
}

/* The path at hand passes s. */
static inline void
shared_switch_pass(struct shared_switch *x, sw_ix s)
{
	if (x->npaths > 1 && x->seen[s] != x->stamp - 1)
		return;
	x->seen[s] = x->stamp;
	x->any = true;
}

/* True if s is on all paths. */
static inline bool
shared_switch_has(const struct shared_switch *x, sw_ix s)
{
	return x->seen[s] == x->stamp;
}

#endif
