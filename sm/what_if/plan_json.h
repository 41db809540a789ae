/*
 * plan_json: forecasts and impacts as JSON, from which everything else (pages
 * for people, the audit) is made.
 */
#ifndef HEDDLE_SM_WHAT_IF_PLAN_JSON_H
#define HEDDLE_SM_WHAT_IF_PLAN_JSON_H

#include <jansson.h>

#include "sm/view/cut_points.h"
#include "sm/what_if/forecast.h"
#include "sm/what_if/routes_diff.h"

/* The LIDs that were assigned. */
json_t *plan_json_lids(const struct topo *t, const struct lid_table *l);

/* Engine, verdict, hops, loads by rank, busiest links, eBB, shifts. */
json_t *plan_json_forecast(const struct forecast *f);

/* The first nodes with several ports and a single point of failure, in words: a
 * list of at most `most` texts. */
json_t *plan_json_single_points(const struct forecast *f, size_t most);

/* The changes between the routes of two forecasts, and the redundancy lost. */
json_t *plan_json_impact(
	const struct forecast *before, const struct forecast *after);

#endif
