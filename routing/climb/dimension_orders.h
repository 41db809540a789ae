/*
 * dimension_orders: the orders of layers of a product of lines and full meshes,
 * a VL group for each.
 *
 *	layer 0	 dimension by dimension, in each down, then up
 *	layer 1	 up/down
 *	layer 2	 as layer 0, dimensions and coordinates reversed
 *
 * While it is whole, all pairs have a shortest path in layer 0. Where the link
 * of a full mesh is lost, its order leaves room for a detour through a third
 * switch of the row; a pair that differs in another dimension too goes that way
 * first in layer 2. What has neither, as the ends of a line that has lost a
 * link, has layer 1.
 *
 * Source: Dally and Seitz 1987 (e-cube routing).
 */
#ifndef HEDDLE_ROUTING_CLIMB_DIMENSION_ORDERS_H
#define HEDDLE_ROUTING_CLIMB_DIMENSION_ORDERS_H

#include "routing/climb/layer_order.h"
#include "routing/graph/dimensions.h"

enum { DIMENSION_LAYERS = 3 };

/* The first n of these orders, 1 .. DIMENSION_LAYERS, in the graph's arena; up/
 * down is layer 0 of first. No dimension is a ring. */
void dimension_orders_make(const struct directions *d,
	const struct dimensions *m, const struct layer_orders *first,
	unsigned n, struct layer_orders *out);

#endif
