/*
 * lft_read: reading back what switches hold, instead of overwriting it.
 *
 * After a restart or a take-over the tables of switches with live ports are
 * read up to their LinearFDBTop, so that only differences are written. A switch
 * with all ports in Init carries no traffic and is written without reading.
 * Blocks without an answer are read again: a block that stays unknown costs
 * traffic (it is quenched, see transition/unknown_lft.c).
 *
 * A switch that rebooted in the middle of a push has acknowledged blocks that
 * it no longer holds, and its LinearFDBTop and LID may be right again. So one
 * block is sampled of every switch with changed ports; where it differs,
 * everything about that switch is unknown again.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_LFT_READ_H
#define HEDDLE_DISTRIBUTION_DEVICE_LFT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/base/map.h"
#include "sm/transport/xact.h"

struct lft_read;

/* The inputs of a read-back; everything is borrowed. */
struct lft_read_job {
	struct device_store *hw;
	struct xact *x;
	const struct map *suspects; /* GUIDs of switches with changed ports */
};

/*
 * Start: sample the suspects among the switches of t, then read the switches of
 * which the store knows nothing. Takes a reference to t; suspects is not kept.
 */
struct lft_read *lft_read_new(struct topo *t, const struct lft_read_job *job);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void lft_read_free(struct lft_read *r);

void lft_read_feed(struct lft_read *r, struct mono now);
bool lft_read_done(const struct lft_read *r);

/* Give up what is unanswered; the read-back is done then. */
void lft_read_stop(struct lft_read *r, struct mono now);

/*
 * Blocks read so far, samples included. Blocks without an answer stay unknown,
 * and will be written; a switch that leaves several in a row unanswered is
 * asked no more.
 */
uint64_t lft_read_count(const struct lft_read *r);

/* Switch s has blocks that would be read, and are not known. */
bool lft_read_lacks(
	const struct topo *t, const struct device_store *hw, sw_ix s);

#endif
