/*
 * run_check: what is read back after a push, when late copies of its Sets can
 * arrive no more: whether devices hold what they acknowledged, a part of it
 * spread over all of them; and tables in doubt. Light sweeps have some more
 * read (drift.c, run_pkeys.c).
 */
#ifndef HEDDLE_SM_CORE_RUN_CHECK_H
#define HEDDLE_SM_CORE_RUN_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_check.h"
#include "sm/base/clock.h"
#include "sm/base/map.h"

struct sm;
struct check;

/* What is read back; run_check.c. */
struct check_state {
	struct check *reading;
	struct device_check_item *sample; /* what the next check reads */
	size_t nsample, capsample;
	struct map self_caused; /* switches whose ports our plan takes down */
	bool self_caused_trap_seen; /* a trap of one of them was not acted on */
	bool keys_due;		    /* the next check reads P_Key tables */
	port_ix pkey_next;	    /* ... from this port on */
};

void run_check_free(struct sm *sm);
void run_check_schedule(struct sm *sm, struct mono now); /* a push is over */
/* False: there is nothing to check. */
bool run_check_begin(struct sm *sm, struct mono now);
bool run_check_step(struct sm *sm, struct mono now); /* SM_CHECK */

#endif
