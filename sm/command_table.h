/*
 * command_table: the commands of heddlectl that ask the daemon, as tables:
 * their operands, options and help, the request that each one is, and the page
 * that shows its answer. heddlectl.c parses, helps and completes by them.
 */
#ifndef HEDDLE_SM_COMMAND_TABLE_H
#define HEDDLE_SM_COMMAND_TABLE_H

#include <jansson.h>
#include <stddef.h>

#include "sm/base/argument.h"
#include "sm/base/buf.h"

enum option_kind {
	OPTION_WAIT,
	OPTION_FOLLOW,
	OPTION_LOCAL, /* a text that is not in the request */
	OPTION_SECONDS,
	OPTION_NUMBER, /* a member of the request */
	OPTION_TEXT,   /* a member of the request */
	OPTION_FORMAT,
	OPTION_OUTPUT,
	OPTION_FLAG,	 /* a member of the request, true */
	OPTION_DURATION, /* a member of the request, in seconds */
	OPTION_CONFIG,
};

struct option_row {
	struct argument is;
	enum option_kind kind;
	const char *key; /* in the request */
	const char *help;
};

/* A command: its request is {"cmd": cmd, "what": what} with its operands under
 * these keys. */
struct command {
	const char *name;
	const char *operands; /* in the help */
	unsigned min_operands, max_operands;
	const char *cmd, *what; /* what: NULL for none */
	const char *key[2];
	/* NULL: report, whose result is a file */
	void (*show)(const json_t *result, struct buf *out);
	const char *help;
	struct option_row option[6]; /* ends with a NULL word */
};

/* The commands in the order of the help; NULL behind the last one. */
const struct command *command_table_at(size_t i);

/* NULL: there is no such command. */
const struct command *command_table_find(const char *name);

#endif
