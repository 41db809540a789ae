#include "sm/core/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/policy/jobs.h"
#include "sm/view/view_redundancy.h"

enum {
	MAX_PASSES = 64,
	MUTE_STOPS = 2 /* of a run in which nothing answers; then each device
			  is given up by itself, and quarantined */
};

/* ---- the end, before the commit ---- */

static void
end_sweep(struct sm *sm)
{
	sweep_free(sm->run.sweep);
	sm->run.sweep = NULL;
}

/* Add what the phase took that ends now. */
static void
add_phase(const struct sm *sm, struct mono *time, struct mono now)
{
	*time = mono_add(*time, mono_sub(now, sm->run.phase_began));
}

/* End a run without a commit: the tables in force stay. */
static void
fail_run(struct sm *sm, struct mono now, const char *why)
{
	struct mono wait = mono_ms(10000);

	log_error("sm: run failed, the last good tables stay in force "
		  "cause=\"%s\": %s",
		sm->run.cause_text, why);
	(void)snprintf(sm->stat.alarm, sizeof(sm->stat.alarm), "%s", why);
	sm->stat.plan_failures++;
	m_keys_review(sm);
	run_state_discard(sm);
	phase_enter(sm, SM_IDLE, now);
	dirty_mark_full(sm, now, DIRTY_FAILED_RUN, NULL);
	timer_set(&sm->timers, TIMER_RUN, mono_add(now, wait));
	sm->ops->finished(sm->ops->cookie, false, why);
}

/* ---- beginning ---- */

/* Freeze the topology builder into sm->run.topo, without LIDs; false: the run
 * failed. */
static bool
freeze_topology(struct sm *sm, struct mono now)
{
	struct reason why;

	quarantine_apply(sm, now);
	maintenance_apply(sm);
	topo_unref(sm->run.topo);
	sm->run.topo = builder_freeze(sm->builder, sm->generation, &why);
	if (sm->run.topo != NULL)
		return true;
	fail_run(sm, now, why.text);
	return false;
}

/* The dirty marks become a run. */
void
run_start(struct sm *sm, struct mono now)
{
	struct sm_dirty *d = &sm->dirty;
	enum sweep_kind kind = d->full ? SWEEP_FULL : SWEEP_PROBE;
	bool ask = d->full || d->n > 0;

	if (kind == SWEEP_PROBE && sm->view == NULL) {
		kind = SWEEP_FULL; /* nothing known to probe */
		ask = true;
	}
	run_state_begin(sm, now, kind);
	sm->run.first_heard = d->since;
	sm->retry.number++;
	retry_begin(sm);
	if (ask && kind == SWEEP_PROBE)
		run_sweep_suspects(sm, now);
	else if (ask)
		run_sweep_start(sm, now, kind);
	if (kind == SWEEP_FULL)
		sm->stat.sweeps_full++;
	else if (ask)
		sm->stat.probes++;
	dirty_take(sm);
	if (!ask) {
		sm->generation++;
		if (freeze_topology(sm, now))
			phase_enter(sm, SM_TAKE, now);
	}
}

/* ---- discovery ---- */

static void
tell_oddities(struct sm *sm, struct mono now)
{
	struct buf b = {0};
	char *line, *save = NULL;

	if (builder_oddities(sm->builder, &b) > 0)
		for (line = strtok_r(b.text, "\n", &save); line != NULL;
			line = strtok_r(NULL, "\n", &save)) {
			struct event e = {.kind = EVENT_ODDITY};

			event_text(&e, "what", line);
			events_tell(sm, &e, now);
		}
	buf_free(&b);
}

static bool
has_port_in_init(const struct topo *t, const struct topo_node *n)
{
	unsigned p;

	for (p = 1; p <= n->nports; p++)
		if (t->port[n->first_port + p].state == PORT_INIT)
			return true;
	return false;
}

/*
 * A switch that reboots loses the tables by which its own trap would travel;
 * what shows is ports back in Init at its neighbours. Every switch with a port
 * in Init is probed before the run goes on. False: none is left to probe.
 */
