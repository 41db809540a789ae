/*
 * order_memory: the orders of layers, by the GUIDs of switches, so that the
 * next computation, or the next run of the manager, goes on with them.
 *
 * What fails takes links away and breaks no order. So the orders that were
 * learned are kept: links and switches that are away keep their places and come
 * back to them, new ones get places at the ends. Only where the first order
 * leaves a switch without a neighbour above it are switches moved in it, as few
 * as possible. New orders are learned when another number of layers is asked
 * for, or when more than a quarter of the links are new.
 *
 *	layer_orders_make --> order_memory_learned --+
 *	                                             +--> routes.state
 *	state file --> order_memory_fit -------------+
 */
#ifndef HEDDLE_ROUTING_CLIMB_ORDER_MEMORY_H
#define HEDDLE_ROUTING_CLIMB_ORDER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/climb/layer_order.h"
#include "routing/climb/place_memory.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* Links between two switches, a < b by GUID. */
struct remembered_link {
	uint64_t a, b;
};

struct order_memory {
	unsigned asked; /* layers that were asked for */
	unsigned n;	/* layers there are, 1 .. ROUTE_LAYERS */
	uint64_t *guid; /* [nsw] of switches, from the top of layer 0 */
	uint32_t nsw;
	struct remembered_link *link; /* [nlinks] */
	uint32_t nlinks;
	int32_t *place; /* [(n - 1) * nlinks] by layer from 1 on: of the
			   direction from a to b; its opposite has the opposite
			   one; not 0, no two of a layer are alike but for the
			   sign */
	struct place_memory *places; /* of the structure that the orders follow
					from; NULL: they were learned */
};

/* What is remembered of orders that were learned for the graph; all of it in
 * arena a. */
struct order_memory *order_memory_learned(const struct directions *d,
	const struct layer_orders *o, unsigned asked, struct arena *a);

/*
 * The orders of m fitted to the graph, at most `most` layers of them, and what
 * is remembered of them from now on, in arena a. NULL: they are to be learned.
 */
struct order_memory *order_memory_fit(const struct order_memory *m,
	const struct directions *d, unsigned asked, unsigned most,
	struct layer_orders *out, struct arena *a);

/* As lines of text, and back. NULL with why: the text is not of that kind. */
void order_memory_print(const struct order_memory *m, struct buf *out);
struct order_memory *order_memory_parse(
	const char *text, struct arena *a, struct reason *why);

#endif
