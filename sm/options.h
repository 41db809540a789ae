/*
 * options: heddled's command line. One table drives parsing and help.
 */
#ifndef HEDDLE_SM_OPTIONS_H
#define HEDDLE_SM_OPTIONS_H

#include <stdbool.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"

#define OPTIONS_DEFAULT_FILE "/etc/heddle/heddle.yaml"

enum options_mode {
	OPTIONS_RUN,
	OPTIONS_CHECK,
	OPTIONS_PRINT,
	OPTIONS_SCHEMA,
	OPTIONS_AUDIT,
	OPTIONS_VERSION,
	OPTIONS_HELP,
};

struct options {
	enum options_mode mode;
	const char *file; /* the configuration; points into argv */
	bool file_given;  /* by -c: must exist */
	bool once;
	bool json;
};

/* Parse argv. 0, or -1 with what is wrong. */
int options_parse(
	int argc, char *const *argv, struct options *out, struct reason *why);

/* Append the help text. */
void options_help(struct buf *out);

#endif
