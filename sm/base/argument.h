/*
 * argument: the words of a command line, by getopt_long: "--config FILE",
 * "--config=FILE", "-c FILE" and "-cFILE" mean the same for every program, and
 * what is wrong is said in the same words.
 *
 * A program has a table of its options, of which it makes its help and the
 * completion of shells too; each row begins with a struct argument:
 *
 *	argument_begin(&line, argc, argv);
 *	for (i = 0; i < NROWS; i++)
 *		argument_know(&line, &rows[i].is);
 *	while ((kind = argument_next(&line)) == ARGUMENT_OPTION)
 *		apply(&rows[line.ix], line.value);
 *
 * An abbreviation that getopt_long takes is refused here: a script with one
 * would break on the day another option begins with the same letters.
 */
#ifndef HEDDLE_SM_BASE_ARGUMENT_H
#define HEDDLE_SM_BASE_ARGUMENT_H

#include <stdbool.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"

enum { ARGUMENT_MOST = 16 }; /* options of one command line */

/* An option, as tables of options have it. */
struct argument {
	const char *word;   /* "--config" */
	const char *letter; /* "-c", or NULL */
	const char *arg; /* name of its value in the help; NULL: takes none */
};

/* A command line that is read. getopt_long has one state: one at a time. */
struct argument_line {
	int argc;
	char *const *argv;
	const struct argument *known[ARGUMENT_MOST];
	unsigned n;
	bool operands_only; /* "--" was there */
	/* what argument_next found */
	int at;		   /* its index in argv */
	unsigned ix;	   /* the option is known[ix] */
	const char *value; /* of the option, or NULL; or the operand */
	struct reason why; /* what is wrong */
};

enum argument_kind {
	ARGUMENT_END,
	ARGUMENT_OPTION,
	ARGUMENT_OPERAND, /* also "-", and all that follows "--" */
	ARGUMENT_WRONG,	  /* an option that is not known, or its value */
};

/* Begin after argv[0]; both are borrowed. No option is known yet. */
void argument_begin(struct argument_line *l, int argc, char *const *argv);

/* Know one more option; o is borrowed. */
void argument_know(struct argument_line *l, const struct argument *o);

/* The next option or operand. After ARGUMENT_WRONG the line is not read on. */
enum argument_kind argument_next(struct argument_line *l);

/* Append the line of a help on this option, indented by so many blanks. */
void argument_help(struct buf *out, const struct argument *o, unsigned indent,
	const char *help);

#endif
