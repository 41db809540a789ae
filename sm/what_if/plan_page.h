/* plan_page: a plan as a page for people, from its JSON (plan_json.h). */
#ifndef HEDDLE_SM_WHAT_IF_PLAN_PAGE_H
#define HEDDLE_SM_WHAT_IF_PLAN_PAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "sm/base/buf.h"

/* Append the page of the report that planner.c makes. */
void plan_page(const json_t *plan, struct buf *out);

/* The answer alone: the verdict and the figures that belong to it, in at most
 * ten lines. */
void plan_page_short(const json_t *plan, struct buf *out);

/* Whether the plan is about something that fails or is drained; and what, each
 * list behind its word, in a text of page_print. */
bool plan_page_asks(const json_t *plan);
#define PLAN_PAGE_QUESTION(fail, drain)                                        \
	"%(failures)?{" fail "%(failures)*{%(#)?{, }%()s}%(drains)?{; }}"      \
	"%(drains)?{" drain "%(drains)*{%(#)?{, }%()s}}"

/* Append one forecast's lines. */
void plan_page_forecast(const json_t *forecast, struct buf *out);

#endif
