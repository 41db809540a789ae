#include "sm/daemon_loop.h"

#include <signal.h>
#include <stdlib.h>

#include "sm/base/log.h"
#include "sm/daemon_config.h"
#include "sm/notify.h"
#include "sm/transport/transport.h"

/* Messages taken from the ring before other events of the loop are served. */
enum { RECEIVE_BATCH = 256 };

/* How often the link of our own port is read. */
enum { LOOK_MS = 1000 };

/* At the end the fabric is handed over: how often that is looked at, and for
 * how long at most. */
enum { FAREWELL_MS = 10, END_MS = 2500 };

static void
on_tick(void *cookie, struct mono now)
{
	struct daemon *d = cookie;

	sm_tick(d->sm, now);
	daemon_arm_timer(d);
}

void
daemon_loop_wire(void *cookie)
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
	daemon_arm_timer(d);
}

void
daemon_loop_routed(void *cookie, void *work, struct mono now)
{
	struct daemon *d = cookie;

	sm_routed(d->sm, work, now);
	daemon_arm_timer(d);
	redundancy_worker_discard(d->counter);
	if (d->ctl != NULL)
		ctl_changed(d->ctl, now); /* views may be released again */
}

/* The fabric has been handed over, or could not be. */
static void
on_farewell(void *cookie, struct mono now)
{
	struct daemon *d = cookie;

	if (d->sm != NULL && hand_over_is_pending(d->sm) &&
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
	daemon_arm_timer(d);
	loop_timer_set(d->farewell, mono_add(now, mono_ms(FAREWELL_MS)));
}

void
daemon_loop_watch_link(struct daemon *d, struct mono now)
{
	loop_timer_set(d->look, mono_add(now, mono_ms(LOOK_MS)));
}

/* No trap reports the link of a host's own port: read it. */
static void
on_look(void *cookie, struct mono now)
{
	struct daemon *d = cookie;
	int was = d->link;

	daemon_loop_watch_link(d, now);
	d->link = umad_link(d->umad);
	if (was < 0 || d->link < 0 || was == d->link)
		return;
	daemon_events_own_link(d->own, d->link > 0, now);
	sm_own_link(d->sm, d->link > 0, now);
	daemon_arm_timer(d);
}

/* The configuration is to be read again. */
static void
on_hangup(void *cookie, struct mono now)
{
	daemon_config_reload(cookie, now);
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

bool
daemon_loop_make(struct daemon *d)
{
	d->loop = loop_new();
	if (d->loop == NULL)
		return false;
	d->inbox = loop_wake_new(d->loop, on_inbox, d);
	d->tick = loop_timer_new(d->loop, on_tick, d);
	return true;
}

void
daemon_loop_watch(struct daemon *d)
{
	struct mono limit = notify_watchdog();

	d->signal[0] = loop_signal_new(d->loop, SIGHUP, on_hangup, d);
	d->signal[1] = loop_signal_new(d->loop, SIGTERM, on_end, d);
	d->signal[2] = loop_signal_new(d->loop, SIGINT, on_end, d);
	d->look = loop_timer_new(d->loop, on_look, d);
	d->farewell = loop_timer_new(d->loop, on_farewell, d);
	if (limit.ns == MONO_NEVER.ns)
		return;
	d->watchdog_half = (struct mono){limit.ns / 2};
	d->watchdog = loop_timer_new(d->loop, on_watchdog, d);
	loop_timer_set(d->watchdog, mono_add(loop_now(), d->watchdog_half));
}

void
daemon_loop_free(struct daemon *d)
{
	for (size_t i = 0; i < 3; i++)
		loop_signal_free(d->signal[i]);
	loop_timer_free(d->watchdog);
	loop_timer_free(d->look);
	loop_timer_free(d->farewell);
	loop_timer_free(d->tick);
	loop_wake_free(d->inbox);
	loop_free(d->loop);
}
