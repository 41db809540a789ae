/*
 * config_check: the modes of heddled that only read the configuration: print
 * it, report that it is good, or report every mistake in it.
 */
#ifndef HEDDLE_SM_CONFIG_CHECK_H
#define HEDDLE_SM_CONFIG_CHECK_H

#include "config/config.h"
#include "sm/options.h"

/* Print what opt asks for about c, which has no mistakes; the exit code. */
int config_check_print(const struct options *opt, const struct config *c,
	const struct diag_list *bad);

/* Print the mistakes; the exit code. */
int config_check_refuse(const struct options *opt, const struct diag_list *bad);

#endif
