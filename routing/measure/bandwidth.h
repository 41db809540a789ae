/*
 * bandwidth: how good tables are, beyond being correct: effective bisection
 * bandwidth and shift permutations. For the plan, the status and the
 * benchmarks, and where engines are compared (routing/driver/compute.h).
 *
 * Both measures are static: a pattern of flows is laid over the tables, and a
 * flow's bandwidth is 1 / (flows on its busiest link direction), at most 1; on
 * a link slower than hosts the flows count more, on a faster one less. Flows
 * run between compute ports (CA and router ports that are not aggregation nodes
 * and hang on a switch) and use base LIDs.
 *
 * Effective bisection bandwidth: Hoefler, Schneider, Lumsdaine, "Multistage
 * switches are not crossbars", CLUSTER 2008 (the ORCS simulator).
 *
 * Folder routing/measure: tables -> figures. Callers: sm/what_if,
 * routing/driver and tests/bench. Read next: routing/text/fts.h, by which
 * tables of others come in.
 */
#ifndef HEDDLE_ROUTING_MEASURE_BANDWIDTH_H
#define HEDDLE_ROUTING_MEASURE_BANDWIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/verdict.h"

struct bandwidth_ebb {
	uint32_t hosts;
	unsigned trials;
	double mean;   /* over flows and trials, 0..1 */
	double spread; /* standard deviation of the trials' means */
	double lowest; /* of any flow */
	uint64_t lost; /* flows that do not arrive: bandwidth 0 */
};

/*
 * Effective bisection bandwidth over `trials` random bisections: a random half
 * of the hosts sends to the other half, one flow each. The same seed gives the
 * same figures everywhere. Fewer than two hosts: all zero.
 */
void bandwidth_ebb(const struct verify_tables *in, unsigned trials,
	uint64_t seed, struct bandwidth_ebb *out);

struct bandwidth_shift {
	uint32_t hosts;
	uint32_t shifts;   /* measured */
	uint32_t worst;	   /* flows on the busiest link of the worst shift */
	uint32_t worst_by; /* that shift: host i sends to i + worst_by */
	double mean;	   /* bandwidth over flows and shifts */
	uint64_t lost;
	uint32_t first_worst; /* over all shifts: flows, of a switch's own
				 hosts, on the busiest link out of it */
	bool first_exact;     /* first_worst is known: the LIDs of each switch's
				 hosts are neighbours; otherwise it is 0 */
};

/*
 * Static saturation of tables for t: the share of its rate at which every host
 * can send, to all others evenly, before the busiest link is full; 1 at best. 1
 * where no link between switches carries anything. The rate is that of the
 * fastest host, at most that of the fastest link between switches.
 */
double bandwidth_saturation(
	const struct verify_report *r, const struct topo *t, uint32_t hosts);

/*
 * Shift permutations, hosts in the order of their LIDs: what an all-to-all
 * runs through. All of them when `samples` is at least hosts - 1, else
 * `samples` of them, drawn by seed. The flows that leave the first switch are
 * counted for all shifts in both cases: a shift is a window of destinations,
 * which slides over the switch's row.
 */
void bandwidth_shift(const struct verify_tables *in, unsigned samples,
	uint64_t seed, struct bandwidth_shift *out);

#endif
