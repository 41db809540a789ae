/*
 * inspect: the modes of heddled that only look at the configuration: printed,
 * or found to be good, or every mistake in it.
 */
#ifndef HEDDLE_SM_CONFIG_CHECK_H
#define HEDDLE_SM_CONFIG_CHECK_H

#include "config/config.h"
#include "sm/options.h"

/* Print what opt asks for of c, in which there is no mistake; the exit code. */
int config_check_print(const struct options *opt, const struct config *c,
	const struct diag_list *bad);

/* Print the mistakes; the exit code. */
int config_check_refuse(const struct options *opt, const struct diag_list *bad);

#endif
