/*
 * rebalance_tree: the paths of all switches to one LID, a tree, and the hosts
 * that send packets through each switch. Rebalancing (rebalance.h) reads a tree
 * once and keeps it up to date while it reroutes parts of it.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_TREE_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_TREE_H

#include "routing/core/engine.h"
#include "routing/improve/link_map.h"

enum { REBALANCE_FAR = UINT8_MAX };

struct rebalance_tree {
	uint32_t *next_link; /* [nsw] link, or LINK_MAP_NONE */
	uint32_t *flow;	     /* [nsw] hosts that send through it */
	uint16_t *seq;	     /* [n] switches that have a path, by distance */
	uint32_t n;
	uint8_t *dist; /* [nsw] links to the LID's switch, REBALANCE_FAR: no
			  path, or too many */
};

/*
 * A ring of trees, about a megabyte: when it is full, the oldest tree gives its
 * room to the next.
 */
struct rebalance_tree_ring {
	const struct link_map *net;
	struct arena *a;
	struct rebalance_tree_held *held; /* [n of most] */
	uint32_t n, most, oldest;
};

void rebalance_tree_begin(struct rebalance_tree_ring *g,
	const struct link_map *net, struct arena *a);

/*
 * Put the tree of a LID at *place, which becomes NULL when the tree leaves the
 * ring. True: it was not there, and was made from the tables as they are now.
 */
bool rebalance_tree_at(struct rebalance_tree_ring *g,
	struct rebalance_tree **place, const struct routes *r, uint16_t lid);

#endif
