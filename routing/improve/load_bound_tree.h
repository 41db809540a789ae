/*
 * least: what the busiest cable of a tree carries at the least, whoever spreads
 * the load over it: so much vouches for tables without others beside them.
 *
 * What hosts in some part of the fabric send to those outside of it leaves it
 * by the cables there are. The verifier asks that of single switches; here,
 * tier by tier from the last one up, it is asked of what hangs together without
 * the tiers above: racks, pods, a tree among trees. That holds of any tables.
 *
 * A switch of a rack with cables to a sibling has, in tables that obey the
 * tiers and lead shortest ways, its cables upwards alone: if all that is above
 * the rack is above itself, no way by a sibling is as short as its own one.
 * That does not hold of the rack whose leaf the turns are made under
 * (updown.h), and fresh tables may choose another one; so the second worst rack
 * counts. It is not asked where ports of nodes are led apart (apart.h), by
 * longer ways perhaps.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_LOAD_BOUND_TREE_H
#define HEDDLE_ROUTING_IMPROVE_LOAD_BOUND_TREE_H

#include <stdint.h>

#include "routing/core/routes.h"

/* Host pairs, of any tables that an engine makes of r's topology and ranks; 0:
 * nothing can be said. */
uint64_t load_bound_tree(const struct routes *r);

#endif
