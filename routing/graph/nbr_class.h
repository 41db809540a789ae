/*
 * nbr_class: who has the same neighbours above, or below, in an order. In trees
 * that is nearly everybody: the leaves of a pod, what is at the same place of
 * each pod. What is made of a switch's neighbours on one side, a union of their
 * sets first of all, is made once for all that are kin on this side. Where
 * nobody is, as in a random graph, that costs a look at each cable.
 */
#ifndef HEDDLE_ROUTING_GRAPH_NBR_CLASS_H
#define HEDDLE_ROUTING_GRAPH_NBR_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/graph/swgraph.h"

struct nbr_class_side {
	sw_ix *first; /* [nsw] the first of those that s is kin of, or s */
	uint32_t *n;  /* of the first: how many they are */
};

/* The neighbours of s: peer[first[s]] .. mid[s] above it, the rest below. */
struct nbr_class {
	uint32_t *mid;
	uint16_t *peer;
	struct nbr_class_side up, down;
};

/* Unions of neighbours' sets, while a round lasts the same for all kin. */
struct nbr_class_union {
	const struct swgraph *g;
	const struct nbr_class *kin;
	bool up;
	uint32_t round;
	uint32_t *when; /* [nsw] the round in which it was made */
	uint64_t **row; /* [nsw] of those that have kin */
	uint64_t *own;	/* of one that has none */
};

/* By the order of this line. */
struct nbr_class nbr_class_find(
	const struct swgraph *g, const struct sw_order *line);

/* The same of what is above alone: nobody is kin below. */
struct nbr_class nbr_class_find_up(
	const struct swgraph *g, const struct sw_order *line);

/* Are s and t kin, above or below? */
static inline bool
nbr_class_is_same(const struct nbr_class_side *side, sw_ix s, sw_ix t)
{
	return side->first[s] == side->first[t];
}

/* The kin of whom a switch is above, each by its first and once; found when
 * they are asked for first. */
struct nbr_class_groups {
	const struct swgraph *g;
	struct nbr_class kin;
	uint32_t *seen; /* [nsw] by the first: the last switch above, + 1 */
	uint32_t *n;	/* [nsw] how many they are, + 1, or 0: not found yet */
	uint16_t *list; /* those of s are list[first[s]] and behind */
};
struct nbr_class_groups nbr_class_below(
	const struct swgraph *g, const struct nbr_class *kin);
const uint16_t *nbr_class_groups(
	const struct nbr_class_groups *f, sw_ix s, uint32_t *n);

/* Rows of g->words words, one a switch, as sets that unions can be made of. */
const uint64_t **nbr_class_rows(const struct swgraph *g, const uint64_t *rows);

/* Unions over the neighbours above, or below. */
struct nbr_class_union nbr_class_unions(
	const struct swgraph *g, const struct nbr_class *kin, bool up);

/*
 * The union of set[x] over the neighbours x of s on that side, valid until the
 * next call. A new round, after sum->round++, is for other sets.
 */
const uint64_t *nbr_class_union(
	struct nbr_class_union *sum, sw_ix s, const uint64_t *const *set);

#endif
