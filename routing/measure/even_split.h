/*
 * even_split: what links carry where switches choose among ports themselves
 * (routing/core/route_sets.h): packets of every flow may choose, and each
 * switch spreads a flow evenly over its default and its options.
 *
 *	tables and sets -> a graph of ports for each destination
 *			-> shares of flows on links -> figures
 *
 * That is a static figure, as those of routing/measure/bandwidth.h are, and
 * stands beside them: theirs are of packets that stay in order. A switch that
 * sees its ports' queues does better than an even split where flows are uneven,
 * and one that prefers the default does not split where nothing is congested.
 *
 * Packets to the manager's own port count like others, although they stay in
 * order: which port that is shall not decide what a fabric is worth.
 *
 * Shares are summed in doubles, in one order: the same figures everywhere.
 */
#ifndef HEDDLE_ROUTING_MEASURE_EVEN_SPLIT_H
#define HEDDLE_ROUTING_MEASURE_EVEN_SPLIT_H

#include <stdint.h>

#include "routing/core/route_sets.h"
#include "routing/core/verdict.h"

/* All hosts send to all others: the loads of links between switches, in pairs
 * of hosts as in routing/core/link_load.h. */
struct even_split_load {
	double max, mean; /* over link directions */
	sw_ix sw;	  /* where the busiest one leaves; TOPO_NONE: none
			     carries anything */
	uint8_t port;
	uint64_t lost; /* pairs of a switch and a host that some choice does
			  not lead to */
};

/* sets NULL: the tables alone. */
void even_split_uniform(const struct verify_tables *in,
	const struct route_sets *sets, struct even_split_load *out);

/* A random half of the hosts sends to the other half, one flow each. */
struct even_split_bisection {
	unsigned trials; /* as many as asked for, fewer in a large fabric */
	double mean;	 /* bandwidth over flows and trials, 0..1 */
	double lowest;	 /* of any flow */
	uint64_t lost;	 /* flows that do not arrive: bandwidth 0 */
};

/*
 * The bandwidth of a flow is that of the busiest link that any of its packets
 * takes, at most 1. The bisections are those of bandwidth_ebb for the same
 * seed. Fewer than two hosts: all zero.
 */
void even_split_bisections(const struct verify_tables *in,
	const struct route_sets *sets, unsigned trials, uint64_t seed,
	struct even_split_bisection *out);

#endif
