/*
 * torus_orders: the orders of layers of a torus, and of any product of lines,
 * rings and full meshes.
 *
 * A path goes through one dimension after the other. In a ring it must not go
 * all the way round: VL group 1 is broken at the first coordinate, group 2 at
 * the one opposite, so that a shortest path climbs in one of them. A layer says
 * for each ring which; 2 to the number of rings are enough for all pairs. A
 * ring that has lost a link is a line: there both groups are broken at that
 * link, and any path climbs in either.
 *
 *	layer 0	     up/down, on VL group 0
 *	layer 1 + b  its first link on group 0, where it goes; then dimension by
 *		     dimension, on group 1 + bit d of b in ring d
 *	then, if there are VLs and SLs for them, the same with a last step:
 *	a link of an earlier dimension after one of the last is on VL group 3
 *	and ends the path
 *
 * The ranks of group 0 are below all others, so that the first link is free:
 * what has lost its link in the first dimension steps aside. A ring of the last
 * dimension that has lost two links is in parts; its switches are reached in a
 * ring beside it, and from there by a last step. With three rings there are SLs
 * for all but one of the layers with last steps.
 *
 * Two QoS levels leave eight SLs to each, one less than three rings take. The
 * layer with group 2 in all rings is given up then: a pair needs it if its path
 * passes the first coordinate in each ring, as 3 in 1,000 do on a torus of 8 x
 * 8 x 8, and takes a longer path.
 *
 * Source: torus-2QoS of OpenSM for a VL by dimension and SL; Dally and Seitz
 * 1987 for breaks of rings.
 */
#ifndef HEDDLE_ROUTING_CLIMB_TORUS_ORDERS_H
#define HEDDLE_ROUTING_CLIMB_TORUS_ORDERS_H

#include "routing/climb/layer_order.h"
#include "routing/core/route_layers.h"
#include "routing/graph/dimensions.h"
#include "sm/base/reason.h"

enum {
	TORUS_RINGS = 3,
	TORUS_DIMENSIONS = 15,
	TORUS_LAST_STEP = 3, /* the VL group of last steps */
};

/* Which of the layers above there are, by what they take: most first. */
enum torus_layers {
	TORUS_LAST_STEPS,  /* all, where last steps are possible */
	TORUS_ALL_BREAKS,  /* without last steps */
	TORUS_WITHOUT_ONE, /* without the layer of group 2 in all rings */
	TORUS_LAYERS_CHOICES
};

/* Whether there are layers for these dimensions; -1 and why. */
int torus_orders_check(const struct swgraph *g, const struct dimensions *m,
	struct reason *why);

/* What a map of VLs for them needs. */
struct layer_map_size torus_orders_size(
	const struct dimensions *m, enum torus_layers which);

/* Orders of that size in the graph's arena, layer 0 as that of first; free with
 * layer_orders_free. */
void torus_orders_make(const struct directions *d, const struct dimensions *m,
	const struct layer_orders *first, const struct layer_map_size *size,
	struct layer_orders *out);

#endif
