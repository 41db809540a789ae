#include "routing/core/lft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum {
	BLOCKS = 1 << LFT_CHUNK_BITS,
	BYTES = BLOCKS * LFT_BLOCK,
};

/*
 * A chunk is aligned to a cache line; where the allocation really begins is
 * written behind its last byte.
 */
static uint8_t *
chunk_new(void)
{
	uint8_t *raw = mem_alloc(BYTES + LFT_BLOCK + sizeof(raw));
	uint8_t *at = raw + (LFT_BLOCK - (uintptr_t)raw % LFT_BLOCK);

	memcpy(at + BYTES, &raw, sizeof(raw));
	return at;
}

static void
chunk_free(uint8_t *at)
{
	uint8_t *raw;

	memcpy(&raw, at + BYTES, sizeof(raw));
	free(raw);
}

/* Put all blocks of chunk c on its free list, in order, but LFT_EMPTY. */
static void
link_free(struct lft_pool *p, size_t c)
{
	lft_ref r = (lft_ref)c << LFT_CHUNK_BITS, end = r + BLOCKS;

	r += r == LFT_EMPTY;
	p->use[c] = (struct lft_use){.free = r};
	for (; r + 1 != end; r++)
		p->refs[r] = r + 1;
	p->refs[r] = 0;
}

/* The first chunk with room, so that the last chunks become empty. */
static struct lft_use *
chunk_with_room(struct lft_pool *p)
{
	size_t c = p->first;

	while (c < p->nchunks && p->use[c].free == 0)
		c++;
	p->first = c;
	if (c == p->nchunks) {
		/* the array of chunks never moves: readers of old blocks may
		 * be at work */
		assert(c < LFT_MAX_CHUNKS);
		p->nchunks++;
		p->use = mem_resize(p->use, p->nchunks, sizeof(*p->use));
		p->refs = mem_resize(
			p->refs, p->nchunks * BLOCKS, sizeof(*p->refs));
		p->chunk[c] = NULL;
	}
	if (p->chunk[c] == NULL) {
		p->chunk[c] = chunk_new();
		link_free(p, c);
	}
	return &p->use[c];
}

static uint8_t *
bytes_of(const struct lft_pool *p, lft_ref r)
{
	return p->chunk[r >> LFT_CHUNK_BITS] +
	       (size_t)(r & (BLOCKS - 1)) * LFT_BLOCK;
}

struct lft_pool *
lft_pool_new(void)
{
	struct lft_pool *p = mem_zalloc(1, sizeof(*p));

	p->chunk = mem_zalloc(LFT_MAX_CHUNKS, sizeof(*p->chunk));
	(void)chunk_with_room(p);
	memset(bytes_of(p, LFT_EMPTY), LFT_DROP, LFT_BLOCK);
	p->refs[LFT_EMPTY] = 1;
	return p;
}

void
lft_pool_free(struct lft_pool *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->nchunks; i++)
		if (p->chunk[i] != NULL)
			chunk_free(p->chunk[i]);
	free(p->chunk);
	free(p->use);
	free(p->refs);
	free(p);
}

lft_ref
lft_add(struct lft_pool *p, const uint8_t bytes[LFT_BLOCK])
{
	struct lft_use *use;
	lft_ref r;

	if (memcmp(bytes, bytes_of(p, LFT_EMPTY), LFT_BLOCK) == 0)
		return LFT_EMPTY;
	use = chunk_with_room(p);
	r = use->free;
	use->free = p->refs[r];
	use->live++;
	p->refs[r] = 1;
	p->live++;
	memcpy(bytes_of(p, r), bytes, LFT_BLOCK);
	return r;
}

lft_ref
lft_share(struct lft_pool *p, lft_ref r)
{
	assert(r >> LFT_CHUNK_BITS < p->nchunks);
	if (r != LFT_EMPTY)
		p->refs[r]++;
	return r;
}

