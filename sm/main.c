/*
 * heddled: options and wiring, nothing else.
 *
 * One loop drives the core: messages from the receiving thread's ring, the
 * core's one timer, routes from the worker, signals, the control socket. After
 * each of them arm_core_timer() sets that timer anew. The core asks for things
 * through sm_ops. State lives in one struct daemon on main's stack.
 *
 * There may be no port: its driver is not loaded yet, or the adapter is reset.
 * Then there is no core either; the control socket answers, with an alarm, and
 * the port is tried again and again. A port that is lost ends everything but
 * the process, and all begins anew with the saved state, as after a restart:
 * what another manager did meanwhile is found in the same way.
 *
 * Folder sm: the programs. main.c is the daemon, heddlectl.c its client;
 * worker.c and redundancy_worker.c are the threads beside the loop,
 * config_check.c is --check-config. Callers: nothing: here everything meets.
 * Read next: sm/core/sm.h for what the loop drives, sm/ctl/ctl.h for what it
 * answers.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "routing/driver/registry.h"
#include "sm/audit/auditor.h"
#include "sm/base/log.h"
#include "sm/base/loop.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/config_check.h"
#include "sm/core/sm.h"
#include "sm/core/snapshot_state.h"
#include "sm/ctl/ctl.h"
#include "sm/daemon_events.h"
#include "sm/event_store.h"
#include "sm/notify.h"
#include "sm/options.h"
#include "sm/redundancy_worker.h"
#include "sm/report/config_json.h"
#include "sm/report/drains_json.h"
#include "sm/report/events_json.h"
#include "sm/report/groups_json.h"
#include "sm/report/links_json.h"
#include "sm/report/names_json.h"
#include "sm/report/port_find.h"
#include "sm/report/status_json.h"
#include "sm/state/previous_run.h"
#include "sm/state/saver.h"
#include "sm/state/state_file.h"
#include "sm/transport/umad.h"
#include "sm/worker.h"

enum { EXIT_USAGE = 2 };

/* Messages taken from the ring before other events of the loop are served. */
enum { RECEIVE_BATCH = 256 };

/* How often the link of our own port is read. */
enum { LOOK_MS = 1000 };

/* Longest text of who asked for what. */
enum { CAUSE = 64 };

/* A port that cannot be opened is tried again after so long; the pauses double
 * up to the second. */
enum { REOPEN_MS = 100, REOPEN_MAX_MS = 2000 };

/* At the end the fabric is handed over: how often that is looked at, and for
 * how long at most. */
enum { FAREWELL_MS = 10, END_MS = 2500 };

struct daemon {
	const struct options *opt;
	struct config *config; /* in force */
	struct config *boot; /* as it was at the start: source of the keys that
				need a restart */
	struct loop *loop;
	struct loop_timer *tick;
	struct loop_timer *watchdog;
	struct loop_timer *look;     /* reads the link of our own port */
	struct loop_timer *reopen;   /* tries to open the port */
	struct loop_timer *farewell; /* the daemon ends: hands over first */
	struct mono end_by;	     /* 0: it does not end */
	struct mono reopen_wait;
	char spec[64]; /* the port to open: as configured, or the lost one */
	bool lost;     /* the port is gone: begin anew */
	int link;      /* when it was read last; -1: unknown */
	struct loop_wake *inbox;
	struct loop_signal *signal[3];
	struct umad *umad;
	struct worker *worker;
	struct redundancy_worker *counter;
	struct saver *saver;
	struct event_store *events;
	struct daemon_events *own; /* what the daemon tells of itself */
	uint64_t last_event;	   /* its number */
	struct sm_ops ops;	   /* lent to the core */
	struct sm *sm;
	struct ctl *ctl;
	struct umad_port_name port;
	struct status_daemon facts;
	struct status_control control;
	struct mono watchdog_half;
	uint64_t watchdog_answered, watchdog_sent; /* when last fed */
	struct mono told; /* when the view was made that was logged last */
	bool ready;	  /* systemd has been told that we are up */
	int exit_code;
};

/* The status while there is no core. */
static void
tell_no_port(const struct daemon *d, struct sm_status *sm)
{
	*sm = (struct sm_status){.role = SM_DISCOVERING,
		.phase = SM_IDLE,
		.priority = (uint8_t)d->config->fabric.priority,
		.writing = "",
		.held_until = MONO_NEVER};
	(void)snprintf(sm->alarm, sizeof(sm->alarm),
		"no port: %s; waiting for it", d->facts.no_port);
}

