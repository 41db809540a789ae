/*
 * maintenance: switches and links that are drained. An administrator, or a
 * module of the core in the name of its own, asks for a drain; it ends when
 * that is taken back, or when its time is over. The topology builder is told
 * before each freeze, and the run that follows is like any other: routed,
 * verified, staged. What is drained survives a restart, in the state file.
 *
 * A standby has the drains of its master (shared_drains.h), and of a master
 * that does not tell them those that were asked of itself: they count when it
 * is master.
 *
 * Refused, beside mistakes: what would cut hosts off when it is pulled, unless
 * it is forced; and in any case the switch that this manager is linked to.
 */
#ifndef HEDDLE_SM_CORE_MAINTENANCE_H
#define HEDDLE_SM_CORE_MAINTENANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "sm/core/sm.h"
#include "sm/state/state_file.h"
#include "sm/view/drains.h"

struct sm;
struct mcast_tree;

/* What is asked for, on the topology of sm_view: 0, or -1 and why not. */
int maintenance_add(struct sm *sm, const struct sm_drain *ask, struct mono now,
	struct reason *why);
/* Take back the drain of exactly this; by whom is for the event. */
int maintenance_remove(struct sm *sm, const struct sm_undrain *ask,
	struct mono now, struct reason *why);

/* The end of a drain, d, and why. d is void then. */
void maintenance_end(
	struct sm *sm, struct drain *d, const char *why, struct mono now);

void maintenance_apply(struct sm *sm); /* before a freeze */
/* A drain comes into force with this run. */
bool maintenance_is_pending(const struct sm *sm);
/* A view was committed: what is drained and still in use is narrowed, or there
 * is an alarm about it. */
void maintenance_review(struct sm *sm, struct mono now);
/* A tree of a group was made for that view: a switch that it passes, although
 * that is drained, is narrowed. */
void maintenance_review_tree(
	struct sm *sm, const struct mcast_tree *tree, struct mono now);

void maintenance_load(struct sm *sm, const struct state_file *s);
void maintenance_start(struct sm *sm, struct mono now);
/* A standby has what its master told: events say what is another. */
void maintenance_adopt(
	struct sm *sm, const struct state_file *told, struct mono now);
/* Into s; free the result when it is saved. */
struct state_file_drain *maintenance_gather(
	const struct sm *sm, struct state_file *s);

/* When the first drain ends; and what is over, ends. */
struct mono maintenance_next(const struct sm *sm);
void maintenance_step(struct sm *sm, struct mono now);

#endif
