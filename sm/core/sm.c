/*
 * Events and dispatch. Every event ends in advance_phase(): the current phase
 * does what it can. Where that enters another phase, the new one begins with
 * the next tick, which is due at once: on a large fabric each phase takes
 * milliseconds, and questions that came meanwhile are answered in between.
 */
#include "sm/core/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/core/sm_input.h"
#include "sm/core/sm_priv.h"

static bool
wait_for_worker(struct sm *sm, struct mono now)
{
	(void)sm;
	(void)now;
	return false;
}

/* One step of each phase, after any event; true: another phase was entered, or
 * the rest of this one is to be done in a tick of its own. */
static bool (*const phases[])(struct sm *, struct mono) = {
	[SM_IDLE] = idle_step,
	[SM_DISCOVER] = run_discover,
	[SM_ELECT] = master_step,
	[SM_STANDBY] = poll_step,
	[SM_CONFIRM] = take_over_step,
	[SM_TAKE] = run_assign_lids,
	[SM_READBACK] = run_readback,
	[SM_ROUTE] = wait_for_worker,
	[SM_PUSH] = run_push,
	[SM_COMMIT] = run_commit,
	[SM_NAMES] = run_names,
	[SM_CHECK] = run_check_step,
};

/* ---- when, and what then ---- */

/* Every event function begins with this. */
static void
tell_input(const struct sm *sm, const struct sm_input *in)
{
	if (sm->ops->input != NULL)
		sm->ops->input(sm->ops->cookie, in);
}

static void
tell_plain(const struct sm *sm, enum sm_input_kind kind, struct mono now)
{
	const struct sm_input in = {.kind = kind, .now = now};

	tell_input(sm, &in);
}

static void
tell_cause(const struct sm *sm, enum sm_input_kind kind, struct mono now,
	const char *cause)
{
	const struct sm_input in = {
		.kind = kind, .now = now, .is.cause = cause};

	tell_input(sm, &in);
}

static bool
may_begin(const struct sm *sm)
{
	return !sm->hand_over.resigning && !sm->mastership.paused;
}

static bool
may_sweep(const struct sm *sm)
{
	return sm->role == SM_MASTER && may_begin(sm);
}

static bool
may_push(const struct sm *sm)
{
	return !run_mcast_busy(sm);
}

static bool
may_poll(const struct sm *sm)
{
	return !sm->mastership.poll_open;
}

/* When the next run may begin. */
static struct mono
run_due(const struct sm *sm)
{
	struct mono t = timer_due(&sm->timers, TIMER_RUN);

	if (!timer_is_set(&sm->timers, TIMER_RUN) ||
		!in_flight_expects_sets(sm, t))
		return t;
	return sm->in_flight.late_sets_until;
}

static void
review_alarms(struct sm *sm, struct mono now)
{
	struct sm_status is;

	if (!alarm_is_due(sm, now))
		return;
	sm_status(sm, &is);
	alarm_review(sm, &is, now);
}

#define IN(phase) (1U << (phase))

/*
 * Everything that the core waits for but answers: in which phases it counts (0:
 * in all), if what holds; when it is due, by a timer or by what its module
 * says; and what is done then, where that is not a step of the phase.
 */
static const struct wait {
	uint32_t phases;
	bool (*if_so)(const struct sm *sm);
	enum timer timer;
	struct mono (*due)(const struct sm *sm);
	void (*act)(struct sm *sm, struct mono now);
} waits[] = {
	{.due = run_mcast_next, .act = run_mcast_step},
	{.due = drift_sl2vl_next, .act = drift_sl2vl_step},
	{.due = m_keys_next, .act = m_keys_step},
	{.due = run_sa_next, .act = run_sa_step},
	{.due = state_keep_next, .act = state_keep_step},
	{.due = blocked_next, .act = blocked_watch},
	{.due = maintenance_next, .act = maintenance_step},
	{.due = run_health_next, .act = run_health_step},
	{.phases = IN(SM_IDLE), .if_so = may_begin, .due = run_due},
	{.phases = IN(SM_NAMES) | IN(SM_CHECK), .due = run_due},
	{.phases = IN(SM_IDLE), .if_so = may_sweep, .timer = TIMER_RETRY},
	{.phases = IN(SM_IDLE), .if_so = may_sweep, .timer = TIMER_CHECK},
	{.phases = IN(SM_IDLE), .if_so = may_sweep, .timer = TIMER_NAMES},
	{.phases = IN(SM_IDLE), .if_so = may_sweep, .timer = TIMER_LIGHT},
	{.phases = IN(SM_DISCOVER), .due = light_sweep_until},
	{.phases = IN(SM_PUSH), .if_so = may_push, .due = run_push_next},
	{.phases = IN(SM_STANDBY), .due = standby_next},
	{.phases = IN(SM_STANDBY), .if_so = may_poll, .timer = TIMER_POLL},
	{.phases = IN(SM_IDLE) | IN(SM_STANDBY),
		.due = alarm_next,
		.act = review_alarms},
};