static bool
probe_further(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->run.topo;
	uint64_t *guid = mem_zalloc(t->nsw, sizeof(*guid));
	size_t n = 0;
	sw_ix s;

	for (s = 0; s < t->nsw; s++) {
		const struct topo_node *node = &t->node[t->sw[s].node];

		if ((node->flags & TN_QUARANTINED) == 0 &&
			!map_get(&sm->run.probed, node->guid, NULL) &&
			has_port_in_init(t, node))
			guid[n++] = node->guid;
	}
	if (n > 0)
		run_sweep_probe(sm, now, guid, n);
	free(guid);
	return n > 0;
}

/* The topology is complete; the other subnet managers in it are asked for their
 * SMInfo, if there are any. */
static void
finish_discovery(struct sm *sm, struct mono now)
{
	sm->generation++;
	if (!freeze_topology(sm, now))
		return;
	if (sm->run.kind == SWEEP_PROBE && probe_further(sm, now))
		return;
	if (master_begin(sm, now))
		phase_enter(sm, SM_ELECT, now);
	else
		phase_enter(sm, SM_TAKE, now);
}

/* Of such a run there is no line at the level of info. */
static void
log_nothing_new(const struct sm *sm)
{
	log_debug("sm: nothing new cause=\"%s\"", sm->run.cause_text);
}

/*
 * What the traps reported was known: the sweep had read it before.
 */
static void
end_unchanged(struct sm *sm, struct mono now)
{
	end_sweep(sm);
	log_nothing_new(sm);
	commit_schedule(sm, now);
	phase_enter(sm, SM_IDLE, now);
	commit_log_run(sm);
}

/* Switches where a late copy of a Set may hide a change are read again. */
static void
note_repeated_clears(struct sm *sm)
{
	size_t n;
	const uint64_t *guid = sweep_repeated_clears(sm->run.sweep, &n);

	for (size_t i = 0; i < n; i++) {
		sm->retry.recheck = mem_grow(sm->retry.recheck,
			sm->retry.nrecheck, &sm->retry.cap_recheck,
			sizeof(*sm->retry.recheck));
		sm->retry.recheck[sm->retry.nrecheck++] = guid[i];
	}
}

bool
run_discover(struct sm *sm, struct mono now)
{
	const char *failed;
	char why[256];

	sweep_feed(sm->run.sweep, now);
	if (!mono_before(now, light_sweep_until(sm))) {
		sm->run.cut_short = true;
		sweep_stop(sm->run.sweep, now);
	}
	if (!sweep_done(sm->run.sweep))
		return false;
	tell_oddities(sm, now);
	note_repeated_clears(sm);
	if (sm->run.kind == SWEEP_LIGHT) {
		light_sweep_end(sm, now);
		return true;
	}
	if (sm->dirty.is_all && sweep_found_no_change(sm->run.sweep)) {
		end_unchanged(sm, now);
		return true;
	}
	sm->run.new_duplicates |= sweep_stats(sm->run.sweep)->duplicates > 0;
	failed = sweep_failed(sm->run.sweep);
	if (failed != NULL)
		(void)snprintf(why, sizeof(why), "%s", failed);
	end_sweep(sm);
	add_phase(sm, &sm->run.times.discover, now);
	if (failed != NULL)
		fail_run(sm, now, why);
	else
		finish_discovery(sm, now);
	return true;
}

/* The same run begins anew with a full sweep. */
static void
sweep_again(struct sm *sm, struct mono now)
{
	run_state_discard(sm);
	if (++sm->run.passes > MAX_PASSES) {
		fail_run(sm, now, "too many switches failed one after another");
		return;
	}
	sm->run.kind = SWEEP_FULL;
	run_sweep_start(sm, now, SWEEP_FULL);
}

/* ---- LIDs ---- */

/* The LID on record for our own port, or 0. */
static uint16_t
recorded_lid(const struct sm *sm)
{
	for (size_t i = 0; i < sm->kept.nrecord; i++)
		if (sm->kept.record[i].guid == sm->port_guid)
			return sm->kept.record[i].lid;
	return 0;
}

/*
 * True if the records are older than the reign of another manager: most ports
 * name a master with another LID than the one that this port had. Then the
 * LIDs that ports hold count.
 */
