/*
 * view_redundancy: which multi-port nodes of a view have a single point of
 * failure, and which point it is: what routing/improve/redundancy.h finds in
 * its tables. An immutable value, shared by views of the same routes.
 *
 * Counting follows every path from every leaf to every such node, up to a
 * second on the largest fabrics: sm/redundancy_worker.h has it done in a thread
 * of its own.
 */
#ifndef HEDDLE_SM_VIEW_VIEW_REDUNDANCY_H
#define HEDDLE_SM_VIEW_VIEW_REDUNDANCY_H

#include <stdatomic.h>
#include <stddef.h>

#include "routing/improve/redundancy.h"
#include "sm/view/view.h"

struct view_redundancy {
	unsigned refs;
	size_t nodes; /* with several ports */
	struct redundancy_node
		*node; /* with a single point of failure, by key */
	size_t nsingle;
	struct redundancy_point *point; /* with most nodes first */
	size_t npoints;
};

/*
 * Count those of v; options: for the groups, NULL allowed. NULL when another
 * thread set *cancel (cancel may be NULL). Reads only fields of v that never
 * change while it is pinned.
 */
struct view_redundancy *view_redundancy_count(const struct view *v,
	const struct engine_options *options, const atomic_bool *cancel);

struct view_redundancy *view_redundancy_ref(
	struct view_redundancy *h);		       /* NULL allowed */
void view_redundancy_unref(struct view_redundancy *h); /* NULL allowed */

#endif
