/*
 * dynamic_order: a topological order of channels that is kept while
 * dependencies are added, so that each one is known at once to close a cycle or
 * not. A dependency that goes forward in the order costs nothing; one that goes
 * back starts a search between its two ends, which either finds the cycle or
 * puts the vertices that it found into a better order.
 *
 * Source: Pearce and Kelly, A dynamic topological sort algorithm for directed
 * acyclic graphs (ACM Journal of Experimental Algorithmics, 2006).
 */
#ifndef HEDDLE_ROUTING_VERIFY_DYNAMIC_ORDER_H
#define HEDDLE_ROUTING_VERIFY_DYNAMIC_ORDER_H

#include "routing/verify/dep_graph.h"

struct dynamic_order {
	const struct dep_graph *n;
	const uint32_t *comp;
	uint64_t *dep;		      /* own copy */
	uint32_t *pos;		      /* [nv] of nodes, by their names */
	uint8_t *mark;		      /* [nv] */
	uint32_t *fore, *back, *pool; /* vertices of one search */
	uint32_t nfore, nback;
	uint32_t left; /* vertices that searches may still visit: after that, a
			  dependency that would need a search is refused */
};

/*
 * Copies dep, a matrix over n; n and comp stay the caller's. comp[v]: number of
 * a component, 0: the vertex is on no cycle whatever is added; all vertices of
 * a node have the same. Only
 * dependencies inside one component are looked at. NULL: all is one component.
 * False when dep has a cycle: then only dynamic_order_free may follow.
 */
bool dynamic_order_new(struct dynamic_order *o, const struct dep_graph *n,
	const uint32_t *comp, const uint64_t *dep);
void dynamic_order_free(struct dynamic_order *o);

/* Adds a dependency; false and nothing changed when it closes a cycle. */
bool dynamic_order_add(struct dynamic_order *o, uint32_t v, unsigned out);
void dynamic_order_remove(struct dynamic_order *o, uint32_t v, unsigned out);

#endif
