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
	[SM_IDLE] = run_idle,
	[SM_DISCOVER] = run_discover,
	[SM_ELECT] = master_step,
	[SM_STANDBY] = master_standby,
	[SM_CONFIRM] = take_over_step,
	[SM_TAKE] = run_assign_lids,
	[SM_READBACK] = run_readback,
	[SM_ROUTE] = wait_for_worker,
	[SM_PUSH] = run_push,
	[SM_COMMIT] = run_commit,
	[SM_NAMES] = run_names,
	[SM_CHECK] = run_push_check,
};

static void
advance_phase(struct sm *sm, struct mono now)
{
	sm->sa_now = now;
	if (!sm->phase_is_new)
		sm->phase_is_new = phases[sm->phase](sm, now);
	if (hand_over_is_open(sm))
		return; /* nothing is written */
	run_mcast_step(sm, now);
	drift_sl2vl_step(sm, now);
	m_keys_step(sm, now);
	run_sa_step(sm, now);
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
	builder_ask_roles(sm->draft, device, d->n);
	free(device);
}

static enum route_order
order_from_word(const char *word)
{
	if (strcmp(word, "single") == 0)
		return ROUTE_SINGLE;
	return strcmp(word, "roots") == 0 ? ROUTE_ROOTS : ROUTE_TIERS;
}

static void
load_state(struct sm *sm, const struct state_file *s)
{
	size_t i;

	sm->record = mem_zalloc(s->nlid, sizeof(*sm->record));
	for (i = 0; i < s->nlid; i++)
		sm->record[i] = (struct lid_record){
			s->lid[i].guid, s->lid[i].lid, s->lid[i].lmc};
	sm->nrecord = s->nlid;
	sm->rank = mem_zalloc(s->nrank, sizeof(*sm->rank));
	for (i = 0; i < s->nrank; i++)
		sm->rank[i] = s->rank[i];
	sm->nrank = s->nrank;
	run_push_load(sm, s);
	blocked_load(sm, s);
	run_pkeys_load(sm, s);
	name_accept_load(sm, s);
	group_keep_load(sm, s);
	group_keep_configure(sm);
	sm->routed = s->routed;
	sm->load = s->load;
	sm->sftree_root = s->sftree_root;
	sm->rank_known = s->order[0] != '\0';
	sm->rank_order = order_from_word(s->order);
	sm->reading = (struct topo_class){
		registry_name_of(s->engine), s->options, s->read};
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
	sm->draft = builder_new();
	sm->scan = sl2vl_scan_new();
	configure_roles(sm);
	sm->traps = traps_new();
	sm->dirty.due = MONO_NEVER;
	sm->light_due = sm->poll_due = MONO_NEVER;
	sm->retry_due = sm->names_due = sm->free_due = MONO_NEVER;
	sm->check_due = sm->save_due = sm->late_sets_until = MONO_NEVER;
	sm->adaptive_off_at = MONO_NEVER;
	sm->write_recorded = state->writing;
	sm->previous_blocks_unknown = state->unsaved;
	sm->events = event_log_new();
	wire_new(sm);
	run_mcast_new(sm);
	run_sa_new(sm);
	load_state(sm, state);
	run_sa_load(sm, state);
	in_force_load(sm, state);
	events_load(sm, state);
	return sm;
}

void
sm_free(struct sm *sm)
{
	if (sm == NULL)
		return;
	xact_cancel_all(sm->x, (struct mono){0});
	path_probe_free(sm->scout);
	sweep_free(sm->sweep);
	lft_read_free(sm->readback);
	pkey_read_free(sm->pkey_read);
	foreign_adaptive_free(sm->adaptive);
	device_check_free(sm->check);
	sl2vl_scan_free(sm->scan);
	push_free(sm->push);
	plan_free(sm->plan);
	run_job_free(sm->work);
	routes_unref(sm->routes);
	topo_unref(sm->topo);
	topo_unref(sm->topo_written);
	pkeys_unref(sm->pkeys);
	name_pins_unref(sm->pins);
	map_free(&sm->names_told);
	map_free(&sm->saved_pkeys);
	qos_unref(sm->qos);
	run_sa_free(sm);
	run_mcast_free(sm);
	view_unref(sm->view);
	standby_free(sm);
	take_over_free(sm);
	view_change_free(&sm->change); /* may hold blocks of the pool */
	device_free(sm->hw);
	sl_history_free(sm->sl_history);
	builder_free(sm->draft);
	traps_free(sm->traps);
	xact_free(sm->x);
	event_log_free(sm->events);
	free(sm->held_event);
	topo_unref(sm->seen);
	lft_pool_free(sm->pool);
	map_free(&sm->probed);
	map_free(&sm->retried);
	map_free(&sm->key_shown);
	map_free(&sm->once_master);
	free(sm->dirty.who);
	free(sm->banned);
	free(sm->retry);
	free(sm->recheck);
	free(sm->sample);
	map_free(&sm->self_caused);
	drift_reset(sm);
	free(sm->record);
	free(sm->rank);
	free(sm->peer);
	in_force_free(sm);
	config_unref(sm->cfg);
	free(sm);
}

