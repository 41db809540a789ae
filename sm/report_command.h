/*
 * report_command: `heddlectl report`: the fabric as one page for a browser
 * (sm/report/fabric_report.h), in a file.
 *
 * The daemon is asked for what it knows: a snapshot with the tables in force,
 * its status, links that err, what is missing or drained, events. Topology and
 * tables are then read, verified and measured in this process, as a plan does:
 * so the page takes no time of the daemon's, and its verdict is one of its own.
 */
#ifndef HEDDLE_SM_REPORT_COMMAND_H
#define HEDDLE_SM_REPORT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"

/*
 * argv: the word report and what follows it. socket: the daemon's. json: say
 * what was written, or what is wrong, as JSON.
 * The exit code: 0 written, 1 not written or nothing to report yet, 2 bad
 * usage, 3 and 4 as for every command.
 */
int report_command_run(
	int argc, char *const *argv, const char *socket, bool json);

/* Append the command's lines of heddlectl's help. */
void report_command_help(struct buf *out);

/* Its options, counted from 0; NULL ends them. *arg: the name of the value in
 * the help; NULL: it takes none. */
const char *report_command_option(size_t i, const char **arg);

#endif
