#include "sm/core/run_push.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	MAX_STOPS = 8, /* pushes in a row that may be overtaken */
	LOSS_ESTIMATE_STEPS =
		300000 /* some milliseconds, when the estimate is asked for */
};

/* ---- before ---- */

static void
drain_inherited(struct sm *sm, struct mono now)
{
	if (sm->in_flight.late_sets_until.ns == MONO_NEVER.ns)
		return;
	if (mono_before(now, mono_add(sm->in_flight.late_sets_until,
				     in_flight_drain(sm))))
		push_drain_first(sm->run.push);
	sm->in_flight.late_sets_until = MONO_NEVER;
}

/* Packets of tables, or of groups, that were in force before this push. */
static void
drain_before(struct sm *sm, struct mono now)
{
	drain_inherited(sm, now);
	if (run_adaptive_drains(sm, now))
		push_drain_first(sm->run.push);
}

/* ---- planning ---- */

static void
save_journal(void *cookie)
{
	state_keep_save(cookie, true);
}

static void
port_written(void *cookie, uint64_t node_guid, unsigned port,
	const uint8_t info[MAD_DATA])
{
	struct sm *sm = cookie;

	builder_port_written(sm->builder, node_guid, port, info);
}

static void
log_plan(const struct plan *p)
{
	const struct transition_result *x = p->change;

	if (x->kind == TRANSITION_NOTHING && x->stale[0] == '\0')
		return;
	if (x->unread > 0)
		log_warn("push: the old tables of %u live switches are unknown",
			x->unread);
	if (x->nquenches > 0)
		log_warn("push: entries that lead to unknown tables, or to "
			 "switches that cannot be written, are set to discard "
			 "first blocks=%zu",
			x->nquenches);
	if (x->ports_down != NULL)
		log_warn("push: all ports go down for this change, no order of "
			 "writes is safe while packets travel cause=\"%s\"",
			x->ports_down);
	if (x->stale[0] != '\0' && x->ports_down == NULL)
		log_warn("push: connections made with earlier SLs could "
			 "deadlock with these tables; dependencies kept "
			 "blocked=%zu until their ports come up anew: %s",
			x->nstays, x->stale);
	log_info("push: method=%s kind=%s stages=%u blocked=%zu entries=%llu "
		 "blocks=%llu steps=%zu%s%s",
		transition_method_name(x->method),
		transition_kind_name(x->kind), x->nstages, x->ndeps,
		(unsigned long long)x->entries, (unsigned long long)x->blocks,
		p->nsteps, x->cause[0] != '\0' ? " cause=" : "", x->cause);
}

/*
 * Switches whose ports the plan takes down send traps, perhaps more than once
 * and late. Those traps are not acted on; whether there was other news among
 * them is what a light sweep finds out after the check.
 */
static void
expect_traps(struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	port_ix p;

	for (p = 0; p < t->nports && sm->run.plan->downed != NULL; p++)
		if (sm->run.plan->downed[p])
			map_put(&sm->check.self_caused,
				t->node[t->port[p].node].guid, 0);
}

const char *
run_push_writes(const struct sm *sm)
{
	size_t at = push_phase(sm->run.push);

	return at < sm->run.plan->nphases
		       ? plan_kind_name(sm->run.plan->phase[at].kind)
		       : "";
}

bool
run_push_caused(struct sm *sm, uint64_t guid)
{
	if (!map_get(&sm->check.self_caused, guid, NULL))
		return false;
	sm->stat.traps_ours++;
	sm->check.self_caused_trap_seen = true;
	return true;
}

/*
 * What hosts may hold from now on is saved. Before the first view, where layers
 * need their SLs, that is that none was ever given out: a restart that finds
 * ports in use, and does not know that, has to expect any SL on them.
 */
static void
save_before_push(struct sm *sm, struct mono now)
{
	bool first = sm->view == NULL && sm->run.routes->layers.n > 1 &&
		     sl_history_layers(sm->sl_history) == 0;

	if (timer_is_due(&sm->timers, TIMER_SAVE, now) ||
		(first && sm->run.plan->nsteps > 0))
		state_keep_save(sm, false);
}

