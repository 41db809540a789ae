/*
 * dest_lids: destination switches and the LIDs of their compute hosts, as bits
 * beside those of blocks of forwarding tables.
 *
 * What sets of ports are about (route_sets.h): a destination switch is a live
 * one with compute hosts. They are numbered in the order of the topology, and
 * sets of them are words of bits. A block of 64 entries becomes a word too: the
 * LIDs whose entry names one of some ports. So a switch is asked for 64
 * destinations at a time whether some, or all, of their LIDs leave by these
 * ports; blocks are read where they are asked for, once.
 *
 * Callers: routing/adaptive, routing/verify.
 */
#ifndef HEDDLE_ROUTING_VERIFY_DEST_LIDS_H
#define HEDDLE_ROUTING_VERIFY_DEST_LIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/lft.h"
#include "routing/core/route_sets.h"

/* LIDs of one block. */
struct dest_run {
	uint32_t block;
	uint64_t lids;
};

struct dest_lids {
	uint32_t n;	  /* destination switches */
	uint32_t words;	  /* for a bit each; a multiple of 4, for bitset_or */
	uint32_t nblocks; /* that their LIDs are in */
	uint32_t nsw;
	sw_ix *sw;	      /* [n] rising */
	uint32_t *number;     /* [nsw] of a destination switch, else n */
	struct dest_run *run; /* LIDs of number i: run[first[i] ..
				 first[i + 1]) */
	uint32_t *first;      /* [n + 1] */
	uint32_t *in_block;   /* numbers with LIDs in block b:
				 in_block[at[b] .. at[b + 1]) */
	uint32_t *at;	      /* [nblocks + 1] */
};

/* Fill *d for t; to be closed. */
void dest_lids_open(struct dest_lids *d, const struct topo *t);
void dest_lids_close(struct dest_lids *d);

/* True if t has the same destination switches with the same LIDs. */
bool dest_lids_are_those_of(const struct dest_lids *d, const struct topo *t);

/* Add to out[words] the destination switches with LIDs in blocks that differ in
 * two rows of one pool, whose blocks are counted as n and m. */
void dest_lids_differ(const struct dest_lids *d, const struct lft_row *a,
	uint32_t n, const struct lft_row *b, uint32_t m, uint64_t *out);

/* The bits of word w that are destination switches. */
static inline uint64_t
dest_lids_bits(const struct dest_lids *d, uint32_t w)
{
	if (w * 64 + 64 <= d->n)
		return UINT64_MAX;
	return w * 64 < d->n ? (UINT64_C(1) << d->n % 64) - 1 : 0;
}

/* Ports as ranges of numbers. */
struct dest_ports {
	unsigned n;
	struct {
		uint8_t lo, hi;
	} range[128];
};

/* The table of one switch, being asked for some ports. */
struct dest_scan {
	const struct dest_lids *d;
	const struct lft_pool *pool;
	const struct lft_row *row;
	uint32_t nblocks;
	struct dest_ports ports;
	uint64_t *mask;	 /* [d->nblocks] LIDs that leave by the ports */
	uint64_t *known; /* bits: blocks of which it is known */
};

void dest_scan_open(struct dest_scan *x, const struct dest_lids *d);
void dest_scan_close(struct dest_scan *x);
/* Go on with this row (NULL: nothing is known of it) and these ports. */
void dest_scan_row(struct dest_scan *x, const struct lft_pool *pool,
	const struct lft_row *row, uint32_t nblocks,
	const struct route_set *ports);

/*
 * Of the destination switches `want` in word w: *some gets those of which a LID
 * leaves by one of the ports, *all those of which every LID does.
 */
void dest_scan_word(struct dest_scan *x, uint32_t w, uint64_t want,
	uint64_t *some, uint64_t *all);

#endif
