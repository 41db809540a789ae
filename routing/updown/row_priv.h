/*
 * row_job: what rows.c, lft_repair.c, row_fill.c, next_hop_choose.c,
 * row_template.c and lft_keep.c share while they make one row of the tables
 * after the other; one struct per thread. Private to them.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_ROW_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_ROW_PRIV_H

#include "routing/updown/updown.h"

/* Neighbour groups of one switch as bits. */
struct row_mask {
	uint64_t w[UPDN_MASK_WORDS];
};

/*
 * A row that later rows may be patched from: their switches have the same
 * neighbours above (tops: the same below), so most of their entries are equal.
 */
struct row_template {
	sw_ix sw;
	uint64_t *far;
	uint8_t *templ;
	uint8_t *row;
};

/*
 * What the rows share, and the scratch of the row at hand. Arrays of W words
 * per switch, W = 1, 2 or 4 by the number of neighbours, so that the common
 * switch pays for one word.
 */
struct row_job {
	struct arena *a; /* the thread's own */
	const struct updown *u;
	const struct reachability *r;
	const struct dest_table *d;
	const struct reach_block *columns; /* of r, for row_fill_open */
	struct sw_subset rest;		   /* what is not in them */
	const uint64_t **above;		   /* [nsw] switches above in tiers */
	uint64_t *near; /* by row: switches below something above,
			   tops not counted */
	uint64_t *cand; /* by group: candidates, by reachability */
	uint64_t *mask; /* [nsw * W] candidate groups per switch */
	uint64_t *lead; /* [nsw * W] groups that lead up to a switch, or
			   are cables to it */
	uint64_t *far;	/* set of switches served by the template */
	uint32_t W;
	uint8_t *row;
	size_t bytes; /* of a row */

	uint16_t *first_lead; /* by apex: the first group that leads to it */
	uint8_t *templ;	      /* port by key */
	uint8_t *templ_last;
	uint8_t *far_row; /* made from templ_last */
	bool far_valid;
	bool counted; /* sum holds what is kept, and */
	bool weighed; /* meant what of it carries load */
	bool own;     /* the row depends on more than candidates: on counts, on
			 what is special about the switch */

	struct row_template *twin;
	uint32_t ntwin;
	struct sw_subset diff; /* switches that a row and its twin differ
				   about, and more */
	uint64_t *none;	       /* an empty set */
	sw_ix lead_of;	       /* lead is that of this switch */
	bool *touched;	       /* blocks of the row that were patched, and */
	uint32_t *list;	       /* a list of them */
	uint32_t nlist;

	/* LIDs per port, by kind: those with a chain here, and all. */
	uint32_t meant[2][UPDN_MAX_GROUPS];
	uint32_t sum[2][UPDN_MAX_GROUPS];

	uint8_t allowed[256]; /* by port, for the groups in allowed_for */
	struct row_mask allowed_for;

	/* Keeping. */
	const struct routes *prev; /* NULL: a fresh row */
	uint16_t *void_lid; /* without an owner, or with one that moved */
	uint32_t nvoid;
	uint32_t *bad; /* LIDs of the row to choose anew: [d->n] */
	uint32_t nbad;
};

/* Port of group i of s by the cable-th of its cables, modulo their number. */
static inline uint8_t
row_port(const struct row_job *f, sw_ix s, uint32_t i, uint32_t cable)
{
	const struct link_group *g =
		&f->u->graph.group[f->u->graph.first[s] + i];

	return f->u->graph.t->adj[g->adj + (g->n > 1 ? cable % g->n : 0)].out;
}

/* Words of a mask of n groups. */
static inline uint32_t
row_words(uint32_t n)
{
	return n <= 64 ? 1 : n <= 128 ? 2 : 4;
}

/* Is one group in m, and no more? */
static inline bool
row_alone(const uint64_t *m, uint32_t W)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < W; w++)
		n += m[w] == 0 ? 0 : (m[w] & (m[w] - 1)) != 0 ? 2 : 1;
	return n == 1;
}

