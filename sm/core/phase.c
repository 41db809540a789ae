#include "sm/core/phase.h"

#include "sm/core/sm_priv.h"

void
phase_enter(struct sm *sm, enum sm_phase phase, struct mono now)
{
	log_debug("sm: phase=%s generation=%u", sm_phase_name(phase),
		sm->generation);
	sm->phase = phase;
	sm->run.phase_began = now;
}

struct view *
phase_view(const struct sm *sm)
{
	/* that of a former reign is of the past */
	return sm->role == SM_MASTER && sm->standby.view == NULL
		       ? sm->view
		       : sm->standby.view;
}