static void
gather_status(struct daemon *d, struct sm_status *sm, struct status_facts *f)
{
	static const struct xact_stats none;
	const struct ctl_stats *c = d->ctl != NULL ? ctl_stats(d->ctl) : NULL;
	bool runs = d->sm != NULL;

	if (c != NULL)
		d->control = (struct status_control){c->accepted, c->requests,
			c->malformed, c->refused, c->dropped, c->clients};
	if (runs)
		sm_status(d->sm, sm);
	else
		tell_no_port(d, sm);
	*f = (struct status_facts){
		.daemon = &d->facts,
		.config = d->config,
		.sm = sm,
		.wire = runs ? sm_xact_stats(d->sm) : &none,
		.view = runs ? sm_view(d->sm) : NULL,
		.events = runs ? sm_events(d->sm) : NULL,
		.drains = runs ? sm_drains(d->sm) : NULL,
		.tree = runs ? sm_mcast_trees(d->sm) : NULL,
		.health = runs ? sm_health(d->sm) : NULL,
		.ctl = c != NULL ? &d->control : NULL,
		.ring_dropped = runs ? umad_dropped(d->umad) : 0,
		.now = loop_now(),
	};
}

/* Set the timer of the core. Also tell systemd, once, that heddled is ready:
 * the master of the fabric is decided, or a first run is over. */
static void
arm_core_timer(struct daemon *d)
{
	struct sm_status s;

	if (d->sm == NULL)
		return;
	loop_timer_set(d->tick, sm_next(d->sm));
	if (d->ready)
		return;
	sm_status(d->sm, &s);
	if (s.role == SM_DISCOVERING && d->facts.runs == 0)
		return;
	d->ready = true;
	notify_ready();
}

/* ---- what the core asks for ---- */

static void
run_work(void *job)
{
	work_run(job);
}

static void
want_route(void *cookie, struct sm_work *w)
{
	struct daemon *d = cookie;

	worker_submit(d->worker, w);
}

static double
wall_time(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* An event of the fabric, or of this daemon. */
static uint64_t
on_event(void *cookie, const struct event *e)
{
	struct daemon *d = cookie;
	enum log_level level = event_kind_row(e->kind)->level;
	struct buf text = {0};

	d->last_event = event_store_add(d->events, e, wall_time());
	event_print(e, &text);
	if (!notify_journal() || !log_shows(level) ||
		!notify_event(e, d->last_event))
		log_print(level, text.text);
	buf_free(&text);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
	return d->last_event;
}

static uint64_t
wall_seconds(void *cookie)
{
	(void)cookie;
	return previous_run_now().when;
}

static void
want_save(void *cookie, const struct state_file *s, bool at_once)
{
	struct daemon *d = cookie;
	struct state_file now = *s;

	now.saved = previous_run_now();
	saver_submit(d->saver, &now);
	if (at_once)
		saver_wait(d->saver);
}

static void
want_mark(void *cookie, bool on)
{
	struct daemon *d = cookie;

	if (!previous_run_writing(d->boot->state.dir, on))
		log_debug("state: the marker file fabric.writing cannot be "
			  "updated");
}

static void
want_aside(void *cookie, const char *what)
{
	struct daemon *d = cookie;
	struct reason why;

	(void)reason_set(&why, "%s", what);
	state_file_set_aside(d->boot->state.dir, "strange", &why);
	(void)snprintf(d->facts.state_lost, sizeof(d->facts.state_lost), "%s",
		why.text);
	log_error("state: %s", why.text);
}

static void
on_saved(void *cookie, const char *why)
{
	struct daemon *d = cookie;

	if (why == NULL) {
		if (!d->facts.state_writable)
			daemon_events_state(d->own, NULL, loop_now());
		d->facts.state_writable = true;
		return;
	}
	if (d->facts.state_writable) {
		log_error("state: NOT SAVED, LIDs may change at the next "
			  "restart: %s",
			why);
		daemon_events_state(d->own, why, loop_now());
	}
	d->facts.state_writable = false;
}

/* The file takes too much: what was in force before the start stays so, as
 * after a reload that is refused. */
static void
on_kept(void *cookie, struct config *c, const char *why)
{
	struct daemon *d = cookie;

	config_unref(d->config);
	d->config = config_ref(c);
	log_set_level((enum log_level)c->log.level);
	(void)snprintf(d->facts.refused, sizeof(d->facts.refused), "%s", why);
}

/* Events go on in memory, and to the files as soon as that is possible. */
static void
on_events_written(void *cookie, const char *why, uint64_t lost)
{
	struct daemon *d = cookie;

	(void)snprintf(d->facts.events_unwritten,
		sizeof(d->facts.events_unwritten), "%s",
		why != NULL ? why : "");
	if (why != NULL)
		log_error("events: NOT WRITTEN, kept in memory: %s", why);
	else
		log_info("events: written again lost=%llu",
			(unsigned long long)lost);
}

/* One log line a run; a view that only gained names belongs to the same run. */
static void
on_commit(void *cookie, struct view *v)
{
	struct daemon *d = cookie;
	struct buf line = {0};

	if (v->when.ns != d->told.ns) {
		status_line(v, &line);
		log_info("sm: %s", line.text);
		buf_free(&line);
	}
	d->told = v->when;
	redundancy_worker_count(d->counter, v, d->config);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
}

static void
on_finished(void *cookie, bool ok, const char *why)
{
	struct daemon *d = cookie;
	struct status_daemon *f = &d->facts;
	struct sm_status s;

	sm_status(d->sm, &s);
	f->runs++;
	f->runs_failed += ok ? 0 : 1;
	f->sweeps_done = s.sweeps_full;
	f->last_ok = ok;
	(void)snprintf(f->last_why, sizeof(f->last_why), "%s",
		ok || why == NULL ? "" : why);
	notify_status("%s, %llu runs, last run %s%s", sm_role_name(s.role),
		(unsigned long long)f->runs,
		ok ? "ok" : "failed: ", f->last_why);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
	mem_trim();
	if (!d->opt->once)
		return;
	d->exit_code = ok ? EXIT_SUCCESS : EXIT_FAILURE;
	loop_stop(d->loop);
}

/* A standby has read the fabric anew. */
static void
on_read(void *cookie, struct view *v)
{
	struct daemon *d = cookie;

	redundancy_worker_count(d->counter, v, d->config);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
}

/* A standby is well: its run has not failed. But --once wants the fabric up. */
static void
on_stood_by(void *cookie, const char *why)
{
	struct daemon *d = cookie;
	struct status_daemon *f = &d->facts;

	f->runs++;
	f->last_ok = true;
	f->last_why[0] = '\0';
	notify_status("%s: %s", sm_role_name(SM_STANDING_BY), why);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
	mem_trim();
	if (!d->opt->once)
		return;
	d->exit_code = EXIT_FAILURE;
	loop_stop(d->loop);
}

static void
want_issm(void *cookie, bool on)
{
	struct daemon *d = cookie;
	struct reason why;

	if (umad_set_issm(d->umad, on, &why) != 0)
		log_warn("port: cannot %s IsSM: %s", on ? "raise" : "clear",
			why.text);
}

/* ---- events of the loop ---- */

static void
on_tick(void *cookie, struct mono now)
{
	struct daemon *d = cookie;

	sm_tick(d->sm, now);
	arm_core_timer(d);
}

/* Called in the receiving thread: the ring is no longer empty. */
static void
on_wire(void *cookie)
{
	struct daemon *d = cookie;

	loop_wake_send(d->inbox);
}

static void
on_inbox(void *cookie, struct mono now)
{
	struct daemon *d = cookie;
	struct transport_msg m;
	struct reason why;
	int n = 0;

	if (d->sm == NULL)
		return;
	if (umad_lost(d->umad, &why)) {
		daemon_events_port_lost(d->own, why.text, now);
		d->lost = true;
		loop_stop(d->loop);
		return;
	}
	while (n < RECEIVE_BATCH && umad_next(d->umad, &m) != 0) {
		sm_receive(d->sm, &m, now);
		free(m.body);
		n++;
	}
	if (n == RECEIVE_BATCH)
		loop_wake_send(d->inbox);
	arm_core_timer(d);
}

static void
on_routed(void *cookie, void *work, struct mono now)
{
	struct daemon *d = cookie;

	sm_routed(d->sm, work, now);
	arm_core_timer(d);
	redundancy_worker_discard(d->counter);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, now); /* views may be released again */
}