void
run_push_start(struct sm *sm, struct mono now)
{
	const struct push_job push = {
		.plan = sm->run.plan,
		.hw = sm->hw,
		.x = sm->x,
		.drain = in_flight_drain(sm),
		.stray = in_flight_stray(sm),
		.by_lid = sm->cfg->smp.lid_routed && !sm->stat.directed_only,
		.journal = save_journal,
		.port_written = port_written,
		.switch_written = in_flight_switch_written,
		.cookie = sm,
	};

	sl2vl_scan_discard(sm->foreign.scan);
	expect_traps(sm);
	if (transition_ends_connections(sm->run.plan->change))
		sa_pause(sm->hosts.sa);
	sm->run.push = push_new(&push);
	drain_before(sm, now);
	if (maintenance_is_pending(sm))
		push_drain_last(sm->run.push); /* then it may be pulled */
	log_plan(sm->run.plan);
	sm->run.waited = mono_sub(now, sm->run.first_heard);
	save_before_push(sm, now);
	if (sm->run.plan->nsteps > 0)
		in_flight_writing(sm);
	run_mcast_before_push(sm, now);
	phase_enter(sm, SM_PUSH, now);
}

struct mono
run_push_next(const struct sm *sm)
{
	struct mono t = push_next(sm->run.push);

	if (sm->dirty.overtook < MAX_STOPS && !sm->dirty.patient &&
		!push_stopped(sm->run.push))
		t = mono_min(t, timer_due(&sm->timers, TIMER_RUN));
	return t;
}

bool
run_push_is_overtaken(const struct sm *sm, struct mono now)
{
	return timer_is_due(&sm->timers, TIMER_RUN, now) &&
	       !sm->dirty.patient && sm->dirty.overtook < MAX_STOPS;
}

/*
 * The fabric has changed since this was planned: Sets that are under way are
 * waited for, the rest would be written for a fabric that is no more.
 */
void
run_push_watch(struct sm *sm, struct mono now)
{
	if (run_push_is_overtaken(sm, now) && !push_complete(sm->run.push))
		push_stop(sm->run.push);
}

/* ---- afterwards ---- */

static void
list_phases(const struct plan *p, struct view_change *c)
{
	size_t i;

	c->nphases = p->nphases;
	c->phase = mem_zalloc(c->nphases, sizeof(*c->phase));
	for (i = 0; i < c->nphases; i++) {
		const struct plan_phase *f = &p->phase[i];

		c->phase[i] = (struct view_phase){
			.what = plan_kind_name(f->kind),
			.stage = f->kind == PLAN_LFT && !f->fresh
					 ? f->stage + 1U
					 : 0,
			.smps = f->end - f->first,
			.drain = f->drain,
		};
	}
}

static void
list_blocked(const struct plan *p, struct view_change *c)
{
	const struct transition_result *x = p->change;
	const struct topo *t = p->topo;
	size_t i;

	c->ndeps = x->ndeps;
	c->dep = mem_zalloc(c->ndeps, sizeof(*c->dep));
	for (i = 0; i < c->ndeps; i++)
		c->dep[i] = (struct view_dependency){
			.guid = t->node[t->sw[x->dep[i].sw].node].guid,
			.in = x->dep[i].in,
			.out = x->dep[i].out,
			.by_port = x->dep[i].by_port,
			.pairs = x->dep[i].pairs,
		};
}

/* The packet loss that the change was to cost hosts, at the present pace of the
 * wire: the old view is still in force. */
static struct expectation *
expect_loss(const struct sm *sm)
{
	struct loss_estimate_job job = {
		.change = sm->run.plan->change,
		.to = sm->run.plan->routes,
		.from = sm->view != NULL ? sm->view->routes : NULL,
		.pace = loss_estimate_pace_defaults(),
		.waited = sm->run.waited,
		.steps = LOSS_ESTIMATE_STEPS,
	};

	job.pace.answer = xact_stats(sm->x)->answer;
	job.pace.window = xact_stats(sm->x)->window;
	job.pace.target = sm->cfg->smp.target_max;
	job.pace.drain = in_flight_drain(sm);
	return loss_estimate_begin(&job);
}

