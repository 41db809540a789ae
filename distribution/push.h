/*
 * push: a plan on its way to the switches.
 *
 * Sends the steps of one phase as fast as the transactions have room, begins
 * the next when all of them are answered, and lets nothing but acknowledgements
 * change what is believed: hwstate for forwarding blocks, discovery's draft
 * for port and switch parameters. An answer that does not repeat the block it
 * acknowledges is a failure, not an acknowledgement.
 *
 * A switch that falls silent, or refuses a table or its own port 0, gets no
 * further steps in this plan; it is reported, and the core decides (quarantine,
 * top first, try again). A port whose Armed failed is not made Active, nor is
 * its peer. A refused Set(PortInfo) is asked about first: after a lost answer
 * the repeated Set is refused although the first one did its work.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_H
#define HEDDLE_DISTRIBUTION_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/draft.h"
#include "distribution/hwstate.h"
#include "distribution/plan.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct push;

enum push_cause {
	PUSH_SILENT,	/* no answer after all retries */
	PUSH_REFUSED,	/* a status; in plan.h's sense final */
	PUSH_LIED,	/* acknowledged something else than was asked */
	PUSH_ABOVE_TOP, /* refused a block above LinearFDBTop: not a fault */
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
	uint64_t failed;     /* given up */
	uint64_t skipped;    /* not sent, because something before failed */
};

/* Start; everything is borrowed and must outlive the push. */
struct push *push_new(const struct plan *p, struct hwstate *hw, struct draft *d,
	struct xact *x, uint64_t mkey);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void push_free(struct push *p);

/* Submit what there is room for; call after starting and completions. */
void push_feed(struct push *p, struct mono now);

bool push_done(const struct push *p);

const struct push_counts *push_counts(const struct push *p);

/* Failures, at most one per node. */
const struct push_failure *push_failures(const struct push *p, size_t *n);

#endif
