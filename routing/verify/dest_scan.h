/*
 * dest_scan: what tables say of destination switches, as bits of words: whose
 * blocks differ in two tables, and for which a table names some ports.
 *
 * For the latter a block of 64 entries becomes a word: the LIDs whose entry
 * names one of these ports. So a switch is asked for 64 destinations at a time
 * whether some, or all, of their LIDs leave by the ports; blocks are read where
 * they are asked for, once.
 *
 * Callers: routing/adaptive, routing/verify.
 */
#ifndef HEDDLE_ROUTING_VERIFY_DEST_SCAN_H
#define HEDDLE_ROUTING_VERIFY_DEST_SCAN_H

#include <stdint.h>

#include "discovery/dest_lids.h"
#include "routing/core/lft.h"
#include "routing/core/route_sets.h"

/* Add to out[words] the destination switches with LIDs in blocks that differ in
 * two rows of one pool, whose blocks are counted as n and m. */
void dest_scan_differ(const struct dest_lids *d, const struct lft_row *a,
	uint32_t n, const struct lft_row *b, uint32_t m, uint64_t *out);

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