void
sm_start(struct sm *sm, struct mono now)
{
	sm->ops->set_issm(sm->ops->cookie, true);
	run_sa_start(sm, now);
	blocked_start(sm, now);
	events_start(sm, now);
	in_flight_restart(sm, now);
	dirty_mark_full(sm, now, DIRTY_START, NULL);
	sm->dirty.due = now;
	advance_phase(sm, now);
}

bool
sm_resign(struct sm *sm, struct mono now)
{
	bool any = hand_over_resign(sm, "because this manager ends", now);

	advance_phase(sm, now);
	return any;
}

int
sm_hand_over(struct sm *sm, const char *cause, struct mono now,
	struct sm_other *to, struct reason *why)
{
	const struct sm_other *best = hand_over_choice(sm, now, why);

	if (best == NULL)
		return -1;
	*to = *best;
	(void)hand_over_resign(sm, cause, now);
	advance_phase(sm, now);
	return 0;
}

bool
sm_resigning(const struct sm *sm)
{
	return hand_over_is_pending(sm);
}

void
sm_save(struct sm *sm)
{
	if (commit_save_next(sm).ns != MONO_NEVER.ns)
		commit_save(sm, false);
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
	struct reason why;
	struct smp s;
	unsigned n;

	if (m->len >= 2 && m->mad[1] == MAD_SA) {
		run_sa_message(sm, m, now);
		if (!hand_over_is_open(sm))
			run_mcast_step(sm, now);
		return;
	}
	if (smp_decode(m->mad, m->len, &s, &why) != 0) {
		sm->stat.malformed++;
		if (log_allowed(&sm->noise, 5, now, &n))
			log_warn("wire: dropped MAD lid=%u suppressed=%u: %s",
				m->addr.lid, n, why.text);
		return;
	}
	if (!xact_input(sm->x, m, &s, now))
		take_request(sm, m, &s, now);
	advance_phase(sm, now);
}

static bool
may_sweep(const struct sm *sm)
{
	return sm->phase == SM_IDLE && sm->role == SM_MASTER &&
	       !sm->resigning && !sm->paused;
}

/* When the next run may begin. */
static struct mono
run_due(const struct sm *sm)
{
	struct mono t = sm->dirty.due;

	if (t.ns == MONO_NEVER.ns || !in_flight_expects_sets(sm, t))
		return t;
	return sm->late_sets_until;
}

struct mono
sm_next(const struct sm *sm)
{
	struct mono t = xact_next(sm->x);

	if (sm->phase_is_new)
		return mono_min(t, sm->sa_now);
	if (hand_over_is_open(sm))
		return t;
	t = mono_min(t, run_sa_next(sm));
	t = mono_min(t, run_mcast_next(sm));
	t = mono_min(t, drift_sl2vl_next(sm));
	t = mono_min(t, m_keys_next(sm));
	t = mono_min(t, commit_save_next(sm));
	t = mono_min(t, blocked_next(sm));
	if ((sm->phase == SM_IDLE && !sm->resigning && !sm->paused) ||
		sm->phase == SM_NAMES || sm->phase == SM_CHECK)
		t = mono_min(t, run_due(sm));
	t = mono_min(t, light_sweep_until(sm));
	if (may_sweep(sm))
		t = mono_min(
			mono_min(mono_min(t, sm->names_due), sm->check_due),
			mono_min(sm->light_due, sm->retry_due));
	if (sm->phase == SM_PUSH && !run_mcast_busy(sm))
		t = mono_min(t, run_push_next(sm));
	if (sm->phase == SM_STANDBY)
		t = mono_min(t, standby_next(sm));
	if (sm->phase == SM_STANDBY && !sm->poll_open)
		t = mono_min(t, sm->poll_due);
	return t;
}

void
sm_tick(struct sm *sm, struct mono now)
{
	master_paused(sm, sm_next(sm), now);
	sm->sa_now = now;
	sm->phase_is_new = false;
	xact_tick(sm->x, now);
	advance_phase(sm, now);
	run_sa_tick(sm, now);
	if (!sm->phase_is_new)
		commit_save_tick(sm, now);
	blocked_watch(sm, now);
}

