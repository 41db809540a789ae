/*
 * routes_diff: the difference between two sets of routes: entries and blocks to
 * write, pairs of hosts with another path, and nodes that are lost. Switches
 * are the same when their GUIDs are.
 */
#ifndef HEDDLE_SM_WHAT_IF_ROUTES_DIFF_H
#define HEDDLE_SM_WHAT_IF_ROUTES_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "routing/core/routes.h"

struct routes_diff {
	uint64_t entries;  /* (switch, LID) that are rewritten, of switches in
			      both */
	uint64_t blocks;   /* (switch, 64 LIDs) that are rewritten */
	uint32_t switches; /* that have such a block */
	uint64_t pairs;	   /* pairs of hosts that are in both */
	uint64_t moved; /* of pairs: those with another path, or a first one */
	uint64_t cut;	/* of pairs: those that had a path and have none */
	node_ix *lost;	/* nodes of was that are not in is */
	size_t nlost;
};

/* Compare; free with routes_diff_free. Both must use one pool of blocks. */
void routes_diff_of(const struct routes *was, const struct routes *is,
	struct routes_diff *out);

void routes_diff_free(struct routes_diff *i);

#endif