/* The fabric has been handed over, or could not be. */
static void
on_farewell(void *cookie, struct mono now)
{
	struct daemon *d = cookie;

	if (d->sm != NULL && sm_resigning(d->sm) &&
		mono_before(now, d->end_by)) {
		loop_timer_set(
			d->farewell, mono_add(now, mono_ms(FAREWELL_MS)));
		return;
	}
	loop_stop(d->loop);
}

/* A standby gets the fabric first; a second signal ends the daemon at once. */
static void
on_end(void *cookie, struct mono now)
{
	struct daemon *d = cookie;
	bool again = d->end_by.ns != 0;

	log_info("ending");
	d->exit_code = d->opt->once ? EXIT_FAILURE : EXIT_SUCCESS;
	d->end_by = mono_add(now, mono_ms(END_MS));
	if (again || d->sm == NULL || !sm_resign(d->sm, now)) {
		loop_stop(d->loop);
		return;
	}
	notify_status("handing over");
	arm_core_timer(d);
	loop_timer_set(d->farewell, mono_add(now, mono_ms(FAREWELL_MS)));
}

/* No trap reports the link of a host's own port: read it. */
static void
on_look(void *cookie, struct mono now)
{
	struct daemon *d = cookie;
	int was = d->link;

	loop_timer_set(d->look, mono_add(now, mono_ms(LOOK_MS)));
	d->link = umad_link(d->umad);
	if (was < 0 || d->link < 0 || was == d->link)
		return;
	daemon_events_own_link(d->own, d->link > 0, now);
	sm_own_link(d->sm, d->link > 0, now);
	arm_core_timer(d);
}

/*
 * Alive means more than a loop that runs: since the last time an answer came,
 * or nothing was asked, or routes are being computed. Our own port answers as
 * long as the device lives. Without a port there is nothing to do but to wait
 * for it.
 */
