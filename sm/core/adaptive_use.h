/*
 * adaptive_use: adaptive routing of our own in a run: which switches may
 * choose among ports, which are asked for when they said what they can do
 * (run_adaptive.h); what the plan is to make of the sets of the routes; and
 * what is told of it.
 *
 * The fabric comes up without: a run that changes forwarding tables leaves
 * switches alone where it is off. When it is committed, another one without a
 * sweep writes what is left; a change of the fabric stops it, and what it has
 * not written is for the run after that.
 */
#ifndef HEDDLE_SM_CORE_ADAPTIVE_USE_H
#define HEDDLE_SM_CORE_ADAPTIVE_USE_H

#include <stdbool.h>

#include "distribution/device/device_check.h"
#include "distribution/plan/plan.h"
#include "routing/driver/compute.h"
#include "sm/base/clock.h"

struct sm;
struct topo;
struct view;

/*
 * What routing is told: NULL if no switch shall choose; else *out, and its
 * array is the caller's to free.
 */
const struct route_adaptive *adaptive_use_job(
	const struct sm *sm, const struct topo *t, struct route_adaptive *out);
/* True if the routes in force were made for what switches of t can do now. */
bool adaptive_use_is_same(const struct sm *sm, const struct topo *t);
/* What the plan is told, but for the SLs: they are known with the routes. */
struct plan_adaptive adaptive_use_plan(const struct sm *sm);
/* True if some switch of t chooses among ports now. */
bool adaptive_use_is_on(const struct sm *sm, const struct topo *t);
/* True if the attribute is one of adaptive routing of our own. */
bool adaptive_use_has(enum device_attr attr);
/* A switch of the view does not hold what it acknowledged of it: its table
 * alone is believed from now on. */
void adaptive_use_disobeys(
	struct sm *sm, const struct device_check_item *i, struct mono now);
/* Enter the switches that cannot choose, where they are to. */
void adaptive_use_list(const struct sm *sm, struct view *v);
/* A run is committed: status and log; what is left is for another run. */
void adaptive_use_review(struct sm *sm, struct mono now);

#endif
