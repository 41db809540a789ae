/*
 * updn_repair: what repair.c (what is different), reach_update.c (which
 * legal paths differ) and lft_repair.c (which entries have to) share. Private
 * to them.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_REPAIR_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_REPAIR_PRIV_H

#include "routing/updown/updown.h"

struct updn_repair {
	struct updn *u;
	const struct routes *prev;
	const struct updn_past *past;
	const bool *seed; /* [nsw] switches whose cables differ */
	uint64_t **diff;  /* [nsw] about whom levels differ, or NULL */
	uint64_t *wide;	  /* [nsw * nwide] words in which diff has bits */
	uint32_t nwide;
	struct updn_reach reach;
};

/*
 * Levels of all switches side by side, of some words of their rows: what is
 * asked about few destinations and many switches stays in the cache.
 */
struct updn_columns {
	const struct updn *u;
	uint32_t *slot; /* [words] its column + 1, or 0 */
	uint32_t ndn, npath;
	uint64_t *dn, *path; /* [(slot * levels + level) * nsw + switch] */
};

/*
 * reach_block.c: of those words that many switches differ in. Then
 * updn_reach_candidates by them; rest becomes what of among is not there.
 */
const struct updn_columns *updn_columns_new(const struct updn_repair *p);
void updn_columns_candidates(const struct updn_columns *c, sw_ix s,
	const struct updn_among *among, struct updn_among *rest,
	uint64_t *rows);

/*
 * reach_update.c: levels and what is above whom, from those of the past: only
 * where something differs they are worked out. False when some pair has no
 * path any more.
 */
bool updn_differ(struct updn_repair *p);

/* The same file: in which words levels of s or of a neighbour differ. */
void updn_differ_wide(const struct updn_repair *p, sw_ix s, uint64_t *words);

/*
 * lft_repair.c: the tables of the previous routes with the entries that do not
 * lead through a candidate chosen anew. NULL when cancelled, or when more LIDs
 * would have to be split than is sensible.
 */
struct routes *updn_mend(struct updn_repair *p, struct updn_dests *d);

#endif
