/*
 * routes_repair: what repair.c (what is different), reach_update.c (which
 * legal paths differ) and lft_repair.c (which entries have to) share. Private
 * to them.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_REPAIR_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_REPAIR_PRIV_H

#include "routing/updown/updown.h"

struct routes_repair {
	struct updown *u;
	const struct routes *prev;
	const struct engine_cache *past;
	const bool *seed; /* [nsw] switches whose cables differ */
	uint64_t **diff;  /* [nsw] about whom levels differ, or NULL */
	uint64_t *wide;	  /* [nsw * nwide] words in which diff has bits */
	uint32_t nwide;
	struct reachability reach;
};

/*
 * reach.c: levels of all switches side by side, of those words of their rows
 * that many switches differ in. Then reach_candidates by them; rest becomes
 * what of among is not there.
 */
struct reach_block;
const struct reach_block *reach_block_new(const struct routes_repair *p);
void reach_block_candidates(const struct reach_block *c, sw_ix s,
	const struct sw_subset *among, struct sw_subset *rest, uint64_t *rows);

/*
 * reach_update.c: levels and what is above whom, from those of the past: only
 * where something differs they are worked out. False when some pair has no
 * path any more.
 */
bool reach_update(struct routes_repair *p);

/* The same file: in which words levels of s or of a neighbour differ. */
void reach_update_is_wide(
	const struct routes_repair *p, sw_ix s, uint64_t *words);

/*
 * lft_repair.c: the tables of the previous routes with the entries that do not
 * lead through a candidate chosen anew. NULL when cancelled, or when more LIDs
 * would have to be split than is sensible.
 */
struct routes *lft_repair(struct routes_repair *p, struct dest_table *d);

#endif