static bool
has_reigned_another(const struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	uint16_t ours = recorded_lid(sm);
	unsigned own = 0, other = 0;
	struct mad_port_info i;

	for (port_ix p = 0; p < t->nports && ours != 0; p++) {
		if (!topo_has_lid(t, p) || t->port[p].found_lid == 0 ||
			mad_port_info_decode(topo_info(t, p), &i, NULL) != 0)
			continue;
		own += i.sm_lid == ours;
		other += i.sm_lid != ours && i.sm_lid != 0;
	}
	return other > own;
}

static int
assign_lids(struct sm *sm, struct reason *why)
{
	struct jobs_lid_records known;
	struct lid_table out;

	if (sm->view == NULL)
		state_keep_check(sm);
	known = (struct jobs_lid_records){sm->kept.record, sm->kept.nrecord,
		sm->reign.tables == TABLES_DISTRUSTED &&
			(sm->reign.stood_by || has_reigned_another(sm))};
	in_force_settle(sm, known.outdated);
	if (known.outdated && known.n > 0)
		log_info("lid: another manager has reigned since the LIDs were "
			 "recorded: ports keep those that they hold");
	if (jobs_lids(sm->cfg, sm->run.topo, &known, &out, why) != 0)
		return -1;
	sm->kept.order_outdated |= known.outdated;
	sm->run.topo = topo_give_lids(
		sm->run.topo, &(struct topo_lids){out.lid, out.lmc});
	free(sm->kept.record);
	sm->kept.record = out.record;
	sm->kept.nrecord = out.nrecord;
	out.record = NULL;
	sm->run.counts.lids_new += out.assigned;
	sm->run.counts.lids_moved += out.moved;
	/* logged once, not with every run while it lasts */
	if (log_is_news(sm->logged.lid_conflict,
		    sizeof(sm->logged.lid_conflict), out.conflict))
		log_warn("lid: conflicts=%u first=\"%s\"", out.conflicts,
			out.conflict);
	lid_table_free(&out);
	return 0;
}

static void
start_row_read(struct sm *sm)
{
	sm->run.rows_read = true;
	sm->run.row_read = sl2vl_read_new(sm->run.topo, sm->hw, sm->x);
}

static void
start_readback(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->run.topo;
	const struct lft_read_job job = {
		.hw = sm->hw,
		.x = sm->x,
		.suspects = &sm->run.probed,
	};
	sw_ix s;

	name_accept_update(sm);
	run_pkeys_make(sm);
	for (s = 0; s < t->nsw && sm->run.kind == SWEEP_FULL; s++)
		map_put(&sm->run.probed, t->node[t->sw[s].node].guid, 0);
	sm->run.readback = lft_read_new(sm->run.topo, &job);
	run_pkeys_read(sm);
	sm->run.rows_read = false;
	if (sl_history_layers(sm->sl_history) > 1)
		start_row_read(sm);
	run_mcast_start_reading(sm);
	sm->run.timeouts_before = xact_stats(sm->x)->timeouts;
	phase_enter(sm, SM_READBACK, now);
}

/* Where roles or members are given by name, names are read before routing. Once
 * a run: a node that does not answer has no name. */
static bool
read_names_first(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->run.topo;
	bool all = pkeys_by_name(sm->cfg) || qos_by_name(sm->cfg) ||
		   in_force_by_name(sm);
	bool lack = false;
	node_ix n;

	for (n = 0; n < t->nnodes; n++)
		lack |= (all || t->node[n].type == TOPO_SWITCH) &&
			*topo_desc(t, n) == '\0';
	if (!lack || sm->run.names_read || (!all && !roles_by_name(sm->cfg)))
		return false;
	sm->run.names_read = true;
	sm->run.sweep = sweep_new(all ? SWEEP_NAMES : SWEEP_SWITCH_NAMES,
		sm->builder, sm->x, NULL, 0);
	phase_enter(sm, SM_NAMES, now);
	return true;
}

