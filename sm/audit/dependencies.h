/*
 * audit_deps: which buffer waits for which, whoever sends. A channel is a cable
 * direction on a virtual lane; a turn is a dependency of one channel on the
 * next. Turns of single packets (LFTs) and of groups (MFTs) go into one graph,
 * lanes may change from cable to cable, so that this is what is true of any
 * manager's tables. The verifier of our own routes, which knows that a lane is
 * kept all the way, judges a lane at a time.
 *
 * A turn that is known to be made is sure; one that somebody makes who uses an
 * SL that nobody told us is not, nor is one that only switches' own packets
 * make: those are few as a rule. Without a cycle in all turns no deadlock is
 * possible; with one in those that are sure one is; in between nobody can say.
 *
 * Dally and Seitz 1987.
 */
#ifndef HEDDLE_SM_AUDIT_DEPENDENCIES_H
#define HEDDLE_SM_AUDIT_DEPENDENCIES_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

struct audit_deps;

/* From the cable that ends in port `in` of a switch on by port `out`. */
struct audit_dependency {
	sw_ix sw;
	uint8_t in, in_vl, out, out_vl;
};

/* Whose packets make it. */
struct audit_dependencies_cause {
	uint16_t lid; /* unicast or multicast; 0: many */
	uint8_t sl;
	bool sure;
	bool own; /* only switches send them, from port 0; then it is not sure
		   */
};

struct audit_deps *audit_dependencies_new(
	const struct topo *t);			    /* t is borrowed */
void audit_dependencies_free(struct audit_deps *d); /* NULL allowed */

/* Note a turn; the ports must lead to switches, else nothing is noted. */
void audit_dependencies_add(struct audit_deps *d,
	const struct audit_dependency *turn,
	const struct audit_dependencies_cause *why);

/* A step of a cycle: a cable, and whose packets go on into the next one. */
struct audit_dependencies_hop {
	sw_ix from, to;
	uint8_t out, in, vl;
	struct audit_dependencies_cause why;
};

struct audit_dependencies_verdict {
	uint32_t channels; /* that have a part in a turn */
	uint32_t turns;
	uint32_t cyclic; /* channels on cycles, or between two */
	uint32_t cables; /* directions of cables that have such a channel */
	struct audit_dependencies_hop *cycle;
	uint32_t len; /* of a short cycle; 0: there is none */
};

/* Look at all turns, or at those that are sure. */
void audit_dependencies_judge(const struct audit_deps *d, bool sure,
	struct audit_dependencies_verdict *out);
void audit_dependencies_verdict_free(struct audit_dependencies_verdict *v);

#endif
