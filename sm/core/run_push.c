/*
 * A push, from its plan to the checks after it: the transition is planned
 * (distribution/transition/transition.h), pushed in phases, stopped when the
 * fabric changes meanwhile, and followed up: whether switches hold what they
 * acknowledged, whether packets of the old tables have drained, whether a pair
 * is left blocked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	MAX_STOPS = 8,	   /* pushes in a row that may be overtaken */
	MAX_SAMPLES = 256, /* blocks read after a push */
	LOSS_ESTIMATE_STEPS =
		300000 /* some milliseconds, when the estimate is asked for */
};

/* ---- before ---- */

static void
drain_inherited(struct sm *sm, struct mono now)
{
	if (sm->late_sets_until.ns == MONO_NEVER.ns)
		return;
	if (mono_before(
		    now, mono_add(sm->late_sets_until, in_flight_drain(sm))))
		push_drain_first(sm->push);
	sm->late_sets_until = MONO_NEVER;
}

/* Packets of tables, or of groups, that were in force before this push. */
static void
drain_before(struct sm *sm, struct mono now)
{
	drain_inherited(sm, now);
	if (run_adaptive_drains(sm, now))
		push_drain_first(sm->push);
}

/* ---- planning ---- */

_Static_assert((int)CONFIG_METHOD_DYNAMIC == (int)TRANSITION_DYNAMIC,
	"the configuration's words are those of enum transition_method_kind");

struct routes *
run_push_found(
	const struct sm *sm, struct topo *t, const struct device_store *hw)
{
	struct routes *r = routes_new(t, sm->pool);

	r->engine = "found";
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		for (uint32_t b = 0; b < r->nblocks; b++) {
			lft_ref ref = device_block(hw, guid, b);

			if (ref != DEVICE_UNKNOWN)
				*routes_slot(r, s, b) =
					lft_share(sm->pool, ref);
		}
	}
	return r;
}

static void
restore_order(const struct sm *sm, struct routes *r)
{
	const struct topo *t = sm->topo;
	node_ix n = topo_by_node_guid(t, sm->sftree_root);

	r->order = sm->rank_order;
	r->sftree_root = n == TOPO_NONE ? TOPO_NONE : t->node[n].sw;
	r->order_restored = t->hash == sm->routed && sm->rank_known;
	r->fresh_load = r->order_restored ? sm->load : 0;
	routes_restore(r, sm->rank, sm->nrank);
}

/*
 * After a restart the routes in force are read back from the switches, in the
 * order that was saved: a restart changes nothing that need not change. The
 * load of fresh tables is saved too, for the fabric that was routed last. After
 * a take-over no order is known, or an older one: a fresh one is chosen that
 * fits the tables, and entries that are legal in it stay. NULL where no table
 * is known.
 */
static struct routes *
routes_from_lft(const struct sm *sm, bool ordered)
{
	struct routes *r;

	if (sm->counts.lft_reads == 0)
		return NULL;
	r = run_push_found(sm, sm->topo, sm->hw);
	if (ordered)
		restore_order(sm, r);
	else
		routes_restore(r, NULL, 0);
	return r;
}

/* True if the tables of the last view are still in its switches, as far as they
 * are known. */
static bool
is_view_in_switches(const struct sm *sm)
{
	const struct routes *r = sm->view->routes;
	const struct topo *t = r->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		for (uint32_t b = 0; b < r->nblocks; b++) {
			lft_ref ref = device_block(sm->hw, guid, b);

			if (ref != DEVICE_UNKNOWN &&
				memcmp(lft_bytes(sm->pool, ref),
					routes_block(r, s, b), LFT_BLOCK) != 0)
				return false;
		}
	}
	return true;
}

/*
 * The routes in force: those of the last view, unless another manager has
 * written others since. *orderless: NULL, or the same without the order on
 * record, if that is older than the tables.
 */
static struct routes *
routes_now(const struct sm *sm, struct routes **orderless)
{
	struct routes *r;

	*orderless = NULL;
	if (sm->view != NULL &&
		(!sm->order_outdated || is_view_in_switches(sm)))
		return routes_ref(sm->view->routes);
	r = routes_from_lft(sm, true);
	if (sm->order_outdated && sm->rank_known)
		*orderless = routes_from_lft(sm, false);
	return r;
}

