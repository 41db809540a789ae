/*
 * suite: how every unit test ends. check forks a process per test, so one that
 * crashes fails alone.
 */
#ifndef HEDDLE_TESTS_SUITE_H
#define HEDDLE_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs s, frees it, and says what main returns. */
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
