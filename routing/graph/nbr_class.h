/*
 * nbr_class: classes of switches that have the same neighbours above, or below,
 * in a switch order. In a tree nearly every switch shares its class: the leaves
 * of a pod do, and the switches at the same place of each pod. What is computed
 * from the neighbours of a switch on one side, most of all a union of their
 * sets, is computed once for the whole class. Where no two switches have the
 * same neighbours, as in a random graph, finding that out takes one pass over
 * the links.
 */
#ifndef HEDDLE_ROUTING_GRAPH_NBR_CLASS_H
#define HEDDLE_ROUTING_GRAPH_NBR_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/graph/swgraph.h"

struct nbr_class_side {
	sw_ix *first; /* [nsw] the first switch of the class of s */
	uint32_t *n;  /* [nsw] of the first: how many the class has */
};

/*
 * The neighbours of s: peer[first[s]] .. peer[mid[s] - 1] are above it, the
 * rest below; first[] is that of the graph.
 */
struct nbr_class {
	uint32_t *mid;
	uint16_t *peer;
	struct nbr_class_side up, down;
};

/* Unions of the neighbours' sets, during a round the same for a whole class. */
struct nbr_class_union {
	const struct swgraph *g;
	const struct nbr_class *classes;
	bool up;
	uint32_t round;
	uint32_t *when; /* [nsw] the round in which it was made */
	uint64_t **row; /* [nsw] of classes with several switches */
	uint64_t *own;	/* of a switch that is alone in its class */
};

/* The classes on both sides, by this switch order. */
struct nbr_class nbr_class_find(
	const struct swgraph *g, const struct sw_order *line);

/* The classes above alone: side down is not filled in. */
struct nbr_class nbr_class_find_up(
	const struct swgraph *g, const struct sw_order *line);

/* True if s and t are in the same class, above or below. */
static inline bool
nbr_class_is_same(const struct nbr_class_side *side, sw_ix s, sw_ix t)
{
	return side->first[s] == side->first[t];
}

/*
 * The classes, by their neighbours above, of the neighbours below a switch:
 * each once, as its first switch; found on the first request.
 */
struct nbr_class_groups {
	const struct swgraph *g;
	struct nbr_class classes;
	uint32_t *seen; /* [nsw] by first switch: the last switch above, + 1 */
	uint32_t *n;	/* [nsw] number of classes + 1; 0: not found yet */
	uint16_t *list; /* those of s begin at list[first[s]] */
};
struct nbr_class_groups nbr_class_below(
	const struct swgraph *g, const struct nbr_class *classes);
const uint16_t *nbr_class_groups(
	const struct nbr_class_groups *f, sw_ix s, uint32_t *n);

/* Unions over the neighbours above, or below. */
struct nbr_class_union nbr_class_unions(
	const struct swgraph *g, const struct nbr_class *classes, bool up);

/*
 * The union of set[x] over the neighbours x of s on that side, valid until the
 * next call. Other sets need a new round: sum->round++.
 */
const uint64_t *nbr_class_union(
	struct nbr_class_union *sum, sw_ix s, const uint64_t *const *set);

#endif
