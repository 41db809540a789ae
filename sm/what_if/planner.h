/*
 * planner: `heddlectl plan`: what Heddle would do with a fabric, and what a
 * failure would change, without a daemon and without the fabric. Everything is
 * computed in this process by the daemon's own functions; only --from live asks
 * a daemon, for what it starts from.
 */
#ifndef HEDDLE_SM_WHAT_IF_PLANNER_H
#define HEDDLE_SM_WHAT_IF_PLANNER_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "sm/base/buf.h"

/*
 * argv: the word plan and what follows it. socket: the daemon's.
 * The exit code: 0 verified, 1 not verified, 2 bad usage or input, 3 and 4 as
 * for every command when a daemon is asked.
 */
int planner_run(int argc, char *const *argv, const char *socket, bool json);

/*
 * The configuration of a file and its drop-ins, or NULL: then its mistakes were
 * printed.
 */
struct config *planner_read_config(const char *file);

/* Append the command's lines of heddlectl's help. */
void planner_help(struct buf *out);

/* Its options, counted from 0; NULL ends them. *arg: the name of the value in
 * the help; NULL: it takes none. */
const char *planner_option(size_t i, const char **arg);

#endif
