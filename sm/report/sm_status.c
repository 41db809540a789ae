#include "sm/report/sm_status.h"

#include <stddef.h>
#include <string.h>

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

#define COUNTER(name, member)                                                  \
	{                                                                      \
		name, offsetof(struct sm_status, member)                       \
	}

const struct sm_status_counter *
sm_status_counters(size_t *n)
{
	static const struct sm_status_counter all[] = {
		COUNTER("full", sweeps_full),
		COUNTER("light", sweeps_light),
		COUNTER("probes", probes),
		COUNTER("plan_failures", plan_failures),
		COUNTER("pushes_stopped", pushes_stopped),
		COUNTER("checked_blocks", checked),
		COUNTER("differing_blocks", not_held),
		COUNTER("altered", drifted),
		COUNTER("checked_key_blocks", keys_checked),
		COUNTER("altered_key_tables", keys_drifted),
		COUNTER("links_lost_late", paths_lost),
		COUNTER("rows_freed", rows_freed),
		COUNTER("adaptive_off", adaptive_off),
	};

	*n = sizeof(all) / sizeof(all[0]);
	return all;
}

uint64_t
sm_status_count(const struct sm_status *s, const struct sm_status_counter *c)
{
	uint64_t v;

	memcpy(&v, (const char *)s + c->offset, sizeof(v));
	return v;
}