/* True if the sweep found PortStateChange of a switch set, and left it so. */
static bool
has_change_bits(const struct topo *t)
{
	struct mad_switch_info i;

	for (sw_ix s = 0; s < t->nsw; s++)
		if (mad_switch_info_decode(t->sinfo[s], &i, NULL) == 0 &&
			i.state_change)
			return true;
	return false;
}

/* Elected. The sweep before the election wrote nothing. */
static void
take_tables(struct sm *sm)
{
	sm->reign.tables = TABLES_DISTRUSTED;
	sm->reign.change_bits_left = has_change_bits(sm->run.topo);
	run_push_forget(sm);
	sm->reign.from_other = sm->reign.clean = false;
}

/* A second master has written, too. */
static void
take_again(struct sm *sm)
{
	sm->reign.tables = TABLES_DISTRUSTED;
	sm->reign.stood_by = true;
	run_push_forget(sm);
	map_free(
		&sm->hosts
			 .rereg); /* hosts have registered with the other one */
}

bool
run_assign_lids(struct sm *sm, struct mono now)
{
	struct reason why;

	if (sm->worker.work != NULL)
		return false; /* what a standby read is being judged */
	if (sm->role != SM_MASTER)
		master_become(sm, now);
	if (sm->reign.tables == TABLES_ELECTED)
		take_tables(sm);
	else if (sm->reign.retake && sm->run.kind == SWEEP_FULL)
		take_again(sm);
	sm->reign.retake &= sm->run.kind != SWEEP_FULL;
	sm->dirty.is_all = false;
	if (read_names_first(sm, now))
		return true;
	device_reconcile(sm->hw, sm->run.topo);
	run_mcast_forget(sm, sm->reign.tables == TABLES_DISTRUSTED);
	if (assign_lids(sm, &why) != 0) {
		fail_run(sm, now, why.text);
		return true;
	}
	if (sm->reign.tables == TABLES_DISTRUSTED)
		run_pkeys_distrust(sm);
	sm->reign.tables = TABLES_OURS;
	sm->reign.stood_by = false;
	start_readback(sm, now);
	return true;
}

/* ---- routing ---- */

/*
 * True where no device at all answers any more, as when links next to us fail
 * while no trap can arrive: to wait for each device in turn would take minutes.
 * All that was asked is given up then, and the fabric is discovered anew.
 */
static bool
is_run_mute(struct sm *sm, struct mono now)
{
	if (sm->run.mute_stops >= MUTE_STOPS || !xact_is_mute(sm->x, now))
		return false;
	sm->run.mute_stops++;
	log_warn("sm: no device answers any more, the fabric is discovered "
		 "again phase=%s",
		sm_phase_name(sm->phase));
	return true;
}

static void
give_up_requests(struct sm *sm, struct mono now)
{
	static const uint8_t everywhere[64];

	xact_cut(sm->x, everywhere, 0, now);
}

static void
end_readback(struct sm *sm)
{
	lft_read_free(sm->run.readback);
	sm->run.readback = NULL;
	pkey_read_free(sm->run.pkey_read);
	sm->run.pkey_read = NULL;
	device_read_free(sm->run.row_read);
	sm->run.row_read = NULL;
}

/* Give up what is unanswered of all tables that are being read. */
static void
give_up_readback(struct sm *sm, struct mono now)
{
	if (sm->run.readback != NULL) {
		lft_read_stop(sm->run.readback, now);
		pkey_read_stop(sm->run.pkey_read, now);
	}
	if (sm->run.row_read != NULL)
		device_read_stop(sm->run.row_read, now);
	run_adaptive_stop(sm, now);
}

static void
abandon_readback(struct sm *sm, struct mono now)
{
	give_up_readback(sm, now);
	give_up_requests(sm, now);
	end_readback(sm);
	sweep_again(sm, now);
}

/*
 * Switches that were found do not answer any more, and there is news of the
 * fabric: each of them would be asked in vain, table by table, before the news
 * is looked at. A sweep finds what is still there; it is a full one, because
 * the tables that were to be sampled in this run have to be in the next one.
 */
