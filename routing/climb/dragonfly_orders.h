/*
 * dragonfly_orders: the orders of layers of a dragonfly, on three VL groups.
 *
 * The groups of switches are numbered. A path may lead to groups of lower and
 * lower numbers on the falling VL group, and then to higher and higher ones on
 * the rising one:
 *
 *	layer 0	 up/down, on VL group 0
 *	layer 1	 any first link on VL group 0; links to a lower group, and those
 *		 inside groups after them, on VL group 2 (falling); links to a
 *		 higher group, and those after them, on VL group 1 (rising)
 *
 * So all paths of a dragonfly climb in layer 1: inside the first group, to the
 * group of the destination, inside that one. Where the link between two groups
 * is lost, so do the paths through any third group that is not above both, in
 * both directions; and where a link inside a group is lost, one more step
 * inside: after another link inside, a link to a switch of higher GUID is on
 * the rising VL group and one to a lower GUID on the falling one, so the step
 * may be the second of a path or the last.
 *
 * On each VL group ranks follow the numbers of groups: links inside a group,
 * then those that leave it.
 *
 * Source: Kim, Dally, Scott and Abts, Technology-driven, highly-scalable
 * dragonfly topology (ISCA 2008), for a VL by what was passed.
 */
#ifndef HEDDLE_ROUTING_CLIMB_DRAGONFLY_ORDERS_H
#define HEDDLE_ROUTING_CLIMB_DRAGONFLY_ORDERS_H

#include "routing/climb/layer_order.h"
#include "routing/graph/switch_groups.h"

/* What the map of VLs needs. */
struct layer_map_size dragonfly_orders_size(void);

/* Orders in the graph's arena, layer 0 as that of first; free with
 * layer_orders_free. */
void dragonfly_orders_make(const struct directions *d,
	const struct switch_groups *m, const struct layer_orders *first,
	struct layer_orders *out);

#endif
