/*
 * choices: which switches of a planned fabric may choose among ports themselves
 * (routing.adaptive), and room for how many groups they have.
 *
 * A switch that a daemon has asked is as the daemon's snapshot says. Of any
 * other nothing is known but its device: one that may have adaptive routing is
 * assumed to have it, with CHOICES_GROUPS groups, and counted, so that a plan
 * can say what it rests on. A file that names no devices leaves that open for
 * all switches.
 */
#ifndef HEDDLE_SM_WHAT_IF_CHOICES_H
#define HEDDLE_SM_WHAT_IF_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "routing/core/engine.h"

struct snapshot;

/* That are assumed where a switch was not asked. */
enum { CHOICES_GROUPS = 2048 };

struct choices {
	struct route_choice *can; /* [nsw] */
	struct route_adaptive use;
	uint32_t cannot;  /* switches with a table alone */
	uint32_t assumed; /* switches that were not asked, of those that can */
	char first[200];  /* one that cannot, and why; "": all can */
};

/*
 * The switches of t under c; given: the snapshot of a daemon, or NULL. What
 * routing is told (struct route_job), or NULL where c has adaptive routing off:
 * then *out is empty. Free with choices_free in both cases; the result points
 * into *out.
 */
const struct route_adaptive *choices_find(const struct config *c,
	const struct snapshot *given, const struct topo *t,
	struct choices *out);
void choices_free(struct choices *c); /* all zero allowed */

#endif
