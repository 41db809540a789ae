/*
 * save_state: a state printed and written in one step.
 */
#ifndef HEDDLE_TESTS_UNIT_SM_STATE_SAVE_STATE_H
#define HEDDLE_TESTS_UNIT_SM_STATE_SAVE_STATE_H

#include "sm/base/buf.h"
#include "sm/state/state_file.h"
#include "tests/unit/owned.h"

/* As state_file_put(). */
static inline int
save_state(const char *dir, const struct state_file *s, struct reason *why)
{
	AUTO(buf) struct buf text = {0};
	int rc;

	state_file_print(s, &text);
	rc = state_file_put(dir, &text, why);
	return rc;
}

#endif
