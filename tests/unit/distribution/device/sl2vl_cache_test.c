/* SL2VL rows as far as they are known, and blocked dependencies. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/sl2vl_cache.h"
#include "tests/unit/suite.h"

static const uint8_t straight2[SL2VL_ROW] = {0x01};
static const uint8_t shut[SL2VL_ROW] = {255, 255, 255, 255, 255, 255, 255, 255};

START_TEST(rows)
{
	struct sl2vl_cache *t = sl2vl_new();
	uint8_t row[SL2VL_ROW];

	ck_assert(!sl2vl_get_row(t, 1, 2, 3, row));
	sl2vl_set_row(t, 1, 2, 3, straight2);
	ck_assert(sl2vl_get_row(t, 1, 2, 3, row));
	ck_assert_mem_eq(row, straight2, SL2VL_ROW);
	ck_assert(!sl2vl_get_row(t, 1, 3, 2, row));
	sl2vl_set_span(t, 1, &(struct sl2vl_span){0, 9, 0, 9}, shut);
	ck_assert(sl2vl_get_row(t, 1, 2, 3, row) && sl2vl_is_closed(row));
	ck_assert(sl2vl_get_row(t, 1, 3, 2, row) && sl2vl_is_closed(row));
	sl2vl_unknown(t, 1, 3, 2);
	ck_assert(!sl2vl_get_row(t, 1, 3, 2, row));
	ck_assert(sl2vl_get_row(t, 1, 2, 3, row));
	sl2vl_forget(t, 1);
	ck_assert(!sl2vl_get_row(t, 1, 2, 3, row));
	sl2vl_refuse(t, 1);
	ck_assert(sl2vl_refused(t, 1) && !sl2vl_refused(t, 2));
	sl2vl_free(t);
}
END_TEST

START_TEST(blocked_dependencies)
{
	struct sl2vl_cache *t = sl2vl_new();
	struct sl2vl_block a = {.guid = 1, .in = 2, .out = 3, .pairs = 7};
	struct sl2vl_block b = {.guid = 1, .in = 3, .out = 2};
	size_t n;

	memcpy(a.before, straight2, SL2VL_ROW);
	sl2vl_block(t, &a);
	sl2vl_block(t, &b);
	memcpy(a.before, shut, SL2VL_ROW);
	sl2vl_block(t, &a); /* keeps the row from before the first block */
	(void)sl2vl_blocked_list(t, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_mem_eq(
		sl2vl_is_blocked(t, 1, 2, 3)->before, straight2, SL2VL_ROW);
	sl2vl_forget(t, 1); /* the dependency may still be blocked */
	ck_assert_ptr_nonnull(sl2vl_is_blocked(t, 1, 2, 3));
	sl2vl_unblock(t, 1, 2, 3);
	sl2vl_unblock(t, 1, 2, 3);
	ck_assert_ptr_null(sl2vl_is_blocked(t, 1, 2, 3));
	ck_assert_ptr_nonnull(sl2vl_is_blocked(t, 1, 3, 2));
	sl2vl_free(t);
}
END_TEST

START_TEST(blocked_sls)
{
	uint8_t row[SL2VL_ROW];

	sl2vl_make_default(2, row);
	ck_assert_mem_eq(row, straight2, SL2VL_ROW);
	sl2vl_block_sls(row, 1 << 1);
	ck_assert_uint_eq(row[0], 0x0f); /* only SL 1 used VL 1 */
	ck_assert(!sl2vl_is_closed(row));
	sl2vl_block_sls(row, UINT16_MAX);
	ck_assert(sl2vl_is_closed(row));
	sl2vl_make_default(16, row);
	ck_assert_uint_eq(row[0], 0x01);
	ck_assert_uint_eq(row[7], 0xef);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sl2vl_cache");
	TCase *tc = tcase_create("sl2vl_cache");

	tcase_add_test(tc, rows);
	tcase_add_test(tc, blocked_dependencies);
	tcase_add_test(tc, blocked_sls);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
