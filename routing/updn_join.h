/*
 * updn_join: a subtree that is turned over, and has lost some of its cables,
 * made whole. Private to updn_turn.c.
 *
 * When the leaf of the turns loses the way up to a top, or a whole plane of
 * them, another leaf may still have all. But to turn the subtree above another
 * leaf over reverses the cables of two subtrees and moves all turns between
 * tops: nearly all entries for switches change. Instead, a joiner is sought: a
 * switch J with one cable up into the subtree, to X, and others that lead to
 * what was lost. In the line it is put right behind what is not above it, and
 * all that is above it behind itself, but for X:
 *
 *   ... X  J  what is above J (but for X), upside down  the rest
 *
 * The cable between X and J stays what it was, the others up from J are turned
 * over. The leaf remains the only top of the line, so all pairs have a path,
 * and all that ends at the leaf, and does not pass J, remains legal.
 */
#ifndef HEDDLE_ROUTING_UPDN_JOIN_H
#define HEDDLE_ROUTING_UPDN_JOIN_H

#include "routing/updn.h"

enum { UPDN_JOINERS = 8 };

/*
 * The subtree above leaf (u->tier_above is there), made whole by joiners where
 * it has to be: the set of its switches into tree, those in the order of the
 * line into seq (u->nsw at most). How many; 0: it cannot be done.
 */
uint32_t updn_join(
	const struct updn *u, sw_ix leaf, uint64_t *tree, sw_ix *seq);

#endif