enum { WAITS = sizeof(waits) / sizeof(waits[0]) };

/*
 * After every event: a step of the phase, then what goes on beside it. Where
 * another phase was entered, its first step is a tick of its own.
 */
static void
advance_phase(struct sm *sm, struct mono now)
{
	sm->now = now;
	if (!timer_is_set(&sm->timers, TIMER_STEP) &&
		phases[sm->phase](sm, now))
		timer_set(&sm->timers, TIMER_STEP, now);
	for (size_t i = 0; i < WAITS && !hand_over_is_open(sm); i++)
		if (waits[i].act != NULL)
			waits[i].act(sm, now);
}

static bool
counts_now(const struct wait *w, const struct sm *sm)
{
	return (w->phases == 0 || (w->phases & IN(sm->phase)) != 0) &&
	       (w->if_so == NULL || w->if_so(sm));
}

struct mono
sm_next(const struct sm *sm)
{
	struct mono t =
		mono_min(xact_next(sm->x), timer_due(&sm->timers, TIMER_STEP));

	if (timer_is_set(&sm->timers, TIMER_STEP) || hand_over_is_open(sm))
		return t;
	for (size_t i = 0; i < WAITS; i++) {
		const struct wait *w = &waits[i];

		if (counts_now(w, sm))
			t = mono_min(t, w->due != NULL ? w->due(sm)
						       : timer_due(&sm->timers,
								 w->timer));
	}
	return t;
}

/* ---- begin and end ---- */

/* Tell the topology builder which switches to ask for their roles. */
static void
configure_roles(struct sm *sm)
{
	const struct schema_devices *d = &sm->cfg->discovery.role_attribute;
	struct builder_device *device = mem_zalloc(d->n, sizeof(*device));

	for (size_t i = 0; i < d->n; i++)
		device[i] = (struct builder_device){
			d->entry[i].vendor, d->entry[i].device};
	builder_ask_roles(sm->builder, device, d->n);
	free(device);
}

struct sm *
sm_new(struct config *c, const struct state_file *state, struct transport *t,
	const struct sm_ops *ops, uint64_t port_guid)
{
	struct sm *sm = mem_zalloc(1, sizeof(*sm));

	sm->cfg = config_ref(c);
	sm->t = t;
	sm->ops = ops;
	sm->port_guid = port_guid;
	sm->pool = lft_pool_new();
	sm->hw = device_new(sm->pool);
	sm->sl_history = sl_history_new();
	sm->builder = builder_new();
	sm->foreign.scan = sl2vl_scan_new();
	configure_roles(sm);
	sm->traps.filter = trap_filter_new();
	timers_stop_all(&sm->timers);
	timer_set(&sm->timers, TIMER_LEASE, (struct mono){0});
	timer_set(&sm->timers, TIMER_READ, (struct mono){0});
	sm->in_flight.late_sets_until = MONO_NEVER;
	sm->in_flight.adaptive_off_at = MONO_NEVER;
	sm->in_flight.groups_moved_at = MONO_NEVER;
	sm->in_flight.recorded = state->writing;
	sm->in_flight.previous_blocks_unknown = state->unsaved;
	sm->events.log = event_log_new();
	wire_new(sm);
	run_mcast_new(sm);
	run_sa_new(sm);
	run_health_new(sm);
	state_keep_load(sm, state);
	run_sa_load(sm, state);
	in_force_load(sm, state);
	events_load(sm, state);
	maintenance_load(sm, state);
	health_drain_load(sm, state);
	return sm;
}

