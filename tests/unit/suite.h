/*
 * suite: what every unit test is made with. A test is declared where it is
 * written, with TEST; main() is in suite.c and runs all that are linked. check
 * forks a process per test, so one that crashes fails alone.
 */
#ifndef HEDDLE_TESTS_UNIT_SUITE_H
#define HEDDLE_TESTS_UNIT_SUITE_H

#include <check.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/owned.h"

/*
 * check writes to a file where a test is at each assertion that holds, so that
 * it can name the last one of a test that crashes. A test that looks at every
 * entry of a table spends most of its time on this. suite_held() passes a line
 * on only when it is first reached: check still names the last new line.
 */
static inline void
suite_held(const char *file, unsigned line)
{
	enum { LINES = 1024 };
	static uint8_t told[LINES / CHAR_BIT];
	uint8_t bit = (uint8_t)(1U << line % CHAR_BIT);
	uint8_t *at = &told[line % LINES / CHAR_BIT];

	if ((*at & bit) != 0)
		return;
	*at |= bit;
	_mark_point(file, (int)line);
}

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                               \
	((expr) ? suite_held(__FILE__, __LINE__)                               \
		: _ck_assert_failed(__FILE__, __LINE__,                        \
			  "Assertion '" #expr "' failed", __VA_ARGS__))

/* The number of elements of an array. */
#define LEN(array) ((int)(sizeof(array) / sizeof(*(array))))

/* n seeds, or so many times something at random, or for so long: sanitizers
 * check the code, not the fabric, and a part of n is enough for them. */
#ifdef __SANITIZE_ADDRESS__
#define FEWER(n) (((n) + 4) / 5)
#else
#define FEWER(n) (n)
#endif

/* A test as its file declares it; suite.c runs those that a program has. */
struct suite_test {
	const TTest *test;
	int from, to; /* the values of _i: from <= _i < to */
};

/*
 * TEST(name) { ... } is a test; LOOP_TEST(name, from, to) { ... } one that is
 * run for each _i of that range, which is constant. It runs in a process of its
 * own, in the order of the file; CK_RUN_CASE=name runs that one alone.
 */
#define TEST(name) LOOP_TEST(name, 0, 1)
#define LOOP_TEST(name, from, to)                                              \
	static void suite_fn_##name(int _i);                                   \
	static const TTest suite_check_##name = {                              \
		#name, suite_fn_##name, __FILE__, __LINE__};                   \
	static const struct suite_test suite_row_##name = {                    \
		&suite_check_##name, from, to};                                \
	static const struct suite_test *const suite_at_##name                  \
		__attribute__((used, section("suite_tests"))) =                \
			&suite_row_##name;                                     \
	static void suite_fn_##name(int _i CK_ATTRIBUTE_UNUSED)

/*
 * What is around the tests of a program. A file that needs something else than
 * suite.c has defines its own suite_around.
 */
struct suite_around {
	void (*before)(void), (*after)(void); /* each test, in its process */
	void (*begin)(void), (*end)(void);    /* all of them, in the first */
	unsigned seconds; /* that a test may take; 0: 300, for a hung one */
};
extern const struct suite_around suite_around;

#endif