void
run_push_job(const struct sm *sm, struct run_push_job *job)
{
	const struct config_distribution *d = &sm->cfg->distribution;
	const struct config_link *l = &sm->cfg->link;

	*job = (struct run_push_job){
		.cfg = config_ref(sm->cfg),
		.keys = pkeys_ref(sm->pkeys),
		.pins = name_pins_ref(sm->pins),
		.safe = {.hw = sm->hw,
			.history = sm->sl_history,
			.method = (enum transition_method_kind)d->method,
			.max_stages = d->max_stages,
			.levels = qos_levels_want(sm->cfg),
			.max_vls = qos_vls_code(sm->cfg)},
		.params = {.subnet_prefix = sm->cfg->fabric.subnet_prefix,
			.mkey = sm->cfg->fabric.m_key,
			.mkey_protection =
				(uint8_t)sm->cfg->fabric.m_key_protection,
			.mkey_lease =
				(uint16_t)(sm->cfg->fabric.m_key_lease.ns /
					   1000000000),
			.subnet_timeout = (uint8_t)l->subnet_timeout,
			.hoq_life = (uint8_t)l->hoq_lifetime,
			.leaf_hoq_life = (uint8_t)l->leaf_hoq_lifetime,
			.vl_stall = (uint8_t)l->vl_stall_count,
			.phy_errors = (uint8_t)l->phy_errors_threshold,
			.overrun_errors = (uint8_t)l->overrun_errors_threshold,
			.packet_life = (uint8_t)l->packet_lifetime,
			.max_vls_code = qos_vls_code(sm->cfg)},
	};
	job->from = routes_now(sm, &job->orderless);
	job->safe.from = job->from;
	job->safe.guests = run_mcast_dependencies(sm, &job->safe.unsettled);
}

void
run_push_job_free(struct run_push_job *job)
{
	routes_unref(job->from);
	routes_unref(job->orderless);
	pkeys_unref(job->keys);
	name_pins_unref(job->pins);
	qos_unref(job->qos);
	config_unref(job->cfg);
}

struct plan *
run_push_make(struct run_push_job *job, struct routes *to)
{
	const struct pkey_table_want keys = pkeys_wanted(job->keys);
	struct plan_job plan = {
		.routes = to,
		.hw = job->safe.hw,
		.params = &job->params,
		.keys = &keys,
	};

	job->qos = qos_make(job->cfg, to->topo, &to->layers, job->pins);
	plan.vlarb = &job->qos->want;
	job->safe.to = to;
	plan.change = transition_find(&job->safe);
	return plan_make(&plan);
}

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

	builder_port_written(sm->draft, node_guid, port, info);
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
		log_warn("push: entries into unknown tables are set to discard "
			 "first blocks=%zu",
			x->nquenches);
	if (x->stale[0] != '\0')
		log_warn("push: connections made with earlier SLs could "
			 "deadlock with these tables; dependencies kept "
			 "blocked=%zu until their ports come up anew: %s",
			x->nstays, x->stale);
	log_info("push: method=%s way=%s stages=%u blocked=%zu entries=%llu "
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
	const struct topo *t = sm->topo;
	port_ix p;

	for (p = 0; p < t->nports && sm->plan->downed != NULL; p++)
		if (sm->plan->downed[p])
			map_put(&sm->self_caused, t->node[t->port[p].node].guid,
				0);
}

const char *
run_push_writes(const struct sm *sm)
{
	size_t at = push_phase(sm->push);

	return at < sm->plan->nphases ? plan_kind_name(sm->plan->phase[at].kind)
				      : "";
}

bool
run_push_caused(struct sm *sm, uint64_t guid)
{
	if (!map_get(&sm->self_caused, guid, NULL))
		return false;
	sm->stat.traps_ours++;
	sm->self_caused_trap_seen = true;
	return true;
}

static void
forget_expected_traps(struct sm *sm, struct mono now)
{
	map_free(&sm->self_caused);
	if (sm->self_caused_trap_seen)
		timer_set(&sm->timers, TIMER_LIGHT, now);
	sm->self_caused_trap_seen = false;
}

void
run_push_start(struct sm *sm, struct run_push_job *job, struct plan *plan,
	struct mono now)
{
	const struct push_job push = {
		.plan = plan,
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

	run_qos_drop(sm);
	sm->qos = job->qos;
	job->qos = NULL;
	sm->plan = plan;
	sl2vl_scan_discard(sm->scan);
	expect_traps(sm);
	sm->push = push_new(&push);
	drain_before(sm, now);
	log_plan(sm->plan);
	sm->waited = mono_sub(now, sm->first_heard);
	/* what hosts may hold from now on */
	if (timer_is_due(&sm->timers, TIMER_SAVE, now))
		state_keep_save(sm, false);
	if (sm->plan->nsteps > 0)
		in_flight_writing(sm);
	run_mcast_before_push(sm, now);
	phase_enter(sm, SM_PUSH, now);
}

struct mono
run_push_next(const struct sm *sm)
{
	struct mono t = push_next(sm->push);

	if (sm->overtaken_pushes < MAX_STOPS && !sm->dirty.patient &&
		!push_stopped(sm->push))
		t = mono_min(t, timer_due(&sm->timers, TIMER_RUN));
	return t;
}

bool
run_push_is_overtaken(const struct sm *sm, struct mono now)
{
	return timer_is_due(&sm->timers, TIMER_RUN, now) &&
	       !sm->dirty.patient && sm->overtaken_pushes < MAX_STOPS;
}

/*
 * The fabric has changed since this was planned: Sets that are under way are
 * waited for, the rest would be written for a fabric that is no more.
 */
void
run_push_watch(struct sm *sm, struct mono now)
{
	if (run_push_is_overtaken(sm, now) && !push_complete(sm->push))
		push_stop(sm->push);
}

/* ---- afterwards ---- */

/* What to read back for a step; false: nothing. */
static bool
sample_of_step(const struct topo *t, const struct plan_step *s,
	struct device_check_item *i)
{
	const struct topo_port *p = &t->port[s->port];
	const struct topo_node *n = &t->node[p->node];
	unsigned in = s->mod >> 8 & 0xff, out = s->mod & 0xff;

