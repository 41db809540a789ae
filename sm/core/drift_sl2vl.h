/*
 * drift_sl2vl: blocked (in-port, out-port) pairs that another subnet manager
 * left behind: searched for in the background
 * (distribution/device/sl2vl_scan.h) while one layer is in use; with more, the
 * plans know every row. A pair that is found counts as blocked by us, so that
 * the next plan opens it, and is logged. There may be thousands, and a plan
 * waits for packets to drain, so one plan is made for all that are found
 * within GATHER_MS.
 */
#ifndef HEDDLE_SM_CORE_DRIFT_SL2VL_H
#define HEDDLE_SM_CORE_DRIFT_SL2VL_H

#include <stdbool.h>
#include <stdint.h>

#include "distribution/device/sl2vl_scan.h"
#include "sm/base/clock.h"

struct sm;
struct sl2vl_scan;

/* Pairs that others left blocked; drift_sl2vl.c. */
struct foreign_blocks {
	struct sl2vl_scan *scan;
	size_t nleft_closed; /* found, and not planned for yet */
};

void drift_sl2vl_forget(struct sm *sm, bool hurry); /* all rows are unknown */
void drift_sl2vl_publish(struct sm *sm, struct mono now); /* a run is over */
void drift_sl2vl_renew(struct sm *sm, struct mono now);	  /* another view */
struct mono drift_sl2vl_next(const struct sm *sm);
/* Search on, where nothing else is done; a plan is marked when one is due. */
void drift_sl2vl_step(struct sm *sm, struct mono now);

#endif