static void
on_watchdog(void *cookie, struct mono now)
{
	struct daemon *d = cookie;
	const struct xact_stats *x;
	uint64_t answered;

	loop_timer_set(d->watchdog, mono_add(now, d->watchdog_half));
	if (d->sm == NULL) {
		notify_alive();
		return;
	}
	x = sm_xact_stats(d->sm);
	answered = x->completed - x->timeouts;
	if (answered != d->watchdog_answered || x->sent == d->watchdog_sent ||
		worker_busy(d->worker))
		notify_alive();
	else
		log_warn("watchdog: nothing is answered sent=%llu inflight=%u",
			(unsigned long long)(x->sent - d->watchdog_sent),
			x->inflight);
	d->watchdog_answered = answered;
	d->watchdog_sent = x->sent;
}

/* ---- configuration ---- */

/* The configuration, or NULL with the mistakes in *bad (to be freed). */
static struct config *
read_config(const struct options *opt, struct diag_list *bad)
{
	return config_load(opt->file, opt->file_given, registry_modules(), bad);
}

/* Log the mistakes; *first becomes the first line, and stays as it is if there
 * is none. */
static void
log_mistakes(const struct diag_list *bad, struct reason *first)
{
	struct buf text = {0};
	char *save = NULL;

	diag_text(bad, &text);
	if (text.text != NULL) {
		(void)reason_set(first, "%.*s", (int)strcspn(text.text, "\n"),
			text.text);
		for (char *line = strtok_r(text.text, "\n", &save);
			line != NULL; line = strtok_r(NULL, "\n", &save))
			log_error("config: %s", line);
	}
	buf_free(&text);
}

static void
log_drop_ins(const struct config *c)
{
	for (size_t i = 1; i < c->nfiles; i++)
		log_info("config: drop-in %s", c->file[i]);
}

static void
log_changes(const struct config_changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct config_change *k = &c->item[i];

		if (k->reload == SCHEMA_RESTART)
			log_warn("config: %s is %s, not %s, until heddled is "
				 "restarted",
				k->key, k->was, k->is);
		else
			log_info("config: %s was=%s is=%s", k->key, k->was,
				k->is);
	}
}

static void
on_reload(void *cookie, struct mono now)
{
	struct daemon *d = cookie;
	struct config_changes changes;
	struct diag_list bad;
	struct config *c;
	struct reason why = {0};

	notify_reloading(now);
	d->facts.reloads++;
	c = read_config(d->opt, &bad);
	if (c != NULL && d->sm != NULL &&
		sm_accepts_config(d->sm, c, &why) != 0) {
		log_error("config: %s", why.text);
		config_unref(c);
		c = NULL;
	}
	if (c == NULL) {
		d->facts.bad_reloads++;
		log_mistakes(&bad, &why);
		daemon_events_refused(d->own, why.text, now);
	} else {
		config_diff(d->config, c, &changes);
		log_drop_ins(c);
		log_changes(&changes);
		daemon_events_reload(d->own, &changes, now);
		config_unref(d->config);
		d->config = c;
		log_set_level((enum log_level)c->log.level);
		if (d->sm != NULL)
			sm_reconfigure(d->sm, c, &changes, now);
		config_changes_free(&changes);
		arm_core_timer(d);
	}
	(void)snprintf(d->facts.refused, sizeof(d->facts.refused), "%s",
		c == NULL ? why.text : "");
	diag_free(&bad);
	notify_ready();
}

/* ---- what the control socket asks for ---- */

static struct view *
ctl_wants_view(void *cookie)
{
	struct daemon *d = cookie;

	return d->sm != NULL ? sm_view(d->sm) : NULL;
}

static json_t *
ctl_wants_status(void *cookie)
{
	struct daemon *d = cookie;
	struct status_facts f;
	struct sm_status sm;

	gather_status(d, &sm, &f);
	return status_json(&f);
}

static json_t *
ctl_wants_groups(void *cookie, const char *which, struct reason *why)
{
	const struct daemon *d = cookie;
	const struct groups_facts f = {
		.sa = sm_sa(d->sm),
		.topo = sm_view(d->sm)->topo,
		.tree = sm_mcast_trees(d->sm),
	};

	return groups_json(&f, which, why);
}

static json_t *
ctl_wants_events(void *cookie, uint64_t since)
{
	const struct daemon *d = cookie;

	return event_store_json(d->events, since, wall_time());
}

static uint64_t
ctl_wants_last_event(void *cookie)
{
	const struct daemon *d = cookie;

	return event_store_last(d->events);
}

static struct links_facts
ctl_wants_link_facts(void *cookie)
{
	const struct daemon *d = cookie;

	return (struct links_facts){
		.t = sm_view(d->sm)->topo,
		.health = sm_health(d->sm),
		.limits = sm_link_limits(d->sm),
		.now = loop_now(),
	};
}

