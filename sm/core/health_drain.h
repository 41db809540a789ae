/*
 * health_drain: with health.action drain, links that are bad are drained, and
 * used again after a quiet time (sm/health/link_watch.h).
 *
 * What readings find is noted, and acted on when a pass over all ports ends: so
 * links that turn bad together are one change of the tables, and the worst of
 * them come first where not all may be drained (sm/view/drain_limits.h). Which
 * bad link stays in use, and because of which limit, is an event and told with
 * the links.
 *
 * The drains are those of maintenance, by DRAIN_BY_HEALTH: they are saved and
 * shown as all others. How often a link was drained, and what is left of its
 * quiet time, is saved beside them. An administrator who takes such a drain
 * back is obeyed for that time; another drain of the link by hand takes it
 * over.
 */
#ifndef HEDDLE_SM_CORE_HEALTH_DRAIN_H
#define HEDDLE_SM_CORE_HEALTH_DRAIN_H

#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/health/link_verdict.h"
#include "sm/health/link_watch.h"
#include "sm/state/state_file.h"

struct sm;

/* health_drain.c */
struct health_drains {
	struct link_watches links;
	struct mono passed; /* when a pass ended last; MONO_NEVER: none did
			       since this is master */
	/* the view, and the number of drains, that limits were judged by */
	uint32_t judged;
	size_t judged_drains;
};

/* The link of port p of t was read. */
void health_drain_note(struct sm *sm, const struct topo *t, port_ix p,
	const struct link_verdict *v);
/* All ports were read. */
void health_drain_review(struct sm *sm, struct mono now);
/* A view was committed: a link that had to be used all the same is not drained
 * any more. */
void health_drain_commit(struct sm *sm, struct mono now);
/* An administrator has taken back the drain of this switch or port. */
void health_drain_spare(struct sm *sm, uint64_t guid, unsigned port);

/* The configuration is new: where it does not say drain, all drains of its own
 * end. */
void health_drain_configure(struct sm *sm, struct mono now);
/* Another manager is master. */
void health_drain_lost(struct sm *sm);

void health_drain_load(struct sm *sm, const struct state_file *s);
/* Into s; free the result when it is saved. */
struct state_file_watch *health_drain_gather(
	const struct sm *sm, struct state_file *s);
/* The state file is of another fabric. */
void health_drain_forget(struct sm *sm);

#endif
