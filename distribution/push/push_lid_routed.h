/*
 * push_lid_routed: which switches can be reached by LID while a plan is carried
 * out.
 *
 * An SMP that is routed by LID passes switches as data does; directed ones are
 * forwarded by the processor of every switch on the path. But it depends on the
 * very tables that a push changes. So it is sent only where it is proven to
 * arrive and its answer to come back, whatever part of the plan is done by
 * then: every entry on both paths is known, has one value in all images that
 * the block may hold, and the same value in the new tables; every port on them
 * was read Active and is not taken down by this plan; and both ends have the
 * LIDs that they shall have. Management packets use VL 15, which no row of
 * SL2VL blocks.
 *
 * The proof holds for the fabric as it was read; the next failure may overtake
 * it: a try that strays is followed by directed ones (xact.h), and its switch
 * gets directed SMPs until the plan is over. Where nothing that was sent by LID
 * came back (some fabrics carry directed SMPs alone) the push goes on without,
 * and says so: push_lid_routed_useless. IBA volume 1, 14.2.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_PUSH_LID_ROUTED_H
#define HEDDLE_DISTRIBUTION_PUSH_PUSH_LID_ROUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "distribution/device/device_store.h"
#include "distribution/plan/plan.h"

struct push_lid_routed;

/* Borrows both; they must outlive it. */
struct push_lid_routed *push_lid_routed_new(
	const struct plan *plan, const struct device_store *hw);
void push_lid_routed_free(struct push_lid_routed *l); /* NULL allowed */

/*
 * The LID of switch s of the plan's topology if an SMP for it is proven to
 * arrive by LID, or 0. What hw knows at the first call for a switch counts for
 * the whole plan. NULL allowed: 0.
 */
uint16_t push_lid_routed_of(struct push_lid_routed *l, sw_ix s);

/* The SMP that was sent to switch s by LID was answered, or strayed. */
void push_lid_routed_answered(struct push_lid_routed *l, sw_ix s, bool strayed);

/* Whether several SMPs were sent by LID and none was answered. NULL allowed. */
bool push_lid_routed_useless(const struct push_lid_routed *l);

#endif
