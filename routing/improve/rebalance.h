/*
 * even: the busiest cables relieved, whoever made the tables.
 *
 * In a damaged tree some cables must carry more than others. An engine spreads
 * by what it knows beforehand; here the loads that the verifier counted are
 * known, and single entries are led another way until no cable is busier than
 * it must be, or no entry helps.
 *
 * What may be: the entry of switch s for a LID that goes up may go up by
 * another cable, one that goes down may go down by another one, where the
 * switch there is as near to the destination, goes down itself in the latter
 * case, and no packet of the LID gets longer or turns where it must not. That
 * depends on nothing but the entries there are: distances fall by one with each
 * step, so nothing loops; a packet that goes up came from nowhere above, as it
 * did before; so the order that the tables obey is still obeyed, the entries
 * are those that an engine might have chosen, and it keeps them when it runs
 * again.
 *
 * How: the level sinks from the busiest cable down to the goal. From each cable
 * above the level, LIDs are led another way, at whichever switch on their way
 * to it, if nothing gets above the level where they go then: so the worst load
 * only falls, whenever this ends. What serves best comes first, of all that can
 * be done about a cable. That is, of fresh tables, what makes the fewest
 * packets meet: those of one LID never do, as they meet at its port anyway, so
 * a cable that is one LID's alone is better than its load says, and to split a
 * LID may cost more than a busy cable. Where entries are kept, it is what
 * changes the fewest of them. Once the busiest cable of fresh tables cannot be
 * relieved any further, all is as good as it gets.
 *
 * What makes it quick: the ways to a LID are looked at once and then kept up to
 * date (rebalance_tree.h); what is met on the way from each switch is added up
 * before cables to it are compared, and few of them need a closer look.
 *
 * An entry that nothing uses is changed with the one that begins to use it: all
 * switches may lead to a LID by one cable because one of them was meant to.
 *
 * Where one entry is not enough, as what goes down to a LID does so by one
 * cable from wherever it comes, all entries of a LID are taken over from other
 * tables that obey the same order: then the mixture obeys it, too.
 *
 * The ways to the ports of one node are disjoint on purpose
 * (routing/improve/redundancy.h, apart.h), and stay so: what is led elsewhere
 * keeps off the switches that all ways from the same leaf to the other ports
 * pass.
 *
 * Left alone: LIDs of ports that are idle while others are up; what goes from
 * one plane to another.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_H

#include "routing/core/engine.h"

struct rebalance_opts {
	const struct route_job *job; /* whose previous routes entries are
					counted against */
	uint64_t goal;		     /* no cable need be below it */
	bool fresh;		     /* entries are not dear */
	uint64_t work;		     /* cables to look at, roughly */
	const struct routes *from;   /* of the same topology, to take over all
					entries of single LIDs, or NULL */
};

/*
 * Of r, which is verified (its state is there), routes with entries led another
 * way; not verified. NULL: there is nothing to gain.
 */
struct routes *rebalance_routes(
	const struct routes *r, const struct rebalance_opts *w);

#endif
