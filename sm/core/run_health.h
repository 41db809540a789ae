/*
 * run_health: the health of links in the core: while we are master, nothing
 * else goes on, and health.enabled says so, the counters of all cabled ports
 * are read (sm/health), and links that turn bad, or good again, are events.
 */
#ifndef HEDDLE_SM_CORE_RUN_HEALTH_H
#define HEDDLE_SM_CORE_RUN_HEALTH_H

#include "sm/base/clock.h"
#include "sm/health/link_verdict.h"
#include "sm/transport/transport.h"

struct sm;
struct config;

/* What a configuration calls bad. */
struct link_limits run_health_limits(const struct config *c);

void run_health_new(struct sm *sm);
/* The configuration is new. */
void run_health_configure(struct sm *sm, struct mono now);
/* A message of the performance class. */
void run_health_message(
	struct sm *sm, const struct transport_msg *m, struct mono now);
struct mono run_health_next(const struct sm *sm);
/* Ask further ports, as far as that is allowed now. */
void run_health_step(struct sm *sm, struct mono now);

#endif
