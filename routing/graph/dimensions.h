/*
 * dimensions: the switches read as a product of lines, rings and full meshes:
 * meshes, hypercubes (lines of two), HyperX and tori. Read from the links
 * alone, not from names or ports.
 *
 *   1. Opposite links of a square without diagonals, whose corners have no
 *      other common neighbour, run in one direction; so do the links of a
 *      triangle. This gives classes of links. Where links are missing, a class
 *      loses a few: such remains are left out until coordinates are known.
 *   2. Where links of two classes meet at a switch and seldom span a square,
 *      the classes are one dimension: the next step of a line.
 *   3. What hangs together without the links of a dimension has one coordinate
 *      in it. No two switches may have all coordinates alike.
 *   4. In each dimension the coordinates form a line or a ring, or all are
 *      linked to all.
 *
 * Dimensions are numbered by the ports that they are cabled to, lower ports
 * first, as administrators of dimension-order routing are used to. Along a line
 * coordinates count from one end, in a ring from the lowest GUID; in a full
 * mesh those that have lost no link come first, so that detours are found
 * through them.
 */
#ifndef HEDDLE_ROUTING_GRAPH_DIMENSIONS_H
#define HEDDLE_ROUTING_GRAPH_DIMENSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/graph/swgraph.h"
#include "sm/base/reason.h"

enum { DIMENSIONS_MAX = 32, DIMENSIONS_NONE = UINT8_MAX };

enum dimension_shape {
	DIMENSION_LINE,	  /* two coordinates are a line */
	DIMENSION_RING,	  /* of four and more */
	DIMENSION_FULL,	  /* mesh */
	DIMENSION_GROUPS, /* none, but the groups of a dragonfly */
};

/* Their names, up to that of a full mesh, NULL-terminated. */
extern const char *const dimension_shapes[];

struct dimension {
	uint32_t size; /* coordinates */
	enum dimension_shape shape;
};

struct dimensions {
	unsigned n;
	struct dimension dim[DIMENSIONS_MAX];
	uint32_t *at; /* [nsw * n] coordinates of live switches */
	uint8_t *of;  /* [groups of the graph] dimension of a link group, or
			 DIMENSIONS_NONE */
	uint32_t odd; /* links that are of none: they lead to no neighbour */
};

/*
 * Read the live switches of g, which is built; arrays are in g->a. -1 and why:
 * they are no such product.
 */
int dimensions_read(
	const struct swgraph *g, struct dimensions *out, struct reason *why);

/* Number the dimensions by the ports that they are cabled to, lower ports
 * first. */
void dimensions_sort(const struct swgraph *g, struct dimensions *x);

/* The dimensions of links by the coordinates of their switches, which need not
 * be what the links are now: `of` and `odd` are filled in. */
void dimensions_of_links(const struct swgraph *g, struct dimensions *x);

/* Whether at most one link in 20, of n in all, is of no dimension. */
bool dimensions_has_few_odd(const struct dimensions *x, uint32_t n);

/* " line of 8, full mesh of 12", appended to the text in out. */
void dimensions_print(const struct dimensions *x, char *out, size_t size);

#endif
