/*
 * groups_preview: the Sets that adaptive groups take beside a change of tables,
 * by distribution's own plans (distribution/plan/plan.h): every switch that can
 * choose is taken to have acknowledged the groups of the old routes, which it
 * got at once, and every Set to be acknowledged. Further groups that a daemon
 * said it holds, of its history, are there to be used again.
 */
#ifndef HEDDLE_SM_WHAT_IF_GROUPS_PREVIEW_H
#define HEDDLE_SM_WHAT_IF_GROUPS_PREVIEW_H

#include <stdint.h>

#include "distribution/device/device_store.h"
#include "distribution/transition/transition.h"

struct snapshot;

struct groups_preview_ask {
	struct routes *was, *is; /* with sets, or without */
	bool by_lid;		 /* as in struct plan_adaptive */
	struct device_store *hw; /* has acknowledged the tables of `was`; gets
				    the groups of it */
	const struct snapshot *given; /* of a daemon, or NULL */
};

/* Have hw acknowledge the groups of the old routes. */
void groups_preview_before(const struct groups_preview_ask *ask);

/* The Sets for a change, which is taken over; hw has all of it then. */
uint64_t groups_preview_count(
	const struct groups_preview_ask *ask, struct transition_result *change);

#endif
