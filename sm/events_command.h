/*
 * events_command: heddlectl events. The daemon answers with the events that it
 * has in memory; older ones are read here, from its files, so that no question
 * makes the daemon wait for a disk. The files of a daemon that does not run, or
 * of another machine, are read in the same way.
 */
#ifndef HEDDLE_SM_EVENTS_COMMAND_H
#define HEDDLE_SM_EVENTS_COMMAND_H

#include <jansson.h>
#include <stdbool.h>

#include "sm/base/reason.h"

/* What the command line says; NULL: not given. */
struct events_command {
	const char *since, *kind, *port;
	const char *file; /* read this one, and ask no daemon */
	bool follow;
	/*
	 * Ask the daemon: its reply, or NULL and what went wrong in *code (an
	 * exit code), which has been said. again: it was there a moment ago,
	 * and is waited for.
	 */
	json_t *(*ask)(
		void *cookie, const json_t *request, bool again, int *code);
	/* Show a result: {"events": [..]}. */
	void (*show)(void *cookie, const json_t *result);
	/* Say what is wrong with a file. */
	void (*complain)(void *cookie, const char *text);
	void *cookie;
};

/* Show what is asked for; does not return while it follows. 0, an exit code, or
 * -1 and why: the command line is wrong. */
int events_command_run(const struct events_command *c, struct reason *why);

#endif
