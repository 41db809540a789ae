#include "sm/report/sm_status.h"

static const char *const phase_names[] = {
	[SM_IDLE] = "idle",
	[SM_DISCOVER] = "discovering",
	[SM_ELECT] = "electing",
	[SM_STANDBY] = "standby",
	[SM_CONFIRM] = "confirming",
	[SM_TAKE] = "assigning LIDs",
	[SM_READBACK] = "reading tables",
	[SM_ROUTE] = "routing",
	[SM_PUSH] = "writing",
	[SM_COMMIT] = "committing",
	[SM_NAMES] = "reading names",
	[SM_CHECK] = "checking tables",
};

const char *
sm_phase_name(enum sm_phase p)
{
	return phase_names[p];
}

const char *
sm_role_name(enum sm_role r)
{
	return r == SM_MASTER	     ? "master"
	       : r == SM_STANDING_BY ? "standby"
				     : "discovering";
}
