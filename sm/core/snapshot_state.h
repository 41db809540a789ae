/*
 * snapshot_state: what the core would start its next computation from, beside
 * the view that is in force, as JSON for the control socket: the configuration,
 * what is remembered of the fabric, how fast answers come, and which switches
 * can choose among ports.
 */
#ifndef HEDDLE_SM_CORE_SNAPSHOT_STATE_H
#define HEDDLE_SM_CORE_SNAPSHOT_STATE_H

#include <jansson.h>

#include "config/config.h"
#include "sm/core/sm.h"

/* A new object; it contains no secret. tables: the
 * snapshot has the tables as well. Not before the first view. */
json_t *snapshot_state_json(
	const struct sm *sm, const struct config *c, bool tables);

#endif
