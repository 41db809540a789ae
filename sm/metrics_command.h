/*
 * metrics_command: heddlectl metrics: the status of the daemon, and the
 * counters of ports, as Prometheus metrics. They are printed for a daemon that
 * is down or in alarm, too: neither is a failure to print them.
 */
#ifndef HEDDLE_SM_METRICS_COMMAND_H
#define HEDDLE_SM_METRICS_COMMAND_H

#include <jansson.h>

#include "sm/asking.h"

/* Print the metrics of a status (NULL: the daemon is down) to the file output,
 * atomically, or to standard output if it is NULL. code: of asking for the
 * status. The exit code. */
int metrics_command_print(const struct asking *q, const json_t *status,
	const char *output, int code);

#endif
