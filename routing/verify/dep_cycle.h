/*
 * dep_cycle: whether channels wait for each other in a cycle, and a short cycle
 * to show. The judge, the transition and the audit search their dependencies by
 * it, each in the form that it keeps them in.
 *
 * Channels without predecessors are removed until none is left (Kahn). What
 * remains is on a cycle or behind one; removing channels without successors
 * then leaves what is on a cycle or between two. From there every path forward
 * closes a cycle, and a breadth-first search from its channels finds a short
 * one.
 */
#ifndef HEDDLE_ROUTING_VERIFY_DEP_CYCLE_H
#define HEDDLE_ROUTING_VERIFY_DEP_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/verify/dep_graph.h"

/* The channels that follow c, or precede it: iterated with *at = 0 at first;
 * TOPO_NONE at the end. */
typedef uint32_t dep_neighbour(const void *of, uint32_t c, unsigned *at);

/* Channels 0 ... n - 1 and the dependencies among them. */
struct dep_channels {
	const void *of;
	uint32_t n;
	dep_neighbour *next, *prev;
};

/* The dependencies of a matrix over a frame; m is borrowed. With a map of VLs
 * its channels are nodes: a vertex that does not name one is alone. */
struct dep_matrix {
	const struct dep_graph *n;
	const uint64_t *dep;
};
struct dep_channels dep_cycle_matrix(const struct dep_matrix *m);

/*
 * Of the channels in left [n] remove, again and again, those that no other one
 * leads to, or with `back` those that lead to no other one. Returns how many
 * stay.
 */
uint32_t dep_cycle_trim(const struct dep_channels *d, bool back, bool *left);

/*
 * A short cycle among the channels in left, of which there is one and each is
 * followed by another. path: [n], first channel first. Returns its length.
 */
uint32_t dep_cycle_shortest(
	const struct dep_channels *d, const bool *left, uint32_t *path);

#endif
