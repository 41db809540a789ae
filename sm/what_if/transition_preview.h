/*
 * transition: how tables would change under traffic, from one set of routes to
 * another, by distribution's own planner (safe.h): nothing is sent, the old
 * routes are taken to be what every switch acknowledged.
 */
#ifndef HEDDLE_SM_WHAT_IF_TRANSITION_PREVIEW_H
#define HEDDLE_SM_WHAT_IF_TRANSITION_PREVIEW_H

#include <jansson.h>
#include <stdbool.h>

#include "distribution/transition/loss_estimate.h"
#include "distribution/transition/transition.h"

/* What is asked for. */
struct transition_preview_ask {
	const struct routes *was, *is; /* of one pool */
	enum transition_method_kind method;
	bool all; /* every method, to compare; method comes first */
	unsigned max_stages;
	struct slvl_want levels; /* as in struct transition_job */
	uint8_t max_vls;
	struct loss_estimate_pace pace;
	double rate; /* packets a second that each host sends */
};

/* A list of methods with way, stages, writes, turns blocked, pairs cut, what
 * hosts are expected to lose. */
json_t *transition_preview_report(const struct transition_preview_ask *ask);

/* The method of this name; false: there is none. */
bool transition_preview_method(
	const char *name, enum transition_method_kind *out);

#endif
