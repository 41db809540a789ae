/*
 * rebalance_tree: the paths of all switches to one LID, a tree, and the hosts
 * that send packets through each switch. Rebalancing (rebalance.h) reads a tree
 * once and keeps it up to date while it reroutes parts of it.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_TREE_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_TREE_H

#include "routing/core/engine.h"
#include "routing/core/routes.h"
#include "sm/base/arena.h"

enum { REBALANCE_NONE = UINT32_MAX, REBALANCE_FAR = UINT8_MAX };

/* Links by their number in topo.adj. */
struct rebalance_links {
	const struct topo *t;
	uint32_t
		*by_port; /* [nports] of switches, REBALANCE_NONE: not in use */
	sw_ix *tail;	  /* [nadj] the switch here, TOPO_NONE: not in use */
	sw_ix *head;	  /* [nadj] the switch at the other end */
	uint32_t *hosts;  /* [nsw] at a switch */
};

struct rebalance_tree {
	uint32_t *next_link; /* [nsw] link, or REBALANCE_NONE */
	uint32_t *flow;	     /* [nsw] hosts that send through it */
	uint16_t *seq;	     /* [n] switches that have a path, by distance */
	uint32_t n;
	uint8_t *dist; /* [nsw] links to the LID's switch, REBALANCE_FAR: no
			  path, or too many */
};

/* The link by which switch s sends to the LID, or REBALANCE_NONE. */
static inline uint32_t
rebalance_tree_entry(const struct rebalance_links *c, const struct routes *r,
	sw_ix s, uint16_t lid)
{
	const struct topo_node *n = &c->t->node[c->t->sw[s].node];
	uint8_t out = routes_port(r, s, lid);

	return out > n->nports ? REBALANCE_NONE
			       : c->by_port[n->first_port + out];
}

/* Find the links of a topology that are in use; hosts are not counted yet. */
void rebalance_tree_links(
	struct rebalance_links *c, const struct topo *t, struct arena *a);

/* Count the hosts at each switch. */
void rebalance_tree_hosts(struct rebalance_links *c);

/* The host pairs on each link, as they were judged: [nadj]. */
uint32_t *rebalance_tree_pairs(const struct rebalance_links *c,
	const struct verify_state *v, struct arena *a);

/*
 * A ring of trees, about a megabyte: when it is full, the oldest tree gives its
 * room to the next.
 */
struct rebalance_tree_ring {
	const struct rebalance_links *net;
	struct arena *a;
	struct rebalance_tree_held *held; /* [n of most] */
	uint32_t n, most, oldest;
};

void rebalance_tree_begin(struct rebalance_tree_ring *g,
	const struct rebalance_links *net, struct arena *a);

/*
 * Put the tree of a LID at *place, which becomes NULL when the tree leaves the
 * ring. True: it was not there, and was made from the tables as they are now.
 */
bool rebalance_tree_at(struct rebalance_tree_ring *g,
	struct rebalance_tree **place, const struct routes *r, uint16_t lid);

#endif
