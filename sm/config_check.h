/*
 * config_check: the modes of heddled that only read the configuration: print
 * it, report that it is good, or report every mistake in it, or what it would
 * take from the fabric of a running daemon.
 */
#ifndef HEDDLE_SM_CONFIG_CHECK_H
#define HEDDLE_SM_CONFIG_CHECK_H

#include "config/config.h"
#include "sm/options.h"

/*
 * Print what opt asks for about c, which has no mistakes; the exit code. If c
 * is to be checked, also what is wrong with the plan that it names, and, if a
 * daemon runs, what a reload would take from ports of its fabric; 1 if the
 * daemon would refuse either. bad is empty; these become mistakes in it.
 */
int config_check_print(
	const struct options *opt, struct config *c, struct diag_list *bad);

/* Print the mistakes; the exit code. */
int config_check_refuse(const struct options *opt, const struct diag_list *bad);

#endif