static void
stop_readback(struct sm *sm, struct mono now)
{
	log_info("sm: reading tables stopped early, switches do not answer "
		 "cause=\"%s\"",
		sm->dirty.text);
	give_up_readback(sm, now);
	run_mcast_stop_reading(sm);
	end_readback(sm);
	sm->dirty.overtook++;
	dirty_mark_full(sm, now, DIRTY_SILENT, NULL);
	run_state_discard(sm);
	phase_enter(sm, SM_IDLE, now);
}

/* Whether all rows were read; sends what there is room for. */
static bool
feed_row_read(struct sm *sm, struct mono now)
{
	if (sm->run.row_read == NULL)
		return true;
	device_read_feed(sm->run.row_read, now);
	return device_read_done(sm->run.row_read);
}

/* The same for all tables. */
static bool
feed_readback(struct sm *sm, struct mono now)
{
	bool rows = feed_row_read(sm, now);

	if (sm->run.readback == NULL)
		return rows; /* all others were read before routing */
	lft_read_feed(sm->run.readback, now);
	pkey_read_feed(sm->run.pkey_read, now);
	return rows && run_mcast_has_read(sm, now) &&
	       lft_read_done(sm->run.readback) &&
	       pkey_read_done(sm->run.pkey_read) && run_adaptive_read(sm, now);
}

bool
run_readback(struct sm *sm, struct mono now)
{
	if (is_run_mute(sm, now)) {
		abandon_readback(sm, now);
		return true;
	}
	if (xact_stats(sm->x)->timeouts > sm->run.timeouts_before &&
		run_push_is_overtaken(sm, now)) {
		stop_readback(sm, now);
		return true;
	}
	if (!feed_readback(sm, now))
		return false;
	if (sm->run.readback != NULL)
		sm->run.counts.lft_reads += lft_read_count(sm->run.readback);
	end_readback(sm);
	add_phase(sm, &sm->run.times.readback, now);
	sl_history_add_topology(sm->sl_history, sm->run.topo,
		sm->view != NULL ? sm->view->routes : NULL);
	work_start(sm, now);
	return true;
}

/*
 * The plan takes all ports down because rows of SL2VL are unknown, as after a
 * restart without a state: what is in the switches says what packets can do
 * now, so the rows are read and the plan is made again. Once: a row that is not
 * answered stays unknown.
 */
static bool
read_rows_first(struct sm *sm, struct mono now)
{
	if (!sm->run.plan->change->rows_unknown || sm->run.rows_read)
		return false;
	log_info("sm: rows of SL2VL are read before ports go down cause=\"%s\"",
		sm->run.plan->change->ports_down);
	plan_free(sm->run.plan);
	sm->run.plan = NULL;
	routes_unref(sm->run.routes);
	sm->run.routes = NULL;
	start_row_read(sm);
	sm->run.timeouts_before = xact_stats(sm->x)->timeouts;
	phase_enter(sm, SM_READBACK, now);
	return true;
}

void
run_routed(struct sm *sm, struct sm_work *w, struct mono now)
{
	struct routes *judged = work_judged(w);
	struct reason why;

	sm->worker.work = NULL;
	if (judged != NULL) {
		standby_judged(sm, judged, now);
		work_free(w);
		return;
	}
	add_phase(sm, &sm->run.times.route, now);
	if (!work_take(sm, w, &why))
		fail_run(sm, now, why.text);
	else if (!read_rows_first(sm, now))
		run_push_start(sm, now);
	work_free(w);
}

/* ---- push and commit ---- */

static void
count_push(struct sm *sm)
{
	const struct push_counts *c = push_counts(sm->run.push);

	sm->run.counts.lft_blocks += c->lft_blocks;
	sm->run.counts.other_sets += c->other_sets;
	sm->run.counts.failed_sets += c->failed;
}

/* True if node n has another name, as far as it was read again. */
static bool
was_renamed(const struct topo *was, const struct topo *is, node_ix n)
{
	const char *name = topo_desc(is, n);

	return *name != '\0' && strcmp(name, topo_desc(was, n)) != 0;
}

/* False if a port came up or has another MTU or VLs, or a node answered at
 * last, to which nothing had to be written. */
