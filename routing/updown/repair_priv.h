/*
 * repair_job: what repair.c (what has changed), reach_update.c (which legal
 * paths differ) and lft_repair.c (which entries must differ) share. Private to
 * them.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_REPAIR_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_REPAIR_PRIV_H

#include "routing/updown/updown.h"

struct repair_job {
	struct updown *u;
	const struct routes *prev;
	const struct engine_cache *cache;
	const bool *seed; /* [nsw] switches with changed links */
	uint64_t *
		*diff; /* [nsw] destinations for which levels differ, or NULL */
	uint64_t *wide; /* [nsw * nwide] words in which diff has bits */
	uint32_t nwide;
	struct reachability reach;
};

/*
 * reach.c: levels of all switches side by side, for those words of their rows
 * in which many switches differ. reach_block_candidates() is reach_candidates()
 * for these words; rest becomes the part of among that is in other words.
 */
struct reach_block;
const struct reach_block *reach_block_new(const struct repair_job *p);
void reach_block_candidates(const struct reach_block *c, sw_ix s,
	const struct sw_subset *among, struct sw_subset *rest, uint64_t *rows);

/*
 * reach_update.c: levels, and what is above each switch, from the cache:
 * computed only where something differs. False if some pair has no path any
 * more.
 */
bool reach_update(struct repair_job *p);

/* The same file: set of the words in which levels of s or of a neighbour
 * differ. */
void reach_update_changed_words(
	const struct repair_job *p, sw_ix s, uint64_t *words);

/*
 * lft_repair.c: the tables of the previous routes, with new next hops for the
 * stale entries. NULL when cancelled, or when more LIDs would have to be split
 * than is sensible.
 */
struct routes *lft_repair_entries(struct repair_job *p, struct dest_table *d);

#endif
