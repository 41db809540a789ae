#include "sm/daemon.h"

#include <stdio.h>
#include <time.h>

#include "sm/base/buf.h"
#include "sm/base/log.h"
#include "sm/event/alarm_kind.h"
#include "sm/notify.h"

/* The status while there is no core. */
static void
tell_no_port(const struct daemon *d, struct sm_status *sm)
{
	*sm = (struct sm_status){.role = SM_DISCOVERING,
		.phase = SM_IDLE,
		.priority = (uint8_t)d->config->fabric.priority,
		.alarms = 1U << ALARM_NO_PORT,
		.writing = "",
		.held_until = MONO_NEVER};
	(void)snprintf(sm->alarm, sizeof(sm->alarm),
		"no port: %s; waiting for it", d->facts.no_port);
}

void
daemon_gather_status(
	struct daemon *d, struct sm_status *sm, struct status_facts *f)
{
	static const struct xact_stats none;
	const struct server_stats *c =
		d->ctl != NULL ? ctl_stats(d->ctl) : NULL;
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
		.tree = runs ? run_mcast_trees(d->sm) : NULL,
		.health = runs ? sm_health(d->sm) : NULL,
		.watches = runs ? sm_link_watches(d->sm) : NULL,
		.cabling = d->cabling != NULL ? cabling_watch_status(d->cabling)
					      : (struct status_cabling){0},
		.ctl = c != NULL ? &d->control : NULL,
		.ring_dropped = runs ? umad_dropped(d->umad) : 0,
		.now = loop_now(),
	};
}

void
daemon_arm_timer(struct daemon *d)
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

double
daemon_wall_time(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

uint64_t
daemon_tell(void *cookie, const struct event *e)
{
	struct daemon *d = cookie;
	enum log_level level = event_kind_row(e->kind)->level;
	struct buf text = {0};

	d->last_event = event_store_add(d->events, e, daemon_wall_time());
	event_print(e, &text);
	if (!notify_journal() || !log_shows(level) ||
		!notify_event(e, d->last_event))
		log_print(level, text.text);
	buf_free(&text);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, loop_now());
	return d->last_event;
}

bool
daemon_may_release(void *cookie)
{
	struct daemon *d = cookie;

	return !worker_busy(d->worker);
}
