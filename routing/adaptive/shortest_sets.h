/*
 * shortest_sets: the ports of all shortest paths, for switches that escape
 * (routing/core/route_sets.h).
 *
 *	legal sets, tables -> distances to a destination switch -> ports
 *	-> without those that lead back, or to a detour -> sets
 *
 * Among switches that escape a packet may always go on by the table, whose
 * entries close no cycle: so its options need obey no order (Duato 1996). What
 * is left of them, for a switch s and a destination switch t:
 *
 *	a port on a shortest path to t, of all links between live switches, to
 *	a switch that escapes, or in the legal set of s, since a neighbour that
 *	does not escape waits in the order of the tables;
 *	not to a switch of which the table leads back over the same link, where
 *	a packet is discarded;
 *	not to a switch that has no options left to t, and of which the table
 *	makes a detour: there a packet could go round for ever.
 *
 * Other switches keep the legal sets. All of it is judged by
 * routing/verify/verify_sets.h, which knows nothing of this; the caller has the
 * legal sets for the case that it refuses.
 *
 * Sets are made anew after each change: no switch that is built escapes.
 *
 * Source: Martinez et al., Supporting fully adaptive routing in InfiniBand
 * networks (IPDPS 2003).
 */
#ifndef HEDDLE_ROUTING_ADAPTIVE_SHORTEST_SETS_H
#define HEDDLE_ROUTING_ADAPTIVE_SHORTEST_SETS_H

#include "routing/core/routes.h"

/* Sets for r, of the kinds of switches of `legal`, which are those that
 * switches have otherwise. One reference, the caller's. */
struct route_sets *shortest_sets_make(
	const struct routes *r, const struct route_sets *legal);

#endif
