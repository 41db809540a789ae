/*
 * comparison: what each routing engine would make of a fabric, beside the
 * others, and which of them the engine "auto" would take.
 */
#ifndef HEDDLE_SM_WHAT_IF_COMPARISON_H
#define HEDDLE_SM_WHAT_IF_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>

#include "sm/base/buf.h"
#include "sm/what_if/forecast.h"

/*
 * Route t by each engine in turn: a list of objects, in the order of the
 * engines. *best: the name of the one that "auto" takes, static; NULL: none
 * routes it.
 */
json_t *comparison_json(
	const struct forecast_job *job, struct topo *t, const char **best);

/* Append a report with the members fabric, engines (the list) and best as a
 * table; verbose: and what each engine says of its routes. */
void comparison_page(const json_t *report, bool verbose, struct buf *out);

#endif
