/*
 * push: sends a plan to the switches.
 *
 * Sends the steps of one phase as fast as the transactions have room, and
 * begins the next when all of them are answered and, where the plan says so,
 * the drain is over. Only acknowledgements change what is recorded: the device
 * store for forwarding blocks and SL2VL, the owner's port_written and
 * switch_written for port and switch parameters. An answer that does not repeat
 * the block it acknowledges is a failure, not an acknowledgement.
 *
 * The answer to a Set(PortInfo) or Set(SwitchInfo) is compared with all that
 * was sent. What a port lacks of what it needs (port_settings.h) is sent again,
 * without a change of state, and then recorded: it keeps its own, and is not
 * made to fail for it. A port without its LID is.
 *
 * A block whose Set was sent more than once is read back before it is recorded,
 * and stays in doubt for a while: a copy of the Set may still be in flight and
 * overwrite what is written later (device_doubt; device_check.h reads such
 * blocks). The settings of a port or a switch stay in doubt alike. Before a
 * phase that drains, or settles, blocks in doubt whose copy would change them
 * are waited for and read: what was written before is relied on from there. Of
 * multicast tables those count whose copy would add links.
 *
 * A switch that falls silent, or refuses a table or its own port 0, gets no
 * further steps in this plan; it is reported, and the core decides (quarantine,
 * top first, try again). Where a stage or a block fails, or is not sent because
 * its switch failed earlier, the plan is broken: later phases relied on it, so
 * nothing more is sent, blocked dependencies stay blocked, and the next plan
 * starts from what is known then. A port that failed to become Armed is not
 * made Active, nor is its peer. After a refused Set(PortInfo) the port is read
 * first: after a lost answer the repeated Set is refused although the first one
 * did its work.
 *
 * Folder distribution/push: a plan -> Sets -> acknowledgements in the store.
 * Callers: sm/core; sm/audit reads multicast tables by mft.h, sm/report its
 * counters. Read next: push_priv.h; distribution/push/mft.h for multicast.
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
	PUSH_CUT,	 /* no answer, and the path to it is known to be down */
	PUSH_REFUSED,	 /* refused with a status: failed for good */
	PUSH_LIED,	 /* acknowledged something else than was asked */
	PUSH_ABOVE_TOP,	 /* refused a block above LinearFDBTop: not a fault */
	PUSH_NO_SL2VL,	 /* refused a row of SL2VL: not a fault */
	PUSH_NO_WEIGHTS, /* refused its arbitration table: not a fault */
	PUSH_NO_KEYS,	 /* refused P_Keys: not a fault of the whole node */
	PUSH_NO_GUIDS,	 /* refused alias GUIDs: not a fault */
	PUSH_NO_ADAPTIVE, /* did not take adaptive groups: not a fault */
	PUSH_GONE, /* a port is not as it should be: the fabric changed */
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
	uint64_t reads;	     /* Gets answered: learning, settling, checking */
	uint64_t failed;     /* given up */
	uint64_t skipped;    /* not sent: something before failed, or it is in
				place already */
};

/* The inputs of a push; everything is borrowed and must outlive it. */
struct push_job {
	const struct plan *plan;
	struct device_store *hw;
	struct xact *x;
	struct mono drain; /* how long packets stay in flight */
	struct mono stray; /* how long a copy of an SMP does */
	bool by_lid;	   /* SMPs may be routed by LID where that is proven */
	/*
	 * The records of blocked dependencies changed: save them before
	 * returning.
	 */
	void (*journal)(void *cookie);
	/*
	 * A port (or a switch) answered with this PortInfo (SwitchInfo): it is
	 * what it holds now.
	 */
	void (*port_written)(void *cookie, uint64_t node_guid, unsigned port,
		const uint8_t info[MAD_DATA]);
	void (*switch_written)(
		void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA]);
	/* The answer to a step, or none; before it is recorded. Or NULL. */
	void (*answered)(void *cookie, const struct plan_step *s,
		const struct xact_result *res);
	void *cookie;
};

struct push *push_new(const struct push_job *job);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void push_free(struct push *p);

/*
 * Submit what there is room for; call it after the start, completions and
 * timers.
 */
void push_feed(struct push *p, struct mono now);

/*
 * Before the first push_feed: packets that are in flight by then drain first.
 */
void push_drain_first(struct push *p);

/*
 * Before the first push_feed: the first phase relies on what is in place, too:
 * blocks in doubt are waited for and read before it.
 */
void push_settle_first(struct push *p);

/*
 * Before the first push_feed: it is done when packets that were in flight at
 * the end of the last phase have drained.
 */
void push_drain_last(struct push *p);

/* When push_feed is due although nothing was answered. */
struct mono push_next(const struct push *p);

/* Send nothing more; the push is done when everything sent is answered. */
void push_stop(struct push *p);

bool push_done(const struct push *p);
bool push_is_idle(const struct push *p); /* nothing is in flight */

bool push_stopped(const struct push *p);

/* Whether it stopped because a copy of an older Set changed a table. */
bool push_overwritten(const struct push *p);

/* Whether every phase was carried out and none was broken. */
bool push_complete(const struct push *p);

/* The number of the current phase, or of the last one. */
size_t push_phase(const struct push *p);

const struct push_counts *push_counts(const struct push *p);

/*
 * Whether SMPs routed by LID were sent and none came back: see
 * push_lid_routed.h.
 */
bool push_useless_lids(const struct push *p);

/* A block that switch s acknowledged, or UINT32_MAX: none. */
uint32_t push_sample(const struct push *p, sw_ix s);

/*
 * Ports that hold other settings than they were sent (device_kept has both),
 * and switches that keep their LifeTimeValue. Not those that the plan names.
 */
const struct plan_kept *push_kept(const struct push *p, size_t *n);

/* Failures, at most one per node. */
const struct push_failure *push_failures(const struct push *p, size_t *n);

#endif
