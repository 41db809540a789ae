/*
 * treecut: bounds that no routing of a fabric can beat, by cutting pieces off
 * it.
 *
 * A piece is a connected set of switches at most 0, 1, ... links away from a
 * switch with hosts. In a tree these are leaves (racks, if leaves have links to
 * each other), then pods. The flows that leave a piece do so by the links that
 * lead out of it, of which the busiest carries at least the mean.
 */
#ifndef HEDDLE_TESTS_BENCH_TREECUT_H
#define HEDDLE_TESTS_BENCH_TREECUT_H

#include "discovery/topo.h"

struct treecut {
	uint32_t shift; /* flows on the busiest link of the worst shift, hosts
			   in the order of their LIDs */
	double load;	/* host pairs on the busiest link */
};

struct treecut treecut_find(const struct topo *t);

#endif
