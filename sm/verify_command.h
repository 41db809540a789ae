/*
 * verify_command: heddlectl verify. Without a file the daemon is asked, which
 * compares each view with the plan of fabric.expected; with one the comparison
 * is made here, so that the daemon reads no files for its users, with the
 * fabric of the daemon or of another file. A plan is made of the fabric as it
 * is, too.
 */
#ifndef HEDDLE_SM_VERIFY_COMMAND_H
#define HEDDLE_SM_VERIFY_COMMAND_H

#include <jansson.h>

#include "sm/base/reason.h"

/* What the command line says; NULL: not given. */
struct verify_command {
	const char *plan;     /* a file */
	const char *topology; /* compare with this file, and ask no daemon */
	const char *write;    /* write the fabric as it is as a plan */
	/* Ask the daemon: its result, or NULL and what went wrong in *code (an
	 * exit code), which has been said. */
	json_t *(*ask)(void *cookie, const json_t *request, int *code);
	void *cookie;
};

/*
 * Do what is asked for: the result, for show_verify, or NULL. The exit code in
 * *code: 0 as planned or written, 1 deviations, 2 an error, which is in *why
 * unless it has been said; then that is "".
 */
json_t *verify_command_run(
	const struct verify_command *c, int *code, struct reason *why);

#endif
