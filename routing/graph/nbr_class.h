/*
 * updn_kin: who has the same neighbours above, or below, in an order. In trees
 * that is nearly everybody: the leaves of a pod, what is at the same place of
 * each pod. What is made of a switch's neighbours on one side, a union of their
 * sets first of all, is made once for all that are kin on this side. Where
 * nobody is, as in a random graph, that costs a look at each cable. Private to
 * updn*.c.
 */
#ifndef HEDDLE_ROUTING_GRAPH_NBR_CLASS_H
#define HEDDLE_ROUTING_GRAPH_NBR_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

struct updn;
struct updn_line;

struct updn_kin_side {
	sw_ix *first; /* [nsw] the first of those that s is kin of, or s */
	uint32_t *n;  /* of the first: how many they are */
};

/* The neighbours of s: peer[first[s]] .. mid[s] above it, the rest below. */
struct updn_kin {
	uint32_t *mid;
	uint16_t *peer;
	struct updn_kin_side up, down;
};

/* Unions of neighbours' sets, while a round lasts the same for all kin. */
struct updn_kin_sum {
	const struct updn *u;
	const struct updn_kin *kin;
	bool up;
	uint32_t round;
	uint32_t *when; /* [nsw] the round in which it was made */
	uint64_t **row; /* [nsw] of those that have kin */
	uint64_t *own;	/* of one that has none */
};

/* By the order of this line. */
struct updn_kin updn_kin_find(
	const struct updn *u, const struct updn_line *line);

/* The same of what is above alone: nobody is kin below. */
struct updn_kin updn_kin_find_up(
	const struct updn *u, const struct updn_line *line);

/* Are s and t kin, above or below? */
static inline bool
updn_kin_are(const struct updn_kin_side *side, sw_ix s, sw_ix t)
{
	return side->first[s] == side->first[t];
}

/* The kin of whom a switch is above, each by its first and once; found when
 * they are asked for first. */
struct updn_kin_families {
	const struct updn *u;
	struct updn_kin kin;
	uint32_t *seen; /* [nsw] by the first: the last switch above, + 1 */
	uint32_t *n;	/* [nsw] how many they are, + 1, or 0: not found yet */
	uint16_t *list; /* those of s are list[first[s]] and behind */
};
struct updn_kin_families updn_kin_below(
	const struct updn *u, const struct updn_kin *kin);
const uint16_t *updn_kin_families(
	const struct updn_kin_families *f, sw_ix s, uint32_t *n);

/* Rows of u->words words, one a switch, as sets that unions can be made of. */
const uint64_t **updn_kin_rows(const struct updn *u, const uint64_t *rows);

/* Unions over the neighbours above, or below. */
struct updn_kin_sum updn_kin_sums(
	const struct updn *u, const struct updn_kin *kin, bool up);

/*
 * The union of set[x] over the neighbours x of s on that side, valid until the
 * next call. A new round, after sum->round++, is for other sets.
 */
const uint64_t *updn_kin_sum(
	struct updn_kin_sum *sum, sw_ix s, const uint64_t *const *set);

#endif
