/*
 * push_lid_routed: which switches can be reached by LID while a plan is carried
 * out.
 *
 * An SMP that is routed by LID passes switches as data does; directed ones are
 * handed on by the processor of every switch on the way. But it depends on the
 * very tables that a push changes. So it is sent only where it is proven to
 * arrive and its answer to come back, whatever of the plan is done by then:
 * every entry on both ways is known, has one value in all that the block may
 * hold, and the same in the new tables; every port on them was read Active and
 * is not taken down by this plan; and both ends have the LIDs that they shall
 * have. Management packets use lane 15, which no row of SL2VL closes.
 *
 * What is proven of the fabric as it was read may be overtaken by the next
 * failure: a try that strays is followed by directed ones (xact.h), and its
 * switch is written to directed until the plan is over. Where nothing that was
 * sent by LID came back (some fabrics carry directed SMPs alone) the push goes
 * on without, and says so: push_lid_routed_useless. IBA volume 1, 14.2.
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
 * The LID of switch s of the plan's topology where an SMP for it is proven to
 * arrive by it, or 0. What hw knows when a switch is first asked for counts for
 * the whole plan. NULL allowed: 0.
 */
uint16_t push_lid_routed_of(struct push_lid_routed *l, sw_ix s);

/* What was sent to switch s by LID was answered, or strayed. */
void push_lid_routed_answered(struct push_lid_routed *l, sw_ix s, bool strayed);

/* Several SMPs were sent by LID, and none was answered. NULL allowed. */
bool push_lid_routed_useless(const struct push_lid_routed *l);

#endif
