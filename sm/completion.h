/*
 * completion: what could come next on a command line of heddlectl.
 *
 * Shells ask for it while a line is typed:
 *
 *	heddlectl complete -- WORD ... LAST
 *
 * prints the words that could stand in place of LAST, one a line, or ":file"
 * where the name of a file is wanted. So the scripts in config/completion know
 * neither commands nor options: they come from the tables of heddlectl, by way
 * of struct completion_source, and the names of nodes from the daemon. Without
 * a daemon there are no names, and no message: the line is not finished.
 */
#ifndef HEDDLE_SM_COMPLETION_H
#define HEDDLE_SM_COMPLETION_H

#include <stddef.h>

#include "sm/base/buf.h"

/* The tables of commands; i counts from 0, NULL ends each of them. */
struct completion_source {
	const char *(*command)(size_t i);
	/* What follows the command, as in its help: words in small letters
	 * stand for themselves, those in capitals for names of nodes, those
	 * with FILE or CONF for files. NULL: no such command. */
	const char *(*operands)(const char *command);
	/* *arg: the name of its value in the help; NULL: it takes none */
	const char *(*option)(const char *command, size_t i, const char **arg);
};

/*
 * Append the candidates for the last of the n words, which follow the word
 * "heddlectl", to out. socket: the daemon's, unless the words name another.
 */
void completion_words(const struct completion_source *from, size_t n,
	char *const *word, const char *socket, struct buf *out);

#endif
