/*
 * directions: the links of a graph as directions, each with its opposite, and
 * the dependencies of one direction on the next, numbered.
 */
#ifndef HEDDLE_ROUTING_GRAPH_DIRECTIONS_H
#define HEDDLE_ROUTING_GRAPH_DIRECTIONS_H

#include <stdint.h>

#include "routing/graph/swgraph.h"

/* A graph's link groups as directions, each with its opposite and its
 * dependencies. */
struct directions {
	const struct swgraph *g;
	uint32_t n;	/* groups of links, each from one switch to another */
	uint32_t *back; /* [n] the opposite direction */
	uint32_t *from; /* [n] the switch that a group belongs to */
	uint32_t *dep;	/* [n + 1] the first dependency out of a group, see
			    directions_dep */
};

/* All of it in the graph's arena. */
void directions_build(struct directions *d, const struct swgraph *g);

/* The number of the dependency from group c into group next, which begins where
 * c ends. */
static inline uint32_t
directions_dep(const struct directions *d, uint32_t c, uint32_t next)
{
	return d->dep[c] + next - d->g->first[d->g->group[c].peer];
}

#endif
