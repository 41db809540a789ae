/*
 * device_check: whether devices hold what they acknowledged, and whether
 * another subnet manager writes to them.
 *
 * Some time after a push, when no copy of a repeated SMP can be in flight any
 * more, the blocks in doubt (device_store.h) are read, and one attribute of
 * every switch that was written, up to a number: a forwarding block, a row of
 * SL2VL, a port. A switch that holds something else than it acknowledged is
 * reported, what it does hold becomes what is known, and the core writes it
 * again. Its port 0 is read as well: without a LID the switch has restarted.
 *
 * Between pushes the owner has some switches and ports checked in turn: a
 * difference there is drift: another subnet manager wrote it, or the device
 * lost its memory.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_CHECK_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct check;

enum device_check_why {
	DEVICE_CHECK_DOUBT, /* copies of Sets were in flight: not the switch's
			       fault */
	DEVICE_CHECK_ACKED, /* acknowledged by the last push */
	DEVICE_CHECK_ROUND, /* checked in turn: no recent write of ours */
};

struct device_check_item {
	/* of DEVICE_LFT, DEVICE_SL2VL, DEVICE_PORT_INFO, DEVICE_SWITCH_INFO,
	   DEVICE_AR_INFO and its tables; attributes whose owner reads what is
	   in doubt (attribute.h) are passed over */
	struct device_at at;
	enum device_check_why why;
	/* only in device_check_wrong: */
	bool empty;	   /* it holds nothing at all */
	const char *field; /* the address of a port that is another one: "LID"
			      and so on, or NULL: its state is lower */
};

/* The inputs of a check; everything is borrowed. */
struct device_check_job {
	struct device_store *hw;
	struct xact *x;
	const struct device_check_item
		*item; /* not kept; items of absent or quarantined nodes are
			  left out */
	size_t n;
	/* Whether a switch that shows this SwitchInfo has other settings than
	 * it acknowledged last. */
	bool (*switch_differs)(
		void *cookie, uint64_t guid, const uint8_t info[MAD_DATA]);
	void *cookie;
};

/*
 * Start with the blocks in doubt and the items of the job. Takes a reference to
 * t.
 */
struct check *device_check_new(
	struct topo *t, const struct device_check_job *job);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void device_check_free(struct check *c);

void device_check_feed(struct check *c, struct mono now);

/* Give up what is unanswered; the check is done then. */
void device_check_stop(struct check *c, struct mono now);

bool device_check_done(const struct check *c);

/* The items that did not match. */
const struct device_check_item *device_check_wrong(
	const struct check *c, size_t *n);

/* "forwarding table block 3", "the SL2VL row from port 3 to port 4", "port 5",
 * "the LID of port 1", for messages. */
void device_check_item_text(
	const struct device_check_item *i, char *out, size_t n);

#endif
