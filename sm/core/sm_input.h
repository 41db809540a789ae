/*
 * sm_input: everything that comes into the core, as a value. Each event
 * function of sm.h tells its own to sm_ops.input before it acts on it: what was
 * told in one process can be lived again in another (sm/record/record_entry.h,
 * tests/sim/replay/replay.h).
 *
 * The core has no other inputs than these, what it is made of (sm_new), and
 * what it asks for while it acts: whether a message could be sent, and
 * sm_ops.seconds. What sm_ops.event returns is shown, and decides nothing. A
 * job of routing is a pure function, so that it is enough to know when it was
 * handed back.
 */
#ifndef HEDDLE_SM_CORE_SM_INPUT_H
#define HEDDLE_SM_CORE_SM_INPUT_H

#include "sm/core/sm.h"

enum sm_input_kind {
	SM_INPUT_START,
	SM_INPUT_RECEIVE,
	SM_INPUT_TICK,
	SM_INPUT_ROUTED,
	SM_INPUT_RECONFIGURE,
	SM_INPUT_OWN_LINK,
	SM_INPUT_RESWEEP,
	SM_INPUT_REBALANCE,
	SM_INPUT_DRAIN,
	SM_INPUT_UNDRAIN,
	SM_INPUT_ACCEPT_NAMES,
	SM_INPUT_ACCEPT_MISSING,
	SM_INPUT_HAND_OVER,
	SM_INPUT_RESIGN,
	SM_INPUT_SAVE,
	SM_INPUTS,
};

/* All pointers are lent for the call. */
struct sm_input {
	enum sm_input_kind kind;
	struct mono now; /* 0 of SAVE */
	union {
		const struct transport_msg *message; /* RECEIVE */
		struct {
			struct config *config;
			const struct config_changes *changes;
		} reconfigure;
		bool up;	   /* OWN_LINK */
		const char *cause; /* RESWEEP, REBALANCE, ACCEPT_NAMES,
				      HAND_OVER */
		const struct sm_drain *drain; /* DRAIN */
		struct sm_undrain undrain;
	} is;
};

#endif
