/*
 * loop: the event loop, and the only file that knows libev.
 *
 * One thread owns a loop and runs every callback; only loop_wake_send may be
 * called from another one. A callback does a bounded piece of work and returns:
 * one that has more to do wakes itself, so that other callbacks run in between.
 * Callbacks may free any watcher, their own included, and may stop the loop.
 * Watchers are freed before their loop.
 */
#ifndef HEDDLE_SM_BASE_LOOP_H
#define HEDDLE_SM_BASE_LOOP_H

#include "sm/base/clock.h"

struct loop;
struct loop_timer;
struct loop_fd;
struct loop_wake;
struct loop_signal;

/* Called in the loop's thread, with the time of the call. */
typedef void loop_fn(void *cookie, struct mono now);

/* Called for a descriptor: events is LOOP_READ, LOOP_WRITE or both. */
typedef void loop_fd_fn(void *cookie, unsigned events, struct mono now);

enum { LOOP_READ = 1 << 0, LOOP_WRITE = 1 << 1 };

/* A new loop, or NULL when the kernel gives none. */
struct loop *loop_new(void);
void loop_free(struct loop *l); /* NULL allowed */

/* CLOCK_MONOTONIC now. Any thread. */
struct mono loop_now(void);

/* Run until loop_stop; returns at once if it was called before. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);

/* Wait for the next events, handle them, return: for tests. */
void loop_once(struct loop *l);

/*
 * A timer fires once at the time it is set to, never before. It is made unset;
 * a time in the past fires in the next iteration of the loop, MONO_NEVER unsets
 * it. When fn is called the timer is unset and may be set again.
 */
struct loop_timer *loop_timer_new(struct loop *l, loop_fn *fn, void *cookie);
void loop_timer_set(struct loop_timer *t, struct mono at);
void loop_timer_free(struct loop_timer *t); /* NULL allowed */

/* Watch fd (borrowed) for events; 0: for none. Free the watcher before closing
 * fd. */
struct loop_fd *loop_fd_new(
	struct loop *l, int fd, unsigned events, loop_fd_fn *fn, void *cookie);
void loop_fd_set(struct loop_fd *w, unsigned events);
void loop_fd_free(struct loop_fd *w); /* NULL allowed */

/*
 * Have fn called in the loop's thread soon after loop_wake_send, which any
 * thread may call; several sends before that make one call.
 */
struct loop_wake *loop_wake_new(struct loop *l, loop_fn *fn, void *cookie);
void loop_wake_send(struct loop_wake *w);
void loop_wake_free(struct loop_wake *w); /* NULL allowed */

/* Have fn called for a signal, outside of signal context. */
struct loop_signal *loop_signal_new(
	struct loop *l, int signum, loop_fn *fn, void *cookie);
void loop_signal_free(struct loop_signal *s); /* NULL allowed */

#endif