	*i = (struct device_check_item){
		.guid = n->guid, .attr = s->attr, .why = DEVICE_CHECK_ACKED};
	if (s->attr == MAD_PKEY_TABLE) {
		i->mod = p->num;
		return true;
	}
	/* of the Sets of a port that comes up the last one is enough */
	if (s->attr == MAD_PORT_INFO && !plan_reads(s) &&
		s->kind != PLAN_DOWN && s->kind != PLAN_PREPARE &&
		s->kind != PLAN_ARM) {
		i->mod = p->num;
		return true;
	}
	if (s->attr != MAD_SL2VL || n->type != TOPO_SWITCH || plan_reads(s) ||
		n->nports < 2)
		return false;
	out = (s->mod & PLAN_ALL_OUT) != 0 ? 2 : out;
	in = (s->mod & PLAN_ALL_IN) != 0 ? (out == 1 ? 2 : 1) : in;
	i->mod = in << 8 | out;
	return true;
}

/* Of the rows and ports that were written a part, spread over all of them. */
static void
sample_steps(struct sm *sm)
{
	const struct plan *p = sm->plan;
	size_t step = p->nsteps / MAX_SAMPLES + 1;

	for (size_t k = sm->generation % step; k < p->nsteps; k += step) {
		struct device_check_item i;

		if (sample_of_step(p->routes->topo, &p->step[k], &i))
			drift_sample(sm, &i);
	}
}

static void
take_samples(struct sm *sm)
{
	const struct topo *t = sm->topo;
	uint32_t step = t->nsw / MAX_SAMPLES + 1;
	sw_ix s;

	sm->nsample = 0;
	for (s = sm->generation % step; s < t->nsw; s += step) {
		uint32_t b = push_sample(sm->push, s);

		if (b == UINT32_MAX)
			continue;
		drift_sample(sm, &(struct device_check_item){
					 .guid = t->node[t->sw[s].node].guid,
					 .attr = MAD_LFT,
					 .mod = b,
					 .why = DEVICE_CHECK_ACKED});
	}
	sample_steps(sm);
	drift_sample_all(sm, t);
}

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
	const struct topo *t = p->routes->topo;
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
		.change = sm->plan->change,
		.to = sm->plan->routes,
		.from = sm->view != NULL ? sm->view->routes : NULL,
		.pace = loss_estimate_pace_defaults(),
		.waited = sm->waited,
		.steps = LOSS_ESTIMATE_STEPS,
	};

	job.pace.answer = xact_stats(sm->x)->answer;
	job.pace.window = xact_stats(sm->x)->window;
	job.pace.target = sm->cfg->smp.target_max;
	job.pace.drain = in_flight_drain(sm);
	return loss_estimate_begin(&job);
}

void
run_push_account(struct sm *sm)
{
	const struct transition_result *x = sm->plan->change;
	struct view_change *c = &sm->change;

	view_change_free(c);
	*c = (struct view_change){
		.method = transition_method_name(x->method),
		.kind = transition_kind_name(x->kind),
		.stages = x->nstages,
		.smps = sm->plan->nsteps,
		.pairs = x->cut_pairs,
		.paper_pairs = x->paper_pairs,
		.entries = x->entries,
		.blocks = x->blocks,
		.kept = x->kept,
		.mixed_edges = x->mixed_edges,
		.cyclic = x->cyclic,
		.unread = x->unread,
		.mismatched_ports = sm->plan->mismatched_ports,
	};
	c->nstays = x->nstays;
	(void)snprintf(c->cause, sizeof(c->cause), "%s", x->cause);
	(void)snprintf(c->stale, sizeof(c->stale), "%s", x->stale);
	list_phases(sm->plan, c);
	list_blocked(sm->plan, c);
	c->expected = expect_loss(sm);
}

