/* The pool of LFT blocks: sharing, reuse, growth, and the empty block, which
 * needs no room. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/lft.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

static lft_ref
block_of(struct lft_pool *p, uint32_t n)
{
	uint8_t bytes[LFT_BLOCK] = {0};

	memcpy(bytes, &n, sizeof(n));
	return lft_add(p, bytes);
}

static uint32_t
number_of(const struct lft_pool *p, lft_ref r)
{
	uint32_t n;

	memcpy(&n, lft_bytes(p, r), sizeof(n));
	return n;
}

TEST(empty_is_free)
{
	struct lft_pool *p = lft_pool_new();
	uint8_t bytes[LFT_BLOCK];

	memset(bytes, LFT_DROP, sizeof(bytes));
	ck_assert_uint_eq(lft_add(p, bytes), LFT_EMPTY);
	ck_assert_mem_eq(lft_bytes(p, LFT_EMPTY), bytes, LFT_BLOCK);
	for (int i = 0; i < 3; i++)
		lft_drop(p, LFT_EMPTY);
	ck_assert_uint_eq(lft_share(p, LFT_EMPTY), LFT_EMPTY);
	ck_assert_uint_eq(p->live, 0);
	bytes[63] = 0;
	ck_assert_uint_ne(lft_add(p, bytes), LFT_EMPTY);
	ck_assert_uint_eq(p->live, 1);
	lft_pool_free(p);
	lft_pool_free(NULL);
}

TEST(counted)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	lft_ref a = block_of(p, 7), b;

	ck_assert_uint_eq(lft_share(p, a), a);
	lft_drop(p, a);
	ck_assert_uint_eq(p->live, 1);
	ck_assert_uint_eq(number_of(p, a), 7);
	lft_drop(p, a);
	ck_assert_uint_eq(p->live, 0);
	b = block_of(p, 8);
	ck_assert_uint_eq(b, a); /* reused */
	ck_assert_uint_eq(number_of(p, b), 8);
}

/* Over several chunks, with blocks coming and going. */
TEST(growth)
{
	enum { N = 3 << LFT_CHUNK_BITS };
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	lft_ref *held = mem_zalloc(N, sizeof(*held));
	struct rng g = {1};
	uint32_t live = 0;

	for (uint32_t i = 0; i < 4 * N; i++) {
		uint32_t k = rng_below(&g, N);

		if (held[k] == 0) {
			held[k] = block_of(p, k + 1);
			ck_assert_uint_eq(
				(uintptr_t)lft_bytes(p, held[k]) % LFT_BLOCK,
				0);
			live++;
		} else {
			ck_assert_uint_eq(number_of(p, held[k]), k + 1);
			lft_drop(p, held[k]);
			held[k] = 0;
			live--;
		}
		ck_assert_uint_eq(p->live, live);
	}
	for (uint32_t k = 0; k < N; k++)
		if (held[k] != 0)
			ck_assert_uint_eq(number_of(p, held[k]), k + 1);
	free(held);
}

/* Chunks that were added last and are empty are freed; blocks with references
 * stay. */
TEST(trimmed)
{
	enum { CHUNK = 1 << LFT_CHUNK_BITS, N = 4 * CHUNK };
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	lft_ref *held = mem_zalloc(N, sizeof(*held)), last;
	size_t most;

	for (uint32_t i = 0; i < N; i++)
		held[i] = block_of(p, i + 1);
	most = p->nchunks;
	/* room in earlier chunks is used first */
	lft_drop(p, held[7]);
	held[7] = block_of(p, 8);
	ck_assert_uint_lt(held[7], CHUNK);
	for (uint32_t i = CHUNK; i < N; i++)
		lft_drop(p, held[i]);
	last = block_of(p, N + 1);
	lft_pool_trim(p);
	for (size_t c = 0; c < most; c++)
		ck_assert(
			(p->chunk[c] == NULL) == (c > last >> LFT_CHUNK_BITS));
	for (uint32_t i = 0; i < CHUNK; i++)
		ck_assert_uint_eq(number_of(p, held[i]), i + 1);
	/* and more chunks are added again */
	for (uint32_t i = CHUNK; i < N; i++)
		held[i] = block_of(p, i + 1);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_uint_eq(number_of(p, held[i]), i + 1);
	ck_assert_uint_eq(number_of(p, last), N + 1);
	ck_assert_uint_le(p->nchunks, most + 1);
	ck_assert_uint_eq(p->live, N + 1);
	free(held);
}

/* What a row is expected to hold. */
struct model {
	struct lft_row *row;
	uint32_t n, value[4 * LFT_SPAN]; /* 0: empty */
};

enum { ROWS = 8, STEPS = 20000 };

static void
expect_row(const struct lft_pool *p, const struct model *m)
{
	uint32_t wrong = 0;

	ck_assert_uint_eq(m->row->n, m->n);
	for (uint32_t b = 0; b < m->n; b++) {
		lft_ref r = lft_row_ref(m->row, b);

		wrong += (r == LFT_EMPTY ? 0 : number_of(p, r)) != m->value[b];
	}
	ck_assert_uint_eq(wrong, 0);
}

/* Another number of blocks, mostly near the end of a span. */
static uint32_t
any_size(struct rng *g)
{
	uint32_t spans = rng_below(g, 4), more = rng_below(g, 3);

	return more == 0 ? 1 + rng_below(g, 4 * LFT_SPAN)
			 : 1 + spans * LFT_SPAN + (more - 1) * 62;
}

/* One row changes, becomes like another one, or gets longer or shorter. */
static void
change_row(struct lft_pool *p, struct model *m, uint32_t k, struct rng *g)
{
	struct model *x = &m[k], *y = &m[rng_below(g, ROWS)];
	uint32_t n = x->n, b = rng_below(g, n), what = rng_below(g, 16);
	uint32_t value = 1 + rng_below(g, 1000);
	lft_ref *slot;

	if (what == 0 && x != y) {
		lft_row_drop(p, x->row);
		*x = *y;
		(void)lft_row_share(x->row);
		return;
	}
	if (what == 1)
		n = any_size(g);
	x->row = lft_row_own(p, x->row, n);
	for (; x->n < n; x->n++)
		x->value[x->n] = 0;
	x->n = n;
	if (what == 1)
		return;
	slot = lft_row_slot(p, x->row, b);
	lft_drop(p, *slot);
	*slot = block_of(p, value);
	x->value[b] = value;
}

/* Rows that share spans change independently, and the pool counts all
 * references. */
TEST(rows)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	struct model m[ROWS] = {{0}};
	struct rng g = {3};

	for (uint32_t k = 0; k < ROWS; k++) {
		m[k].n = any_size(&g);
		m[k].row = lft_row_new(m[k].n);
	}
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t k = rng_below(&g, ROWS);

		change_row(p, m, k, &g);
		expect_row(p, &m[k]);
	}
	for (uint32_t k = 0; k < ROWS; k++)
		expect_row(p, &m[k]);
	for (uint32_t k = 0; k < ROWS; k++)
		lft_row_drop(p, m[k].row);
	ck_assert_uint_eq(p->live, 0);
}
