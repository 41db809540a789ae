/*
 * run_settings: ports that keep settings of their own: what the plan knows of
 * and what its push found. Where a port lacks something that traffic needs
 * (distribution/tables/port_settings.h) that is an alarm as long as it lacks
 * it; time-outs, lifetimes and thresholds are counted and shown. The first
 * port of either kind is kept by its GUID: its name may be read later.
 */
#ifndef HEDDLE_SM_CORE_RUN_SETTINGS_H
#define HEDDLE_SM_CORE_RUN_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/report/sm_status.h"

struct sm;

/* Ports that keep settings of their own: the first, and how many there are. */
struct sm_settings {
	uint64_t guid;
	uint8_t port;
	uint32_t ports;
	char what[256];
};

/* The push is over: log, status, alarm. */
void run_settings_review(struct sm *sm);
/* Name these ports in the status. */
void run_settings_tell(const struct sm *sm, struct sm_status *out);
void run_settings_reset(struct sm *sm); /* another manager is master */

#endif
