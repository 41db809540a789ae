/*
 * dimensions_fit: the switches placed in dimensions that are given or guessed,
 * where links are missing that dimensions_read needs, or where what it finds is
 * to be compared.
 *
 *   1. Neighbours of a switch are in one dimension if they are linked, or have
 *      no other common neighbour. A switch whose neighbours are in as many
 *      dimensions as are given, with as many in each as there must be, is a
 *      seed; its neighbours have a place.
 *   2. A switch gets the place that most of its neighbours with a place are
 *      next to, if there is one such place; and so on.
 *   3. Seeds, and dimensions by their neighbours, are tried until all switches
 *      have a place and all links lead to a neighbour.
 *
 * Where none are given those of up to three lines and rings are guessed that
 * have about as many switches and links: with two dimensions a lost link in
 * twenty can leave too little to read. There the first link that leads to no
 * neighbour ends a growth.
 *
 * A ring of four switches is two lines of two, one of three a full mesh.
 *
 * Source: the growth from a seed is that of torus-2QoS of OpenSM, which has the
 * seed from its configuration.
 */
#ifndef HEDDLE_ROUTING_GRAPH_DIMENSIONS_FIT_H
#define HEDDLE_ROUTING_GRAPH_DIMENSIONS_FIT_H

#include "routing/core/engine.h"
#include "routing/graph/dimensions.h"

/* The options of an engine that dimensions can be given to. */
struct dimension_options {
	struct schema_shapes dimensions; /* by dimension_shapes; none: read */
};

/* The key "dimensions" of such an engine, its only one. */
extern const struct schema_option dimension_option;

enum { DIMENSION_SIZE_MAX = 4096 };

/* Dimensions as configured. */
struct dimensions_given {
	const char *section; /* of the option, for reasons */
	unsigned n;	     /* 0: none are given; above DIMENSIONS_MAX: more */
	struct dimension dim[DIMENSIONS_MAX];
};

/* What options (NULL: none) give, which are in this section. */
struct dimensions_given dimensions_take(
	const struct dimension_options *o, const char *section);

/* As dimensions_read, but guessed where that fails; with given dimensions they
 * are those, and it is refused what has others. */
int dimensions_find(const struct swgraph *g,
	const struct dimensions_given *given, struct dimensions *out,
	struct reason *why);

/* Whether these dimensions are the given ones, in any order. */
bool dimensions_are_given(
	const struct dimensions *d, const struct dimensions_given *given);

#endif
