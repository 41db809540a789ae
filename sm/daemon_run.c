#include "sm/daemon_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/log.h"
#include "sm/daemon.h"
#include "sm/daemon_config.h"
#include "sm/daemon_control.h"
#include "sm/daemon_core.h"
#include "sm/daemon_loop.h"
#include "sm/notify.h"

/* A port that cannot be opened is tried again after so long; the pauses double
 * up to the second. */
enum { REOPEN_MS = 100, REOPEN_MAX_MS = 2000 };

/* A state that cannot be saved is tried again after so long. */
enum { SAVE_AGAIN_MS = 10000 };

static void
run_work(void *job)
{
	work_run(job);
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

/* The core is not kept waiting: what cannot be written is missing. */
static void
on_record_trouble(void *cookie, const char *why)
{
	struct daemon *d = cookie;

	(void)snprintf(d->facts.record_trouble, sizeof(d->facts.record_trouble),
		"%s", why != NULL ? why : "");
	if (why != NULL)
		log_error("record: ENTRIES ARE MISSING, no replay goes past "
			  "this: %s",
			why);
	else
		log_info("record: recorded again, behind a gap");
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

static int
open_port(struct daemon *d)
{
	struct umad_port_name *p = &d->port;
	uint64_t was = p->guid;
	struct reason why;

	d->umad = umad_open(d->spec, true, daemon_loop_wire, d, p, &why);
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

/* The port is open: the subnet manager begins. */
static void
start_core(struct daemon *d)
{
	daemon_core_make(d);
	d->link = umad_link(d->umad);
	if (!d->opt->once)
		daemon_loop_watch_link(d, loop_now());
	sm_start(d->sm, loop_now());
	if (d->link == 0) {
		daemon_events_own_link(d->own, false, loop_now());
		sm_own_link(d->sm, false, loop_now());
	}
	daemon_arm_timer(d);
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
	cabling_watch_free(d->cabling);
	sm_free(d->sm);
	daemon_record_free(d->record);
	if (d->own != NULL && !d->lost)
		daemon_events_stop(d->own, loop_now());
	event_store_free(d->events);
	umad_shutdown(d->umad);
	loop_timer_free(d->reopen);
	daemon_loop_free(d);
	config_unref(d->boot);
}

static void
print_page(struct daemon *d)
{
	struct status_facts f;
	struct sm_status sm;
	struct buf page = {0};

	daemon_gather_status(d, &sm, &f);
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
		d->own = daemon_events_new(daemon_tell, d);
		daemon_events_start(
			d->own, !event_store_ended(d->events), loop_now());
	}
	return d->events != NULL;
}

/* A daemon that cannot record does its work all the same. */
static void
open_record(struct daemon *d)
{
	struct reason why;

	d->facts.record_trouble[0] = '\0';
	d->record =
		daemon_record_new(d->loop, d->boot, on_record_trouble, d, &why);
	if (d->record == NULL && why.text[0] != '\0')
		on_record_trouble(d, why.text);
}

/* Set everything up and run the loop; d->exit_code says how it went. */
static void
serve_fabric(struct daemon *d)
{
	struct reason why;

	if (server_live(d->boot->control.socket)) {
		log_error("control: another heddled is listening on %s",
			d->boot->control.socket);
		return;
	}
	if (!daemon_loop_make(d)) {
		log_error("no event loop: %s", strerror(errno));
		return;
	}
	d->worker = worker_new(d->loop, run_work, daemon_loop_routed, d, &why);
	d->counter =
		redundancy_worker_new(d->loop, daemon_may_release, d, &why);
	d->saver = saver_new(d->loop, d->boot->state.dir,
		mono_ms(SAVE_AGAIN_MS), on_saved, d, &why);
	d->cabling = cabling_watch_new(d->loop, daemon_tell, d, &why);
	if (d->worker == NULL || d->counter == NULL || d->saver == NULL ||
		d->cabling == NULL || !open_events(d, &why)) {
		log_error("%s", why.text);
		return;
	}
	cabling_watch_load(d->cabling, d->config, d->opt->file);
	open_record(d);
	daemon_loop_watch(d);
	d->reopen = loop_timer_new(d->loop, on_reopen, d);
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
	daemon_control_open(d);
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

int
daemon_run(const struct options *opt, struct config *c)
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
	daemon_config_log_files(c);
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