static void
account_change(struct sm *sm)
{
	const struct transition_result *x = sm->run.plan->change;
	struct view_change *c = &sm->run.change;

	view_change_free(c);
	*c = (struct view_change){
		.method = transition_method_name(x->method),
		.kind = transition_kind_name(x->kind),
		.stages = x->nstages,
		.smps = sm->run.plan->nsteps,
		.pairs = x->cut_pairs,
		.paper_pairs = x->paper_pairs,
		.entries = x->entries,
		.blocks = x->blocks,
		.kept = x->kept,
		.mixed_edges = x->mixed_edges,
		.cyclic = x->cyclic,
		.unread = x->unread,
		.mismatched_ports = sm->run.plan->mismatched_ports,
		.ports_down = x->ports_down,
	};
	c->nstays = x->nstays;
	c->relayers = x->relayers;
	(void)snprintf(c->cause, sizeof(c->cause), "%s", x->cause);
	(void)snprintf(c->stale, sizeof(c->stale), "%s", x->stale);
	list_phases(sm->run.plan, c);
	list_blocked(sm->run.plan, c);
	c->expected = expect_loss(sm);
}

/* Switch to directed SMPs alone where SMPs routed by LID had no answer. */
static void
check_lid_routing(struct sm *sm)
{
	if (!push_useless_lids(sm->run.push) || sm->stat.directed_only)
		return;
	sm->stat.directed_only = true;
	log_warn("push: LID-routed SMPs are not answered although the tables "
		 "carry them, directed ones are: all are directed from now on "
		 "strayed=%llu",
		(unsigned long long)xact_stats(sm->x)->strayed);
}

static bool
has_downed_port(const struct plan *p, sw_ix s)
{
	const struct topo_node *n = &p->topo->node[p->topo->sw[s].node];

	for (unsigned port = 0; port <= n->nports; port++)
		if (p->downed[n->first_port + port])
			return true;
	return false;
}

/*
 * A push that takes ports down has stopped. It asks both ends of each link when
 * all that are to go down have: until then what is known may be the state of
 * before, and a host does not report that its port is back in Init. The
 * switches are asked before anything else is planned.
 */
static void
ask_downed(struct sm *sm, struct mono now)
{
	const struct plan *p = sm->run.plan;
	const struct topo *t = p->topo;

	for (sw_ix s = 0; p->downed != NULL && s < t->nsw; s++)
		if (has_downed_port(p, s))
			dirty_mark(sm, t->node[t->sw[s].node].guid, now,
				DIRTY_HALF_DOWN, NULL);
}

static void
note_stopped(struct sm *sm)
{
	sm->dirty.overtook++;
	sm->stat.pushes_stopped++;
	log_info("push: stopped early, the fabric changed cause=\"%s\"",
		sm->dirty.text);
}

/* The push has ended, complete or stopped. */
void
run_push_finish(struct sm *sm, struct mono now)
{
	if (push_complete(sm->run.push)) {
		sm->dirty.overtook = 0;
		if (transition_ends_connections(sm->run.plan->change))
			sl_history_end(sm->sl_history);
		account_change(sm);
		run_settings_review(sm);
	} else {
		if (timer_is_due(&sm->timers, TIMER_RUN, now))
			note_stopped(sm);
		else if (push_overwritten(sm->run.push))
			log_info("push: stopped early, a delayed copy of an "
				 "older table arrived");
		ask_downed(sm, now);
	}
	run_adaptive_decided(sm);
	if (sm->run.plan->adaptive.moved)
		sm->in_flight.groups_moved_at = now;
	check_lid_routing(sm);
	run_check_schedule(sm, now);
}

void
run_push_forget(struct sm *sm)
{
	const struct topo *t = sm->run.topo;

	device_distrust_ports(sm->hw);
	/* blocked pairs are to be expected where a master vanished, or the
	 * state file did not record them */
	drift_sl2vl_forget(
		sm, sm->reign.from_other
			    ? !sm->reign.clean
			    : sm->kept.nrecord == 0 ||
				      sm->in_flight.previous_blocks_unknown);
	if (sm->view == NULL && !sm->reign.from_other)
		return;
	sl_history_assume_any(sm->sl_history);
	for (sw_ix s = 0; s < t->nsw; s++)
		device_forget_node(sm->hw, t->node[t->sw[s].node].guid);
}
