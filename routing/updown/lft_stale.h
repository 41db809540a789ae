/*
 * updn_seek: which entries of the previous tables do not lead through a
 * candidate any more, found row by row; those have to be chosen anew
 * (lft_repair.c). Private to the repair; one struct per thread.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_LFT_STALE_H
#define HEDDLE_ROUTING_UPDOWN_LFT_STALE_H

#include "routing/updown/repair_priv.h"
#include "routing/updown/row_priv.h"

struct updn_bad {
	sw_ix sw;
	uint32_t i;  /* LID */
	size_t mask; /* where its candidates are, in the mask of updn_seek */
};

struct updn_seek {
	const struct updn_repair *p;
	const struct updn_dests *d;
	struct updn_row *f;
	struct updn_among which; /* destinations to look at */
	uint64_t *wide;		 /* words of them */
	sw_ix opened; /* whose candidates are at hand, and who is alike */
	struct updn_bad *bad; /* by switch */
	size_t nbad, cap;
	uint64_t *mask; /* of bad entries, those of a destination together */
	size_t nmask, mask_cap;
};

/* f is made ready (updn_fill_begin), and has the arena. */
void updn_seek_begin(struct updn_seek *t, const struct updn_repair *p,
	const struct updn_dests *d, struct updn_row *f);
void updn_seek_end(struct updn_seek *t);

/* Note the bad entries of s, whose candidates may be others than they were. */
void updn_seek_row(struct updn_seek *t, sw_ix s);

/*
 * Have s and x (or TOPO_NONE) the same neighbours by the same ports, above them
 * and below?
 */
bool updn_seek_twins(const struct updn *u, sw_ix s, sw_ix x);

#endif
