/*
 * rebalance_multi_port: what relief (rebalance.h) may do about the LIDs of a
 * node with several ports. A leaf's packets for one of them keep off the
 * switches that all of its ways to the others pass: whoever had no single point
 * of failure gets none.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_MULTI_PORT_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_MULTI_PORT_H

#include "routing/improve/rebalance_tree.h"

struct rebalance_multi_port {
	const struct rebalance_links *net;
	uint16_t *mate;	  /* by LID: that of the next port, in a ring */
	uint64_t *barred; /* [nsw] when: to what is to be led elsewhere now */
	uint64_t now;
	uint64_t *seen; /* [nsw] stamp + how many of the ways pass, */
	uint64_t stamp; /* ... of so many, from one leaf */
	bool *behind;	/* [nsw] */
};

/*
 * Who belongs together; and in fixed[max_lid + 1] all but the LIDs that may be
 * led another way: the first one of each host's port, unless that is idle.
 */
void rebalance_multi_port_begin(struct rebalance_multi_port *h,
	const struct rebalance_links *net, const struct engine_options *o,
	bool *fixed, struct arena *a);

/* Has the node of the LID other ports? */
static inline bool
rebalance_multi_port_has(const struct rebalance_multi_port *h, uint16_t lid)
{
	return h->mate[lid] != lid;
}

/*
 * From now on what passes s for the LID, whose tree x is, is what is about to
 * be led elsewhere. What that takes: switches that were looked at.
 */
uint32_t rebalance_multi_port_exclude(struct rebalance_multi_port *h,
	const struct routes *r, uint16_t lid, const struct rebalance_tree *x,
	sw_ix s);

/* Must it keep off this switch? */
static inline bool
rebalance_multi_port_is_excluded(const struct rebalance_multi_port *h, sw_ix s)
{
	return h->barred[s] == h->now;
}

/* Would the LID, by tree x as a whole, pass a switch that it must keep off? */
bool rebalance_multi_port_shares(struct rebalance_multi_port *h,
	const struct routes *r, uint16_t lid, const struct rebalance_tree *x);

#endif