static json_t *
ctl_wants_links(
	void *cookie, uid_t uid, const struct links_ask *ask, bool accept)
{
	struct daemon *d = cookie;
	const struct links_facts f = ctl_wants_link_facts(d);
	const struct topo *t = f.t;
	json_t *o;

	if (accept) {
		daemon_events_command(
			d->own, "links accept", uid, NULL, loop_now());
		sm_missing_accept(d->sm, loop_now());
		arm_core_timer(d);
	}
	if (ask->bad || ask->slow || ask->errors)
		o = links_json(&f, ask);
	else
		o = json_pack("{s:o, s:o}", "missing",
			events_missing_json(
				sm_events(d->sm), t, SIZE_MAX, loop_now()),
			"degraded", links_degraded_json(t, SIZE_MAX));
	(void)json_object_set_new(o, "health", links_health_json(&f));
	return o;
}

/* "sweep requested by root (uid 0)": the cause of what a user asked for. */
static void
requested_by(const char *what, uid_t uid, char cause[CAUSE])
{
	char user[DAEMON_EVENTS_USER];

	(void)snprintf(
		cause, CAUSE, "%s by %s", what, daemon_events_user(uid, user));
}

static void
tell_command(struct daemon *d, const char *command, uid_t uid, int rc,
	const struct reason *why)
{
	daemon_events_command(
		d->own, command, uid, rc != 0 ? why->text : NULL, loop_now());
}

static json_t *
ctl_wants_names(void *cookie, uid_t uid, bool accept)
{
	struct daemon *d = cookie;
	char cause[CAUSE];

	if (accept) {
		daemon_events_command(
			d->own, "partitions accept", uid, NULL, loop_now());
		requested_by("names accepted", uid, cause);
		sm_names_accept(d->sm, loop_now(), cause);
		arm_core_timer(d);
	}
	return names_json(sm_names(d->sm), sm_view(d->sm)->topo);
}

static struct drains_facts
drains_facts(const struct daemon *d)
{
	return (struct drains_facts){.drains = sm_drains(d->sm),
		.view = sm_view(d->sm),
		.tree = sm_mcast_trees(d->sm),
		.now = loop_now()};
}

static int
begin_drain(struct daemon *d, const char *by, const struct ctl_drain *ask,
	uint32_t *generation, struct reason *why)
{
	const struct topo *t = sm_view(d->sm)->topo;
	struct sm_drain want = {.duration = MONO_NEVER,
		.force = ask->force,
		.by = by,
		.reason = ask->reason != NULL ? ask->reason : ""};
	node_ix n;

	if (port_find_end(t, ask->node, &n, &want.port, why) != 0)
		return -1;
	want.guid = t->node[n].guid;
	if (ask->seconds > 0)
		want.duration = mono_ms((int64_t)ask->seconds * 1000);
	return sm_drain(d->sm, &want, loop_now(), generation, why);
}

static int
end_drain(struct daemon *d, const char *by, const char *node,
	uint32_t *generation, struct reason *why)
{
	const struct drain *x =
		drains_named(sm_drains(d->sm), sm_view(d->sm)->topo, node, why);

	return x == NULL ? -1
			 : sm_undrain(d->sm, x->guid, x->port, by, loop_now(),
				   generation, why);
}

static json_t *
ctl_wants_drain(void *cookie, uid_t uid, const struct ctl_drain *ask,
	struct reason *why)
{
	struct daemon *d = cookie;
	uint32_t generation;
	char user[DAEMON_EVENTS_USER];
	const char *by = daemon_events_user(uid, user);
	json_t *o;

	if ((ask->back ? end_drain(d, by, ask->node, &generation, why)
		       : begin_drain(d, by, ask, &generation, why)) != 0)
		return NULL;
	arm_core_timer(d);
	o = json_pack("{s:b}", "back", ask->back);
	if (generation > 0)
		(void)json_object_set_new(o, "wait_generation",
			json_integer((json_int_t)generation));
	return o;
}

static json_t *
ctl_wants_drains(void *cookie, const char *node, struct reason *why)
{
	const struct daemon *d = cookie;
	const struct drains_facts f = drains_facts(d);
	const struct drain *x;

	if (node == NULL)
		return drains_json(&f);
	x = drains_named(f.drains, f.view->topo, node, why);
	return x == NULL
		       ? NULL
		       : json_pack("{s:[o]}", "drains", drains_json_one(&f, x));
}

static json_t *
ctl_wants_config(void *cookie, bool origin)
{
	const struct daemon *d = cookie;

	return config_json(d->config, d->boot, origin);
}

static json_t *
ctl_wants_memory(void *cookie, bool tables)
{
	const struct daemon *d = cookie;

	return snapshot_state_json(d->sm, d->config, tables);
}

static uint64_t
ctl_wants_sweeps(void *cookie)
{
	struct daemon *d = cookie;

	return d->facts.sweeps_done;
}