static bool
has_same_ports(const struct topo *was, const struct topo *is)
{
	node_ix n;
	port_ix p;

	for (n = 0; n < is->nnodes; n++)
		if (((was->node[n].flags ^ is->node[n].flags) & TN_PARTIAL) !=
				0 ||
			was_renamed(was, is, n))
			return false;

	for (p = 0; p < is->nports; p++)
		if (was->port[p].state != is->port[p].state ||
			was->port[p].flags != is->port[p].flags ||
			was->port[p].mtu != is->port[p].mtu ||
			was->port[p].op_vls != is->port[p].op_vls)
			return false;
	return true;
}

/* True if this run changed anything that a reader of the view could notice; who
 * drains something waits for the view in which it is. */
static bool
needs_new_view(struct sm *sm)
{
	bool keys = run_pkeys_settle(sm), levels = run_qos_settle(sm);

	return keys || levels || run_adaptive_changed(sm) ||
	       (sm->dirty.unfinished & 1U << DIRTY_DRAIN) != 0 ||
	       sm->run.plan->nsteps > 0 || !work_is_same_fabric(sm) ||
	       !has_same_ports(sm->view->topo, sm->run.topo);
}

/* Everything is written: enter what the devices hold now. */
static void
settle_view(struct sm *sm)
{
	sm->run.publish = needs_new_view(sm);
	push_free(sm->run.push);
	sm->run.push = NULL;
	plan_carried_out(sm->run.plan);
}

/*
 * A bit of PortStateChange that the sweep before the election left set hides
 * every change since that sweep read the ports: only reading them again after
 * the bit is cleared finds it. The probes that a light sweep leads to do just
 * that, once the tables are in place.
 */
static void
find_left_changes(struct sm *sm)
{
	if (sm->reign.change_bits_left)
		timer_set(&sm->timers, TIMER_LIGHT,
			timer_due(&sm->timers, TIMER_NAMES));
	sm->reign.change_bits_left = false;
}

/* In three steps, a tick each: on a large fabric each takes milliseconds. */
bool
run_commit(struct sm *sm, struct mono now)
{
	if (sm->run.commit_step == COMMIT_SETTLE) {
		sm->run.commit_step = COMMIT_REFRESH;
		settle_view(sm);
		return true;
	}
	if (sm->run.commit_step == COMMIT_REFRESH && sm->run.publish) {
		sm->run.commit_step = COMMIT_PUBLISH;
		sm->run.topo_written = commit_refresh(sm, sm->run.topo);
		return true;
	}
	if (sm->run.publish) {
		commit_run(sm, now);
	} else {
		log_nothing_new(sm);
		events_swept(sm, now);
	}
	standby_forget(sm);
	sm->dirty.unfinished = 0;
	sm->dirty.is_all = true;
	sm->stat.alarm[0] = '\0';
	run_sa_publish(sm, now);
	drift_sl2vl_publish(sm, now);
	run_mcast_settle(sm, now);
	quarantine_release(sm);
	run_pkeys_review(sm);
	run_qos_review(sm);
	adaptive_use_review(sm, now);
	name_accept_review(sm, now);
	maintenance_review(sm, now);
	health_drain_commit(sm, now);
	m_keys_review(sm);
	commit_schedule(sm, now);
	find_left_changes(sm);
	run_state_discard(sm);
	phase_enter(sm, SM_IDLE, now);
	commit_log_run(sm);
	return true;
}

/* What the end of a push leads to. */
static void
finish_push(struct sm *sm, enum sm_verdict v, struct mono now)
{
	if (v == SM_WRITTEN && push_complete(sm->run.push)) {
		sm->run.commit_step = COMMIT_SETTLE;
		phase_enter(sm, SM_COMMIT, now);
		return;
	}
	if (v == SM_PROBE_FIRST || (timer_is_set(&sm->timers, TIMER_RUN) &&
					   sm->dirty.overtook > 0)) {
		/*
		 * overtaken: the next run begins with what is known by now, and
		 * still sweeps the fabric before a switch is quarantined for
		 * its silence
		 */
		if (v == SM_SWEEP_AGAIN)
			dirty_mark_full(sm, now, DIRTY_SILENT, NULL);
		run_state_discard(sm);
		phase_enter(sm, SM_IDLE, now);
		return;
	}
	if (v == SM_SWEEP_AGAIN) {
		sweep_again(sm, now);
		return;
	}
	run_state_discard(sm);
	if (++sm->run.passes > MAX_PASSES) {
		fail_run(sm, now, "too many switches failed one after another");
	} else if (freeze_topology(sm, now)) {
		phase_enter(sm, SM_TAKE, now);
	}
}

