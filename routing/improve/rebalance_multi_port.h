/*
 * rebalance_multi_port: what rebalancing (rebalance.h) may do about the LIDs of
 * a node with several ports. A leaf's packets for one of them keep off the
 * switches that all of its paths to the others pass: a leaf without a single
 * point of failure gets none.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_MULTI_PORT_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_MULTI_PORT_H

#include "routing/improve/rebalance_tree.h"
#include "routing/improve/shared_switch.h"

struct rebalance_multi_port {
	const struct link_map *net;
	uint16_t *mate;	  /* by LID: that of the next port, in a ring */
	uint64_t *barred; /* [nsw] is now: excluded for what is rerouted now */
	uint64_t now;
	struct shared_switch shared; /* by the paths from one leaf to the
					other ports */
	bool *behind; /* [nsw] what it sends passes the switch at hand */
};

/*
 * Find which LIDs are of one node. fixed[max_lid + 1]: the LIDs that must not
 * be rerouted: all but the first LID of each host's port, and of a node with
 * several ports also those of idle ones.
 */
void rebalance_multi_port_begin(struct rebalance_multi_port *h,
	const struct rebalance_tree_ring *g, const struct engine_options *o,
	bool *fixed);

/* True if the node of the LID has other ports. */
static inline bool
rebalance_multi_port_has(const struct rebalance_multi_port *h, uint16_t lid)
{
	return h->mate[lid] != lid;
}

/*
 * What passes s for the LID, x being its tree, is about to be rerouted: exclude
 * from now on the switches that it must keep off, and no others. Returns the
 * work: switches that were looked at.
 */
uint32_t rebalance_multi_port_exclude(struct rebalance_multi_port *h,
	const struct routes *r, uint16_t lid, const struct rebalance_tree *x,
	sw_ix s);

/* True if it must keep off switch s. */
static inline bool
rebalance_multi_port_is_excluded(const struct rebalance_multi_port *h, sw_ix s)
{
	return h->barred[s] == h->now;
}

/* True if packets to the LID, by tree x, would pass a switch that the paths
 * from their leaf to all other ports pass. */
bool rebalance_multi_port_shares(struct rebalance_multi_port *h,
	const struct routes *r, uint16_t lid, const struct rebalance_tree *x);

#endif