/* The worker owns the pool of the tables while it computes. */
static bool
may_release(void *cookie)
{
	struct daemon *d = cookie;

	return !worker_busy(d->worker);
}

/* The sweep asked for is the next one: a full sweep in progress began before
 * the request. */
static int
begin_sweep(struct daemon *d, uid_t uid, uint64_t *sweeps, struct reason *why)
{
	struct sm_status s;
	char cause[CAUSE];

	if (d->sm == NULL)
		return reason_set(why, "no port: %s", d->facts.no_port);
	sm_status(d->sm, &s);
	if (s.role == SM_STANDING_BY)
		return reason_set(why,
			"standing by: the master is 0x%016llx %s priority %u",
			(unsigned long long)s.master.guid, s.master.name,
			s.master.priority);
	*sweeps = s.sweeps_full + 1;
	requested_by("sweep requested", uid, cause);
	sm_resweep(d->sm, loop_now(), cause);
	arm_core_timer(d);
	return 0;
}

static int
ctl_wants_sweep(void *cookie, uid_t uid, uint64_t *sweeps, struct reason *why)
{
	struct daemon *d = cookie;
	int rc = begin_sweep(d, uid, sweeps, why);

	tell_command(d, "sweep", uid, rc, why);
	return rc;
}

static int
begin_rebalance(struct daemon *d, uid_t uid, struct reason *why)
{
	struct sm_status s;
	char cause[CAUSE];

	if (d->sm == NULL)
		return reason_set(why, "no port: %s", d->facts.no_port);
	sm_status(d->sm, &s);
	if (s.role != SM_MASTER)
		return reason_set(why, "not the master of this fabric");
	requested_by("rebalance requested", uid, cause);
	sm_rebalance(d->sm, loop_now(), cause);
	arm_core_timer(d);
	return 0;
}

static int
ctl_wants_rebalance(void *cookie, uid_t uid, struct reason *why)
{
	struct daemon *d = cookie;
	int rc = begin_rebalance(d, uid, why);

	tell_command(d, "rebalance", uid, rc, why);
	return rc;
}

/* A hand-over changes who answers for the whole fabric: members of the socket's
 * group may not ask for it. */
static int
begin_hand_over(
	struct daemon *d, uid_t uid, struct sm_other *to, struct reason *why)
{
	char cause[CAUSE];

	if (uid != 0)
		return reason_set(why, "only root may hand the fabric over");
	if (d->sm == NULL)
		return reason_set(why, "no port: %s", d->facts.no_port);
	requested_by("as requested", uid, cause);
	if (sm_hand_over(d->sm, cause, loop_now(), to, why) != 0)
		return -1;
	arm_core_timer(d);
	return 0;
}

static int
ctl_wants_hand_over(
	void *cookie, uid_t uid, struct sm_other *to, struct reason *why)
{
	struct daemon *d = cookie;
	int rc = begin_hand_over(d, uid, to, why);

	tell_command(d, "handover", uid, rc, why);
	return rc;
}

/* ---- start and end ---- */

static void
open_control(struct daemon *d)
{
	const char *path = d->boot->control.socket;
	const struct ctl_ops ops = {
		.cookie = d,
		.view = ctl_wants_view,
		.status = ctl_wants_status,
		.sweeps = ctl_wants_sweeps,
		.may_release = may_release,
		.sweep = ctl_wants_sweep,
		.rebalance = ctl_wants_rebalance,
		.hand_over = ctl_wants_hand_over,
		.groups = ctl_wants_groups,
		.events = ctl_wants_events,
		.last_event = ctl_wants_last_event,
		.links = ctl_wants_links,
		.link_facts = ctl_wants_link_facts,
		.names = ctl_wants_names,
		.drain = ctl_wants_drain,
		.drains = ctl_wants_drains,
		.config = ctl_wants_config,
		.memory = ctl_wants_memory,
	};
	struct reason why;

	if (d->opt->once)
		return;
	d->ctl = ctl_open(d->loop, path, &ops, NULL, &why);
	if (d->ctl == NULL)
		log_error("control: continuing WITHOUT control socket: %s",
			why.text);
}

static int
open_port(struct daemon *d)
{
	struct umad_port_name *p = &d->port;
	uint64_t was = p->guid;
	struct reason why;

	d->umad = umad_open(d->spec, true, on_wire, d, p, &why);
	if (d->umad == NULL) {
		if (log_is_news(d->facts.no_port, sizeof(d->facts.no_port),
			    why.text))
			log_error("port: %s", why.text);
		return -1;
	}
	d->facts.no_port[0] = '\0';
	memcpy(d->facts.device, p->device, sizeof(d->facts.device));
	d->facts.port = p->port;
	log_info("port: device=%s port=%d guid=0x%016llx asked=%s "
		 "sa_device=%s",
		p->device, p->port, (unsigned long long)p->guid, d->spec,
		p->sa_device);
	if (was != 0 && was != p->guid)
		log_warn("port: the adapter is another one: guid was "
			 "0x%016llx",
			(unsigned long long)was);
	return 0;
}

