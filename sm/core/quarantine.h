/*
 * quarantine: which switches are excluded from transit, and for how long. A
 * switch that refuses its tables, or does not answer writes although it
 * answers questions, is quarantined for a time that doubles; the rest of the
 * fabric goes on without it. What the failures of a push lead to is decided
 * here.
 */
#ifndef HEDDLE_SM_CORE_QUARANTINE_H
#define HEDDLE_SM_CORE_QUARANTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "distribution/device/device_check.h"
#include "sm/base/clock.h"

struct sm;

/* A switch that refused its tables: excluded from transit until a time, then
 * tried again. */
struct sm_quarantined {
	uint64_t guid;
	struct mono until;
	struct mono wait;    /* doubles each time; 0: never excluded yet */
	unsigned false_acks; /* blocks it acknowledged and did not hold */
	struct mono last_false_ack; /* the last of them */
	unsigned silent;	    /* pushes in a row that it did not answer */
	bool locked;		    /* until its M_Key is known */
	bool keeps_rows;	    /* it refuses rows of SL2VL; not excluded */
	char why[128];		    /* for the last exclusion */
};

struct quarantine {
	struct sm_quarantined *list;
	size_t n, cap;
};

/* What failures of a push lead to, worst last. */
enum sm_verdict {
	SM_WRITTEN,
	SM_PLAN_AGAIN,
	SM_PROBE_FIRST, /* read what is marked dirty first */
	SM_SWEEP_AGAIN
};
enum sm_verdict quarantine_failures(struct sm *sm, struct mono now);
struct sm_quarantined *quarantine_find(
	struct sm *sm, uint64_t guid);		       /* or NULL */
void quarantine_apply(struct sm *sm, struct mono now); /* before a freeze */
/* M_Keys became known: switches that were locked are probed. */
void quarantine_unlock(struct sm *sm, struct mono now);
void quarantine_release(struct sm *sm); /* forgets silence, after a good push */
/* A node acknowledged a block and holds another. */
void quarantine_for_disobedience(
	struct sm *sm, const struct device_check_item *i, struct mono now);

#endif
