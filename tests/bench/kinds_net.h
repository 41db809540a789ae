/*
 * kinds_net: a random network whose switches are of kinds drawn at random, with
 * sets of options beside the tables that the subnet manager wrote, the verdict
 * of routing/verify/verify_sets.h on them, and packets that follow these very
 * sets. What the judge says of waiting is compared with packets that wait.
 *
 * Packets to the base LID of a host are ordered, those to the next one choose.
 * Options are ports on shortest paths, and a few others. "Proven": a switch
 * gets its sets if the network still stands before the judge, or else thinner
 * ones, or none.
 */
#ifndef HEDDLE_TESTS_BENCH_KINDS_NET_H
#define HEDDLE_TESTS_BENCH_KINDS_NET_H

#include "routing/core/route_sets.h"
#include "routing/core/verdict.h"
#include "sm/base/rng.h"
#include "tests/sim/model/world.h"

struct kinds_net_options {
	unsigned switches;
	double fixed, commits; /* parts of the switches; the others escape */
	bool proven;	       /* else all shortest paths are options */
	uint64_t seed;
};

struct kinds_net {
	struct fabric *f;
	struct world *w;
	sw_ix *sw; /* [nnodes] of the topology, or TOPO_NONE */
	struct verify_dependencies *deps;
	struct route_sets *sets;
	struct rng r;
	/* of the judge */
	bool stands;
	struct reason why;
	uint64_t options; /* ports of all sets */
	uint32_t cyclic;  /* channels on a cycle, or behind one */
};

struct kinds_net *kinds_net_new(const struct kinds_net_options *o);
void kinds_net_free(struct kinds_net *n); /* NULL allowed */

/*
 * Whether packets of so many bytes are stuck after 200 us of full load by
 * buffers of so many, and 500 us without: switches are FIFOs, those that escape
 * do so at once, and three of four packets may choose. What is stuck is what is
 * left; anything else ends the program.
 */
bool kinds_net_is_stuck(struct kinds_net *n, uint32_t bytes, uint32_t buffer);

#endif
