/*
 * route: from a job to verified routes.
 *
 * Runs the configured engines in order; each result is judged by verify; a
 * refusal or a failed verification leads to the engine's next attempt, then to
 * the next engine, and last always to up/down over the kept order, which routes
 * any connected fabric on one lane. What was tried and why it was left is told.
 *
 * Keeping entries: with previous routes, a result that keeps what it can is
 * accepted while its worst link load stays within job->load_limit of what a
 * fresh computation would give (compared with the fresh one, so that drift
 * cannot compound). Links are those of hosts, too: over its own, each is sent
 * to by all others, whatever the tables, and a cable between switches that
 * carries no more holds nobody up. That the limit is kept is proven of every
 * result (routes.fresh_load says which load vouches):
 *
 *   by what any tables must load some cable with (verify_state_load_bound,
 * load_bound.h): nearly always, in no time; the same of kept tables of
 * which the busiest cables are relieved (rebalance.h), where what vouched for
 * those in force was not far from it: a repair leads what went over a lost
 * cable together with as much, and fresh tables do not; or else by the load of
 * fresh ones, computed beside those kept, and judged only if they are to be
 * used, or kept ones must be changed first: these are relieved before they are
 * given up for fresh ones.
 *
 * So most failures do not wait for a fresh computation. An entry may change
 * that fresh tables would have vouched for, where they would have been as busy.
 *
 * The busiest cables of fresh tables are relieved, too, where they carry
 * clearly more than they must. Fresh means of the order and the reading in
 * force: to read the fabric anew, which may take another engine, is for
 * job->rebalance, whatever the load.
 *
 * Ports of one node are led apart in every result (apart.h), kept or fresh:
 * redundancy is worth entries, and comes before load.
 */
#ifndef HEDDLE_ROUTING_DRIVER_COMPUTE_H
#define HEDDLE_ROUTING_DRIVER_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "routing/core/engine.h"

/* What happened on the way, for the log, status and explain. */
struct route_account {
	char engine[16];   /* that made the result */
	bool fallback;	   /* it was not the first configured one */
	bool rebalanced;   /* fresh tables although there were old ones */
	unsigned attempts; /* results judged */
	char tried[512];   /* "updn attempt 0: cycle S1/3 ...; ..." */
};

/*
 * Compute verified routes. engines: names in order of preference ("updn");
 * n may be 0. Returns the routes (report.ok is true), or NULL and a reason
 * when nothing verifies: then nothing may be distributed.
 */
struct routes *compute_routes(const struct route_job *job,
	const char *const *engines, size_t n, struct route_account *story,
	struct reason *why);

/* Known engine names, NULL-terminated: for the configuration. */
const char *const *engine_names(void);

/* The engine called so; NULL: none is, or name is NULL. */
const struct engine *engine_by_name(const char *name);

/* The name of the engine called so, static; NULL: none is, or word is NULL. */
const char *engine_find(const char *word);

#endif
