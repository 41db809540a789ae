/*
 * ftree: fat trees as they really are.
 *
 * The tiers come from tree.h: roles first, inference last. From there on paths
 * are up/down over the order of tiers, made by the machine that updown.h
 * describes and that updn uses, too. All of its properties meet in one set of
 * tables:
 *
 *   balance   ways down by the least loaded cable, then the least loaded
 *             switch above, then the least loaded plane (BEFT); in a full tree
 *             that is the order in which shifts do not meet (down_path)
 *   switches  down-up turns in the subtree above one leaf (sFtree;
 * sftree_root_choose) damage    LIDs for which no cable is left are split
 * (down_path), entries are kept (updn_keep, routes_repair) homes     ports of
 * one node over disjoint switches (mFtree; multi_port_find, and of whole
 * tables, whoever made them, apart) lanes     leaf pairs over data VLs (vFtree;
 * ftree_layers_assign)
 *
 * A top that is not above the leaf of the turns, nor can get to who is, goes
 * down a tier (sftree_root_choose), and the note of the routes names it. That
 * takes the place of a second lane for the pairs that no subtree serves, and
 * serves the same purpose better: once every switch has a way up into the
 * subtree, the line of updown.h has a single top, so that every pair has a
 * legal path, on one lane, in one total order, hence without a cycle; a lane
 * more would have to be had on every cable, would be taken from those who
 * spread over lanes or separate classes, and its own order would have to be
 * proven beside the first. The price is small: a top that is cut off so far,
 * with cables to a few switches only, joins few pairs as a top, and still
 * serves those who hang on it. Where moving does not come to an end, the engine
 * refuses, and up/down from one top serves all pairs, on one lane again. So no
 * fabric needs the second one.
 *
 * Sources: Bogdanski, Optimized Routing for Fat-Tree Topologies (2014), papers
 * I, III, IV and VI; Guay et al., vFtree (IPDPS 2011).
 */
#ifndef HEDDLE_ROUTING_ENGINES_FTREE_FTREE_H
#define HEDDLE_ROUTING_ENGINES_FTREE_FTREE_H

#include <stdint.h>

#include "routing/updown/updown.h"

/*
 * ftree_layers.c: spread leaf pairs over as many lanes as are asked for, as
 * there are SLs for once the levels of service have theirs, and as the widest
 * of all cables between switches has VLs for. Where a cable has fewer, lanes
 * share them there (slvl.h says why they may), so that a pair's SL hangs
 * neither on its path nor on narrow cables that come and go. Where a switch has
 * VLs and cannot say which SL gets which, all is on one lane. Leaves that had a
 * number in the previous routes keep it.
 */
void ftree_layers_assign(const struct route_job *job, struct routes *r);

/*
 * Why leaf pairs are spread over fewer lanes than are asked for, in words. ""
 * where they have them all, or other engines' routes are in force.
 */
void ftree_layers_short(const struct routes *r, const struct engine_options *o,
	char *out, size_t size);

/*
 * How many ports between switches keep fewer lanes apart than there are, and in
 * words, with the first of the narrowest of them by name; "": none.
 */
uint32_t ftree_layers_shared(const struct routes *r,
	const struct engine_options *o, char *out, size_t size);

/*
 * May the lanes of these routes, judged, travel on the cables that there are?
 * -1 and why: the tables have cycles that lanes break, and a cable has fewer
 * VLs than that takes. o NULL: nothing limits VLs.
 */
int ftree_layers_fit(const struct routes *r, const struct engine_options *o,
	struct reason *why);

#endif
