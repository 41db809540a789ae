/*
 * reach_before: the graph and the switch order of the previous routes, by the
 * present numbers of switches; those that are gone come behind the last one.
 * Made again from the routes and their topology whenever tables are kept.
 * Private to reach_diff.c.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_REACH_BEFORE_H
#define HEDDLE_ROUTING_UPDOWN_REACH_BEFORE_H

#include "routing/updown/keep_priv.h"

struct reach_before {
	struct keep_job *p;
	struct updown u; /* graph, sw_order, sftree_extra; no more. Sets are of
			    present switches */
	sw_ix *number;	 /* by previous number: the present one */
};

/*
 * Find them, in an arena that lives as long as they do. False: the previous
 * candidates cannot be told from them, as another engine than this one made
 * the previous routes, or they have no order, or an unknown one.
 */
bool reach_before_find(struct reach_before *x, struct keep_job *p,
	struct arena *a, const char *engine);

#endif
