/*
 * inputs: what a plan starts from: configuration, fabric, tables in force; from
 * files, or all of it from a running daemon, parts of which a file or a setting
 * then replaces.
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

/* What the command line names; NULL: not given. */
struct inputs_wanted {
	const char *topology, *from, *engine;
	json_t *snapshot;	/* of the daemon, if from is "live" */
	struct config *base;	/* in place of the daemon's or the default */
	const char *const *set; /* "key=value" */
	size_t nset;
	uint8_t vl_cap; /* of all ports of topology, a code of PortInfo */
};

struct inputs {
	struct config *cfg;
	struct snapshot given;		/* of the daemon, or all zero */
	struct builder_components bare; /* as read, no LIDs; ours first */
	struct topo *topo;		/* our component, with LIDs */
	struct lid_table lids;
	struct routes *found;	  /* --from, on topo; or NULL */
	struct routes *prev;	  /* routes to keep entries of; or NULL */
	struct fts_misfit misfit; /* between the tables and the topology */
	bool live;		  /* inputs come from a daemon */
	bool same;		  /* live, and nothing is replaced */
};

/*
 * Ask the running daemon by its control socket for a new snapshot
 * (sm/report/snapshot_json.h), with tables or without; NULL, why, and the exit
 * code in *code.
 */
json_t *inputs_ask_daemon(
	const char *socket, bool tables, int *code, struct reason *why);

/*
 * Read all inputs; sets job->cfg and job->given, the caller has set the rest of
 * the job. 0, or -1 and why. Free with inputs_free in any case, before the
 * pool.
 */
int inputs_read(struct inputs *in, const struct inputs_wanted *ask,
	struct forecast_job *job, struct reason *why);
void inputs_free(struct inputs *in);

#endif
