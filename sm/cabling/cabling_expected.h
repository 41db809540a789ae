/*
 * cabling_expected: the plan that a configuration names, by fabric.expected.
 */
#ifndef HEDDLE_SM_CABLING_CABLING_EXPECTED_H
#define HEDDLE_SM_CABLING_CABLING_EXPECTED_H

#include "config/config.h"
#include "sm/base/reason.h"
#include "sm/cabling/cabling.h"

/* Read it: 0 and *out, which is NULL if there is none; or -1 and why. own: the
 * file of the configuration, where relative paths start. */
int cabling_expected_read(const struct config *c, const char *own,
	struct cabling **out, struct reason *why);

#endif
