/*
 * given: what a running daemon starts its next computation from, as it told it
 * (sm/report/snapshot_json.h), made into values again: the very topology,
 * numbering included, the routes in force with all that routing remembers of
 * them, the configuration and the state.
 */
#ifndef HEDDLE_SM_WHAT_IF_SNAPSHOT_READ_H
#define HEDDLE_SM_WHAT_IF_SNAPSHOT_READ_H

#include <jansson.h>
#include <stdint.h>

#include "config/config.h"
#include "routing/core/lid.h"
#include "routing/core/routes.h"
#include "sm/state/state_file.h"

struct snapshot {
	struct config *cfg;
	struct state_file state;
	struct lid_record *lid; /* of the state */
	struct topo *topo;
	struct routes *routes;
	double answer;	 /* seconds; 0: not told */
	char vague[256]; /* why ties may fall otherwise than there, or "" */
};

/*
 * Read a snapshot; the tables go to pool. 0, or -1 and why, naming what makes
 * no sense; *out is empty then. Free with snapshot_read_free, before the pool.
 */
int snapshot_read(const json_t *snapshot, struct lft_pool *pool,
	struct snapshot *out, struct reason *why);
void snapshot_read_free(struct snapshot *g); /* all zero allowed */

/* What is remembered, for a job of routing that has no other memory. */
struct route_job;
void snapshot_routes(const struct snapshot *g, struct route_job *job);

#endif
