/*
 * replay_input: an event that a core told is given to a core again, by the
 * function of sm/core/sm.h that told it.
 */
#ifndef HEDDLE_TESTS_SIM_REPLAY_REPLAY_INPUT_H
#define HEDDLE_TESTS_SIM_REPLAY_REPLAY_INPUT_H

#include "sm/core/sm_input.h"

/* work: of SM_INPUT_ROUTED, what is handed back; NULL otherwise. */
void replay_input(
	struct sm *sm, const struct sm_input *in, struct sm_work *work);

#endif
