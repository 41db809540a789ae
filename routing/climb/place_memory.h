/*
 * place_memory: the places of switches in a structure, by GUID: coordinates in
 * dimensions (torus), or the number of a group (dragonfly). Read once from the
 * links, they stay when links fail, so that layers keep their meaning. Switches
 * that are away keep their places and come back to them. A part of
 * order_memory, which holds and prints it.
 */
#ifndef HEDDLE_ROUTING_CLIMB_PLACE_MEMORY_H
#define HEDDLE_ROUTING_CLIMB_PLACE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/climb/memory_reader.h"
#include "routing/graph/dimensions.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"

struct place_memory {
	unsigned n; /* numbers that a switch has */
	struct dimension dim[DIMENSIONS_MAX];
	uint64_t *guid; /* [nsw] */
	uint32_t *at;	/* [nsw * n] */
	uint32_t nsw;
};

/* The places of the live switches of g, and those that `was` (NULL allowed) has
 * of others, unless these are the most; in arena a. */
struct place_memory *place_memory_note(const struct place_memory *was,
	const struct swgraph *g, const struct dimensions *places,
	struct arena *a);

/* The places of the live switches of g, arrays in g->a; false: m (NULL allowed)
 * does not know all of them. */
bool place_memory_fit(const struct place_memory *m, const struct swgraph *g,
	struct dimensions *out);

/* As lines of text, and back: what follows the word "shape" of the text, NULL
 * if it is bad, and what follows the word "place" of a line. */
void place_memory_print(const struct place_memory *m, struct buf *out);
struct place_memory *place_memory_read_shape(
	struct memory_reader *r, const char *text, struct arena *a);
bool place_memory_reads_place(struct memory_reader *r, struct place_memory *m);

#endif