void
lft_drop(struct lft_pool *p, lft_ref r)
{
	size_t c = r >> LFT_CHUNK_BITS;

	assert(c < p->nchunks);
	if (r == LFT_EMPTY || --p->refs[r] != 0)
		return;
	/* While it is free, its count is the link of its chunk's list. */
	p->refs[r] = p->use[c].free;
	p->use[c].free = r;
	p->use[c].live--;
	p->live--;
	if (c < p->first)
		p->first = c;
}

void
lft_pool_trim(struct lft_pool *p)
{
	for (size_t c = 1; c < p->nchunks; c++) {
		if (p->use[c].live > 0 || p->chunk[c] == NULL)
			continue;
		chunk_free(p->chunk[c]);
		p->chunk[c] = NULL;
	}
}

static uint32_t
spans_of(uint32_t n)
{
	return (n + LFT_SPAN - 1) / LFT_SPAN;
}

/* Blocks in span i of a row of n. */
static uint32_t
span_size(uint32_t n, uint32_t i)
{
	return n - i * LFT_SPAN < LFT_SPAN ? n - i * LFT_SPAN : LFT_SPAN;
}

static struct lft_span *
span_new(uint32_t n)
{
	/* Zeroes are LFT_EMPTY: everything drops. */
	struct lft_span *s =
		mem_zalloc(1, sizeof(*s) + (size_t)n * sizeof(s->ref[0]));

	s->refs = 1;
	return s;
}

static void
span_drop(struct lft_pool *p, struct lft_span *s, uint32_t n)
{
	if (--s->refs > 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (s->ref[i] != LFT_EMPTY)
			lft_drop(p, s->ref[i]);
	free(s);
}

/* A new span of n blocks: those of was, which has `many`, then empty ones. */
static struct lft_span *
span_copy(struct lft_pool *p, const struct lft_span *was, uint32_t many,
	uint32_t n)
{
	struct lft_span *s = span_new(n);

	for (uint32_t i = 0; i < n && i < many; i++)
		s->ref[i] = lft_share(p, was->ref[i]);
	return s;
}

/* A row for n blocks; the caller fills in its spans. */
static struct lft_row *
row_new(uint32_t n)
{
	struct lft_row *r = mem_alloc(
		sizeof(*r) + (size_t)spans_of(n) * sizeof(struct lft_span *));

	r->refs = 1;
	r->n = n;
	return r;
}

struct lft_row *
lft_row_new(uint32_t n)
{
	struct lft_row *r = row_new(n);

	for (uint32_t i = 0; i < spans_of(n); i++)
		r->span[i] = span_new(span_size(n, i));
	return r;
}

struct lft_row *
lft_row_share(struct lft_row *r)
{
	r->refs++;
	return r;
}

void
lft_row_drop(struct lft_pool *p, struct lft_row *r)
{
	if (r == NULL || --r->refs > 0)
		return;
	for (uint32_t i = 0; i < spans_of(r->n); i++)
		span_drop(p, r->span[i], span_size(r->n, i));
	free(r);
}

struct lft_row *
lft_row_own(struct lft_pool *p, struct lft_row *r, uint32_t n)
{
	struct lft_row *own;

	if (r->refs == 1 && r->n == n)
		return r;
	own = row_new(n);
	for (uint32_t i = 0; i < spans_of(n); i++) {
		uint32_t size = span_size(n, i), was = 0;

		if (i < spans_of(r->n))
			was = span_size(r->n, i);
		own->span[i] = was == size ? r->span[i]
			       : was == 0  ? span_new(size)
					  : span_copy(p, r->span[i], was, size);
		own->span[i]->refs += was == size;
	}
	lft_row_drop(p, r);
	return own;
}

lft_ref *
lft_row_slot(struct lft_pool *p, struct lft_row *r, uint32_t b)
{
	struct lft_span **s = &r->span[b / LFT_SPAN];

	if ((*s)->refs > 1) {
		uint32_t n = span_size(r->n, b / LFT_SPAN);
		struct lft_span *own = span_copy(p, *s, n, n);

		(*s)->refs--;
		*s = own;
	}
	return &(*s)->ref[b % LFT_SPAN];
}
