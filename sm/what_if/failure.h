/*
 * failure: a fabric without the nodes and links that fail. A plan names nodes
 * and ports; the rest is frozen as if discovery had found it, seen from the
 * same port if that is left.
 */
#ifndef HEDDLE_SM_WHAT_IF_FAILURE_H
#define HEDDLE_SM_WHAT_IF_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

#include "discovery/builder/builder.h"
#include "discovery/topo.h"
#include "sm/base/reason.h"

/* What fails, or is drained: a node, or the link at one of its ports. */
struct failure {
	node_ix node;
	unsigned port; /* 0: all of the node */
	bool drained;  /* it stays, and no route leads over it */
};

/*
 * Find what text names: "NODE" or "NODE/PORT", NODE a LID, a GUID, a name or a
 * part of one that only one node has. 0, or -1 and why.
 */
int failure_find(const struct topo *t, const char *text, struct failure *out,
	struct reason *why);

/*
 * t without these n failures, and with what is drained, its LIDs kept as found
 * LIDs: a topology for each component that is left, ours first. 0, or -1 and
 * why: nothing is left.
 */
int failure_apply(const struct topo *t, const struct failure *f, size_t n,
	struct builder_components *out, struct reason *why);

#endif
