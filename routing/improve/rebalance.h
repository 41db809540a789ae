/*
 * rebalance: entries are moved off the busiest links, in the tables of any
 * engine.
 *
 * In a damaged tree some links must carry more than others. An engine spreads
 * by what it knows beforehand; here the loads that the verifier counted are
 * known, and single entries are rerouted until no link is busier than it must
 * be, or no entry helps.
 *
 * What may change: an entry of switch s for a LID that goes up may go up by
 * another link, one that goes down may go down by another link, if the switch
 * there is as near to the destination and, in the latter case, goes down
 * itself, and if no path to the LID gets longer or goes down and up again. This
 * depends on the entries in the tables, and on what the engine says of packets
 * that go down (engine_may_go_down). Distances fall by one with each step, so
 * nothing loops; a packet that goes up did not come from above, as before; so
 * the switch order is still obeyed. The entries are entries that an engine
 * might have chosen, and it keeps them when it runs again.
 *
 * How: a load limit (`level` in rebalance.c) sinks from the busiest link down
 * to the goal. For each link above the limit, LIDs are rerouted off it, at any
 * switch on their paths to it, if then no link that they use gets above the
 * limit: so the worst load only falls, and the work may end at any time. Of all
 * moves that take load off a link the best come first. In fresh tables these
 * are the moves that make the fewest packets meet: packets to one LID do not
 * count, as they meet at its port anyway, so a link that carries one LID alone
 * is better than its load says, and splitting a LID may cost more than a busy
 * link. Where entries are kept, they are the moves that change the fewest
 * entries. Once the busiest link of fresh tables cannot be rebalanced any
 * further, other links need not be tried.
 *
 * What makes it quick: the paths to a LID are read once and then kept up to
 * date (rebalance_tree.h); the packets met on the path from each switch are
 * added up before links to it are compared, so that few need a closer look.
 *
 * When a rerouted entry starts to use a next hop whose own entry was unused,
 * that entry is updated in the same step: all switches may send to a LID by one
 * link only because the engine meant one of them to use it.
 *
 * Where one entry is not enough, because all that goes down to a LID takes one
 * link wherever it comes from, all entries of a LID are taken over from other
 * tables that obey the same order: then the mixture obeys it, too.
 *
 * The paths to the ports of one node are disjoint on purpose
 * (routing/improve/redundancy.h, disjoint.h), and stay so: a rerouted path
 * keeps off the switches that all paths from the same leaf to the other ports
 * pass.
 *
 * Left alone: LIDs of ports that are idle while others are up; packets that go
 * from one part to another.
 *
 * Folder routing/improve: verified tables of any engine -> better ones
 * (rebalance, disjoint), bounds (load_bound) and nodes with a single point of
 * failure (redundancy). Callers: routing/driver; sm/view, sm/report and
 * sm/what_if for redundancy. Read next: routing/improve/disjoint.h,
 * routing/improve/load_bound.h.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_H

#include "routing/core/engine.h"

struct rebalance_opts {
	const struct route_job *job; /* entries changed and kept are counted
					against its previous routes */
	uint64_t goal;		     /* no link need be below it */
	bool fresh;		     /* changed entries cost nothing */
	uint64_t work;		     /* links to look at, roughly */
	const struct routes *from;   /* of the same topology, to take over all
					entries of single LIDs, or NULL */
};

/*
 * A copy of r with entries changed; not verified. NULL: there is nothing to
 * gain. r must be verified, with r->verified.
 */
struct routes *rebalance_routes(
	const struct routes *r, const struct rebalance_opts *w);

#endif
