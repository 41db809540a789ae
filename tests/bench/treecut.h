/*
 * treecut: what no routing of a fabric can do better, by cutting pieces off it.
 *
 * The pieces: switches that are no further from one with hosts than 0, 1, ...
 * cables, as far as they are joined. In a tree these are leaves (racks, where
 * leaves have cables to each other), then pods. What leaves a piece does so by
 * the cables that lead out of it, and the fullest carries the mean at least.
 */
#ifndef HEDDLE_TESTS_BENCH_TREECUT_H
#define HEDDLE_TESTS_BENCH_TREECUT_H

#include "discovery/topo.h"

struct treecut {
	uint32_t shift; /* flows on the busiest cable of the worst shift, hosts
			   in the order of their LIDs */
	double load;	/* host pairs on the busiest cable */
};

struct treecut treecut_find(const struct topo *t);

#endif
