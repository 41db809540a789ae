/*
 * impact: what it means to go from one set of routes to another: entries and
 * blocks that must be written, pairs of hosts whose path is another one, who is
 * lost, and which redundancy. Switches are the same when their GUIDs are.
 */
#ifndef HEDDLE_SM_WHAT_IF_ROUTES_DIFF_H
#define HEDDLE_SM_WHAT_IF_ROUTES_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "routing/core/routes.h"

struct routes_diff {
	uint64_t entries; /* (switch, LID) that are written anew, of switches in
			     both */
	uint64_t blocks;  /* (switch, 64 LIDs) that are */
	uint32_t switches; /* that have such a block */
	uint64_t pairs;	   /* of hosts that are in both */
	uint64_t moved;	   /* of those: that go another way, or get a way */
	uint64_t cut;	   /* of those: that had a way and have none */
	node_ix *lost;	   /* nodes of was that are no more */
	size_t nlost;
};

/* Compare; free with routes_diff_free. Both must use one pool of blocks. */
void routes_diff_of(const struct routes *was, const struct routes *is,
	struct routes_diff *out);

void routes_diff_free(struct routes_diff *i);

#endif
