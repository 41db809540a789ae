/*
 * load_bound: the load (routing/core/link_load.h) that the busiest link must
 * have at the least, however tables spread it. Tables that come near the bound
 * are accepted without fresh ones to compare them with
 * (routing/driver/compute.h).
 *
 * What the hosts of a part of the fabric send to hosts outside of it leaves
 * the part by the links that lead out of it; the busiest of these has at least
 * the load that each has if they share the pairs by their rates. The functions
 * differ in the parts that they look at. Parts grow together as their switches
 * are added, level by level, so that all of this is quick.
 *
 * load_bound_switches and load_bound_cut need the topology alone. The parts of
 * the first are the switches; it also looks at a host's own link (of the
 * fastest hosts), which carries what all others send it. The second looks at
 * the switches, then at the connected pieces of those that are at most 0, 1,
 * ... links from a switch with hosts. In a tree these are leaves, racks where
 * leaves have links to each other, then pods.
 *
 * load_bound_tree needs the ranks of routes. Its parts, tier by tier from the
 * last one up, are the connected pieces of the fabric without the tiers above:
 * racks, pods, a tree among trees. This holds of any tables.
 *
 * It also looks at single switches of a rack, a switch with links to siblings.
 * In tables that obey the tiers and take shortest paths such a switch has its
 * uplinks alone: if all switches above the rack are above the switch itself, no
 * path by a sibling is as short as its own. This does not hold of the rack of
 * the sFtree root (updown.h), and fresh tables may choose another root; so the
 * second worst rack counts. Racks are not looked at where nodes have several
 * ports: their paths are made disjoint (disjoint.h) and may be longer.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_LOAD_BOUND_H
#define HEDDLE_ROUTING_IMPROVE_LOAD_BOUND_H

#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/routes.h"

/*
 * The load that the busiest link of any tables for t has at the least, as the
 * verifier counts it; hosts' own links are links here.
 */
uint64_t load_bound_switches(const struct topo *t);

/* The same of links between switches; 0 where no cut says anything. */
uint64_t load_bound_cut(const struct topo *t);

/*
 * The load that the busiest link has at the least in any tables that an engine
 * makes of r's topology and ranks; 0 where nothing can be said.
 */
uint64_t load_bound_tree(const struct routes *r);

#endif
