/*
 * suite: what every unit test is made with, and how it ends. check forks a
 * process per test, so one that crashes fails alone.
 */
#ifndef HEDDLE_TESTS_UNIT_SUITE_H
#define HEDDLE_TESTS_UNIT_SUITE_H

#include <check.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

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

/* Runs s, frees it, and returns the exit status of main(). */
static inline int
suite_run(Suite *s)
{
	SRunner *runner = srunner_create(s);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