bool
run_push(struct sm *sm, struct mono now)
{
	enum sm_verdict v;
	bool mute = false;

	if (!run_mcast_ready(sm, now))
		return false; /* never together with multicast tables */
	run_push_watch(sm, now);
	if (is_run_mute(sm, now)) {
		mute = true;
		push_stop(sm->run.push);
		give_up_requests(sm, now);
	}
	push_feed(sm->run.push, now);
	if (!push_done(sm->run.push))
		return false;
	count_push(sm);
	run_push_finish(sm, now);
	add_phase(sm, &sm->run.times.push, now);
	v = quarantine_failures(sm, now);
	if (mute || (v == SM_WRITTEN && run_mcast_is_stuck(sm)))
		v = SM_SWEEP_AGAIN;
	finish_push(sm, v, now);
	return true;
}

void
run_link_lost(struct sm *sm, struct mono now)
{
	if (sm->run.sweep != NULL) {
		sweep_stop(sm->run.sweep, now);
		end_sweep(sm);
		run_state_discard(sm);
		phase_enter(sm, SM_IDLE, now);
		return;
	}
	if (sm->run.push != NULL)
		push_stop(sm->run.push);
	give_up_requests(sm, now);
}

/* ---- names, before routing or after the fact ---- */

bool
run_names(struct sm *sm, struct mono now)
{
	struct topo *fresh;
	struct view *v;
	uint64_t got;

	/* A change does not wait for names, least of all for names behind it:
	 * what has been read stays in the builder, the rest is asked later. */
	if (timer_is_due(&sm->timers, TIMER_RUN, now))
		sweep_stop(sm->run.sweep, now);
	else
		sweep_feed(sm->run.sweep, now);
	if (!sweep_done(sm->run.sweep))
		return false;
	got = sweep_stats(sm->run.sweep)->smps;
	end_sweep(sm);
	if (sm->run.topo != NULL) { /* in the middle of a run */
		add_phase(sm, &sm->run.times.discover, now);
		if (freeze_topology(sm, now))
			phase_enter(sm, SM_TAKE, now);
		return true;
	}
	fresh = got > 0 && sm->view != NULL ? commit_refresh(sm, sm->view->topo)
					    : NULL;
	if (fresh != NULL) {
		v = mem_dup(sm->view, sizeof(*v));
		v->refs = 1;
		v->topo = fresh;
		v->routes = routes_for(sm->view->routes, fresh);
		v->pkeys = pkeys_ref(sm->view->pkeys);
		pkeys_adopt(v->pkeys, fresh);
		run_qos_renew(sm, v);
		v->redundancy = view_redundancy_ref(v->redundancy);
		v->quarantine = mem_dup(
			v->quarantine, v->nquarantine * sizeof(*v->quarantine));
		v->adaptive = mem_dup(
			v->adaptive, v->nadaptive * sizeof(*v->adaptive));
		v->fixed = mem_dup(v->fixed, v->nfixed * sizeof(*v->fixed));
		view_change_own(&v->change);
		view_unref(sm->view);
		sm->view = v;
		run_qos_log_layers(sm);
		run_adaptive_name(sm, fresh);
		run_sa_publish(sm, now);
		drift_sl2vl_renew(sm, now);
		sm->ops->committed(sm->ops->cookie, v);
		if (run_pkeys_renamed(sm, fresh))
			dirty_mark_replan(sm, now, DIRTY_RENAMED, NULL);
	}
	if (sm->view != NULL) {
		peers_name(sm);
		events_release(sm, now);
		name_accept_review(sm, now);
	}
	phase_enter(sm, SM_IDLE, now);
	return true;
}
