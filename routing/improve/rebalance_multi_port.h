/*
 * even_homes: what relief (rebalance.h) may do about the LIDs of a node with
 * several ports. A leaf's packets for one of them keep off the switches that
 * all of its ways to the others pass: whoever had no single point of failure
 * gets none.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_MULTI_PORT_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_MULTI_PORT_H

#include "routing/improve/rebalance_tree.h"

struct even_homes {
	const struct even_cables *net;
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
void even_homes_begin(struct even_homes *h, const struct even_cables *net,
	const struct engine_options *o, bool *fixed, struct arena *a);

/* Has the node of the LID other ports? */
static inline bool
even_homes_has(const struct even_homes *h, uint16_t lid)
{
	return h->mate[lid] != lid;
}

/*
 * From now on what passes s for the LID, whose tree x is, is what is about to
 * be led elsewhere. What that takes: switches that were looked at.
 */
uint32_t even_homes_bar(struct even_homes *h, const struct routes *r,
	uint16_t lid, const struct even_tree *x, sw_ix s);

/* Must it keep off this switch? */
static inline bool
even_homes_barred(const struct even_homes *h, sw_ix s)
{
	return h->barred[s] == h->now;
}

/* Would the LID, by tree x as a whole, pass a switch that it must keep off? */
bool even_homes_meets(struct even_homes *h, const struct routes *r,
	uint16_t lid, const struct even_tree *x);

#endif
