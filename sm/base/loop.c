#include "sm/base/loop.h"

#include <ev.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "sm/base/mem.h"

struct loop {
	struct ev_loop *ev;
	bool stopped;
};

struct loop_timer {
	ev_timer ev;
	struct loop *loop;
	loop_fn *fn;
	void *cookie;
	struct mono at;
};

struct loop_fd {
	ev_io ev;
	struct loop *loop;
	loop_fd_fn *fn;
	void *cookie;
	unsigned events;
};

struct loop_wake {
	ev_async ev;
	struct loop *loop;
	loop_fn *fn;
	void *cookie;
};

struct loop_signal {
	ev_signal ev;
	struct loop *loop;
	loop_fn *fn;
	void *cookie;
};

struct loop *
loop_new(void)
{
	struct loop *l = mem_zalloc(1, sizeof(*l));

	l->ev = ev_loop_new(EVFLAG_AUTO);
	if (l->ev == NULL) {
		free(l);
		return NULL;
	}
	return l;
}

void
loop_free(struct loop *l)
{
	if (l == NULL)
		return;
	ev_loop_destroy(l->ev);
	free(l);
}

struct mono
loop_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct mono){(int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec};
}

void
loop_run(struct loop *l)
{
	if (!l->stopped)
		(void)ev_run(l->ev, 0);
}

void
loop_stop(struct loop *l)
{
	l->stopped = true;
	ev_break(l->ev, EVBREAK_ALL);
}

void
loop_once(struct loop *l)
{
	(void)ev_run(l->ev, EVRUN_ONCE);
}

/* libev's clock is a double and cached, so it may fire a little early. */
static void
timer_start(struct loop_timer *t, struct mono now)
{
	double after = 0;

	if (mono_before(now, t->at))
		after = mono_seconds(mono_sub(t->at, now));
	ev_now_update(t->loop->ev);
	ev_timer_set(&t->ev, after, 0.);
	ev_timer_start(t->loop->ev, &t->ev);
}

static void
timer_fired(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct loop_timer *t = w->data;
	struct mono now = loop_now();

	(void)ev;
	(void)revents;
	if (mono_before(now, t->at)) {
		timer_start(t, now);
		return;
	}
	t->at = MONO_NEVER;
	t->fn(t->cookie, now);
}

struct loop_timer *
loop_timer_new(struct loop *l, loop_fn *fn, void *cookie)
{
	struct loop_timer *t = mem_zalloc(1, sizeof(*t));

	t->loop = l;
	t->fn = fn;
	t->cookie = cookie;
	t->at = MONO_NEVER;
	ev_init(&t->ev, timer_fired);
	t->ev.data = t;
	return t;
}

void
loop_timer_set(struct loop_timer *t, struct mono at)
{
	/* the core asks for the same time after most messages */
	if (at.ns == t->at.ns)
		return;
	t->at = at;
	ev_timer_stop(t->loop->ev, &t->ev);
	if (at.ns != MONO_NEVER.ns)
		timer_start(t, loop_now());
}

void
loop_timer_free(struct loop_timer *t)
{
	if (t == NULL)
		return;
	ev_timer_stop(t->loop->ev, &t->ev);
	free(t);
}

static int
events_to_ev(unsigned events)
{
	return ((events & LOOP_READ) != 0 ? EV_READ : 0) |
	       ((events & LOOP_WRITE) != 0 ? EV_WRITE : 0);
}

static void
fd_ready(struct ev_loop *ev, ev_io *w, int revents)
{
	struct loop_fd *f = w->data;
	unsigned events = 0;

	(void)ev;
	if ((revents & EV_READ) != 0)
		events |= LOOP_READ;
	if ((revents & EV_WRITE) != 0)
		events |= LOOP_WRITE;
	f->fn(f->cookie, events, loop_now());
}

struct loop_fd *
loop_fd_new(
	struct loop *l, int fd, unsigned events, loop_fd_fn *fn, void *cookie)
{
	struct loop_fd *f = mem_zalloc(1, sizeof(*f));

	f->loop = l;
	f->fn = fn;
	f->cookie = cookie;
	f->events = events;
	ev_io_init(&f->ev, fd_ready, fd, events_to_ev(events));
	f->ev.data = f;
	if (events != 0)
		ev_io_start(l->ev, &f->ev);
	return f;
}

void
loop_fd_set(struct loop_fd *f, unsigned events)
{
	if (events == f->events)
		return;
	f->events = events;
	ev_io_stop(f->loop->ev, &f->ev);
	ev_io_set(&f->ev, f->ev.fd, events_to_ev(events));
	if (events != 0)
		ev_io_start(f->loop->ev, &f->ev);
}

void
loop_fd_free(struct loop_fd *f)
{
	if (f == NULL)
		return;
	ev_io_stop(f->loop->ev, &f->ev);
	free(f);
}

static void
wake_seen(struct ev_loop *ev, ev_async *w, int revents)
{
	struct loop_wake *k = w->data;

	(void)ev;
	(void)revents;
	k->fn(k->cookie, loop_now());
}

struct loop_wake *
loop_wake_new(struct loop *l, loop_fn *fn, void *cookie)
{
	struct loop_wake *k = mem_zalloc(1, sizeof(*k));

	k->loop = l;
	k->fn = fn;
	k->cookie = cookie;
	ev_async_init(&k->ev, wake_seen);
	k->ev.data = k;
	ev_async_start(l->ev, &k->ev);
	return k;
}

void
loop_wake_send(struct loop_wake *w)
{
	ev_async_send(w->loop->ev, &w->ev);
}

void
loop_wake_free(struct loop_wake *w)
{
	if (w == NULL)
		return;
	ev_async_stop(w->loop->ev, &w->ev);
	free(w);
}

static void
signal_seen(struct ev_loop *ev, ev_signal *w, int revents)
{
	struct loop_signal *s = w->data;

	(void)ev;
	(void)revents;
	s->fn(s->cookie, loop_now());
}

struct loop_signal *
loop_signal_new(struct loop *l, int signum, loop_fn *fn, void *cookie)
{
	struct loop_signal *s = mem_zalloc(1, sizeof(*s));

	s->loop = l;
	s->fn = fn;
	s->cookie = cookie;
	ev_signal_init(&s->ev, signal_seen, signum);
	s->ev.data = s;
	ev_signal_start(l->ev, &s->ev);
	return s;
}

void
loop_signal_free(struct loop_signal *s)
{
	if (s == NULL)
		return;
	ev_signal_stop(s->loop->ev, &s->ev);
	free(s);
}
