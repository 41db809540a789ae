/*
 * ftree: fat trees as they really are.
 *
 * The tiers come from tree.h: roles first, inference last. From there on paths
 * are up/down over the order of tiers, made by the machine that updn.h
 * describes, which this engine shares with updn: levels of legal paths, a way
 * down for each LID, rows of the tables. What is ftree's own:
 *
 *   ftree        tiers instead of distances; what no tree is left to updn
 *   ftree_lanes  leaf pairs over data VLs (vFtree, Guay et al. 2011)
 *   ftree_homes  ports of one node over disjoint switches (mFtree, 2014)
 *
 * Sources: Bogdanski, Optimized Routing for Fat-Tree Topologies (2014): BEFT
 * (balance over cables and over the switches above them), sFtree (down-up
 * turns in the subtree above one leaf), routing of degraded trees.
 *
 * Pairs that no subtree joins: see updn_turn. They take a path of their own on
 * the lane behind the last one, if the cables have one more lane to give, and
 * the tiers stay as they are; the verifier proves that lane as it does the
 * others. Where it cannot, or there is no lane, the tops concerned go down a
 * tier, as with updn.
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
