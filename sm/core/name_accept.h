/*
 * name_accept: names that an administrator accepts: which nodes the names of
 * members mean (sm/policy/name_pins.h), what waits to be accepted, and the
 * acceptance.
 */
#ifndef HEDDLE_SM_CORE_NAME_ACCEPT_H
#define HEDDLE_SM_CORE_NAME_ACCEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/map.h"
#include "sm/state/state_file.h"

struct sm;
struct name_pins;

/* name_accept.c */
struct names {
	struct name_pins *pins; /* NULL: there are none, or names are trusted */
	struct map told;	/* what waits and was told */
};

void name_accept_free(struct sm *sm);
void name_accept_load(struct sm *sm, const struct state_file *s);
/* Into s; free the result when it is saved. */
struct state_file_pin *name_accept_gather(
	const struct sm *sm, struct state_file *s);
/* Resolve the names of members that are not yet, on sm->topo. */
void name_accept_update(struct sm *sm);
/* What waits in the view: log, events, alarm. */
void name_accept_review(struct sm *sm, struct mono now);
/* What names match now is accepted; a run follows. */
void name_accept_all(struct sm *sm, struct mono now, const char *cause);

#endif
