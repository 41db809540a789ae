/*
 * failure: a fabric less what fails. A plan names nodes and ports; what is
 * left is frozen again as if discovery had found it so, seen from the same
 * port where that is still there.
 */
#ifndef HEDDLE_SM_WHAT_IF_FAILURE_H
#define HEDDLE_SM_WHAT_IF_FAILURE_H

#include <stddef.h>

#include "discovery/builder/builder.h"
#include "discovery/topo.h"
#include "sm/base/reason.h"

/* What fails: a node, or the cable in one of its ports. */
struct failure {
	node_ix node;
	unsigned port; /* 0: all of the node */
};

/*
 * What text means: "NODE" or "NODE/PORT", NODE a LID, a GUID, a name or a part
 * of one that only one node has. 0, or -1 and why.
 */
int failure_find(const struct topo *t, const char *text, struct failure *out,
	struct reason *why);

/*
 * t without these, LIDs kept as found LIDs: a topology for each piece that is
 * left, ours first. 0, or -1 and why: nothing is left to look from.
 */
int failure_apply(const struct topo *t, const struct failure *f, size_t n,
	struct builder_components *out, struct reason *why);

#endif
