/*
 * live: what the running daemon starts from, asked by its control socket.
 */
#ifndef HEDDLE_SM_WHAT_IF_DAEMON_INPUT_H
#define HEDDLE_SM_WHAT_IF_DAEMON_INPUT_H

#include <jansson.h>

#include "sm/base/reason.h"

/*
 * A new snapshot (sm/report/snapshot_json.h); NULL, why, and the exit code in
 * *code.
 */
json_t *daemon_input_read(const char *socket, int *code, struct reason *why);

#endif
