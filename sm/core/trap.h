/*
 * trap: what a trap marks dirty. A trap is a hint about one node: that node,
 * or the switch next to it, is asked; nothing in a trap is believed as such.
 * Traps about faults are counted and told (trap_fault.c).
 */
#ifndef HEDDLE_SM_CORE_TRAP_H
#define HEDDLE_SM_CORE_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/log.h"
#include "sm/core/trap_filter.h"

struct sm;
struct transport_msg;
struct smp;

/* Light sweeps and probes for traps about unknown LIDs: one in this time. */
enum { STRANGER_MS = 5000 };

struct traps {
	struct trap_filter *filter;
	struct mono stranger_next; /* not before: a light sweep, or probe, for a
				      trap about an unknown LID */
	struct log_limit noise;
};

/* A trap has arrived. */
void trap_receive(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, struct mono now);

#endif
