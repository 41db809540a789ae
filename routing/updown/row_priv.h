/*
 * row_job: what rows.c, row_writer.c, row_fill.c, next_hop_choose.c,
 * row_template.c and lft_keep.c share while they make one row of the tables
 * after the other; one struct per thread. Private to them, lft_stale.c and
 * multi_tree.c.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_ROW_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_ROW_PRIV_H

#include "routing/updown/updown.h"

/* Link groups of one switch as bits. */
struct row_mask {
	uint64_t w[UPDN_MASK_WORDS];
};

/*
 * A row that later rows may be patched from: their switches have the same
 * neighbours above (tops: the same below), so most of their entries are equal.
 * Split LIDs have no entry in it: every row chooses its own.
 */
struct row_template {
	sw_ix sw;
	uint64_t *far;
	uint8_t *pattern;
	uint8_t *row;
	uint32_t meant[2][UPDN_MAX_GROUPS]; /* as in row_job */
	uint32_t sum[2][UPDN_MAX_GROUPS];
};

/*
 * What the rows share, and the scratch of the current row. Arrays of W words
 * per switch, W = 1, 2 or 4 by the number of neighbours, so that the common
 * switch pays for one word.
 */
struct row_job {
	struct arena *a; /* the thread's own */
	const struct updown *u;
	const struct reachability *r;
	const struct dest_table *d;
	const struct reach_block *block; /* of r, for row_fill_find_masks */
	struct sw_subset rest;	/* destinations that are not in block */
	const uint64_t **above; /* [nsw] switches above in tiers */
	const uint64_t **near; /* by row: switches below something above s, tops
			   not counted */
	uint64_t *cand;	       /* by group: candidates, by reachability */
	uint64_t *mask;	       /* [nsw * W] candidate groups per switch */
	uint64_t *lead; /* [nsw * W] groups that lead up to a switch, or are
			   links to it */
	uint64_t *far;	/* set of destinations that the pattern serves */
	uint32_t W;
	uint8_t *row;
	size_t bytes; /* of a row */

	uint16_t
		*first_lead; /* by path top: the first group that leads to it */
	uint8_t *pattern;    /* port by spread index */
	uint8_t *pattern_last;
	uint8_t *far_row; /* made from pattern_last */
	bool far_valid;
	bool counted; /* sum counts the kept entries */
	bool own; /* the row, split LIDs apart, depends on more than candidates:
		     on counts, or on what is special about the switch */

	struct row_template *template;
	uint32_t ntemplates;
	struct sw_subset diff; /* destinations for which a row and its template
				  may differ */
	uint64_t *none;	       /* an empty set */
	uint64_t *split_at;    /* switches with split LIDs */
	sw_ix lead_of;	       /* the switch that lead is for */
	bool *touched;	       /* blocks of the row that were patched, and */
	uint32_t *list;	       /* a list of them */
	uint32_t nlist;

	/* LIDs per port, by kind: those with a down path here, and all. */
	uint32_t meant[2][UPDN_MAX_GROUPS];
	uint32_t sum[2][UPDN_MAX_GROUPS];
	/* ... and those whose down path goes on by this port: while nothing is
	 * broken their packets alone come here. Where entries are kept the same
	 * as meant. */
	uint32_t passing[2][UPDN_MAX_GROUPS];

	uint8_t allowed[256]; /* by port, for the groups in allowed_for */
	struct row_mask allowed_for;
};

/* Port of link number `cable`, modulo their number, of group i of s. */
static inline uint8_t
row_port(const struct row_job *f, sw_ix s, uint32_t i, uint32_t link)
{
	const struct link_group *g =
		&f->u->graph.group[f->u->graph.first[s] + i];

	return f->u->graph.t->adj[g->adj + (g->n > 1 ? link % g->n : 0)].out;
}

/* Words of a mask of n groups. */
static inline uint32_t
row_mask_words(uint32_t n)
{
	return n <= 64 ? 1 : n <= 128 ? 2 : 4;
}

static inline bool
row_mask_is_empty(const uint64_t *m, uint32_t W)
{
	uint64_t any = 0;

	for (uint32_t w = 0; w < W; w++)
		any |= m[w];
	return any == 0;
}

