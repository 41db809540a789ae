/*
 * rebalance_tree: the ways of all switches to one LID, a tree, and what passes
 * each of them: what relief (rebalance.h) looks at, and keeps while it leads
 * parts of it another way.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REBALANCE_TREE_H
#define HEDDLE_ROUTING_IMPROVE_REBALANCE_TREE_H

#include "routing/core/engine.h"
#include "routing/core/routes.h"
#include "sm/base/arena.h"

enum { REBALANCE_NONE = UINT32_MAX, REBALANCE_FAR = UINT8_MAX };

/* Cables by their number in topo.adj. */
struct rebalance_links {
	const struct topo *t;
	uint32_t
		*by_port; /* [nports] of switches, REBALANCE_NONE: not in use */
	sw_ix *tail;	  /* [nadj] whose it is, TOPO_NONE: not in use */
	sw_ix *head;	  /* [nadj] where it leads */
	uint32_t *hosts;  /* [nsw] at a switch */
};

struct rebalance_tree {
	uint32_t *way;	/* [nsw] cable, or REBALANCE_NONE */
	uint32_t *flow; /* [nsw] hosts whose packets pass */
	uint16_t *seq;	/* [n] switches that have a way, by distance */
	uint32_t n;
	uint8_t *dist; /* [nsw] cables to the LID's switch, REBALANCE_FAR: none
			  leads there, or too many */
};

/* The cable by which switch s sends to the LID, or REBALANCE_NONE. */
static inline uint32_t
rebalance_tree_entry(const struct rebalance_links *c, const struct routes *r,
	sw_ix s, uint16_t lid)
{
	const struct topo_node *n = &c->t->node[c->t->sw[s].node];
	uint8_t out = routes_port(r, s, lid);

	return out > n->nports ? REBALANCE_NONE
			       : c->by_port[n->first_port + out];
}

/* What is in use of a topology; without hosts. */
void rebalance_tree_links(
	struct rebalance_links *c, const struct topo *t, struct arena *a);

/* ... and those. */
void rebalance_tree_hosts(struct rebalance_links *c);

/* What each cable carries, as it was judged: [nadj]. */
uint32_t *rebalance_tree_loads(const struct rebalance_links *c,
	const struct verify_state *v, struct arena *a);

/*
 * Trees that are kept, about a megabyte: where there are more, the oldest one
 * gives its room to the next.
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
 * The tree of a LID in place, which is NULL when it goes. True: it was not
 * there, and has been made, as the tables are now.
 */
bool rebalance_tree_at(struct rebalance_tree_ring *g,
	struct rebalance_tree **place, const struct routes *r, uint16_t lid);

#endif
