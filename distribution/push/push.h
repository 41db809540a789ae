/*
 * push: a plan on its way to the switches.
 *
 * Sends the steps of one phase as fast as the transactions have room, begins
 * the next when all of them are answered and, where the plan says so, the
 * drain is over; and lets nothing but acknowledgements change what is
 * believed: hwstate for forwarding blocks and SL2VL, discovery's draft for
 * port and switch parameters. An answer that does not repeat the block it
 * acknowledges is a failure, not an acknowledgement.
 *
 * A block whose Set was sent more than once is read back before it is
 * believed, and stays in doubt for a while: a copy of it may still be under
 * way and land on what is written later (hwstate's doubts; device_check.h
 * looks).
 *
 * A switch that falls silent, or refuses a table or its own port 0, gets no
 * further steps in this plan; it is reported, and the core decides (quarantine,
 * top first, try again). Where a stage or a block fails, or is not sent because
 * its switch failed earlier, the plan is broken:
 * what comes after it relied on it, so nothing more is sent, what is blocked
 * stays blocked, and the next plan starts from what is known then. A port whose
 * Armed failed is not made Active, nor is its peer. A refused Set(PortInfo) is
 * asked about first: after a lost answer the repeated Set is refused although
 * the first one did its work.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_PUSH_H
#define HEDDLE_DISTRIBUTION_PUSH_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/device/device_store.h"
#include "distribution/plan/plan.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct push;

enum push_cause {
	PUSH_SILENT,	 /* no answer after all retries */
	PUSH_CUT,	 /* no answer, and the way to it is known to be down */
	PUSH_REFUSED,	 /* a status; in plan.h's sense final */
	PUSH_LIED,	 /* acknowledged something else than was asked */
	PUSH_ABOVE_TOP,	 /* refused a block above LinearFDBTop: not a fault */
	PUSH_NO_LANES,	 /* refused a row of SL2VL: not a fault */
	PUSH_NO_WEIGHTS, /* refused its arbitration table: likewise */
	PUSH_NO_KEYS,	 /* refused P_Keys: not a fault of the whole node */
	PUSH_GONE,	 /* a port is not as it should be: the fabric changed */
};

struct push_failure {
	node_ix node; /* in the plan's topology */
	port_ix port;
	enum push_cause cause;
	bool condemned; /* the whole switch, not one port of it */
	char why[128];
};

struct push_counts {
	uint64_t lft_blocks; /* acknowledged */
	uint64_t other_sets; /* acknowledged */
	uint64_t reads;	     /* Gets answered: learning, settling, doubts */
	uint64_t failed;     /* given up */
	uint64_t skipped;    /* not sent, because something before failed, or
				already so */
};

/* What a push works with; everything is borrowed and must outlive it. */
struct push_job {
	const struct plan *plan;
	struct device_store *hw;
	struct xact *x;
	uint64_t mkey;
	struct mono drain; /* how long what was sent before may be under way */
	struct mono stray; /* how long a copy of an SMP may be */
	bool by_lid;	   /* SMPs may be routed by LID where that is proven */
	/* The turns that hwstate holds changed: have them on disk on return. */
	void (*journal)(void *cookie);
	/* A port (or a switch) answered with this PortInfo (SwitchInfo): it is
	 * what it holds now. */
	void (*port_written)(void *cookie, uint64_t node_guid, unsigned port,
		const uint8_t info[MAD_DATA]);
	void (*switch_written)(
		void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA]);
	void *cookie;
};

struct push *push_new(const struct push_job *job);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void push_free(struct push *p);

/* Submit what there is room for; call after starting, completions, timers. */
void push_feed(struct push *p, struct mono now);

/* Before the first push_feed: what is under way by then drains first. */
void push_drain_first(struct push *p);

/* When push_feed wants to be called although nothing was answered. */
struct mono push_next(const struct push *p);

/* Send nothing more; done as soon as everything sent is answered. */
void push_stop(struct push *p);

bool push_done(const struct push *p);

bool push_stopped(const struct push *p);

/* Every phase was begun and none was broken. */
bool push_complete(const struct push *p);

/* The number of the phase that is under way, or of the last one. */
size_t push_phase(const struct push *p);

const struct push_counts *push_counts(const struct push *p);

/* SMPs routed by LID were sent, and none came back: see push_lid_routed.h. */
bool push_useless_lids(const struct push *p);

/* A block that switch s acknowledged, or UINT32_MAX: none. */
uint32_t push_sample(const struct push *p, sw_ix s);

/* Failures, at most one per node. */
const struct push_failure *push_failures(const struct push *p, size_t *n);

#endif
