/*
 * record_command: heddlectl record. The daemon is asked what it records, and to
 * write all of it; the files are read here, so that no question makes the
 * daemon wait for a disk. With --dir no daemon is asked: the recordings of one
 * that crashed, or of another machine, are read in the same way.
 *
 *	{"dir": PATH, "size": MiB, "missing": N, "trouble": "..",
 *	 "recordings": [{"began": "..", "until": "..", "segments": N,
 *	   "bytes": N, "gap": "none", "before" or "after"}],
 *	 "saved": {"file": FILE, "segments": N, "bytes": N}}
 */
#ifndef HEDDLE_SM_RECORD_COMMAND_H
#define HEDDLE_SM_RECORD_COMMAND_H

#include <jansson.h>
#include <stdbool.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"

struct record_command {
	const char *what, *file; /* "save" and the bundle to make, or NULL */
	const char *dir;	 /* ask no daemon; or NULL */
	/* Ask the daemon: its reply, or NULL and what went wrong in *code (an
	 * exit code), which has been said. */
	json_t *(*ask)(
		void *cookie, const json_t *request, bool again, int *code);
	/* Show a result, and say what failed. */
	void (*show)(void *cookie, const json_t *result);
	void (*complain)(void *cookie, const char *text);
	void *cookie;
};

/* 0, an exit code, or -1 and why: the command line is wrong. */
int record_command_run(const struct record_command *c, struct reason *why);

/* Append a result for a person. */
void record_command_show(const json_t *result, struct buf *out);

#endif
