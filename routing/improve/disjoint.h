/*
 * apart: the ways to the ports of one node led apart, whoever made the tables.
 *
 * An engine chooses ways down that share no switch (multi_port.c), but not how
 * every source joins them, and after a failure each switch replaces its own
 * entries. Here the tables are whole: of each node with several ports every
 * leaf is asked whether its ways to all of them share a switch (redundancy.h),
 * and where they do, entries are led another way until they do not.
 *
 * What may be is what routing/improve/rebalance.h allows: by another cable in
 * the same direction of the order, to a switch that is as near, goes down
 * itself where this one does, and is in the same plane. So distances fall with
 * every step, nothing turns where it must not, and the engine keeps those
 * entries when it runs again. Ways that are longer than the shortest legal ones
 * are not looked at.
 *
 * How: a leaf with a single point of failure looks for the way to one of the
 * ports, of the others' switches none, that takes the fewest entries to change;
 * of these what moves the fewest other leaves' ways, to an idle port rather
 * than to one in use, by idle cables. It is done if fewer leaves have a single
 * point of failure then, so the number only falls.
 *
 * Redundancy is worth entries: they are changed although they still lead
 * somewhere, in kept tables as in fresh ones. But nothing is sought that was
 * not found before: of kept tables only nodes are looked at that something has
 * changed for, others where there are new cables. So a second look changes
 * nothing.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_DISJOINT_H
#define HEDDLE_ROUTING_IMPROVE_DISJOINT_H

#include "routing/core/engine.h"

/*
 * Of r, which is verified (its state is there), routes with entries led another
 * way; not verified. NULL: there is nothing to gain. all: look at all nodes,
 * not only at those that something has changed for since job->prev. r notes
 * what was looked at and what is left.
 */
struct routes *disjoint_routes(
	struct routes *r, const struct route_job *job, bool all);

#endif
