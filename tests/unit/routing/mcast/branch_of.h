/*
 * branch_of: the branch of a switch in a multicast tree.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_MCAST_BRANCH_OF_H
#define HEDDLE_TESTS_UNIT_ROUTING_MCAST_BRANCH_OF_H

#include "routing/mcast/mcast.h"

/* NULL: the switch is not in the tree. */
static inline const struct mcast_branch *
branch_of(const struct mcast_tree *tree, sw_ix s)
{
	for (uint32_t i = 0; i < tree->n; i++)
		if (tree->branch[i].sw == s)
			return &tree->branch[i];
	return NULL;
}

#endif
