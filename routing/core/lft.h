/*
 * lft: linear forwarding tables as shared 64-LID blocks.
 *
 * A block is what one SMP carries and what one cache line holds. Generations
 * of routes, and the record of what the switches acknowledged, share equal
 * blocks by reference count, so that a failed link costs only the blocks that
 * it changes; and whole rows, so that it costs only the switches that it
 * changes. Reference 0 is the block that drops everything (all 255): it is
 * never counted and costs nothing.
 *
 * A pool belongs to whoever runs the current stage of the pipeline: the
 * routing job while it runs (perhaps in the worker thread), the core before
 * and after. Counts are therefore plain integers; no lock exists. The bytes of
 * blocks that somebody holds may be read at any time: neither they nor the
 * array of chunks ever move.
 *
 * New blocks go where there is room in front, so that what tables took that
 * were compared and dropped lies together and can be given back.
 *
 * IBA volume 1: LinearForwardingTable 14.2.5.10.
 */
#ifndef HEDDLE_ROUTING_CORE_LFT_H
#define HEDDLE_ROUTING_CORE_LFT_H

#include <stddef.h>
#include <stdint.h>

enum {
	LFT_BLOCK = 64,
	LFT_DROP = 255,
	LFT_SPAN = 64,
	LFT_CHUNK_BITS = 12,
	LFT_MAX_CHUNKS = 1 << 16
};

typedef uint32_t lft_ref;
#define LFT_EMPTY 0U /* the block of 64 x 255 */

struct lft_use {
	lft_ref free;  /* head of the chunk's free list, linked through refs */
	uint32_t live; /* blocks that somebody holds */
};

struct lft_pool {
	uint8_t **chunk;     /* of 2^LFT_CHUNK_BITS blocks, 64-byte aligned, or
				NULL: given back */
	struct lft_use *use; /* of each */
	uint32_t *refs;	     /* of each block */
	uint32_t live;	     /* blocks that somebody holds */
	size_t nchunks;
	size_t first; /* no chunk before has room */
};

struct lft_pool *lft_pool_new(void);
void lft_pool_free(struct lft_pool *p); /* NULL allowed */

/* Give the memory of chunks of which nobody holds a block back. */
void lft_pool_trim(struct lft_pool *p);

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

/*
 * The table of one switch: its blocks, each counted once, in spans of
 * LFT_SPAN blocks, the last one with what is left. Rows and spans are shared by
 * reference count too, so that a changed block costs the counts of one span;
 * who wants to change one makes sure that both are his alone.
 */
struct lft_span {
	unsigned refs;
	lft_ref ref[];
};

struct lft_row {
	unsigned refs;
	uint32_t n; /* blocks */
	struct lft_span *span[];
};

/* Where block b of a row that has it is named, and its name. */
static inline const lft_ref *
lft_row_at(const struct lft_row *r, uint32_t b)
{
	return &r->span[b / LFT_SPAN]->ref[b % LFT_SPAN];
}

static inline lft_ref
lft_row_ref(const struct lft_row *r, uint32_t b)
{
	return *lft_row_at(r, b);
}

/* A row of n empty blocks; another reference; one less (NULL allowed). */
struct lft_row *lft_row_new(uint32_t n);
struct lft_row *lft_row_share(struct lft_row *r);
void lft_row_drop(struct lft_pool *p, struct lft_row *r);

/* For a reference to r one to a row like it that nobody else has: r itself,
 * or a copy of n blocks, cut short or filled up with empty ones. */
struct lft_row *lft_row_own(struct lft_pool *p, struct lft_row *r, uint32_t n);

/* Block b of a row that nobody else has, to be changed, for which the span is
 * made his alone; what is there is counted once. */
lft_ref *lft_row_slot(struct lft_pool *p, struct lft_row *r, uint32_t b);

#endif
