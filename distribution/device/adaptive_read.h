/*
 * adaptive_read: reading back the groups by which switches choose among ports,
 * instead of making them anew.
 *
 * After a restart or a take-over switches still choose by what was written
 * before. Their entries are read as far as their forwarding tables are, then
 * the groups that entries name, so that the plan can compare. Until it has,
 * they are found and not proven: the plan leaves a switch on that holds what it
 * shall hold, where no forwarding table changes, and switches off any other
 * (plan_adaptive.c). What has no answer stays unknown, which differs.
 *
 * Which switches are asked says the mark DEVICE_FOUND, which foreign_adaptive.h
 * sets. Entries are read block after block, each of all switches, as lft_read.h
 * does: equal blocks that are read together share their memory. The last block
 * comes first: the store has room for all from then on.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_READ_H
#define HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct adaptive_read;

/* Start on the switches of t where groups were found; of their blocks those
 * that are unknown are read. Takes a reference to t; hw and x are borrowed. */
struct adaptive_read *adaptive_read_new(
	struct topo *t, struct device_store *hw, struct xact *x);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void adaptive_read_free(struct adaptive_read *r);

void adaptive_read_feed(struct adaptive_read *r, struct mono now);
bool adaptive_read_done(const struct adaptive_read *r);

/* Give up what is unanswered; the read-back is done then. */
void adaptive_read_stop(struct adaptive_read *r, struct mono now);

/* Switches that are read. */
uint32_t adaptive_read_switches(const struct adaptive_read *r);

#endif
