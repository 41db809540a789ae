/*
 * forecast: routes before the fact. From a topology and a configuration alone,
 * by the very functions that the daemon calls: LIDs, routes, the verdict; then
 * how good they are. No fabric, no daemon, nothing is sent. Also judges tables
 * that somebody else made (the audit, tables in force).
 *
 *	topology -> LIDs -> compute_routes -> verify -> metrics
 *		-> struct forecast
 */
#ifndef HEDDLE_SM_WHAT_IF_FORECAST_H
#define HEDDLE_SM_WHAT_IF_FORECAST_H

#include <stdbool.h>

#include "config/config.h"
#include "routing/core/lid.h"
#include "routing/driver/compute.h"
#include "routing/improve/redundancy.h"
#include "routing/measure/bandwidth.h"

enum {
	FORECAST_TRIALS = 200,
	FORECAST_SHIFTS = 1000,
	FORECAST_FLOWS = 12000000, /* in all shifts together, at most */
};

struct forecast {
	struct topo *topo;     /* with LIDs; a reference */
	struct routes *routes; /* NULL: nothing verifies, why says so */
	struct route_account story;
	struct verify_report report;
	struct bandwidth_ebb ebb;
	struct bandwidth_shift shift;
	struct redundancy_report homes; /* nodes with several ports */
	bool measured;
	char why[512];
};

/* What is going on, for a person who waits; NULL: nobody does. */
typedef void forecast_told(void *cookie, const char *doing);

struct snapshot;

struct forecast_job {
	const struct config *cfg;
	const struct snapshot *given; /* what a daemon remembers, or NULL */
	struct lft_pool *pool;
	bool rebalance; /* fresh tables are asked for, where some are there */
	forecast_told *told;
	void *cookie;
};

/*
 * t with LIDs as the daemon would give them, remembering record (sorted by
 * GUID). NULL and why when they run out. out (NULL allowed): the numbers.
 */
struct topo *forecast_lids(const struct forecast_job *job, const struct topo *t,
	const struct lid_record *record, size_t nrecord, struct lid_table *out,
	struct reason *why);

/* Route t; prev: routes in force, or NULL. Free with forecast_free. */
void forecast_route(const struct forecast_job *job, struct topo *t,
	const struct routes *prev, struct forecast *out);

/* Judge routes that are there, whatever they are worth. */
void forecast_judge(
	const struct forecast_job *job, struct routes *r, struct forecast *out);

void forecast_free(struct forecast *f); /* all zero allowed */

#endif
