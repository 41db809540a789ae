/*
 * audit_dependencies: the channel dependency graph of a fabric, for the tables
 * of any subnet manager. A channel is a link direction on a VL; a dependency
 * leads from one channel to the next one that a packet takes. The dependencies
 * of unicast (LFTs) and of groups (MFTs) go into one graph, and packets may
 * change the VL from link to link, so that it is kept as a list of edges and
 * not as the matrix by layer of Heddle's own routes
 * (routing/verify/dep_graph.h); the search for cycles is the same
 * (routing/verify/dep_cycle.h).
 *
 * A dependency is sure if its packets are known. It is not sure if it exists
 * only for an SL that subnet administration did not report, or only for packets
 * that switches send themselves, which are usually few. Without a cycle in all
 * dependencies no deadlock is possible; with a cycle in the sure ones one is
 * possible; in between it is unknown.
 *
 * Dally and Seitz 1987.
 */
#ifndef HEDDLE_SM_AUDIT_DEPENDENCIES_H
#define HEDDLE_SM_AUDIT_DEPENDENCIES_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

struct audit_deps;

/*
 * From the link that ends at port `in` of a switch to the link at port `out`.
 */
struct audit_dependency {
	sw_ix sw;
	uint8_t in, in_vl, out, out_vl;
};

/* The packets that cause a dependency. */
struct audit_dependencies_cause {
	uint16_t lid; /* unicast or multicast; 0: several */
	uint8_t sl;
	bool sure;
	bool own; /* only switches send them, from port 0; then sure is false */
};

struct audit_deps *audit_dependencies_new(
	const struct topo *t);			    /* t is borrowed */
void audit_dependencies_free(struct audit_deps *d); /* NULL allowed */

/* Add a dependency; both ports must lead to switches, else nothing is added. */
void audit_dependencies_add(struct audit_deps *d,
	const struct audit_dependency *dep,
	const struct audit_dependencies_cause *why);

/* A hop of a cycle: a link, and the packets that go on from it into the next
 * link. */
struct audit_dependencies_hop {
	sw_ix from, to;
	uint8_t out, in, vl;
	struct audit_dependencies_cause why;
};

/* A link direction, by the switch port where it ends. */
struct audit_dependencies_link {
	sw_ix to;
	uint8_t in;
};

struct audit_dependencies_verdict {
	uint32_t channels; /* that have a dependency */
	uint32_t deps;
	uint32_t cyclic; /* channels on cycles, or between two cycles */
	uint32_t links;	 /* link directions that have such a channel */
	struct audit_dependencies_link *link; /* [links] these */
	struct audit_dependencies_hop *cycle;
	uint32_t len; /* length of a short cycle; 0: there is none */
};

/* Search all dependencies for cycles, or only the sure ones. */
void audit_dependencies_judge(const struct audit_deps *d, bool sure,
	struct audit_dependencies_verdict *out);
void audit_dependencies_verdict_free(struct audit_dependencies_verdict *v);

#endif