static void
make_core(struct daemon *d)
{
	struct state_file state = {0};
	struct reason lost;

	d->ops = (struct sm_ops){
		.cookie = d,
		.route = want_route,
		.save = want_save,
		.writing = want_mark,
		.set_aside = want_aside,
		.kept = on_kept,
		.committed = on_commit,
		.read = on_read,
		.finished = on_finished,
		.stood_by = on_stood_by,
		.seconds = wall_seconds,
		.event = on_event,
		.set_issm = want_issm,
	};
	d->facts.state_writable = previous_run_load(d->boot->state.dir,
		d->boot->fabric.subnet_prefix, &state, &lost);
	(void)snprintf(d->facts.state_lost, sizeof(d->facts.state_lost), "%s",
		lost.text);
	d->sm = sm_new(d->config, &state, umad_transport(d->umad), &d->ops,
		d->port.guid);
	state_file_free(&state);
}

/* The port is open: the subnet manager begins. */
static void
start_core(struct daemon *d)
{
	make_core(d);
	d->link = umad_link(d->umad);
	if (!d->opt->once)
		loop_timer_set(d->look, mono_add(loop_now(), mono_ms(LOOK_MS)));
	sm_start(d->sm, loop_now());
	if (d->link == 0) {
		daemon_events_own_link(d->own, false, loop_now());
		sm_own_link(d->sm, false, loop_now());
	}
	arm_core_timer(d);
}

static void
wait_for_port(struct daemon *d, struct mono now)
{
	struct mono most = mono_ms(REOPEN_MAX_MS);

	loop_timer_set(d->reopen, mono_add(now, d->reopen_wait));
	d->reopen_wait = mono_min((struct mono){d->reopen_wait.ns * 2}, most);
}

static void
on_reopen(void *cookie, struct mono now)
{
	struct daemon *d = cookie;

	if (open_port(d) == 0)
		start_core(d);
	else
		wait_for_port(d, now);
}

static void
start_watchers(struct daemon *d)
{
	struct mono limit = notify_watchdog();

	d->signal[0] = loop_signal_new(d->loop, SIGHUP, on_reload, d);
	d->signal[1] = loop_signal_new(d->loop, SIGTERM, on_end, d);
	d->signal[2] = loop_signal_new(d->loop, SIGINT, on_end, d);
	d->look = loop_timer_new(d->loop, on_look, d);
	d->reopen = loop_timer_new(d->loop, on_reopen, d);
	d->farewell = loop_timer_new(d->loop, on_farewell, d);
	if (limit.ns == MONO_NEVER.ns)
		return;
	d->watchdog_half = (struct mono){limit.ns / 2};
	d->watchdog = loop_timer_new(d->loop, on_watchdog, d);
	loop_timer_set(d->watchdog, mono_add(loop_now(), d->watchdog_half));
}

/*
 * IsSM is cleared first: other managers may take over while we tidy up. The
 * worker is freed before everything that holds a view: it may be using the pool
 * of the view's tables.
 */
static void
take_down(struct daemon *d)
{
	if (!d->lost)
		notify_stopping();
	if (d->umad != NULL)
		(void)umad_set_issm(d->umad, false, NULL);
	worker_free(d->worker);
	redundancy_worker_free(d->counter);
	if (d->sm != NULL)
		sm_save(d->sm);
	saver_free(d->saver);
	ctl_close(d->ctl);
	d->ctl = NULL; /* what ends tells events, too */
	sm_free(d->sm);
	if (d->own != NULL && !d->lost)
		daemon_events_stop(d->own, loop_now());
	event_store_free(d->events);
	umad_shutdown(d->umad);
	for (size_t i = 0; i < 3; i++)
		loop_signal_free(d->signal[i]);
	loop_timer_free(d->watchdog);
	loop_timer_free(d->look);
	loop_timer_free(d->reopen);
	loop_timer_free(d->farewell);
	loop_timer_free(d->tick);
	loop_wake_free(d->inbox);
	loop_free(d->loop);
	config_unref(d->boot);
}

static void
print_page(struct daemon *d)
{
	struct status_facts f;
	struct sm_status sm;
	struct buf page = {0};

	gather_status(d, &sm, &f);
	status_page(&f, &page);
	(void)fputs(page.text, stdout);
	(void)fflush(stdout);
	buf_free(&page);
}

static bool
open_events(struct daemon *d, struct reason *why)
{
	const struct config_state *c = &d->boot->state;

	d->events = event_store_new(d->loop,
		&(struct event_store_job){.dir = c->dir,
			.most = (uint64_t)c->events_size << 20,
			.after = d->last_event,
			.told = on_events_written,
			.cookie = d},
		why);
	if (d->events != NULL && why->text[0] != '\0')
		log_warn("events: %s", why->text);
	if (d->events != NULL && d->own == NULL) {
		d->own = daemon_events_new(on_event, d);
		daemon_events_start(
			d->own, !event_store_ended(d->events), loop_now());
	}
	return d->events != NULL;
}