/* The candidates for the LIDs at dest; up: those for far destinations. */
static inline const uint64_t *
row_mask_of(const struct row_job *f, const struct row_mask *up, sw_ix dest)
{
	return bitset_has(f->far, dest) ? up->w : f->mask + (size_t)dest * f->W;
}

/* True if exactly one group is in m. */
static inline bool
row_is_one_group(const uint64_t *m, uint32_t W)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < W; w++)
		n += m[w] == 0 ? 0 : (m[w] & (m[w] - 1)) != 0 ? 2 : 1;
	return n == 1;
}

/*
 * row_fill.c: begin_rows makes room for whole rows. first: NULL, or a row_job
 * that has been made ready for another thread, for what can be shared. Then
 * row_fill_row() makes a fresh row of s in f->row: all of it, or, where a
 * template is returned, its blocks that f->list names.
 */
void row_fill_begin_rows(struct row_job *f, const struct row_job *first);
const struct row_template *row_fill_row(struct row_job *f, sw_ix s);

/* The same file: room for single entries; then the masks of the entries of s
 * for the destinations in among; then which of the groups in m lead to x. */
void row_fill_begin_entries(struct row_job *f);
void row_fill_find_masks(
	struct row_job *f, sw_ix s, const struct sw_subset *among);
void row_fill_find_lead(struct row_job *f, sw_ix s, sw_ix x, const uint64_t *m);

/* next_hop_choose.c: the port for LID i among the groups in m, counted as used.
 * carries: the previous entry carried load. */
uint8_t next_hop_choose(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, bool carries);

/* True if that looks at what is meant to pass the ports: at f->meant, or
 * f->passing; else at f->sum alone. */
bool next_hop_is_meant(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, bool carries);

/* The choice for a split LID, written into the row, if one of its down paths
 * can be followed from s; otherwise false and nothing done. */
bool next_hop_choose_share(
	struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m);

/*
 * If one neighbour of s leads to the path top of LID i, which is not split, and
 * to its down path, and port is a link to it: count the port as used. False
 * otherwise.
 */
bool next_hop_accept_port(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, uint8_t port);

/* The port for LID i if there is only one; not counted. */
bool next_hop_only_choice(struct row_job *f, sw_ix s, uint32_t i,
	const uint64_t *m, uint8_t *port);

/* Make f->allowed the ports of the groups in m. */
void next_hop_allow_ports(struct row_job *f, sw_ix s, const uint64_t *m);

/*
 * row_template.c. same_links: true if two switches have the same neighbours by
 * the same ports. same_uplinks: true if that holds for the neighbours above in
 * tiers, and they have as many in all. init: before the first row. forget: the
 * following rows will not be similar to those before. add: remember the fresh
 * row just made, if others may be made from it. find: a template for s, then
 * f->diff is set, or NULL.
 */
bool row_template_same_links(const struct updown *u, sw_ix s, sw_ix t);
bool row_template_same_uplinks(const struct updown *u, sw_ix s, sw_ix t);
void row_template_init(struct row_job *f);
void row_template_forget(struct row_job *f);
void row_template_add(struct row_job *f, sw_ix s);
const struct row_template *row_template_find(struct row_job *f, sw_ix s);

/* row_writer.c: rows that a thread has made, until they are put into the
 * tables: the pool of blocks belongs to one thread. */
struct row_writer_row {
	sw_ix sw;
	sw_ix like;   /* the blocks that are not here are as in the row of this
			 switch, and maybe some that are; TOPO_NONE: none */
	sw_ix beside; /* blocks here may be as in this one; or TOPO_NONE */
	bool whole;   /* all blocks are here, in their order */
	uint32_t n;   /* blocks */
};

struct row_writer {
	struct row_writer_row *row;
	uint32_t nrows, max_rows;
	uint8_t *bytes;	 /* of blocks, one after the other */
	uint32_t *block; /* number of each block in its row */
	uint32_t n, max;
};

/* Room for this many rows and blocks in all, in a. */
void row_writer_begin(
	struct row_writer *b, struct arena *a, uint32_t rows, uint32_t blocks);

/* Add a row: the n blocks that which lists, or the first n where that is NULL;
 * the other blocks are as in the row of as->like. */
void row_writer_add(struct row_writer *b, const struct row_writer_row *as,
	const uint8_t *row, const uint32_t *which, uint32_t n);

#endif
