/*
 * phase: the phase of the core, and the view that readers have in its role.
 */
#ifndef HEDDLE_SM_CORE_PHASE_H
#define HEDDLE_SM_CORE_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/report/sm_status.h"

struct sm;
struct view;

/* Enter a phase; its first step is a tick of its own. */
void phase_enter(struct sm *sm, enum sm_phase phase, struct mono now);
/* For sm_view: what readers have in this role. */
struct view *phase_view(const struct sm *sm);

#endif