/* Set everything up and run the loop; d->exit_code says how it went. */
static void
serve_fabric(struct daemon *d)
{
	struct reason why;

	if (ctl_live(d->boot->control.socket)) {
		log_error("control: another heddled is listening on %s",
			d->boot->control.socket);
		return;
	}
	d->loop = loop_new();
	if (d->loop == NULL) {
		log_error("no event loop: %s", strerror(errno));
		return;
	}
	d->inbox = loop_wake_new(d->loop, on_inbox, d);
	d->tick = loop_timer_new(d->loop, on_tick, d);
	d->worker = worker_new(d->loop, run_work, on_routed, d, &why);
	d->counter = redundancy_worker_new(d->loop, may_release, d, &why);
	d->saver = saver_new(d->loop, d->boot->state.dir, on_saved, d, &why);
	if (d->worker == NULL || d->counter == NULL || d->saver == NULL ||
		!open_events(d, &why)) {
		log_error("%s", why.text);
		return;
	}
	start_watchers(d);
	if (open_port(d) == 0) {
		start_core(d);
	} else if (d->opt->once) {
		return;
	} else {
		log_info("port: waiting for it");
		notify_status("waiting for the port: %s", d->facts.no_port);
		notify_ready(); /* an adapter may take its time */
		d->ready = true;
		wait_for_port(d, loop_now());
	}
	open_control(d);
	loop_run(d->loop);
	if (d->opt->once && d->sm != NULL)
		print_page(d);
}

/*
 * What outlasts the loss of the port: configuration, port, and what was
 * counted. The port to open is the one that was lost, whatever "auto" would
 * choose now: another one may lead to another fabric.
 */
static void
begin_anew(struct daemon *d)
{
	struct daemon anew = {
		.opt = d->opt,
		.config = d->config,
		.boot = config_ref(d->config),
		.port = d->port,
		.facts = d->facts,
		.reopen_wait = mono_ms(REOPEN_MS),
		.ready = d->ready,
		.last_event = d->last_event,
		.own = d->own,
		.exit_code = EXIT_FAILURE,
	};

	memcpy(anew.spec, d->spec, sizeof(anew.spec));
	if (d->lost)
		(void)snprintf(anew.spec, sizeof(anew.spec), "%s/%d",
			d->port.device, d->port.port);
	*d = anew;
}

static int
run_daemon(const struct options *opt, struct config *c)
{
	struct daemon d = {
		.opt = opt,
		.config = c,
		.facts = {.started = loop_now(),
			.config_file = opt->file,
			.state_writable = true},
		.exit_code = EXIT_FAILURE,
	};

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* a write fails by EFBIG */
	log_set_journal(notify_journal());
	log_set_level((enum log_level)c->log.level);
	log_info("config: %s", opt->file);
	if (c->nfiles == 0) {
		log_info("config: no %s, all defaults", opt->file);
		d.facts.config_file = "";
	}
	log_drop_ins(c);
	(void)snprintf(d.spec, sizeof(d.spec), "%s", c->fabric.port);
	do {
		begin_anew(&d);
		serve_fabric(&d);
		take_down(&d);
	} while (d.lost && !opt->once);
	daemon_events_free(d.own);
	config_unref(d.config);
	return d.exit_code;
}

static int
with_config(const struct options *opt)
{
	struct diag_list bad;
	struct config *c = read_config(opt, &bad);
	int ret;

	if (c == NULL) {
		ret = config_check_refuse(opt, &bad);
		diag_free(&bad);
		return ret;
	}
	if (opt->mode == OPTIONS_RUN) {
		diag_free(&bad);
		return run_daemon(opt, c);
	}
	if (opt->mode == OPTIONS_AUDIT) {
		diag_free(&bad);
		ret = auditor_run(c, opt->json);
		config_unref(c);
		return ret;
	}
	ret = config_check_print(opt, c, &bad);
	diag_free(&bad);
	config_unref(c);
	return ret;
}

int
main(int argc, char **argv)
{
	struct buf out = {0};
	struct options opt;
	struct reason why;

	mem_frugal();
	if (options_parse(argc, argv, &opt, &why) != 0) {
		(void)fprintf(
			stderr, "heddled: %s\nTry heddled --help.\n", why.text);
		return EXIT_USAGE;
	}
	switch (opt.mode) {
	case OPTIONS_HELP:
		options_help(&out);
		break;
	case OPTIONS_VERSION:
		buf_printf(&out, "heddled %s\n", VERSION_TEXT);
		break;
	case OPTIONS_SCHEMA:
		config_json_schema(registry_modules(), &out);
		break;
	case OPTIONS_RUN:
	case OPTIONS_AUDIT:
	case OPTIONS_CHECK:
	case OPTIONS_PRINT:
	default:
		return with_config(&opt);
	}
	(void)fputs(out.text, stdout);
	buf_free(&out);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
