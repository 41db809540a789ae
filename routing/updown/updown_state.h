/*
 * updown_state: what the up/down engines keep with their routes (routes.state)
 * beside what the routes of every engine have. Both read it, whichever of them
 * made the routes. A restart finds the lines that were printed of it:
 *
 *	ftree turn 0x0002c90200401234	the sFtree root
 *	ftree number 0x0002c90200401234 3
 *					the number of a leaf
 *	ftree plane 0x0002c90200401234 0 apex
 *					with several trees: which one a switch
 *					is in, and whether it is a leaf, or the
 *					crossing leaf (which is an apex here)
 */
#ifndef HEDDLE_ROUTING_UPDOWN_UPDOWN_STATE_H
#define HEDDLE_ROUTING_UPDOWN_UPDOWN_STATE_H

#include "routing/updown/updown.h"

struct updown_state {
	sw_ix sftree_root; /* as in struct updown */
	/* As in struct updown. Not printed: of routes that were read back it is
	 * unknown. */
	uint64_t **sftree_extra;
	bool extra_known;
	uint8_t *tree; /* [nsw] as multi_tree_copy_marks gives it; NULL: there
			  is one tree */
	uint16_t *leaf_number; /* as in struct updown */
	uint32_t reranked;     /* switches that had to change their rank */
	uint32_t moved; /* switches not in the tier that they were read in:
			   the next reading may move more */
};

extern const struct engine_state_ops updown_state_ops;

/* The state of these routes; NULL: no up/down engine made them, or r is NULL.
 */
const struct updown_state *updown_state_of(const struct routes *r);

/* The sFtree root of these routes; TOPO_NONE: they need none, or have no such
 * state. */
sw_ix updown_state_sftree_root(const struct routes *r);

/* Keep with r, which u has made, what the next computation needs of u. tree, as
 * multi_tree_copy_marks gives it, or NULL, is copied; r->part is made from it.
 */
void updown_state_keep(
	const struct updown *u, const uint8_t *tree, struct routes *r);

#endif
