#include "sm/core/in_flight.h"

#include "sm/core/sm_priv.h"

enum {
	STRAY_TIMEOUTS = 8,
	INFINITE = 20 /* lifetime codes from here on: unlimited */
};

/* ---- how long ---- */

static struct mono
code_time(uint32_t code)
{
	return (struct mono){(int64_t)4096 << (code < INFINITE ? code : 19)};
}

/*
 * How long a packet may still be on its way. With strict_drain by lifetimes: at
 * each switch of the longest path it may wait in the switch and at the head of
 * a queue; otherwise as configured.
 */
struct mono
in_flight_drain(const struct sm *sm)
{
	const struct config_link *l = &sm->cfg->link;
	const struct topo *t = sm->run.topo;
	uint32_t code = l->hoq_lifetime;
	uint16_t far = 1;
	node_ix n;

	if (!sm->cfg->distribution.strict_drain)
		return sm->cfg->distribution.drain;
	if (code > l->packet_lifetime)
		code = l->packet_lifetime;
	for (n = 0; n < t->nnodes; n++)
		if (t->node[n].hops > far && t->node[n].hops <= TOPO_MAX_HOPS)
			far = t->node[n].hops;
	return (struct mono){code_time(code).ns * 2 * far};
}

struct mono
in_flight_stray(const struct sm *sm)
{
	return (struct mono){sm->cfg->smp.timeout.ns * STRAY_TIMEOUTS};
}

/* ---- what the next start must know ---- */

static void
record_writing(struct sm *sm, bool writing)
{
	if (sm->in_flight.recorded != writing)
		sm->ops->writing(sm->ops->cookie, writing);
	sm->in_flight.recorded = writing;
}

void
in_flight_writing(struct sm *sm)
{
	record_writing(sm, true);
}

void
in_flight_written(struct sm *sm, bool mcast)
{
	size_t doubts;

	(void)device_doubts(sm->hw, &doubts);
	if (sm->phase != SM_PUSH && !timer_is_set(&sm->timers, TIMER_CHECK) &&
		doubts == 0 && !mcast)
		record_writing(sm, false);
}

void
in_flight_read_doubts(struct sm *sm, struct mono now)
{
	size_t n;
	const struct device_doubt *d = device_doubts(sm->hw, &n);

	for (size_t i = 0; i < n; i++) {
		if (device_attribute[d[i].at.attr].doubts == DEVICE_OWNER_ENDS)
			continue;
		if (!timer_is_set(&sm->timers, TIMER_CHECK))
			timer_set(&sm->timers, TIMER_CHECK, now);
		if (mono_before(
			    timer_due(&sm->timers, TIMER_CHECK), d[i].until))
			timer_set(&sm->timers, TIMER_CHECK, d[i].until);
	}
}

/*
 * The previous run ended while it wrote, or another master did: its Sets may
 * still arrive, after what is read now. They may change tables, or bring up
 * ports that were found down, so nothing is read until they cannot arrive any
 * more; and nothing is written until packets by older tables have drained.
 */
void
in_flight_inherit(struct sm *sm, struct mono then)
{
	sm->in_flight.late_sets_until = mono_add(then, in_flight_stray(sm));
}

void
in_flight_restart(struct sm *sm, struct mono now)
{
	if (sm->in_flight.recorded)
		in_flight_inherit(sm, now);
}

bool
in_flight_expects_sets(const struct sm *sm, struct mono now)
{
	return sm->in_flight.late_sets_until.ns != MONO_NEVER.ns &&
	       mono_before(now, sm->in_flight.late_sets_until);
}

/* ---- what was acknowledged ---- */

void
in_flight_switch_written(
	void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA])
{
	struct sm *sm = cookie;

	builder_switch_written(sm->builder, node_guid, info);
}

bool
in_flight_switch_differs(
	void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA])
{
	const struct sm *sm = cookie;

	return builder_switch_differs(sm->builder, node_guid, info);
}
