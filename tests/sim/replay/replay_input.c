#include "tests/sim/replay/replay_input.h"

void
replay_input(struct sm *sm, const struct sm_input *in, struct sm_work *work)
{
	struct sm_other to;
	struct reason why;
	uint32_t generation;

	switch (in->kind) {
	case SM_INPUT_START:
		sm_start(sm, in->now);
		break;
	case SM_INPUT_RECEIVE:
		sm_receive(sm, in->is.message, in->now);
		break;
	case SM_INPUT_TICK:
		sm_tick(sm, in->now);
		break;
	case SM_INPUT_ROUTED:
		sm_routed(sm, work, in->now);
		break;
	case SM_INPUT_RECONFIGURE:
		sm_reconfigure(sm, in->is.reconfigure.config,
			in->is.reconfigure.changes, in->now);
		break;
	case SM_INPUT_OWN_LINK:
		sm_own_link(sm, in->is.up, in->now);
		break;
	case SM_INPUT_RESWEEP:
		sm_resweep(sm, in->now, in->is.cause);
		break;
	case SM_INPUT_REBALANCE:
		sm_rebalance(sm, in->now, in->is.cause);
		break;
	case SM_INPUT_DRAIN:
		(void)sm_drain(sm, in->is.drain, in->now, &generation, &why);
		break;
	case SM_INPUT_UNDRAIN:
		(void)sm_undrain(
			sm, &in->is.undrain, in->now, &generation, &why);
		break;
	case SM_INPUT_ACCEPT_NAMES:
		sm_names_accept(sm, in->now, in->is.cause);
		break;
	case SM_INPUT_ACCEPT_MISSING:
		sm_missing_accept(sm, in->now);
		break;
	case SM_INPUT_HAND_OVER:
		(void)sm_hand_over(sm, in->is.cause, in->now, &to, &why);
		break;
	case SM_INPUT_RESIGN:
		(void)sm_resign(sm, in->now);
		break;
	case SM_INPUT_SAVE:
		sm_save(sm);
		break;
	case SM_INPUTS:
		break;
	}
}
