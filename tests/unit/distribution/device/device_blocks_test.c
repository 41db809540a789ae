/* Blocks in the device store as far as they are known, what devices refuse, and
 * blocked dependencies. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "distribution/device/device_store.h"
#include "distribution/tables/pkey_table.h"
#include "distribution/tables/vlarb.h"
#include "sm/mad/mad.h"
#include "tests/unit/suite.h"

static const uint8_t straight2[SL2VL_ROW] = {0x01};
static const uint8_t shut[SL2VL_ROW] = {255, 255, 255, 255, 255, 255, 255, 255};

static struct lft_pool *pool;
static struct device_store *h;

static void
open_store(void)
{
	pool = lft_pool_new();
	h = device_new(pool);
}

static void
close_store(void)
{
	device_free(h);
	ck_assert_uint_eq(pool->live, 0);
	lft_pool_free(pool);
}

static bool
store_holds(struct device_at at, const uint8_t *bytes)
{
	const uint8_t *is = device_bytes(h, at);

	return is != NULL &&
	       memcmp(is, bytes, device_attribute[at.attr].bytes) == 0;
}

TEST(rows)
{
	const uint64_t in[4] = {1 << 2 | 1 << 4};

	ck_assert_ptr_null(device_bytes(h, device_at_row(1, 2, 3)));
	device_put(h, device_at_row(1, 2, 3), straight2);
	ck_assert(store_holds(device_at_row(1, 2, 3), straight2));
	ck_assert_ptr_null(device_bytes(h, device_at_row(1, 3, 2)));
	ck_assert_ptr_null(device_bytes(h, device_at_row(2, 2, 3)));
	ck_assert(!device_holds_rows(h, 1, 3, in, straight2));
	device_put(h, device_at_row(1, 4, 3), straight2);
	ck_assert(device_holds_rows(h, 1, 3, in, straight2));
	device_put(h, device_at_row(1, 4, 3), shut);
	ck_assert(!device_holds_rows(h, 1, 3, in, straight2));
	ck_assert(store_holds(device_at_row(1, 4, 3), shut));
	device_lose(h, device_at_row(1, 4, 3));
	device_lose(h, device_at_row(1, 9, 3)); /* never known */
	ck_assert_ptr_null(device_bytes(h, device_at_row(1, 4, 3)));
	ck_assert(store_holds(device_at_row(1, 2, 3), straight2));
	device_forget_node(h, 1);
	ck_assert_ptr_null(device_bytes(h, device_at_row(1, 2, 3)));
}

/* Parts of arbitration tables, each per node, port and part. */
TEST(parts)
{
	uint8_t a[VLARB_PART] = {1}, b[VLARB_PART] = {2};

	memset(b + 1, 255, sizeof(b) - 1);
	device_put(h, device_at_part(1, 2, 1), a);
	device_put(h, device_at_part(1, 3, 1), b);
	device_put(h, device_at_part(1, 3, 4), a);
	ck_assert(store_holds(device_at_part(1, 2, 1), a));
	ck_assert(store_holds(device_at_part(1, 3, 1), b));
	ck_assert_ptr_null(device_bytes(h, device_at_part(1, 3, 2)));
	device_lose(h, device_at_part(1, 3, 1));
	ck_assert_ptr_null(device_bytes(h, device_at_part(1, 3, 1)));
	device_put(h, device_at_row(1, 0, 3), straight2);
	ck_assert(store_holds(device_at_part(1, 3, 4), a));
	device_distrust_ports(h);
	ck_assert_ptr_null(device_bytes(h, device_at_part(1, 3, 4)));
	ck_assert_ptr_null(device_bytes(h, device_at_row(1, 0, 3)));
	/* beyond what a port has of it */
	device_put(h, device_at_part(1, 3, 100000), a);
	ck_assert_ptr_null(device_bytes(h, device_at_part(1, 3, 100000)));
}

/* Positions of a switch's multicast table, lost with it and not with the rest.
 */
TEST(cells)
{
	uint8_t cell[MAD_DATA] = {0, 6};

	device_expect(h, device_at_cell(1, 2, 5));
	ck_assert_ptr_null(device_bytes(h, device_at_cell(1, 2, 5)));
	device_put(h, device_at_cell(1, 2, 5), cell);
	device_put(h, device_at_cell(2, 2, 5), cell);
	ck_assert(store_holds(device_at_cell(1, 2, 5), cell));
	ck_assert_ptr_null(device_bytes(h, device_at_cell(1, 1, 5)));
	device_forget_node(h, 1);
	ck_assert(store_holds(device_at_cell(1, 2, 5), cell));
	device_forget_tables(h, 1, DEVICE_MFT);
	ck_assert_ptr_null(device_bytes(h, device_at_cell(1, 2, 5)));
	ck_assert(store_holds(device_at_cell(2, 2, 5), cell));
}

