/*
 * snapshot_read: what a running daemon starts its next computation from, as it
 * sent it (sm/report/snapshot_json.h), made into values again: the same
 * topology, numbering included, the routes in force with everything that
 * routing keeps with them, the configuration and the state.
 */
#ifndef HEDDLE_SM_WHAT_IF_SNAPSHOT_READ_H
#define HEDDLE_SM_WHAT_IF_SNAPSHOT_READ_H

#include <jansson.h>
#include <stdint.h>

#include "config/config.h"
#include "routing/core/lid.h"
#include "routing/core/routes.h"
#include "sm/mad/mad_ar.h"
#include "sm/state/state_file.h"

/* What a switch can do of adaptive routing, as adaptive_can.h has it. */
struct snapshot_choice {
	struct route_choice can;
	bool by_sl; /* it can tell service levels apart */
	char why[120];
	struct mad_ar_group *slot; /* [nslots] groups that it holds */
	size_t nslots;
};

struct snapshot {
	struct config *cfg;
	struct state_file state;
	struct lid_record *lid; /* of the state */
	struct topo *topo;
	struct routes *routes;
	struct snapshot_choice *choice; /* [topo->nsw], with routes */
	json_t *standby; /* what a standby says of its reading; NULL: a master
			    sent it */
	double answer;	 /* time of an answer in seconds; 0: unknown */
};

/*
 * Read a snapshot; the tables go to pool. 0, or -1 and why, naming the invalid
 * part; *out is empty then. Free with snapshot_read_free, before the pool.
 */
int snapshot_read(const json_t *snapshot, struct lft_pool *pool,
	struct snapshot *out, struct reason *why);
/* The same without routes (NULL), also of a snapshot that has no tables. */
int snapshot_read_fabric(
	const json_t *snapshot, struct snapshot *out, struct reason *why);
void snapshot_read_free(struct snapshot *g); /* all zero allowed */

/* Give the ranks, order and topology class of the state to a routing job that
 * has no others. */
struct route_job;
void snapshot_routes(const struct snapshot *g, struct route_job *job);

#endif
