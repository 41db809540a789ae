/*
 * what_if: the fabric as it is, component by component, and as it would be
 * after a failure or with another configuration: the content of a plan.
 *
 * If a daemon is asked, it is the only manager of the fabric: components that
 * it does not reach, and all of them when its own port is cut off, keep their
 * tables. Without a daemon every component is routed as by a manager of its
 * own.
 *
 * Folder sm/what_if: a topology, tables and a configuration, from files or from
 * the daemon (inputs.h) -> the fabric now and after the change (forecast.h) ->
 * differences as JSON -> a page. Callers: sm/heddlectl.c (plan),
 * sm/config_check.c; sm/audit for its comparison. Read next:
 * sm/what_if/planner.h, then sm/what_if/forecast.h.
 */
#ifndef HEDDLE_SM_WHAT_IF_WHAT_IF_H
#define HEDDLE_SM_WHAT_IF_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/what_if/failure.h"
#include "sm/what_if/forecast.h"
#include "sm/what_if/inputs.h"

/* Components of the fabric that have no path to ours. */
struct what_if_others {
	struct forecast *piece;
	size_t n, loose;
};

struct what_if {
	struct forecast now, then;
	struct what_if_others beside, after; /* of now; of then */
	bool cut_off; /* the failure cuts off the daemon's own port */
};

/* The fabric as it is; *out is all zero before. 0, or -1 and why. */
int what_if_now(const struct inputs *in, const struct forecast_job *job,
	struct what_if *out, struct reason *why);

/* To be called after what_if_now: the fabric after these n failures; n may be
 * 0. */
int what_if_after(const struct inputs *in, const struct forecast_job *job,
	const struct failure *fail, size_t n, struct what_if *out,
	struct reason *why);

void what_if_free(struct what_if *o); /* all zero allowed */

#endif
