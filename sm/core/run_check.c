#include "sm/core/run_check.h"

#include <stdlib.h>

#include "sm/core/sm_priv.h"

enum {
	MAX_SAMPLES = 256,  /* blocks read after a push */
	TABLES_SAMPLED = 16 /* one in 16 blocks of groups and entries */
};

/* ---- what ---- */

/* What to read back for a step; false: nothing. */
static bool
sample_of_step(const struct topo *t, const struct plan_step *s,
	struct device_check_item *i)
{
	const struct topo_port *p = &t->port[s->port];
	const struct topo_node *n = &t->node[p->node];
	struct device_at *at = &i->at;

	*i = (struct device_check_item){
		.at = {n->guid, (enum device_attr)s->attr, p->num, 0},
		.why = DEVICE_CHECK_ACKED};
	if (s->attr == DEVICE_PKEY)
		return true;
	if (adaptive_use_has(at->attr) && s->kind != PLAN_ADAPTIVE_OFF) {
		at->block = s->block;
		return !plan_reads(s);
	}
	/* of the Sets of a port that comes up the last one is enough */
	if (s->attr == DEVICE_PORT_INFO && !plan_reads(s) &&
		s->kind != PLAN_DOWN && s->kind != PLAN_PREPARE &&
		s->kind != PLAN_ARM)
		return true;
	if (s->attr != DEVICE_SL2VL || n->type != TOPO_SWITCH ||
		plan_reads(s) || n->nports < 2)
		return false;
	at->port = (s->block & PLAN_ALL_OUT) != 0 ? 2 : at->port;
	at->block = (s->block & PLAN_ALL_IN) != 0 ? (at->port == 1 ? 2 : 1)
						  : s->block & 0xff;
	return true;
}

/* Of the rows and ports that were written a part, spread over all of them;
 * adaptive groups and entries are many for one change. */
static void
sample_steps(struct sm *sm)
{
	const struct plan *p = sm->run.plan;
	size_t step = p->nsteps / MAX_SAMPLES + 1, tables = 0;

	for (size_t k = sm->generation % step; k < p->nsteps; k += step) {
		struct device_check_item i;

		if (!sample_of_step(p->topo, &p->step[k], &i))
			continue;
		if ((i.at.attr == DEVICE_AR_GROUP ||
			    i.at.attr == DEVICE_AR_LFT) &&
			tables++ % TABLES_SAMPLED != 0)
			continue;
		drift_sample(sm, &i);
	}
}

static void
take_samples(struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	uint32_t step = t->nsw / MAX_SAMPLES + 1;
	sw_ix s;

	sm->check.nsample = 0;
	for (s = sm->generation % step; s < t->nsw; s += step) {
		uint32_t b = push_sample(sm->run.push, s);

		if (b == UINT32_MAX)
			continue;
		drift_sample(
			sm, &(struct device_check_item){
				    .at = device_at_lft(
					    t->node[t->sw[s].node].guid, b),
				    .why = DEVICE_CHECK_ACKED});
	}
	sample_steps(sm);
	drift_sample_all(sm, t);
}

/* The push has ended, complete or stopped. */
void
run_check_schedule(struct sm *sm, struct mono now)
{
	take_samples(sm);
	timer_set(&sm->timers, TIMER_CHECK, mono_add(now, in_flight_drain(sm)));
	in_flight_read_doubts(sm, now);
}

/* ---- the phase ---- */

static void
forget_expected_traps(struct sm *sm, struct mono now)
{
	map_free(&sm->check.self_caused);
	if (sm->check.self_caused_trap_seen)
		timer_set(&sm->timers, TIMER_LIGHT, now);
	sm->check.self_caused_trap_seen = false;
}

bool
run_check_begin(struct sm *sm, struct mono now)
{
	const struct device_check_job job = {
		.hw = sm->hw,
		.x = sm->x,
		.item = sm->check.sample,
		.n = sm->check.nsample,
		.switch_differs = in_flight_switch_differs,
		.cookie = sm,
	};

	timer_stop(&sm->timers, TIMER_CHECK);
	if (sm->view == NULL)
		return false;
	sm->check.reading = device_check_new(sm->view->topo, &job);
	run_pkeys_check(sm);
	phase_enter(sm, SM_CHECK, now);
	return true;
}

bool
run_check_step(struct sm *sm, struct mono now)
{
	if (timer_is_due(&sm->timers, TIMER_RUN, now)) {
		/* a change comes first; the check begins anew after it */
		device_check_stop(sm->check.reading, now);
		run_pkeys_stop_check(sm, now);
		device_check_free(sm->check.reading);
		sm->check.reading = NULL;
		timer_set(&sm->timers, TIMER_CHECK, now);
		phase_enter(sm, SM_IDLE, now);
		return true;
	}
	device_check_feed(sm->check.reading, now);
	pkey_read_feed(sm->run.pkey_read, now);
	if (!device_check_done(sm->check.reading) ||
		!pkey_read_done(sm->run.pkey_read))
		return false;
	run_pkeys_checked(sm, now);
	drift_checked(sm, now);
	sm->stat.checked += sm->check.nsample;
	sm->check.nsample = 0;
	device_check_free(sm->check.reading);
	sm->check.reading = NULL;
	device_believe(sm->hw, sm->run.phase_began);
	device_drained(sm->hw);
	forget_expected_traps(sm, now);
	blocked_review(sm, now);
	in_flight_written(sm, run_mcast_writing(sm));
	phase_enter(sm, SM_IDLE, now);
	return true;
}

void
run_check_free(struct sm *sm)
{
	device_check_free(sm->check.reading);
	free(sm->check.sample);
	map_free(&sm->check.self_caused);
}