/* Switch to directed SMPs alone where SMPs routed by LID had no answer. */
static void
check_lid_routing(struct sm *sm)
{
	if (!push_useless_lids(sm->push) || sm->stat.directed_only)
		return;
	sm->stat.directed_only = true;
	log_warn("push: LID-routed SMPs are not answered although the tables "
		 "carry them, directed ones are: all are directed from now on "
		 "strayed=%llu",
		(unsigned long long)xact_stats(sm->x)->strayed);
}

/* The push has ended, complete or stopped. */
void
run_push_finish(struct sm *sm, struct mono now)
{
	const struct pkey_table_doubt *k;
	const struct device_doubt *d;
	size_t n, i;

	if (push_complete(sm->push)) {
		sm->overtaken_pushes = 0;
		run_push_account(sm);
		run_settings_review(sm);
	} else if (timer_is_due(&sm->timers, TIMER_RUN, now)) {
		sm->overtaken_pushes++;
		sm->stat.pushes_stopped++;
		log_info("push: stopped early, the fabric changed cause=\"%s\"",
			sm->dirty.text);
	}
	check_lid_routing(sm);
	take_samples(sm);
	timer_set(&sm->timers, TIMER_CHECK, mono_add(now, in_flight_drain(sm)));
	d = device_doubts(sm->hw, &n);
	for (i = 0; i < n; i++)
		if (mono_before(
			    timer_due(&sm->timers, TIMER_CHECK), d[i].until))
			timer_set(&sm->timers, TIMER_CHECK, d[i].until);
	k = pkey_tables_doubts(device_ptables(sm->hw), &n);
	for (i = 0; i < n; i++)
		if (mono_before(
			    timer_due(&sm->timers, TIMER_CHECK), k[i].until))
			timer_set(&sm->timers, TIMER_CHECK, k[i].until);
}

bool
run_push_check_begin(struct sm *sm, struct mono now)
{
	const struct device_check_job job = {
		.hw = sm->hw,
		.pool = sm->pool,
		.x = sm->x,
		.item = sm->sample,
		.n = sm->nsample,
	};

	timer_stop(&sm->timers, TIMER_CHECK);
	if (sm->view == NULL)
		return false;
	sm->check = device_check_new(sm->view->topo, &job);
	run_pkeys_check(sm);
	phase_enter(sm, SM_CHECK, now);
	return true;
}

bool
run_push_check(struct sm *sm, struct mono now)
{
	if (timer_is_due(&sm->timers, TIMER_RUN, now)) {
		/* a change comes first; the check begins anew after it */
		device_check_stop(sm->check, now);
		run_pkeys_stop_check(sm, now);
		device_check_free(sm->check);
		sm->check = NULL;
		timer_set(&sm->timers, TIMER_CHECK, now);
		phase_enter(sm, SM_IDLE, now);
		return true;
	}
	device_check_feed(sm->check, now);
	pkey_read_feed(sm->pkey_read, now);
	if (!device_check_done(sm->check) || !pkey_read_done(sm->pkey_read))
		return false;
	run_pkeys_checked(sm, now);
	drift_checked(sm, now);
	sm->stat.checked += sm->nsample;
	sm->nsample = 0;
	device_check_free(sm->check);
	sm->check = NULL;
	device_believe(sm->hw, sm->phase_began);
	device_drained(sm->hw);
	forget_expected_traps(sm, now);
	blocked_review(sm, now);
	in_flight_written(sm, run_mcast_writing(sm));
	phase_enter(sm, SM_IDLE, now);
	return true;
}

void
run_push_forget(struct sm *sm)
{
	const struct topo *t = sm->topo;

	device_distrust_ports(sm->hw);
	/* blocked pairs are to be expected where a master vanished, or the
	 * state file did not record them */
	drift_sl2vl_forget(
		sm, sm->taking.from_other
			    ? !sm->taking.clean
			    : sm->nrecord == 0 || sm->previous_blocks_unknown);
	if (sm->view == NULL && !sm->taking.from_other)
		return;
	sl_history_assume_any(sm->sl_history);
	for (sw_ix s = 0; s < t->nsw; s++)
		device_forget_node(sm->hw, t->node[t->sw[s].node].guid);
}

/* SLs that connections may still use, from the previous run. */
void
run_push_load(struct sm *sm, const struct state_file *s)
{
	struct sl_history *past = sm->sl_history;
	size_t i;

	sl_history_load(past, s->layers);
	for (i = 0; i < s->nleaf; i++)
		sl_history_load_leaf(past, s->leaf[i].guid, s->leaf[i].any);
	for (i = 0; i < s->nleaf; i++)
		sl_history_load_row(past, (uint32_t)i, s->leaf[i].mask);
}
