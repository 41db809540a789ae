#include "tests/sim/serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "sm/base/mem.h"
#include "tests/sim/serve/serve_int.h"

enum { PULSE_MS = 1000 };

struct serve_options
serve_defaults(void)
{
	struct serve_options o = {
		.name = "sim",
		.sim = sim_defaults(),
		.timeout = mono_ms(200),
		.patience = mono_ms(10000),
	};

	o.sim.hop = o.sim.service = mono_ms(0);
	return o;
}

struct mono
serve_now(const struct serve *s)
{
	return mono_sub(loop_now(), s->base);
}

static void
arm_timer(struct serve *s, struct mono at)
{
	struct mono t = mono_add(s->base, at);
	struct itimerspec its = {0};

	if (at.ns == s->armed.ns)
		return;
	s->armed = at;
	if (at.ns != MONO_NEVER.ns) {
		if (t.ns <= 0)
			t.ns = 1;
		its.it_value.tv_sec = t.ns / 1000000000;
		its.it_value.tv_nsec = t.ns % 1000000000;
	}
	(void)timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &its, NULL);
}

void
serve_settle(struct serve *s)
{
	struct mono now = serve_now(s);

	sim_run_until(s->sim, now);
	serve_wait_tick(s, now);
	if (!mono_before(now, umadserve_next(s->umad)))
		umadserve_turn(s->umad, now);
	sim_run_until(s->sim, now); /* requests that were repeated */
	serve_data_flush(s);
	umadserve_flush(s->umad);
	arm_timer(s, mono_min(mono_min(sim_next(s->sim), serve_wait_next(s)),
			     umadserve_next(s->umad)));
}

static void
on_timer(void *cookie, unsigned events, struct mono now)
{
	struct serve *s = cookie;
	uint64_t n;

	(void)events;
	(void)now;
	(void)!read(s->timer_fd, &n, sizeof(n));
	s->armed = MONO_NEVER;
	serve_settle(s);
}

static void
on_pulse(void *cookie, struct mono now)
{
	struct serve *s = cookie;

	serve_client_bury(s);
	serve_settle(s);
	loop_timer_set(s->pulse, mono_add(now, mono_ms(PULSE_MS)));
}

static void
on_signal(void *cookie, struct mono now)
{
	struct serve *s = cookie;

	(void)now;
	s->quit = true;
	loop_stop(s->loop);
}

static int
open_clock(struct serve *s, struct reason *why)
{
	s->timer_fd =
		timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (s->timer_fd < 0)
		return reason_set(why, "no timer: %s", strerror(errno));
	s->timer_watch =
		loop_fd_new(s->loop, s->timer_fd, LOOP_READ, on_timer, s);
	s->pulse = loop_timer_new(s->loop, on_pulse, s);
	loop_timer_set(s->pulse, mono_add(loop_now(), mono_ms(PULSE_MS)));
	return 0;
}

struct serve *
serve_new(struct fabric *f, const struct serve_options *o, struct reason *why)
{
	struct serve *s = mem_zalloc(1, sizeof(*s));

	s->o = *o;
	s->name = mem_strdup(o->name);
	s->f = f;
	s->ctl_fd = s->timer_fd = -1;
	s->listen_fd[0] = s->listen_fd[1] = -1;
	s->armed = MONO_NEVER;
	s->free_wait = FABRIC_NONE;
	for (int i = 0; i < 2; i++)
		s->line[i] = (struct serve_line){FABRIC_NONE, FABRIC_NONE};
	for (int i = 0; i < SERVE_CLIENTS; i++)
		s->client[i].fd = -1;
	for (int i = 0; i < SERVE_CONTROLS; i++)
		s->control[i].fd = -1;
	s->loop = loop_new();
	if (!s->loop) {
		reason_set(why, "no event loop: %s", strerror(errno));
		serve_free(s);
		return NULL;
	}
	s->base = loop_now();
	s->sim = sim_new(f, &o->sim);
	if (open_clock(s, why) || serve_client_open(s, why) ||
		serve_place_open(s, why) || serve_control_open(s, why)) {
		serve_free(s);
		return NULL;
	}
	return s;
}

void
serve_run(struct serve *s)
{
	s->sig[0] = loop_signal_new(s->loop, SIGINT, on_signal, s);
	s->sig[1] = loop_signal_new(s->loop, SIGTERM, on_signal, s);
	if (!s->quit)
		loop_run(s->loop);
}

void
serve_once(struct serve *s)
{
	loop_once(s->loop);
}

void
serve_free(struct serve *s)
{
	if (!s)
		return;
	loop_signal_free(s->sig[0]);
	loop_signal_free(s->sig[1]);
	(void)serve_trace_close(s, NULL);
	serve_traffic_free(s);
	serve_control_close(s);
	serve_client_close(s);
	serve_place_close(s);
	serve_wait_free(s);
	loop_fd_free(s->timer_watch);
	loop_timer_free(s->pulse);
	if (s->timer_fd >= 0)
		(void)close(s->timer_fd);
	loop_free(s->loop);
	sim_free(s->sim);
	free(s->name);
	free(s);
}
