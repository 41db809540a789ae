/*
 * forecast: routes computed in advance, from a topology and a configuration
 * alone, by the same functions that the daemon calls: LIDs, routes, the
 * verdict; then their quality. No fabric, no daemon, no SMP. It also judges
 * tables made elsewhere (the audit, tables in force).
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
#include "sm/what_if/forecast_adaptive.h"

enum {
	FORECAST_TRIALS = 200,
	FORECAST_SHIFTS = 1000,
	FORECAST_FLOWS = 12000000, /* at most, in all shifts together */
};

struct forecast {
	struct topo *topo;     /* with LIDs; a reference */
	struct routes *routes; /* NULL: no routes verify, see why */
	struct route_account story;
	struct verify_report report;
	struct bandwidth_ebb ebb;
	struct bandwidth_shift shift;
	struct redundancy_report redundancy; /* nodes with several ports */
	struct forecast_adaptive adaptive;
	bool measured;
	char why[512];
};

/* Progress, for a person that waits; NULL: not reported. */
typedef void forecast_told(void *cookie, const char *doing);

struct snapshot;

struct forecast_job {
	const struct config *cfg;
	const struct snapshot *given; /* the snapshot of a daemon, or NULL */
	struct lft_pool *pool;
	bool rebalance; /* compute fresh tables in place of those in force */
	forecast_told *told;
	void *cookie;
};

/* Report progress, if it is wanted. */
void forecast_tell(const struct forecast_job *job, const char *doing);

/*
 * t with the LIDs that the daemon would assign, given record (sorted by GUID)
 * of the LIDs assigned before. NULL and why when LIDs run out. out (NULL
 * allowed): the LIDs and counts.
 */
struct topo *forecast_lids(const struct forecast_job *job, const struct topo *t,
	const struct lid_record *record, size_t nrecord, struct lid_table *out,
	struct reason *why);

/* Route t; prev: routes in force, or NULL. Free with forecast_free. */
void forecast_route(const struct forecast_job *job, struct topo *t,
	const struct routes *prev, struct forecast *out);

/* Judge given routes, whether they verify or not. Those in force at a daemon
 * with adaptive routing get the sets that it has. */
void forecast_judge(
	const struct forecast_job *job, struct routes *r, struct forecast *out);

void forecast_free(struct forecast *f); /* all zero allowed */

#endif
