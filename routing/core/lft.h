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
 * A pool belongs to the current stage of the pipeline: the routing job while it
 * runs (perhaps in the worker thread), the core before and after. Counts are
 * therefore plain integers; no lock exists. The bytes of referenced blocks may
 * be read at any time: neither they nor the array of chunks ever move.
 *
 * New blocks go into the first chunk with room. So the blocks of tables that
 * were only compared and then dropped lie together, at the end, and their
 * chunks can be given back.
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
	uint32_t live; /* blocks with references */
};

struct lft_pool {
	uint8_t **chunk;     /* of 2^LFT_CHUNK_BITS blocks, 64-byte aligned, or
				NULL: given back */
	struct lft_use *use; /* of each */
	uint32_t *refs;	     /* of each block */
	uint32_t live;	     /* blocks with references */
	size_t nchunks;
	size_t first; /* no chunk before has room */
};

struct lft_pool *lft_pool_new(void);
void lft_pool_free(struct lft_pool *p); /* NULL allowed */

/* Give back the memory of chunks without a referenced block. */
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
 * The table of one switch: its blocks, each counted once, in spans of LFT_SPAN
 * blocks, the last span with the rest. Rows and spans are shared by reference
 * count too, so that a changed block costs the counts of one span. Before a
 * block is changed, its row and its span are made unshared (lft_row_own,
 * lft_row_slot).
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

/* The place of the reference to block b in a row that has it; the reference. */
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

/* The entry for a LID of a row of nblocks blocks; LFT_DROP beyond it. */
static inline uint8_t
lft_row_entry(const struct lft_pool *pool, const struct lft_row *r,
	uint32_t nblocks, uint32_t lid)
{
	uint32_t b = lid / LFT_BLOCK;

	return b < nblocks ? lft_bytes(pool, lft_row_ref(r, b))[lid % LFT_BLOCK]
			   : LFT_DROP;
}

/* A row of n empty blocks; another reference; one less (NULL allowed). */
struct lft_row *lft_row_new(uint32_t n);
struct lft_row *lft_row_share(struct lft_row *r);
void lft_row_drop(struct lft_pool *p, struct lft_row *r);

/* Exchange a reference to r for one to an unshared row of n blocks: r itself,
 * or a copy, truncated or filled up with empty blocks. */
struct lft_row *lft_row_own(struct lft_pool *p, struct lft_row *r, uint32_t n);

/* Block b of an unshared row, to be changed: its span is made unshared. The
 * reference found there is counted once. */
lft_ref *lft_row_slot(struct lft_pool *p, struct lft_row *r, uint32_t b);

#endif
