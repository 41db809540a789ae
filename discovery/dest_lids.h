/*
 * dest_lids: destination switches and the LIDs of their compute hosts, beside
 * blocks of forwarding tables.
 *
 * What sets of ports are about (routing/core/route_sets.h): a destination
 * switch is a live one with compute hosts that have LIDs. They are numbered in
 * the order of the lowest of these LIDs, and sets of them are words of bits.
 * The numbers of switches follow the distance from the manager, which any lost
 * link may change; LIDs stay, and so what is known by destination.
 *
 * Callers: routing/core/route_sets.c, routing/adaptive, routing/verify.
 */
#ifndef HEDDLE_DISCOVERY_DEST_LIDS_H
#define HEDDLE_DISCOVERY_DEST_LIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

enum { DEST_BLOCK = 64 }; /* LIDs in a block of a forwarding table */

struct topo_match; /* discovery/topo_match.h */

/* LIDs of one block. */
struct dest_run {
	uint32_t block;
	uint64_t lids;
};

struct dest_lids {
	uint32_t n;	  /* destination switches */
	uint32_t words;	  /* for a bit each; a multiple of 4, for bitset_or */
	uint32_t nblocks; /* that their LIDs are in */
	sw_ix *sw;	  /* [n] by number */
	uint32_t *number; /* [nsw] of a destination switch, else n */
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

/* True if was, of the older topology, has the same destination switches by the
 * same numbers; those with other LIDs are added to changed[words]. */
bool dest_lids_compare(const struct dest_lids *d, const struct dest_lids *was,
	const struct topo_match *before, uint64_t *changed);

/* The bits of word w that are destination switches. */
static inline uint64_t
dest_lids_bits(const struct dest_lids *d, uint32_t w)
{
	if (w * 64 + 64 <= d->n)
		return UINT64_MAX;
	return w * 64 < d->n ? (UINT64_C(1) << d->n % 64) - 1 : 0;
}

#endif
