/*
 * ftree: fat trees as they really are.
 *
 * The tiers come from tree.h: roles first, inference last. From there on paths
 * are up/down over the order of tiers, made by the code that updown.h describes
 * and that updn uses, too. All of its properties meet in one set of tables:
 *
 *   balance   down paths by the least loaded link, then the least loaded switch
 *             above, then the least loaded plane (BEFT); in a full tree that is
 *             the order in which the flows of a shift do not meet (down_path)
 *   switches  down-up dependencies in the subtree above one leaf (sFtree;
 *             sftree_root_choose)
 *   damage    LIDs for which no link is left to them alone are split
 *             (down_path), entries are kept (lft_keep, routes_repair)
 *   nodes     ports of one node over disjoint switches (mFtree;
 *             multi_port_find, and for the tables of any engine, disjoint)
 *   layers    leaf pairs over data VLs (vFtree; ftree_layers_fill)
 *
 * A top that is not above the subtree root, and has no path to a switch that
 * is, goes down a tier (sftree_root_choose), and the note of the routes names
 * it. That replaces a second layer for the pairs that no subtree serves, and is
 * better: once every switch has a path up into the subtree, the switch order of
 * updown.h has a single top, so that every pair has a legal path, in one layer,
 * in one total order, hence without a cycle. A second layer would need a VL on
 * every link, would take it from the layers that spread load or from service
 * level groups, and its own order would have to be proven beside the first. The
 * price is small: a top that is cut off so far, with links to a few switches
 * only, joins few pairs as a top, and still serves the switches that it is
 * linked to. Where moving does not come to an end, the engine refuses, and
 * up/down from one top serves all pairs, in one layer again. So no fabric needs
 * the second one.
 *
 * Sources: Bogdanski, Optimized Routing for Fat-Tree Topologies (2014), papers
 * I, III, IV and VI; Guay et al., vFtree (IPDPS 2011).
 *
 * Folder routing/engines/ftree: the engine for trees: tiers -> order of
 * switches -> rows -> layers. Callers: routing/driver, by the row of the
 * registry; sm/view for why there are fewer layers than asked for. Read next:
 * routing/updown/updown.h, then ftree.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_FTREE_FTREE_H
#define HEDDLE_ROUTING_ENGINES_FTREE_FTREE_H

#include <stdint.h>

#include "routing/updown/updown_state.h"

#define FTREE_NAME "ftree"

/* The section routing.ftree of the configuration, table ftree_schema. */
struct ftree_options {
	uint32_t layers; /* routing layers, 1 to 8 */
};

extern const struct schema ftree_schema;
extern const struct engine engine_ftree;

/* The layers that options, struct ftree_options or NULL, ask for. */
unsigned ftree_layers_asked(const void *options);

/*
 * ftree_layers.c. choose: over how many layers leaf pairs are spread, as many
 * as are asked for, as there are SLs for once the service level groups have
 * theirs, and as the widest of all links between switches has VLs for. Where a
 * link has fewer, layers share them there (slvl.h says why they may), so that a
 * pair's SL depends neither on its path nor on narrow links that come and go.
 * Where a switch has VLs and cannot say which SL gets which, there is one
 * layer. With several each leaf gets a number, u->leaf_number; those that had
 * one in the previous routes keep it. fill: give r, which has these numbers in
 * its state, n layers; rows that are as in prev (NULL: none) are shared with
 * it.
 */
unsigned ftree_layers_choose(struct updown *u);
void ftree_layers_fill(struct routes *r, unsigned n, const struct routes *prev);

/*
 * Explain why leaf pairs are spread over fewer layers than are asked for. "":
 * they have them all, or the routes in force are another engine's.
 */
void ftree_layers_short(const struct routes *r, const struct engine_options *o,
	char *out, size_t size);

/*
 * The number of ports between switches with VLs for fewer layers than there
 * are, and in out a text with the first of the narrowest of them by name; "":
 * none.
 */
uint32_t ftree_layers_shared(const struct routes *r,
	const struct engine_options *o, char *out, size_t size);

#endif
