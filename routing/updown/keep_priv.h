/*
 * keep_job: what lft_keep.c (the tables), reach_diff.c (which legal paths
 * differ), lft_stale.c (which entries must differ) and reach.c share while the
 * entries of the previous tables are kept. Private to them.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_KEEP_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_KEEP_PRIV_H

#include "routing/updown/updown.h"

struct keep_job {
	struct updown *u;
	const struct routes *prev;
	const struct reachability *reach;
	struct dest_table *d;
	sw_ix *was; /* [nsw] number in prev, TOPO_NONE: new */
	bool *seed; /* [nsw] switches with other links, or links that lead the
		       other way in the switch order */
	uint64_t *
		*diff; /* [nsw] destinations for which levels differ, or NULL */
	uint64_t *wide; /* [nsw * nwide] words in which diff has bits */
	uint32_t nwide;
	bool other_trees; /* trees or crossing leaves are not those of prev */

	/* Where more than links differs, or another engine made prev (tables
	 * read from switches may have any entries), otherwise NULL or 0. */
	bool *moved;	      /* [d->n] LIDs that prev has not at this switch */
	uint64_t *moved_at;   /* the set of switches with such LIDs, and */
	uint64_t *moved_wide; /* [nwide] words in which it has bits */
	uint16_t *gone;	      /* [ngone] LIDs without an owner */
	uint32_t ngone;
};

/* The previous block b of the row of s, which is no new switch. */
static inline const uint8_t *
keep_prev_block(const struct keep_job *p, sw_ix s, uint32_t b)
{
	return b < p->prev->nblocks ? routes_block(p->prev, p->was[s], b)
				    : lft_bytes(p->prev->pool, LFT_EMPTY);
}

/* The previous entry of s, which is no new switch, for a LID. */
static inline uint8_t
keep_prev_port(const struct keep_job *p, sw_ix s, uint16_t lid)
{
	return keep_prev_block(p, s, lid / LFT_BLOCK)[lid % LFT_BLOCK];
}

/* reach.c: room for one more level of u->graph.nsw rows, in u->graph.a. */
const uint64_t **reach_add_level(
	const struct updown *u, struct reach_levels *l);

/*
 * reach.c: levels of all switches side by side, for those words of their rows
 * in which many switches differ. reach_block_candidates() is reach_candidates()
 * for these words; rest becomes the part of among that is in other words.
 */
struct reach_block;
const struct reach_block *reach_block_new(const struct keep_job *p);
void reach_block_candidates(const struct reach_block *c, sw_ix s,
	const struct sw_subset *among, struct sw_subset *rest, uint64_t *rows);

/*
 * reach_diff.c: fill in seed, diff, wide and nwide. Every switch is a seed
 * where the previous candidates cannot be told: engine is not the one that made
 * the previous routes, or they have no order, or an unknown one.
 */
void reach_diff_find(struct keep_job *p, const char *engine);

/* The same file: set of the words in which the levels of s or of a neighbour
 * differ, or LIDs have moved. */
void reach_diff_words(const struct keep_job *p, sw_ix s, uint64_t *words);

#endif