void
sm_free(struct sm *sm)
{
	if (sm == NULL)
		return;
	xact_cancel_all(sm->x, (struct mono){0});
	path_probe_free(sm->scout);
	work_free(sm->worker.work);
	sm->worker.work = NULL;
	run_check_free(sm);
	run_state_free(sm);
	run_sa_free(sm);
	health_free(sm->health);
	link_watch_free(&sm->health_drains.links);
	run_mcast_free(sm);
	view_unref(sm->view);
	take_over_free(sm);
	standby_free(sm);
	sl2vl_scan_free(sm->foreign.scan);
	device_free(sm->hw);
	builder_free(sm->builder);
	trap_filter_free(sm->traps.filter);
	xact_free(sm->x);
	events_free(sm);
	name_accept_free(sm);
	retry_free(sm);
	peers_free(sm);
	free(sm->maintenance.list);
	shared_drains_free(sm);
	drift_reset(sm);
	free(sm->dirty.suspect);
	free(sm->quarantine.list);
	in_force_forget(sm);
	state_keep_free(sm);
	lft_pool_free(sm->pool);
	config_unref(sm->cfg);
	free(sm);
}

void
sm_start(struct sm *sm, struct mono now)
{
	tell_plain(sm, SM_INPUT_START, now);
	sm->ops->set_issm(sm->ops->cookie, true);
	run_sa_start(sm, now);
	run_health_configure(sm, now);
	blocked_start(sm, now);
	events_start(sm, now);
	maintenance_start(sm, now);
	health_drain_configure(sm, now);
	in_flight_restart(sm, now);
	dirty_mark_full(sm, now, DIRTY_START, NULL);
	timer_set(&sm->timers, TIMER_RUN, now);
	advance_phase(sm, now);
}

bool
sm_resign(struct sm *sm, struct mono now)
{
	bool any;

	tell_plain(sm, SM_INPUT_RESIGN, now);
	any = hand_over_resign(sm, "because this manager ends", now);
	advance_phase(sm, now);
	return any;
}

int
sm_hand_over(struct sm *sm, const char *cause, struct mono now,
	struct sm_other *to, struct reason *why)
{
	const struct sm_other *best;

	tell_cause(sm, SM_INPUT_HAND_OVER, now, cause);
	best = hand_over_choice(sm, now, why);
	if (best == NULL)
		return -1;
	*to = *best;
	(void)hand_over_resign(sm, cause, now);
	advance_phase(sm, now);
	return 0;
}

bool
sm_gives_paths(const struct sm *sm)
{
	return sm->hosts.view != NULL && !sa_is_paused(sm->hosts.sa);
}

void
sm_save(struct sm *sm)
{
	tell_plain(sm, SM_INPUT_SAVE, (struct mono){0});
	if (state_keep_next(sm).ns != MONO_NEVER.ns)
		state_keep_save(sm, false);
}

static void
refuse_request(struct sm *sm, const struct transport_msg *m,
	const struct smp *s, uint16_t status)
{
	struct transport_msg out = *m;
	struct smp r = *s;

	r.method = MAD_GET_RESP;
	r.response = true;
	r.status = status;
	out.error = 0;
	out.len = MAD_SIZE;
	smp_encode(&r, out.mad);
	(void)sm->t->send(sm->t, &out);
	sm->stat.requests_refused++;
}

/* Requests and traps of others: SMInfo and traps are taken, everything else is
 * refused with a status. */
static void
take_request(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	if (m->error != 0)
		return; /* a request of ours, returned too late */
	if (s->method == MAD_TRAP && s->attr == MAD_NOTICE)
		trap_receive(sm, m, s, now);
	else if (s->method == MAD_GET || s->method == MAD_SET) {
		if (s->attr == MAD_SM_INFO)
			master_sminfo(sm, m, s, now);
		else
			refuse_request(sm, m, s, MAD_STATUS_METHOD_ATTR);
	}
}

void
sm_receive(struct sm *sm, const struct transport_msg *m, struct mono now)
{
	const struct sm_input in = {
		.kind = SM_INPUT_RECEIVE, .now = now, .is.message = m};
	struct reason why;
	struct smp s;
	unsigned n;

	tell_input(sm, &in);
	if (m->len >= 2 && m->mad[1] == MAD_SA) {
		run_sa_message(sm, m, now);
		if (!hand_over_is_open(sm))
			run_mcast_step(sm, now);
		return;
	}
	if (m->len >= 2 && m->mad[1] == MAD_PERF) {
		run_health_message(sm, m, now);
		return;
	}
	if (smp_decode(m->mad, m->len, &s, &why) != 0) {
		sm->stat.malformed++;
		if (log_allowed(&sm->traps.noise, 5, now, &n))
			log_warn("wire: dropped MAD lid=%u suppressed=%u: %s",
				m->addr.lid, n, why.text);
		return;
	}
	if (!xact_input(sm->x, m, &s, now))
		take_request(sm, m, &s, now);
	advance_phase(sm, now);
}

