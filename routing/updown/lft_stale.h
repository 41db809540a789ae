/*
 * lft_stale: which entries of the previous tables do not lead through a
 * candidate any more, found row by row; those have to be chosen anew
 * (lft_repair.c). Private to the repair; one struct per thread.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_LFT_STALE_H
#define HEDDLE_ROUTING_UPDOWN_LFT_STALE_H

#include "routing/updown/repair_priv.h"
#include "routing/updown/row_priv.h"

struct lft_stale_entry {
	sw_ix sw;
	uint32_t i;  /* LID */
	size_t mask; /* where its candidates are, in the mask of lft_stale */
};

struct lft_stale {
	const struct repair_job *p;
	const struct dest_table *d;
	struct row_job *f;
	struct sw_subset which; /* destinations to look at */
	uint64_t *wide;		/* words of them */
	sw_ix opened; /* whose candidates are at hand, and who is alike */
	struct lft_stale_entry *entry; /* by switch */
	size_t nentries, cap;
	uint64_t *mask; /* of bad entries, those of a destination together */
	size_t nmask, mask_cap;
};

/* f is made ready (row_fill_begin), and has the arena. */
void lft_stale_begin(struct lft_stale *t, const struct repair_job *p,
	const struct dest_table *d, struct row_job *f);
void lft_stale_end(struct lft_stale *t);

/* Note the bad entries of s, whose candidates may be others than they were. */
void lft_stale_find(struct lft_stale *t, sw_ix s);

/*
 * Have s and x (or TOPO_NONE) the same neighbours by the same ports, above them
 * and below?
 */
bool lft_stale_is_alike(const struct updown *u, sw_ix s, sw_ix x);

#endif
