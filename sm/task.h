/*
 * task: what a configuration asks of LID assignment and of the engines. The
 * daemon, the plan and the audit all ask through this, so that a plan shows
 * what the daemon would do.
 */
#ifndef HEDDLE_SM_TASK_H
#define HEDDLE_SM_TASK_H

#include <stddef.h>

#include "config/config.h"
#include "routing/engine.h"
#include "routing/lid.h"

/*
 * Assign LIDs to t as c says, from what is remembered (sorted by GUID). As
 * lid_assign; free *out with lid_table_free.
 */
int task_lids(const struct config *c, const struct topo *t,
	const struct lid_record *record, size_t nrecord, struct lid_table *out,
	struct reason *why);

/* What the engines are told; it points into c. */
void task_options(const struct config *c, struct engine_options *out);

/* Threads to compute and verify routes with: as c says, else by cores. */
unsigned task_threads(const struct config *c);

#endif
