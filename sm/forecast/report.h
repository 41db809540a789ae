/*
 * report: forecasts and impacts as JSON, the one form that everything else
 * (pages for people, the audit) is made from.
 */
#ifndef HEDDLE_FORECAST_REPORT_H
#define HEDDLE_FORECAST_REPORT_H

#include <jansson.h>

#include "sm/forecast/cuts.h"
#include "sm/forecast/forecast.h"
#include "sm/forecast/impact.h"

/* The LIDs that were given. */
json_t *report_lids(const struct topo *t, const struct lid_table *l);

/* Engine, verdict, hops, loads by level, worst links, eBB, shifts. */
json_t *report_forecast(const struct forecast *f);

/* What changes between two forecasts' routes, and which redundancy goes. */
json_t *report_impact(
	const struct forecast *before, const struct forecast *after);

#endif
