/*
 * import_command: heddlectl import: OpenSM's configuration as heddle.yaml. The
 * result goes to standard output, or to a new file that only heddled can read:
 * it may have secret keys. What has no counterpart is listed on standard error.
 */
#ifndef HEDDLE_SM_IMPORT_COMMAND_H
#define HEDDLE_SM_IMPORT_COMMAND_H

#include <stddef.h>

#include "sm/base/buf.h"

/* argv[0] is the word import. The exit code: EXIT_OK, EXIT_PROBLEM if something
 * was not carried over, EXIT_USAGE. */
int import_command_run(int argc, char **argv);

/* Append its lines of heddlectl's help. */
void import_command_help(struct buf *out);

/* Its options, counted from 0; NULL ends them. *arg: the name of the value in
 * the help. */
const char *import_command_option(size_t i, const char **arg);

#endif