TEST(keys)
{
	uint64_t stamp = device_stamp(h, DEVICE_PKEY);
	uint8_t key[MAD_DATA] = {0xff, 0xff};

	device_put(h, device_at_keys(7, 1, 2), key);
	ck_assert_uint_ne(device_stamp(h, DEVICE_PKEY), stamp);
	ck_assert_ptr_null(device_bytes(h, device_at_keys(7, 1, 0)));
	ck_assert(store_holds(device_at_keys(7, 1, 2), key));
	device_put(h, device_at_keys(7, 1, 0), key);
	ck_assert(store_holds(device_at_keys(7, 1, 2), key));
	ck_assert_ptr_null(device_bytes(h, device_at_keys(7, 2, 2)));
	device_lose(h, device_at_keys(7, 1, 2));
	ck_assert_ptr_null(device_bytes(h, device_at_keys(7, 1, 2)));
	ck_assert(store_holds(device_at_keys(7, 1, 0), key));
	stamp = device_stamp(h, DEVICE_PKEY);
	device_forget_attribute(h, DEVICE_PKEY);
	ck_assert_ptr_null(device_bytes(h, device_at_keys(7, 1, 0)));
	ck_assert_uint_ne(device_stamp(h, DEVICE_PKEY), stamp);
	/* a block that no table has is not kept */
	device_put(h, device_at_keys(7, 1, PKEY_TABLE_BLOCKS), key);
	ck_assert_ptr_null(
		device_bytes(h, device_at_keys(7, 1, PKEY_TABLE_BLOCKS)));
}

