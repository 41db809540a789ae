/*
 * readback: learning what switches hold, instead of overwriting it.
 *
 * After a restart or a takeover the tables of switches with live ports are
 * read up to their LinearFDBTop, so that only differences are written. A
 * switch with all ports in Init carries no traffic and is written blind.
 */
#ifndef HEDDLE_DISTRIBUTION_READBACK_H
#define HEDDLE_DISTRIBUTION_READBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/hwstate.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct readback;

/*
 * Start for the switches of t that hw knows nothing about. Takes a reference
 * to t; hw, pool and x are borrowed.
 */
struct readback *readback_new(struct topo *t, struct hwstate *hw,
	struct lft_pool *pool, struct xact *x, uint64_t mkey);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void readback_free(struct readback *r);

void readback_feed(struct readback *r, struct mono now);
bool readback_done(const struct readback *r);

/* Blocks read so far. Unreadable blocks stay unknown, and will be written. */
uint64_t readback_count(const struct readback *r);

#endif