void
sm_routed(struct sm *sm, struct sm_work *w, struct mono now)
{
	run_routed(sm, w, now);
	run_sa_release_views(sm);
	sm->sa_now = now;
	sm->phase_is_new = true;
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
sm_take_config(struct sm *sm, struct config *c)
{
	config_unref(sm->cfg);
	sm->cfg = config_ref(c);
	wire_configure(sm);
	run_sa_configure(sm);
}

void
sm_reconfigure(struct sm *sm, struct config *c, struct mono now)
{
	struct config_changes ch;

	config_diff(sm->cfg, c, &ch);
	if (sm->cfg->fabric.sm_key != c->fabric.sm_key)
		peers_forget_keys(sm);
	sm->stat.taken[0] = '\0'; /* the administrator has been here */
	sm_take_config(sm, c);
	if (ch.of[SCHEMA_REROUTE] > 0)
		dirty_mark_replan(sm, now, DIRTY_CONFIG, NULL);
	for (size_t i = 0; i < ch.n; i++)
		if (strcmp(ch.item[i].key, "discovery.role_attribute") == 0) {
			configure_roles(sm);
			sm->dirty.full = true;
		} else if (strncmp(ch.item[i].key, "fabric.m_key",
				   strlen("fabric.m_key")) == 0) {
			/* nodes may answer that did not before */
			sm->dirty.full = true;
		}
	config_changes_free(&ch);
	quarantine_unlock(sm, now);
	if (sm->view != NULL)
		light_sweep_schedule(sm, now);
	if (sm->view != NULL && sm->role == SM_MASTER)
		commit_save(sm, false); /* what is in force, for a restart */
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
	sweep_all(sm, now, DIRTY_REQUEST, cause);
}

void
sm_own_link(struct sm *sm, bool up, struct mono now)
{
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
	dirty_mark_replan(sm, now, DIRTY_REBALANCE, cause);
	advance_phase(sm, now);
}

struct view *
sm_view(const struct sm *sm)
{
	return phase_view(sm);
}

const struct name_pins *
sm_names(const struct sm *sm)
{
	return sm->pins;
}

void
sm_names_accept(struct sm *sm, struct mono now, const char *cause)
{
	name_accept_all(sm, now, cause);
	advance_phase(sm, now);
}

struct event_log *
sm_events(const struct sm *sm)
{
	return sm->events;
}

void
sm_missing_accept(struct sm *sm, struct mono now)
{
	events_accept(sm, now);
}

const struct sa *
sm_sa(const struct sm *sm)
{
	return sm->sa;
}

const struct mcast_tree *const *
sm_mcast_trees(const struct sm *sm)
{
	return run_mcast_trees(sm);
}

const struct xact_stats *
sm_xact_stats(const struct sm *sm)
{
	return xact_stats(sm->x);
}

static void
count_blocked(const struct sm *sm, struct sm_status *out)
{
	const struct sl2vl_block *h =
		sl2vl_blocked_list(device_sl2vl(sm->hw), &out->held);
	struct mono limit = sm->cfg->distribution.block_limit;

	out->held_pairs = 0;
	out->held_until = MONO_NEVER;
	for (size_t i = 0; i < out->held; i++) {
		out->held_pairs += h[i].pairs;
		out->held_until =
			mono_min(out->held_until, mono_add(h[i].since, limit));
	}
}

/* All alarms, in one text; those of settings and M_Keys are made. */
static void
join_alarms(const struct sm *sm, struct sm_status *to)
{
	const char *all[] = {sm->stat.own, sm->stat.alarm, sm->stat.taken,
		sm->stat.sm_key, sm->stat.masters, sm->stat.rival,
		sm->stat.flaw, to->settings, to->m_keys.alarm,
		sm->stat.adaptive, run_mcast_alarm(sm), sm->stat.names};
	size_t n = 0, size = sizeof(to->alarm);
	char *out = to->alarm;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i][0] != '\0' && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
				n > 0 ? "; " : "", all[i]);
}

void
sm_status(const struct sm *sm, struct sm_status *out)
{
	size_t i;

	*out = sm->stat;
	out->role = sm->role;
	out->phase = sm->phase;
	out->dirty = sm->dirty.due.ns != MONO_NEVER.ns;
	out->port_guid = sm->port_guid;
	out->scan = sl2vl_scan_counts(sm->scan);
	out->priority = (uint8_t)sm->cfg->fabric.priority;
	out->master = sm->master.id;
	sa_stats(sm->sa, &out->sa);
	count_blocked(sm, out);
	run_settings_tell(sm, out);
	m_keys_tell(sm, out);
	join_alarms(sm, out);
	out->writing = sm->phase == SM_PUSH ? run_push_writes(sm) : "";
	for (i = 0; i < sm->npeers && i < SM_OTHERS; i++)
		out->other[i] = sm->peer[i].id;
	out->nothers = (unsigned)i;
}
