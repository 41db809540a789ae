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

/* What the command line says; borrowed. */
struct report_command {
	const char *socket; /* the daemon's */
	const char *output; /* the file; NULL is refused */
	bool json;	    /* say what was written, or is wrong, as JSON */
	bool compare;	    /* route the fabric by every engine, too */
};

/* Write the page. The exit code: 0 written, 1 not written or nothing to report
 * yet, 2 bad usage, 3 and 4 as for every command. */
int report_command_run(const struct report_command *c);

#endif
