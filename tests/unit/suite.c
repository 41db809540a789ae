#include "tests/unit/suite.h"

#include <errno.h>

#include "sm/base/log.h"

enum { SECONDS = 300 };

/* The ends of the section of pointers to tests, which the linker names. */
extern const struct suite_test *const __start_suite_tests[];
extern const struct suite_test *const __stop_suite_tests[];

const struct suite_around suite_around __attribute__((weak)) = {0};

/* A case of its own, so that it can be run alone. */
static TCase *
make_case(const struct suite_test *t)
{
	TCase *tc = tcase_create(t->test->name);

	tcase_set_timeout(
		tc, suite_around.seconds > 0 ? suite_around.seconds : SECONDS);
	tcase_add_checked_fixture(tc, suite_around.before, suite_around.after);
	tcase_add_loop_test(tc, t->test, t->from, t->to);
	return tc;
}

static int
run_tests(Suite *s)
{
	SRunner *runner = srunner_create(s);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(void)
{
	Suite *s = suite_create(program_invocation_short_name);
	int rc;

	log_set_level(LOG_LEVEL_ERROR);
	for (const struct suite_test *const *t = __start_suite_tests;
		t < __stop_suite_tests; t++)
		suite_add_tcase(s, make_case(*t));
	if (suite_around.begin != NULL)
		suite_around.begin();
	rc = run_tests(s);
	if (suite_around.end != NULL)
		suite_around.end();
	return rc;
}
