/*
 * switch_groups: the switches read as the groups of a dragonfly: all, or nearly
 * all, of a group are linked to each other, and nearly every two groups have a
 * link. Read from the links alone, not from names or ports.
 *
 *   1. A link inside a group is in many triangles, one between groups in few.
 *      Links in at least half as many as the one in the most are inside.
 *   2. What hangs together by such links is a group.
 *
 * Source: Kim, Dally, Scott and Abts, Technology-driven, highly-scalable
 * dragonfly topology (ISCA 2008).
 */
#ifndef HEDDLE_ROUTING_GRAPH_SWITCH_GROUPS_H
#define HEDDLE_ROUTING_GRAPH_SWITCH_GROUPS_H

#include <stdint.h>

#include "routing/core/engine.h"
#include "routing/graph/swgraph.h"
#include "sm/base/reason.h"

struct switch_groups {
	uint32_t n;
	uint32_t *of; /* [nsw] of live switches, numbered by lowest GUID, or as
			 they are given */
};

/* Whether links are those of such groups, but for some that are missing: more
 * of groups that were there before. -1 and why. */
int switch_groups_check(const struct swgraph *g, const struct switch_groups *x,
	bool were, struct reason *why);

/* The groups that are given: a switch is of the one that matches it most
 * closely (sm/base/node_entry.h). -1 and why: a switch is of none, or of two;
 * or there are too few. The array is in g->a. */
int switch_groups_take(const struct swgraph *g,
	const struct schema_names *given, struct switch_groups *out,
	struct reason *why);

/* Read the live switches of g, which is built; arrays are in g->a. -1 and why:
 * they are no such groups. */
int switch_groups_read(
	const struct swgraph *g, struct switch_groups *out, struct reason *why);

#endif
