/*
 * outlook: the fabric as it is, piece by piece, and as it would be after a
 * failure or with another configuration: what a plan then tells of.
 *
 * Where a daemon is asked it is the only manager there: pieces that it does not
 * reach, and all of them when its own port is cut off, keep the tables that
 * they have. Without one every piece is routed as by a manager of its own.
 */
#ifndef HEDDLE_SM_WHAT_IF_WHAT_IF_H
#define HEDDLE_SM_WHAT_IF_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/what_if/failure.h"
#include "sm/what_if/forecast.h"
#include "sm/what_if/inputs.h"

/* Pieces of the fabric that nothing joins to ours. */
struct what_if_others {
	struct forecast *piece;
	size_t n, loose;
};

struct what_if {
	struct forecast now, then;
	struct what_if_others beside, after; /* of now and then */
	bool cut_off; /* the daemon's own port is, by what fails */
};

/* As it is, into what is all zero. 0, or -1 and why. */
int what_if_now(const struct inputs *in, const struct forecast_job *job,
	struct what_if *out, struct reason *why);

/* After that, as it would be when these n fail; n may be 0. */
int what_if_after(const struct inputs *in, const struct forecast_job *job,
	const struct failure *fail, size_t n, struct what_if *out,
	struct reason *why);

void what_if_free(struct what_if *o); /* all zero allowed */

#endif
