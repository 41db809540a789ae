/*
 * dor: dimension-order routing for meshes, hypercubes and HyperX. A packet
 * first corrects its coordinate in the first dimension, then in the second, and
 * so on: all paths are shortest, and no dependency leads from a dimension back
 * to an earlier one. So one VL is enough, and SL 0 is for all pairs.
 *
 * What that order leaves no path for when links or switches are missing has two
 * more layers, which are there from the start where links have VLs for them
 * (routing/climb/dimension_orders.h). With a single VL it is refused, with the
 * first pair of switches.
 *
 * Tables obey no order of switches; multicast finds room beside them
 * (routing/mcast/mcast_order.h).
 *
 * Folder routing/engines/dor: a graph -> dimensions -> orders -> paths.
 * Callers: routing/driver, by the row of the registry. Source: Dally and Seitz
 * 1987 (e-cube routing). Read next: routing/graph/dimensions.h, then dor.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_DOR_DOR_H
#define HEDDLE_ROUTING_ENGINES_DOR_DOR_H

#include "routing/core/engine.h"

extern const struct engine engine_dor;

#endif
