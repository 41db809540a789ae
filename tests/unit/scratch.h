/* scratch: a directory of its own for each test case. */
#ifndef HEDDLE_TESTS_UNIT_SCRATCH_H
#define HEDDLE_TESTS_UNIT_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/suite.h"

static char scratch_dir[64];

static inline void
scratch_make(void)
{
	(void)snprintf(
		scratch_dir, sizeof(scratch_dir), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scratch_dir));
}

static inline void
scratch_remove(void)
{
	char cmd[96];

	(void)snprintf(cmd, sizeof(cmd), "rm -rf '%s'", scratch_dir);
	ck_assert_int_eq(system(cmd), 0);
}

#endif
