/*
 * mcast: the spanning tree of a multicast group.
 *
 * A tree hangs from one root switch over links that lead down in an order of
 * switches: every switch in it has at most one uplink. So a packet that comes
 * from above never goes up again, whichever member sent it; all dependencies of
 * all trees are legal in that order. It is the order that unicast is routed by,
 * or, where unicast follows none, one for which room was found beside the
 * unicast tables (mcast_order.h): either way the dependencies of unicast and
 * multicast together have no cycle. A tree has
 * one path between any two members: nothing arrives twice, nothing loops.
 *
 * A switch forwards a group's packets to all ports of its mask except the one
 * that they came in by (IBA 18.2.4.3.3). A link is in a mask only where
 * receivers are beyond it: members that only send have a path up and none
 * down.
 *
 * The previous tree is kept as far as possible: a switch in it keeps its uplink
 * while that is alive and legal; new members are grafted by the shortest path
 * up to the tree, branches without members are pruned. The group's seed (its
 * MLID) spreads roots and links.
 *
 * IBA volume 1: multicast 10.5, MulticastForwardingTable 14.2.5.12.
 *
 * Folder routing/mcast: the members of a group and the order of switches -> a
 * tree. Callers: sm/core computes trees, distribution/push writes them,
 * sm/report shows them. Read next: distribution/push/mft.h.
 */
#ifndef HEDDLE_ROUTING_MCAST_MCAST_H
#define HEDDLE_ROUTING_MCAST_MCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/routes.h"
#include "sm/base/reason.h"

enum { MCAST_WORDS = ROUTE_PORT_WORDS }; /* 256 ports as bits */

/* A port in the group. Duplicates are allowed. */
struct mcast_member {
	port_ix port;
	bool receives; /* false: it only sends */
};

/* A switch in the tree. */
struct mcast_branch {
	sw_ix sw;
	sw_ix parent;		    /* TOPO_NONE at the root */
	uint8_t up;		    /* our port to the parent; 0 at the root */
	uint8_t down;		    /* the parent's port to us */
	uint64_t mask[MCAST_WORDS]; /* the MFT entry: port n is bit n */
};

struct mcast_tree {
	struct topo *topo;	     /* a reference */
	struct mcast_branch *branch; /* sorted by switch */
	size_t n;
	size_t left_out; /* members on no live switch, or in other components */
};

/* The topology and an order, prepared for many groups. */
struct mcast;

/*
 * The order has one top in every component of the fabric. Both are borrowed.
 */
struct mcast *mcast_new(struct topo *t, const struct route_mcast *order);
void mcast_free(struct mcast *m); /* NULL allowed */

/*
 * The tree of n members. prev (of any topology, or NULL) is kept as far as it
 * can be. Members in several components of the fabric are served in the
 * component that holds most of them. Pure but for the scratch in m.
 */
struct mcast_tree *mcast_tree(struct mcast *m,
	const struct mcast_member *member, size_t n,
	const struct mcast_tree *prev, uint64_t seed);

/* The MFT entry of switch s; false: it has none, or none is known. */
typedef bool mcast_mask(void *cookie, sw_ix s, uint64_t out[MCAST_WORDS]);

/*
 * The tree that switches hold already, as far as it obeys the order, to be the
 * prev of the next: the entries of a previous run stay as they are. Masks of
 * its branches are left empty. NULL: there is none.
 */
struct mcast_tree *mcast_found(
	const struct mcast *m, mcast_mask *mask, void *cookie);

void mcast_tree_free(struct mcast_tree *tree); /* NULL allowed */

static inline bool
mcast_bit(const uint64_t mask[MCAST_WORDS], unsigned port)
{
	return (mask[port / 64] >> (port % 64)) & 1;
}

#endif
