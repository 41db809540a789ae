/*
 * dor: dimension-order routing for meshes, hypercubes and HyperX on a single
 * VL. A packet first corrects its coordinate in the first dimension, then in
 * the second, and so on: all paths are shortest, and no dependency leads from a
 * dimension back to an earlier one.
 *
 * The rule is given as ranks of link directions, which every path climbs:
 * dimension by dimension, in each of them first towards lower coordinates, then
 * towards higher ones. In a line only one of the two is ever needed. Where a
 * full mesh has lost a link, the ranks leave room for a detour through a third
 * switch of the same dimension. What the ranks leave no path for (a line that
 * has lost a link or a switch) is refused, with the first pair of switches.
 *
 *   dimensions   the fabric as a product of lines and full meshes
 *   dor          ranks, a tree for each destination switch, rows
 *
 * For each destination switch, switches are visited level by level; one that
 * could go on by several links takes the one of highest rank, which leaves the
 * most to those behind it, then the least loaded. Parallel links are shared by
 * load. Previous entries stay wherever they lead to the same level.
 *
 * Tables obey no order of switches; multicast finds room beside them
 * (routing/mcast/mcast_order.h).
 *
 * Folder routing/engines/dor: dimensions -> ranks -> rows. Callers:
 * routing/driver, by the row of the registry. Source: Dally and Seitz 1987
 * (e-cube routing). Read next: routing/graph/dimensions.h, then dor.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_DOR_DOR_H
#define HEDDLE_ROUTING_ENGINES_DOR_DOR_H

#include "routing/core/engine.h"

extern const struct engine engine_dor;

#endif
