/*
 * run_adaptive: adaptive routing that a run finds on: read when the forwarding
 * tables are, before routes are planned, and switched off or named
 * (distribution/device/foreign_adaptive.h). Where switches shall choose, groups
 * that may be our own, as after a restart, are read instead
 * (distribution/device/adaptive_read.h).
 */
#ifndef HEDDLE_SM_CORE_RUN_ADAPTIVE_H
#define HEDDLE_SM_CORE_RUN_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/view/view.h"

struct sm;
struct view;
struct topo;

/* After the forwarding tables were read: go on to read what forwards beside
 * them, and switch it off or compare it; true when that is done. */
bool run_adaptive_read(struct sm *sm, struct mono now);
/* The push has ended: what was found is ours, or was switched off. */
void run_adaptive_decided(struct sm *sm);
/* The alarm about switches of t, by the names that it has. */
void run_adaptive_name(struct sm *sm, const struct topo *t);
/* True if packets that it sent on may still be on their way. */
bool run_adaptive_drains(const struct sm *sm, struct mono now);
/* The push is over: true if the view differs. */
bool run_adaptive_changed(const struct sm *sm);
/* Enter the switches where it is on, as far as is known. */
void run_adaptive_list(struct sm *sm, struct view *v);
/* Have those that do not obey asked again later. */
void run_adaptive_retry(struct sm *sm, const struct topo *t);
/* End a reading that is not over: what was asked is given up. */
void run_adaptive_stop(struct sm *sm, struct mono now);

#endif
