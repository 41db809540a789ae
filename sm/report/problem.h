/*
 * problem: how heddlectl says that it did not do what was asked: its exit
 * codes, and a line on standard error. With --json the error is an object on
 * standard output as well, as heddled answers one.
 */
#ifndef HEDDLE_SM_REPORT_PROBLEM_H
#define HEDDLE_SM_REPORT_PROBLEM_H

#include <stdbool.h>

#include "sm/base/reason.h"

enum {
	EXIT_OK = 0,
	EXIT_PROBLEM = 1,
	EXIT_USAGE = 2,
	EXIT_UNREACHABLE = 3,
	EXIT_REFUSED = 4,
};

/* Errors from now on are objects on standard output as well. */
void problem_use_json(void);

/* Say what went wrong, in place of what was said of progress on this line;
 * code: as in the daemon's answers. */
void problem_print(const char *code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append to standard output, where errors are objects, this one. */
void problem_json(const char *code, const char *text);

/* The command line is wrong: what, about the word which (or NULL). EXIT_USAGE.
 */
int problem_usage(const char *what, const char *which);

/* An option of a command is not known, or its value is not right. EXIT_USAGE.
 */
int problem_option(const char *command, const struct reason *why);

#endif
