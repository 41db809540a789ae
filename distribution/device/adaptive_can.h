/*
 * adaptive_can: which switches may choose among ports, by what they said and by
 * how they took what they were sent; and why another may not.
 *
 * A switch that may not is one with a forwarding table alone (ROUTE_FIXED of
 * routing/core/route_sets.h): never a fault of the fabric.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_CAN_H
#define HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_CAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "routing/core/route_sets.h"
#include "sm/mad/mad_ar.h"

struct adaptive_can {
	struct route_choice choice;
	const uint8_t *info; /* ARInfo, until the store changes; or NULL */
	bool is_on;	     /* it chooses now, by groups of ours */
	bool is_found;	     /* ... by groups that it was found with: whose they
				are the plan says (DEVICE_FOUND) */
	bool stays_on;	     /* ... and a Set of the forwarding table does not
				switch it off */
	bool by_sl;	     /* it can tell service levels apart */
	uint8_t sub_groups;  /* that a group may have */
	char why[120];	     /* ROUTE_FIXED: as the rest of a sentence about
				the switch: "has no adaptive routing" */
};

/* by_sl: it may only if it tells service levels apart. */
void adaptive_can_of(const struct device_store *h, const struct topo *t,
	sw_ix s, bool by_sl, struct adaptive_can *out);

/*
 * True if a switch in quarantine may choose among ports, as it said, or because
 * it could not be asked: nothing switches that off, and the ports that it has
 * beside those of its forwarding table are in no mixture of tables.
 */
bool adaptive_can_unwritten(const struct device_store *h, const struct topo *t);

/* The switch did not take, or keep, what it was sent: it is one with a
 * forwarding table alone until it has lost its memory. */
void adaptive_can_not(struct device_store *h, uint64_t guid);

#endif
