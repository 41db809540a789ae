/*
 * lft: linear forwarding tables as shared 64-LID blocks.
 *
 * A block is what one SMP carries and what one cache line holds. Generations
 * of routes, and the record of what the switches acknowledged, share equal
 * blocks by reference count, so that a failed link costs only the blocks that
 * it changes. Reference 0 is the block that drops everything (all 255): it is
 * never counted and costs nothing.
 *
 * A pool belongs to whoever runs the current stage of the pipeline: the
 * routing job while it runs (perhaps in the worker thread), the core before
 * and after. Counts are therefore plain integers; no lock exists. The bytes of
 * blocks that somebody holds may be read at any time: neither they nor the
 * array of chunks ever move.
 *
 * IBA volume 1: LinearForwardingTable 14.2.5.10.
 */
#ifndef HEDDLE_ROUTING_LFT_H
#define HEDDLE_ROUTING_LFT_H

#include <stddef.h>
#include <stdint.h>

enum {
	LFT_BLOCK = 64,
	LFT_DROP = 255,
	LFT_CHUNK_BITS = 12,
	LFT_MAX_CHUNKS = 1 << 16
};

typedef uint32_t lft_ref;
#define LFT_EMPTY 0U /* the block of 64 x 255 */

struct lft_pool {
	uint8_t **chunk; /* of 2^LFT_CHUNK_BITS blocks, 64-byte aligned */
	uint32_t *refs;
	lft_ref free; /* head of the free list, linked through refs */
	uint32_t n;   /* blocks ever made, chunk[] capacity follows */
	uint32_t live;
	size_t nchunks;
};

struct lft_pool *lft_pool_new(void);
void lft_pool_free(struct lft_pool *p); /* NULL allowed */

/* The 64 bytes of block r, valid until it is dropped for the last time. */
static inline const uint8_t *
lft_bytes(const struct lft_pool *p, lft_ref r)
{
	return p->chunk[r >> LFT_CHUNK_BITS] +
	       (size_t)(r & ((1U << LFT_CHUNK_BITS) - 1)) * LFT_BLOCK;
}

/* A new block with these 64 bytes, counted once (LFT_EMPTY if all 255). */
lft_ref lft_add(struct lft_pool *p, const uint8_t bytes[LFT_BLOCK]);

/* One more reference to r; returns r. */
lft_ref lft_share(struct lft_pool *p, lft_ref r);

/* One reference less. */
void lft_drop(struct lft_pool *p, lft_ref r);

/* The same for n of them at once: to[i] becomes one more reference to r[i]. */
void lft_share_all(struct lft_pool *p, lft_ref *to, const lft_ref *r, size_t n);
void lft_drop_all(struct lft_pool *p, const lft_ref *r, size_t n);

#endif