/* Blocks of several attributes in doubt, each until its time. */
TEST(doubts)
{
	const struct device_doubt *d;
	size_t n;

	device_doubt(h, device_at_lft(7, 1), NULL, (struct mono){5});
	device_doubt(h, device_at_keys(7, 0, 1), NULL, (struct mono){6});
	device_doubt(h, device_at_lft(7, 1), NULL, (struct mono){8});
	d = device_doubts(h, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(d[0].until.ns, 8);
	device_believe(h, (struct mono){6});
	d = device_doubts(h, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(d[0].at.attr, DEVICE_LFT);
	device_believe(h, (struct mono){8});
	(void)device_doubts(h, &n);
	ck_assert_uint_eq(n, 0);
	/* a multicast cell is read by its owner, at whatever time */
	device_doubt(h, device_at_cell(7, 0, 1), NULL, (struct mono){9});
	device_believe(h, (struct mono){10});
	(void)device_doubts(h, &n);
	ck_assert_uint_eq(n, 1);
	device_settle(h, device_at_cell(7, 0, 1));
	(void)device_doubts(h, &n);
	ck_assert_uint_eq(n, 0);
}

/* A copy threatens a block that is known to hold anything else. */
TEST(copies_that_change_nothing)
{
	const struct device_at at = device_at_row(7, 1, 2);
	const struct device_doubt *d;
	size_t n;

	device_doubt(h, device_at_row(7, 1, 3), shut, (struct mono){5});
	device_doubt(h, at, shut, (struct mono){5});
	d = device_doubts(h, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert(!device_is_threatened(h, &d[1])); /* it is unknown */
	device_put(h, at, shut);
	ck_assert(!device_is_threatened(h, &d[1]));
	device_put(h, at, straight2);
	ck_assert(device_is_threatened(h, &d[1]));
	device_put(h, at, shut);
	device_doubt(h, at, straight2, (struct mono){5}); /* or that */
	ck_assert(device_is_threatened(h, &d[1]));
	device_put(h, at, straight2);
	ck_assert(device_is_threatened(h, &d[1]));
	device_settle(h, device_at_row(7, 1, 3));
	device_settle(h, at);
	(void)device_doubts(h, &n);
	ck_assert_uint_eq(n, 0);
	device_doubt(h, at, straight2, (struct mono){5});
	d = device_doubts(h, &n);
	ck_assert(!device_is_threatened(h, d));
}

/* As many values as there are blocks: each is kept as it is. */
TEST(many_values)
{
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5000; i++) {
			uint8_t row[SL2VL_ROW] = {
				(uint8_t)(i + round), (uint8_t)(i >> 8)};

			device_put(h, device_at_row(i / 50, i % 50, 7), row);
		}
	for (unsigned i = 0; i < 5000; i++) {
		uint8_t row[SL2VL_ROW] = {(uint8_t)(i + 1), (uint8_t)(i >> 8)};

		ck_assert(store_holds(device_at_row(i / 50, i % 50, 7), row));
	}
}

/* What a device refuses outlives what it holds; that something of ours is there
 * does not. */
TEST(marks)
{
	const struct device_at sw = device_at_switch(1, DEVICE_SL2VL);

	ck_assert(!device_marked(h, sw, DEVICE_REFUSES));
	device_mark(h, sw, DEVICE_REFUSES);
	device_mark(h, sw, DEVICE_ASSIGNED);
	device_mark(h, device_at_part(7, 1, 0), DEVICE_REFUSES);
	ck_assert(device_marked(h, sw, DEVICE_REFUSES));
	ck_assert(!device_marked(h, sw, DEVICE_REFUSES_SPAN));
	ck_assert(!device_marked(
		h, device_at_switch(1, DEVICE_LFT), DEVICE_REFUSES));
	ck_assert(device_marked(h, device_at_part(7, 1, 2), DEVICE_REFUSES));
	ck_assert(!device_marked(h, device_at_part(7, 2, 2), DEVICE_REFUSES));
	device_distrust_ports(h);
	ck_assert(device_marked(h, sw, DEVICE_ASSIGNED));
	device_forget_node(h, 1);
	ck_assert(device_marked(h, sw, DEVICE_REFUSES));
	ck_assert(!device_marked(h, sw, DEVICE_ASSIGNED));
}

TEST(blocked_dependencies)
{
	struct blocked_rows *b = device_blocked(h);
	struct blocked_row x = {.guid = 1, .in = 2, .out = 3, .pairs = 7};
	struct blocked_row y = {.guid = 1, .in = 3, .out = 2};

	memcpy(x.before, straight2, SL2VL_ROW);
	blocked_rows_add(b, &x);
	blocked_rows_add(b, &y);
	memcpy(x.before, shut, SL2VL_ROW);
	blocked_rows_add(b, &x); /* keeps the row from before the first */
	ck_assert_uint_eq(b->n, 2);
	ck_assert_mem_eq(
		blocked_rows_find(b, 1, 2, 3)->before, straight2, SL2VL_ROW);
	blocked_rows_renew(b, 1, 2, 3, shut); /* nothing to take */
	ck_assert_mem_eq(
		blocked_rows_find(b, 1, 2, 3)->before, straight2, SL2VL_ROW);
	/* SL 0 is blocked, the others have other VLs by now */
	memcpy(x.before, (uint8_t[]){0xf2, 0x33}, 2);
	blocked_rows_renew(b, 1, 2, 3, x.before);
	blocked_rows_renew(b, 1, 2, 9, x.before); /* it is not blocked */
	memcpy(x.before, (uint8_t[]){0x02, 0x33}, 2);
	ck_assert_mem_eq(blocked_rows_find(b, 1, 2, 3)->before, x.before, 2);
	ck_assert_mem_eq(blocked_rows_find(b, 1, 2, 3)->before + 2,
		straight2 + 2, SL2VL_ROW - 2);
	device_forget_node(h, 1); /* the dependency may still be blocked */
	ck_assert_ptr_nonnull(blocked_rows_find(b, 1, 2, 3));
	blocked_rows_remove(b, 1, 2, 3);
	blocked_rows_remove(b, 1, 2, 3);
	ck_assert_ptr_null(blocked_rows_find(b, 1, 2, 3));
	ck_assert_ptr_nonnull(blocked_rows_find(b, 1, 3, 2));
}

TEST(blocked_sls)
{
	uint8_t row[SL2VL_ROW];

	sl2vl_row_default(2, row);
	ck_assert_mem_eq(row, straight2, SL2VL_ROW);
	sl2vl_row_block(row, 1 << 1);
	ck_assert_uint_eq(row[0], 0x0f); /* only SL 1 used VL 1 */
	ck_assert(!sl2vl_row_is_closed(row));
	sl2vl_row_block(row, UINT16_MAX);
	ck_assert(sl2vl_row_is_closed(row));
	sl2vl_row_default(16, row);
	ck_assert_uint_eq(row[0], 0x01);
	ck_assert_uint_eq(row[7], 0xef);
}

const struct suite_around suite_around = {
	.before = open_store, .after = close_store};
