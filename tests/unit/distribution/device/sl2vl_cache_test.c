/* Rows of SL2VL as far as they are known, and turns that are held. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/sl2vl_cache.h"
#include "tests/unit/suite.h"

static const uint8_t straight2[TURNS_ROW] = {0x01};
static const uint8_t shut[TURNS_ROW] = {255, 255, 255, 255, 255, 255, 255, 255};

START_TEST(rows)
{
	struct turns *t = turns_new();
	uint8_t row[TURNS_ROW];

	ck_assert(!turns_row(t, 1, 2, 3, row));
	turns_set_row(t, 1, 2, 3, straight2);
	ck_assert(turns_row(t, 1, 2, 3, row));
	ck_assert_mem_eq(row, straight2, TURNS_ROW);
	ck_assert(!turns_row(t, 1, 3, 2, row));
	turns_set_span(t, 1, &(struct turns_span){0, 9, 0, 9}, shut);
	ck_assert(turns_row(t, 1, 2, 3, row) && turns_is_closed(row));
	ck_assert(turns_row(t, 1, 3, 2, row) && turns_is_closed(row));
	turns_unknown(t, 1, 3, 2);
	ck_assert(!turns_row(t, 1, 3, 2, row));
	ck_assert(turns_row(t, 1, 2, 3, row));
	turns_forget(t, 1);
	ck_assert(!turns_row(t, 1, 2, 3, row));
	turns_refuse(t, 1);
	ck_assert(turns_refused(t, 1) && !turns_refused(t, 2));
	turns_free(t);
}
END_TEST

START_TEST(holds)
{
	struct turns *t = turns_new();
	struct turns_hold a = {.guid = 1, .in = 2, .out = 3, .pairs = 7};
	struct turns_hold b = {.guid = 1, .in = 3, .out = 2};
	size_t n;

	memcpy(a.before, straight2, TURNS_ROW);
	turns_hold(t, &a);
	turns_hold(t, &b);
	memcpy(a.before, shut, TURNS_ROW);
	turns_hold(t, &a); /* what it was before is not overwritten */
	(void)turns_holds(t, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_mem_eq(turns_held(t, 1, 2, 3)->before, straight2, TURNS_ROW);
	turns_forget(t, 1); /* it may still be closed */
	ck_assert_ptr_nonnull(turns_held(t, 1, 2, 3));
	turns_lift(t, 1, 2, 3);
	turns_lift(t, 1, 2, 3);
	ck_assert_ptr_null(turns_held(t, 1, 2, 3));
	ck_assert_ptr_nonnull(turns_held(t, 1, 3, 2));
	turns_free(t);
}
END_TEST

START_TEST(closing)
{
	uint8_t row[TURNS_ROW];

	turns_straight(2, row);
	ck_assert_mem_eq(row, straight2, TURNS_ROW);
	turns_close(row, 1 << 1);
	ck_assert_uint_eq(row[0], 0x0f); /* SL 1 alone used VL 1 */
	ck_assert(!turns_is_closed(row));
	turns_close(row, UINT16_MAX);
	ck_assert(turns_is_closed(row));
	turns_straight(16, row);
	ck_assert_uint_eq(row[0], 0x01);
	ck_assert_uint_eq(row[7], 0xef);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("turns");
	TCase *tc = tcase_create("turns");

	tcase_add_test(tc, rows);
	tcase_add_test(tc, holds);
	tcase_add_test(tc, closing);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
