/*
 * intake: what a plan starts from: configuration, fabric, tables in force; from
 * files, or all of it from a running daemon, which a file or a setting then
 * replaces in part.
 */
#ifndef HEDDLE_SM_WHAT_IF_INPUTS_H
#define HEDDLE_SM_WHAT_IF_INPUTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "discovery/builder/builder.h"
#include "routing/text/fts.h"
#include "sm/what_if/forecast.h"
#include "sm/what_if/snapshot_read.h"

/* What is asked for; NULL: nothing was said. */
struct inputs_wanted {
	const char *topology, *from, *engine;
	json_t *snapshot;	/* of the daemon: from is "live" */
	struct config *base;	/* instead of the daemon's, or of defaults */
	const char *const *set; /* "key=value" */
	size_t nset;
};

struct inputs {
	struct config *cfg;
	struct snapshot given;		/* by the daemon, or all zero */
	struct builder_components bare; /* as read, without LIDs; ours first */
	struct topo *topo;		/* ours, with LIDs */
	struct lid_table lids;
	struct routes *found;	  /* --from, on topo; or NULL */
	struct routes *prev;	  /* where the next routes go on; or NULL */
	struct fts_misfit misfit; /* of the tables and the topology */
	bool live;		  /* a daemon is asked */
	bool same; /* and nothing is otherwise than it knows it */
};

/*
 * Ask the running daemon by its control socket for a new snapshot
 * (sm/report/snapshot_json.h); NULL, why, and the exit code in *code.
 */
json_t *inputs_ask_daemon(const char *socket, int *code, struct reason *why);

/*
 * Take in all of it; job->cfg and job->given are set, the rest of the job is
 * there. 0, or -1 and why. Free with inputs_free in any case, before the pool.
 */
int inputs_read(struct inputs *in, const struct inputs_wanted *ask,
	struct forecast_job *job, struct reason *why);
void inputs_free(struct inputs *in);

#endif