void
sm_tick(struct sm *sm, struct mono now)
{
	tell_plain(sm, SM_INPUT_TICK, now);
	master_paused(sm, sm_next(sm), now);
	sm->now = now;
	timer_stop(&sm->timers, TIMER_STEP);
	xact_tick(sm->x, now);
	advance_phase(sm, now);
}

void
sm_routed(struct sm *sm, struct sm_work *w, struct mono now)
{
	tell_plain(sm, SM_INPUT_ROUTED, now);
	run_routed(sm, w, now);
	run_sa_release_views(sm);
	sm->now = now;
	timer_set(&sm->timers, TIMER_STEP, now);
}

int
sm_accepts_config(const struct sm *sm, struct config *c, struct reason *why)
{
	/* layers that are optional make room for service levels */
	const struct route_layers one = {.n = 1, .plain = true};
	const struct view *v = sm->view;

	if (v == NULL)
		return 0;
	if (qos_fits(c, v->topo,
		    v->routes->layers.plain ? &one : &v->routes->layers,
		    why) != 0)
		return -1;
	return sm->role == SM_MASTER
		       ? in_force_judge(sm, sm->cfg, c, v->topo, why)
		       : 0;
}

void
sm_reconfigure(struct sm *sm, struct config *c, const struct config_changes *ch,
	struct mono now)
{
	const struct sm_input in = {.kind = SM_INPUT_RECONFIGURE,
		.now = now,
		.is.reconfigure = {c, ch}};

	tell_input(sm, &in);
	if (sm->cfg->fabric.sm_key != c->fabric.sm_key)
		peers_forget_keys(sm);
	sm->stat.taken[0] = '\0'; /* the administrator has been here */
	in_force_take(sm, c);
	configure_roles(sm);
	run_health_configure(sm, now);
	health_drain_configure(sm, now);
	if (ch->of[SCHEMA_RESWEEP] > 0)
		dirty_mark_full(sm, now, DIRTY_CONFIG, NULL);
	else if (ch->of[SCHEMA_REROUTE] > 0)
		dirty_mark_replan(sm, now, DIRTY_CONFIG, NULL);
	quarantine_unlock(sm, now);
	if (sm->view != NULL)
		light_sweep_schedule(sm, now);
	if (sm->view != NULL && sm->role == SM_MASTER)
		state_keep_save(
			sm, false); /* what is in force, for a restart */
	advance_phase(sm, now);
}

static void
sweep_all(struct sm *sm, struct mono now, enum dirty_cause cause,
	const char *text)
{
	drift_sl2vl_forget(sm, true);
	dirty_mark_full(sm, now, cause, text);
	advance_phase(sm, now);
}

void
sm_resweep(struct sm *sm, struct mono now, const char *cause)
{
	tell_cause(sm, SM_INPUT_RESWEEP, now, cause);
	sweep_all(sm, now, DIRTY_REQUEST, cause);
}

void
sm_own_link(struct sm *sm, bool up, struct mono now)
{
	const struct sm_input in = {
		.kind = SM_INPUT_OWN_LINK, .now = now, .is.up = up};

	tell_input(sm, &in);
	(void)snprintf(sm->stat.own, sizeof(sm->stat.own), "%s",
		up ? ""
		   : "our own port has no link: the fabric is unreachable");
	if (sm->role == SM_STANDING_BY)
		return;
	if (!up)
		run_link_lost(sm, now);
	sweep_all(sm, now, DIRTY_OWN_PORT,
		up ? "our own port came up" : "our own port went down");
}

void
sm_rebalance(struct sm *sm, struct mono now, const char *cause)
{
	tell_cause(sm, SM_INPUT_REBALANCE, now, cause);
	dirty_mark_replan(sm, now, DIRTY_REBALANCE, cause);
	advance_phase(sm, now);
}

/* A change of what is drained: it is saved, standbys are about to ask for it,
 * and in what view it shows. */
static void
take_drains(struct sm *sm, struct mono now, uint32_t *generation)
{
	*generation = sm->role == SM_STANDING_BY ? 0 : sm->generation + 1;
	sm->now = now;
	if (sm->view == NULL)
		state_keep_save(sm, false);
	if (sm->role == SM_MASTER)
		master_review(sm, now);
	advance_phase(sm, now);
}

