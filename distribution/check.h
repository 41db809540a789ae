/*
 * check: are the switches true to their word?
 *
 * Some time after a push, when copies of repeated SMPs have reached their end,
 * the blocks in doubt (hwstate) are read, and one block of every switch that
 * was written, up to a number. A switch that holds something else than it
 * acknowledged is reported, what it does hold becomes what is known, and the
 * core writes it again.
 */
#ifndef HEDDLE_DISTRIBUTION_CHECK_H
#define HEDDLE_DISTRIBUTION_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/hwstate.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct check;

struct check_block {
	uint64_t guid;
	uint32_t block;
	bool doubted; /* copies of Sets were under way: no lie */
};

/* What a check works with; everything is borrowed. */
struct check_job {
	struct hwstate *hw;
	struct lft_pool *pool;
	struct xact *x;
	uint64_t mkey;
	const struct check_block *sample; /* not kept */
	size_t nsample;
};

/* Start, with the doubts there are. Takes a reference to t. */
struct check *check_new(struct topo *t, const struct check_job *job);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void check_free(struct check *c);

void check_feed(struct check *c, struct mono now);

/* Give up what is unanswered; it is done then. */
void check_stop(struct check *c, struct mono now);

bool check_done(const struct check *c);

/* Blocks that were not what they should be. */
const struct check_block *check_wrong(const struct check *c, size_t *n);

#endif
