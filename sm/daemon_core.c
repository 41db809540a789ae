#include "sm/daemon_core.h"

#include <stdio.h>
#include <stdlib.h>

#include "sm/base/buf.h"
#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/notify.h"
#include "sm/state/previous_run.h"
#include "sm/state/state_file.h"

static void
want_route(void *cookie, struct sm_work *w)
{
	struct daemon *d = cookie;

	worker_submit(d->worker, w);
}

static uint64_t
wall_seconds(void *cookie)
{
	const struct daemon *d = cookie;
	uint64_t seconds = previous_run_now().when;

	daemon_record_seconds(d->record, seconds);
	return seconds;
}

static void
on_input(void *cookie, const struct sm_input *in)
{
	const struct daemon *d = cookie;

	daemon_record_input(d->record, in);
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

/* The file takes too much: what was in force before the start stays so, as
 * after a reload that is refused. */
static void
on_kept(void *cookie, struct config *c, const char *why)
{
	struct daemon *d = cookie;

	config_unref(d->config);
	d->config = config_ref(c);
	cabling_watch_load(d->cabling, c, d->opt->file);
	log_set_level((enum log_level)c->log.level);
	(void)snprintf(d->facts.refused, sizeof(d->facts.refused), "%s", why);
}

/* A standby has read the fabric anew, or a view is committed. */
static void
on_read(void *cookie, struct view *v)
{
	struct daemon *d = cookie;

	redundancy_worker_count(d->counter, v, d->config);
	cabling_watch_view(d->cabling, v, sm_drains(d->sm));
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
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
	on_read(d, v);
}

/* With --once that is the end. */
static void
run_is_over(struct daemon *d, bool up)
{
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
	mem_trim();
	if (!d->opt->once)
		return;
	d->exit_code = up ? EXIT_SUCCESS : EXIT_FAILURE;
	loop_stop(d->loop);
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
	run_is_over(d, ok);
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
	run_is_over(d, false);
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

void
daemon_core_make(struct daemon *d)
{
	struct state_file state = {0};
	struct transport *t;
	struct reason lost;

	d->ops = (struct sm_ops){
		.cookie = d,
		.input = on_input,
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
		.event = daemon_tell,
		.set_issm = want_issm,
	};
	d->facts.state_writable = previous_run_load(d->boot->state.dir,
		d->boot->fabric.subnet_prefix, &state, &lost);
	(void)snprintf(d->facts.state_lost, sizeof(d->facts.state_lost), "%s",
		lost.text);
	t = daemon_record_begin(d->record, d->config, &state,
		umad_transport(d->umad), d->port.guid);
	d->sm = sm_new(d->config, &state, t, &d->ops, d->port.guid);
	state_file_free(&state);
}
