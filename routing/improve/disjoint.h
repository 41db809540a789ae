/*
 * disjoint: disjoint paths to the ports of multi-port nodes, in the tables of
 * any engine.
 *
 *   disjoint         paths, and how entries are changed
 *   disjoint_select  which nodes to look at
 *   disjoint_meet    which of them have paths that meet
 *
 * An engine chooses down paths that share no switch (multi_port.c), but not how
 * every source joins them, and after a failure each switch replaces its own
 * entries. Here the tables are complete: for each multi-port node and every
 * leaf it is checked whether the paths to all ports share a switch
 * (redundancy.h), and where they do, entries are changed until they do not.
 *
 * An entry may change as routing/improve/rebalance.h allows: to another link in
 * the same direction of the switch order, to a switch that is as near, goes
 * down itself where this one goes down, may get such packets from above, and is
 * in the same part. So distances fall with every step, no packet goes down and
 * up again, and the engine keeps these entries when it runs again. Paths that
 * are longer than the shortest legal ones are not considered.
 *
 * How: for a leaf with a single point of failure the path is sought that leads
 * to one of the ports, passes no switch that the paths to all other ports
 * share, and needs the fewest entries changed; among these, one to an idle
 * port is preferred to one in use, then the one that moves the fewest paths of
 * other leaves, then the least loaded one. It is accepted if fewer leaves have
 * a single point of failure then, so their number only falls.
 *
 * Redundancy is worth entries: they are changed although they still lead
 * somewhere, in kept tables as in fresh ones. But a search that failed before
 * is not repeated: in kept tables only nodes are looked at for which something
 * has changed, and all nodes only where others than these stayed cut off and a
 * search for them may end otherwise, since links, leaves or the order have
 * changed. So a second run changes nothing, whether it looks at all nodes, as
 * after a restart, or not.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_DISJOINT_H
#define HEDDLE_ROUTING_IMPROVE_DISJOINT_H

#include "routing/core/engine.h"

/*
 * A copy of r with entries changed; not verified. NULL: there is nothing to
 * gain. r must be verified, with r->verified. since: only nodes are looked at
 * for which something has changed since these routes; NULL: all nodes. In r and
 * the result disjoint_opts_hash and lost_disjoint are set.
 */
struct routes *disjoint_routes(struct routes *r, const struct route_job *job,
	const struct routes *since);

#endif
