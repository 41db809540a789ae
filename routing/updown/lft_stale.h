/*
 * lft_stale: finds, row by row, the stale entries of the previous tables: those
 * that lead through no candidate any more. lft_keep.c chooses new ones.
 * Private to lft_keep.c; one struct per thread.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_LFT_STALE_H
#define HEDDLE_ROUTING_UPDOWN_LFT_STALE_H

#include "routing/updown/keep_priv.h"
#include "routing/updown/row_priv.h"

struct lft_stale_entry {
	sw_ix sw;
	uint32_t i;  /* LID index */
	size_t mask; /* where its candidates are in lft_stale.mask; meaningless
			for LIDs of the switch itself and for other trees */
};

struct lft_stale {
	const struct keep_job *p;
	struct row_job *f;
	struct sw_subset which; /* destinations to check */
	uint64_t *wide;		/* words of their set */
	sw_ix opened; /* candidates at hand are of this switch; similar ones use
			 them */
	struct lft_stale_entry *entry; /* stale entries, by switch */
	size_t nentries, cap;
	uint64_t *mask; /* candidates of stale entries, once per destination */
	size_t nmask, mask_cap;
};

/* f is made ready (row_fill_begin_entries), and has the arena. */
void lft_stale_begin(
	struct lft_stale *t, const struct keep_job *p, struct row_job *f);
void lft_stale_end(struct lft_stale *t);

/* Record the stale entries of s, which is no new switch but may have other
 * candidates than before, or LIDs. */
void lft_stale_find(struct lft_stale *t, sw_ix s);

/* True if s and x have the same neighbours by the same ports, the same ones
 * above and below. x: may be TOPO_NONE, false. */
bool lft_stale_is_alike(const struct updown *u, sw_ix s, sw_ix x);

#endif
