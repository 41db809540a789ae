/*
 * device_write: what the device store makes of a Set: from the moment that it
 * leaves the block is unknown, and the answer says what the device holds. A
 * device may acknowledge something else than it was sent.
 *
 * Forwarding tables are not written by this: packets meet their old value and
 * the new one (device_sending).
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_WRITE_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_WRITE_H

#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

/* A Set of a block; everything is borrowed. */
struct device_set {
	const struct topo *topo;
	port_ix port;
	enum device_attr attr;
	uint32_t block;
	const uint8_t *data;
};

/* What became of a Set. */
enum device_taken {
	DEVICE_TOOK,
	DEVICE_TOOK_OTHER, /* it acknowledged something else, which is recorded
			    */
	DEVICE_REFUSED,	   /* with a status */
	DEVICE_LOST,	   /* no answer, or cancelled */
};

/* Whether the device is known to hold what the Set would write. */
bool device_has_taken(
	const struct device_store *h, const struct device_set *set);

/* The Set is about to leave. */
void device_set_leaves(struct device_store *h, const struct device_set *set);

/* Its answer; stray: how long a copy of it may stay in flight. */
enum device_taken device_set_answered(struct device_store *h,
	const struct device_set *set, const struct xact_result *res,
	struct mono stray);

/* The answer to a Set that was sent more than once, or had none: copies of it
 * may arrive for so long. For all that has no device_set. */
void device_doubt_copies(struct device_store *h, struct device_at at,
	const uint8_t *sent, const struct xact_result *res, struct mono stray);

/* What was read of a block: bytes that the port does not have count for 0. */
void device_record(struct device_store *h, const struct topo *t, port_ix p,
	struct device_at at, const uint8_t *data);

#endif