int
sm_drain(struct sm *sm, const struct sm_drain *ask, struct mono now,
	uint32_t *generation, struct reason *why)
{
	const struct sm_input in = {
		.kind = SM_INPUT_DRAIN, .now = now, .is.drain = ask};

	tell_input(sm, &in);
	if (shared_drains_allow(sm, why) != 0 ||
		maintenance_add(sm, ask, now, why) != 0)
		return -1;
	take_drains(sm, now, generation);
	return 0;
}

int
sm_undrain(struct sm *sm, const struct sm_undrain *ask, struct mono now,
	uint32_t *generation, struct reason *why)
{
	const struct sm_input in = {
		.kind = SM_INPUT_UNDRAIN, .now = now, .is.undrain = *ask};

	tell_input(sm, &in);
	if (shared_drains_allow(sm, why) != 0 ||
		maintenance_remove(sm, ask, now, why) != 0)
		return -1;
	health_drain_spare(sm, ask->guid, ask->port);
	take_drains(sm, now, generation);
	return 0;
}

const struct drains *
sm_drains(const struct sm *sm)
{
	return &sm->maintenance;
}

struct view *
sm_view(const struct sm *sm)
{
	return sm->role == SM_MASTER && sm->standby.view == NULL
		       ? sm->view
		       : sm->standby.view;
}

const struct name_pins *
sm_names(const struct sm *sm)
{
	return sm->names.pins;
}

void
sm_names_accept(struct sm *sm, struct mono now, const char *cause)
{
	tell_cause(sm, SM_INPUT_ACCEPT_NAMES, now, cause);
	name_accept_all(sm, now, cause);
	advance_phase(sm, now);
}

bool
sm_reads_names(const struct sm *sm)
{
	return sm->phase == SM_NAMES || timer_is_set(&sm->timers, TIMER_NAMES);
}

struct event_log *
sm_events(const struct sm *sm)
{
	return sm->events.log;
}

void
sm_missing_accept(struct sm *sm, struct mono now)
{
	tell_plain(sm, SM_INPUT_ACCEPT_MISSING, now);
	events_accept(sm, now);
}

const struct sa *
sm_sa(const struct sm *sm)
{
	return sm->hosts.sa;
}

const struct health *
sm_health(const struct sm *sm)
{
	return sm->health;
}

const struct link_watches *
sm_link_watches(const struct sm *sm)
{
	return &sm->health_drains.links;
}

struct link_limits
sm_link_limits(const struct sm *sm)
{
	return run_health_limits(sm->cfg);
}

const struct xact_stats *
sm_xact_stats(const struct sm *sm)
{
	return xact_stats(sm->x);
}

static void
count_blocked(const struct sm *sm, struct sm_status *out)
{
	const struct blocked_rows *b = device_blocked(sm->hw);
	struct mono limit = sm->cfg->distribution.block_limit;

	out->held = 0;
	out->held_pairs = 0;
	out->held_until = MONO_NEVER;
	for (size_t i = 0; i < b->n; i++) {
		if (b->row[i].settled)
			continue;
		out->held++;
		out->held_pairs += b->row[i].pairs;
		out->held_until = mono_min(
			out->held_until, mono_add(b->row[i].since, limit));
	}
}

void
sm_status(const struct sm *sm, struct sm_status *out)
{
	size_t i;

	*out = sm->stat;
	out->role = sm->role;
	out->phase = sm->phase;
	out->dirty = timer_is_set(&sm->timers, TIMER_RUN);
	out->port_guid = sm->port_guid;
	out->scan = sl2vl_scan_counts(sm->foreign.scan);
	out->priority = (uint8_t)sm->cfg->fabric.priority;
	out->master = sm->mastership.master.id;
	sa_stats(sm->hosts.sa, &out->sa);
	count_blocked(sm, out);
	run_settings_tell(sm, out);
	m_keys_tell(sm, out);
	alarm_join(sm, out);
	out->writing = sm->phase == SM_PUSH ? run_push_writes(sm) : "";
	for (i = 0; i < sm->peers.n && i < SM_OTHERS; i++) {
		const struct sm_other *id = &sm->peers.list[i].id;

		/* of the master more is known, by polls, than of the sweep */
		out->other[i] =
			*(id->guid == out->master.guid ? &out->master : id);
	}
	out->nothers = (unsigned)i;
}
