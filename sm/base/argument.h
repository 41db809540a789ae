/*
 * argument: options among the words of a command line. "--config FILE",
 * "--config=FILE", "-c FILE" and "-cFILE" mean the same for every program. Each
 * has a table of its own, of which it makes its help and the completion of
 * shells too, and words its own errors.
 *
 * Not getopt_long: it takes abbreviations of options, and a script with one
 * breaks on the day another option begins with the same letters.
 */
#ifndef HEDDLE_SM_BASE_ARGUMENT_H
#define HEDDLE_SM_BASE_ARGUMENT_H

#include <stdbool.h>

/* An option, as tables of options have it. */
struct argument {
	const char *word;   /* "--config" */
	const char *letter; /* "-c", or NULL */
	const char *arg; /* name of its value in the help; NULL: takes none */
};

/*
 * True if word is the option o. *value: what the same word says after it, or
 * NULL.
 */
bool argument_is(
	const char *word, const struct argument *o, const char **value);

enum argument_fault {
	ARGUMENT_OK,
	ARGUMENT_NO_VALUE,  /* it takes one, and no word follows */
	ARGUMENT_ANY_VALUE, /* it takes none: "--json=x" */
};

/*
 * Complete *value, as argument_is left it, of the option o in argv[*i]: a value
 * that is a word of its own is taken, and *i is its index then.
 */
enum argument_fault argument_take(const struct argument *o, int argc,
	char *const *argv, int *i, const char **value);

#endif