/*
 * row_fill.c: room for whole rows; first: NULL, or the row of another thread
 * that has been made ready, for what can be shared. Then the row of s, which
 * had number prev_sw (TOPO_NONE: none), into f->row: all of it, or where a twin
 * is returned, its blocks that f->list names.
 */
void row_fill_whole(struct row_job *f, const struct row_job *first);
const struct row_template *row_fill_row(
	struct row_job *f, sw_ix s, sw_ix prev_sw);

/* The same file: room for single entries; then, for those of s that lead to the
 * destinations in among, their masks; and which of
 * the groups in m lead to x. */
void row_fill_begin(struct row_job *f);
void row_fill_open(struct row_job *f, sw_ix s, const struct sw_subset *among);
void row_fill_lead(struct row_job *f, sw_ix s, sw_ix x, const uint64_t *m);

/*
 * next_hop_choose.c: the port for LID i among the groups in m, counted as used.
 * carries: until now its entry here carried load.
 */
uint8_t next_hop_choose(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, bool carries);

/* The switch behind a port, TOPO_NONE: none. */
sw_ix next_hop_switch(const struct topo *t, sw_ix s, uint8_t out);

/*
 * Does the entry of s for LID i carry load if it leads to switch next (or
 * TOPO_NONE)? Most do not: they serve sources that go another way.
 */
bool next_hop_carries_load(
	const struct row_job *f, sw_ix s, uint32_t i, sw_ix next);

/* The same for a split LID, into the row, if one of its chains can be followed
 * from s; false and nothing done otherwise. */
bool next_hop_share(struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m);

/* Does one neighbour of s lead to the apex of LID i, a whole one, and to its
 * chain, and is port a cable to it? Then it is counted as used. */
bool next_hop_accept_port(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, uint8_t port);

/* The port for LID i if there is nothing to choose; not counted. */
bool next_hop_only_choice(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, uint8_t *port);

/* Make f->allowed the ports of the groups in m. */
void next_hop_allow(struct row_job *f, sw_ix s, const uint64_t *m);

/*
 * row_template.c: before the first row; the rows that follow will not be like
 * those before; remember the fresh row at hand, if others may be made from it;
 * a twin for s, or NULL, then f->diff is set. Have two switches the same
 * neighbours by the same ports? And: as far as they are above in tiers, and as
 * many in all?
 */
bool row_template_same(const struct updown *u, sw_ix s, sw_ix t);
bool row_template_related(const struct updown *u, sw_ix s, sw_ix t);
void row_template_init(struct row_job *f);
void row_template_forget(struct row_job *f);
void row_template_add(struct row_job *f, sw_ix s);
const struct row_template *row_template_find(struct row_job *f, sw_ix s);

/* lft_keep.c: make ready; then each row, for s at previous index prev_sw. */
void lft_keep_init(struct row_job *f);
void lft_keep_row(
	struct row_job *f, sw_ix s, sw_ix prev_sw, const struct row_mask *up);

/*
 * rows.c: rows that a thread has made, until they are put into the tables: the
 * pool of blocks belongs to one thread.
 */
struct row_writer_row {
	sw_ix sw;
	sw_ix twin; /* has the blocks that are not here, and maybe some that
		       are; TOPO_NONE: the switch itself */
	bool whole; /* all blocks are here, in their order */
	uint32_t n; /* blocks */
};

struct row_writer {
	struct row_writer_row *row;
	uint32_t nrows, max_rows;
	uint8_t *bytes;	 /* of blocks, one after the other */
	uint32_t *block; /* which one of its row each is */
	uint32_t n, max;
};

/* Room for so many rows and blocks in all, in a. */
void row_writer_begin(
	struct row_writer *b, struct arena *a, uint32_t rows, uint32_t blocks);

/* Is there room for one more row with so many blocks? */
bool row_writer_room(const struct row_writer *b, uint32_t blocks);

/*
 * A row: its n blocks that which lists, or its first n where that is NULL; the
 * rest is as in the row of twin.
 */
void row_writer_add(struct row_writer *b, const struct row_writer_row *as,
	const uint8_t *row, const uint32_t *which, uint32_t n);

#endif
