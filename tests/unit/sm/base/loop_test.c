/* The loop: timers, descriptors, wakes from other threads, signals. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sm/base/loop.h"
#include "tests/unit/suite.h"

struct seen {
	struct loop *loop;
	struct loop_timer *timer;
	struct loop_fd *fd;
	struct loop_wake *wake;
	struct mono at;
	int calls, stop_at;
	unsigned events;
	int pipe[2];
};

static void
on_timer(void *cookie, struct mono now)
{
	struct seen *s = cookie;

	s->at = now;
	if (++s->calls == s->stop_at)
		loop_stop(s->loop);
}

TEST(timer_never_early)
{
	struct seen s = {.loop = loop_new(), .stop_at = 1};
	struct mono due;

	s.timer = loop_timer_new(s.loop, on_timer, &s);
	for (int i = 0; i < 20; i++) {
		s.calls = 0;
		due = mono_add(loop_now(), mono_us(150 + 37 * i));
		loop_timer_set(s.timer, due);
		/* a loop stops for good: use a new one each time */
		loop_run(s.loop);
		ck_assert_int_eq(s.calls, 1);
		ck_assert(!mono_before(s.at, due));
		loop_timer_free(s.timer);
		loop_free(s.loop);
		s.loop = loop_new();
		s.timer = loop_timer_new(s.loop, on_timer, &s);
	}
	loop_timer_free(s.timer);
	loop_free(s.loop);
}

static void
on_timer_again(void *cookie, struct mono now)
{
	struct seen *s = cookie;

	on_timer(s, now);
	loop_timer_set(s->timer, now); /* in the past: due in the next turn */
}

TEST(timer_past_and_again)
{
	struct seen s = {.loop = loop_new(), .stop_at = 5};

	s.timer = loop_timer_new(s.loop, on_timer_again, &s);
	loop_timer_set(s.timer, (struct mono){0});
	loop_run(s.loop);
	ck_assert_int_eq(s.calls, 5);
	loop_timer_free(s.timer);
	loop_free(s.loop);
}

TEST(timer_unset)
{
	struct seen never = {.loop = loop_new(), .stop_at = 1};
	struct seen s = {.loop = never.loop, .stop_at = 1};
	struct mono now = loop_now();

	never.timer = loop_timer_new(never.loop, on_timer, &never);
	s.timer = loop_timer_new(s.loop, on_timer, &s);
	loop_timer_set(never.timer, mono_add(now, mono_ms(1)));
	loop_timer_set(s.timer, mono_add(now, mono_ms(10)));
	loop_timer_set(never.timer, MONO_NEVER);
	loop_run(s.loop);
	ck_assert_int_eq(s.calls, 1);
	ck_assert_int_eq(never.calls, 0);
	loop_timer_free(s.timer);
	loop_timer_free(never.timer);
	loop_timer_free(NULL);
	loop_free(s.loop);
}

TEST(stop_before_run)
{
	struct loop *l = loop_new();

	loop_stop(l);
	loop_run(l); /* would hang, or return for want of watchers */
	loop_free(l);
	loop_free(NULL);
}

static void
fd_seen(void *cookie, unsigned events, struct mono now)
{
	struct seen *s = cookie;
	char c;

	s->events |= events;
	if ((events & LOOP_WRITE) != 0) {
		ck_assert_int_eq(write(s->pipe[1], "x", 1), 1);
		loop_fd_free(s->fd); /* inside its own callback */
		s->fd = NULL;
		return;
	}
	ck_assert_int_eq(read(s->pipe[0], &c, 1), 1);
	on_timer(s, now);
}

TEST(fd_read_write_rest)
{
	struct seen s = {.loop = loop_new(), .stop_at = 1};
	struct loop_fd *r;

	ck_assert_int_eq(pipe(s.pipe), 0);
	s.fd = loop_fd_new(s.loop, s.pipe[1], 0, fd_seen, &s);
	r = loop_fd_new(s.loop, s.pipe[0], LOOP_READ, fd_seen, &s);
	loop_fd_set(s.fd, LOOP_WRITE);
	loop_run(s.loop);
	ck_assert_uint_eq(s.events, LOOP_READ | LOOP_WRITE);
	ck_assert_ptr_null(s.fd);
	loop_fd_set(r, 0);
	loop_fd_free(r);
	loop_fd_free(NULL);
	(void)close(s.pipe[0]);
	(void)close(s.pipe[1]);
	loop_free(s.loop);
}

static void *
send_wake(void *arg)
{
	loop_wake_send(arg);
	return NULL;
}

TEST(wake_from_thread)
{
	struct seen s = {.loop = loop_new(), .stop_at = 1};
	pthread_t th;

	s.wake = loop_wake_new(s.loop, on_timer, &s);
	ck_assert_int_eq(pthread_create(&th, NULL, send_wake, s.wake), 0);
	loop_run(s.loop);
	ck_assert_int_eq(pthread_join(th, NULL), 0);
	ck_assert_int_eq(s.calls, 1);
	loop_wake_free(s.wake);
	loop_wake_free(NULL);
	loop_free(s.loop);
}

TEST(signal_delivered)
{
	struct seen s = {.loop = loop_new(), .stop_at = 1};
	struct loop_signal *sig;

	sig = loop_signal_new(s.loop, SIGHUP, on_timer, &s);
	ck_assert_int_eq(raise(SIGHUP), 0);
	loop_run(s.loop);
	ck_assert_int_eq(s.calls, 1);
	loop_signal_free(sig);
	loop_signal_free(NULL);
	loop_free(s.loop);
}
