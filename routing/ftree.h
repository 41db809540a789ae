/*
 * ftree: fat trees as they really are.
 *
 * The tiers come from tree.h: roles first, inference last. From there on paths
 * are up/down over the order of tiers, made by the machine that updn.h
 * describes and that updn uses, too. All of its properties meet in one set of
 * tables:
 *
 *   balance   ways down by the least loaded cable, then the least loaded
 *             switch above, then the least loaded plane (BEFT); in a full tree
 *             that is the order in which shifts do not meet (updn_chain)
 *   switches  down-up turns in the subtree above one leaf (sFtree; updn_turn)
 *   damage    LIDs for which no cable is left are split (updn_chain), entries
 *             are kept (updn_keep, updn_repair)
 *   homes     ports of one node over disjoint switches (mFtree; updn_homes)
 *   lanes     leaf pairs over data VLs (vFtree; ftree_lanes)
 *
 * A top that is not above the leaf of the turns goes down a tier: so every pair
 * has a legal path on one lane, always.
 *
 * Sources: Bogdanski, Optimized Routing for Fat-Tree Topologies (2014), papers
 * I, III, IV and VI; Guay et al., vFtree (IPDPS 2011).
 */
#ifndef HEDDLE_ROUTING_FTREE_H
#define HEDDLE_ROUTING_FTREE_H

#include <stdint.h>

#include "routing/updn.h"

/*
 * ftree_lanes.c: spread leaf pairs over as many data lanes as are asked for and
 * as every cable between live switches has. Leaves that had a number in the
 * previous routes keep it.
 */
void ftree_lanes(const struct route_job *job, struct routes *r);

#endif
