/*
 * transition_preview: how tables would change under traffic, from one set of
 * routes to another, by distribution's own planner
 * (distribution/transition/transition.h): no SMP is sent, and every switch is
 * taken to have acknowledged the old routes.
 */
#ifndef HEDDLE_SM_WHAT_IF_TRANSITION_PREVIEW_H
#define HEDDLE_SM_WHAT_IF_TRANSITION_PREVIEW_H

#include <jansson.h>
#include <stdbool.h>

#include "distribution/transition/loss_estimate.h"
#include "distribution/transition/transition.h"

struct snapshot;

/* What is asked for. */
struct transition_preview_ask {
	struct routes *was, *is;      /* of one pool; with sets, or without */
	bool by_lid;		      /* as in struct plan_adaptive */
	const struct snapshot *given; /* of a daemon, or NULL */
	enum transition_method_kind method;
	bool all; /* every method, to compare; method comes first */
	unsigned max_stages;
	struct slvl_want levels; /* as in struct transition_job */
	uint8_t max_vls;
	enum slvl_lists lists;
	struct loss_estimate_pace pace;
	double rate; /* packets a second that each host sends */
};

/* A list of methods with kind of change, stages, writes, those of adaptive
 * groups, dependencies blocked, pairs cut, and the expected losses of hosts. */
json_t *transition_preview_report(const struct transition_preview_ask *ask);

/* The method of this name; false: there is none. */
bool transition_preview_method(
	const char *name, enum transition_method_kind *out);

#endif
