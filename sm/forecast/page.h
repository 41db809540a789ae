/*
 * page: a plan or an audit as a page for people, from its JSON (report.h).
 */
#ifndef HEDDLE_FORECAST_PAGE_H
#define HEDDLE_FORECAST_PAGE_H

#include <jansson.h>

#include "sm/base/buf.h"

/* Append the page of what planner.c makes. */
void page_plan(const json_t *plan, struct buf *out);

/* Append the page of an audit (sm/audit.h). */
void page_audit(const json_t *audit, struct buf *out);

/* Append one forecast's lines. */
void page_forecast(const json_t *forecast, struct buf *out);

#endif
