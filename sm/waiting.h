/*
 * waiting: commands of heddlectl that answer when something is over: a sweep, a
 * rebalance, a drain, a hand-over. The daemon answers such a request at once,
 * with the number of the sweep or of the generation to wait for; what is shown
 * is the answer to a second request, after it.
 *
 * Each function takes over the first reply, and returns the one to show, or
 * NULL and the exit code in *code: then what is wrong has been said.
 */
#ifndef HEDDLE_SM_WAITING_H
#define HEDDLE_SM_WAITING_H

#include <jansson.h>

#include "sm/asking.h"

/* Wait for the "wait_sweep" or "wait_generation" of a reply: the status then.
 */
json_t *waiting_after(const struct asking *q, json_t *reply, int *code);

/* Wait until what `node` names, as on the command line, is drained, which may
 * take two runs; a standby waits for nothing. The answer is what is drained.
 */
json_t *waiting_drained(
	const struct asking *q, json_t *reply, json_t *node, int *code);

/* Wait until the standby in the reply is master: the status then. */
json_t *waiting_handed_over(const struct asking *q, json_t *reply, int *code);

#endif
