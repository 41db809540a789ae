#include "sm/record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sm/base/be.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"
#include "sm/record/record_entry.h"
#include "sm/record/record_file.h"

/* So many bytes are handed to the thread together, or what came within so long.
 */
enum { BATCH = 128 << 10, GATHER_MS = 1000 };

/* The length before an entry. */
enum { LENGTH = 4 };

struct recorder {
	struct record_file *file; /* the thread's */
	struct mono again;
	struct buf fresh;	   /* the loop's: entries not handed over */
	uint64_t nfresh;	   /* of them */
	struct loop_timer *gather; /* when they are */
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows, down to quit */
	pthread_cond_t work;
	struct buf todo; /* entries that wait */
	struct buf done; /* an empty one, for the next exchange */
	struct recorder_status is;
	uint64_t waiting; /* entries in todo */
	uint64_t missing; /* since the last entry in todo */
	bool told;
	bool failed; /* the last attempt to write */
	bool quit;
	struct loop_wake *wake;
	recorder_told *tell;
	void *cookie;
};

static void
put_behind_length(struct buf *b, const uint8_t *entry, size_t n)
{
	uint8_t *place = buf_add(b, LENGTH + n);

	be_put32(place, (uint32_t)n);
	memcpy(place + LENGTH, entry, n);
}

/* ---- the thread ---- */

/* Entries began to be missing, or no longer are: the lock is held. */
static void
set_trouble(struct recorder *r, const char *why)
{
	if ((r->is.why[0] != '\0') != (*why != '\0')) {
		r->told = false;
		loop_wake_send(r->wake);
	}
	(void)snprintf(r->is.why, sizeof(r->is.why), "%s", why);
}

/* Write what waits. The lock is held, also on return. */
static void
write_waiting(struct recorder *r)
{
	struct buf text = r->todo;
	uint64_t n = r->waiting;
	struct reason why = {""};
	int rc;

	r->todo = r->done;
	r->todo.n = 0;
	r->done = (struct buf){0};
	r->waiting = 0;
	(void)pthread_mutex_unlock(&r->lock);
	rc = record_file_append(
		r->file, (const uint8_t *)text.text, text.n, &why);
	(void)pthread_mutex_lock(&r->lock);
	if (text.cap <= RECORDER_WAITING) {
		r->done = text;
	} else {
		buf_free(&text);
	}
	r->is.written += n;
	r->is.bytes = record_file_bytes(r->file);
	r->is.segments = record_file_segments(r->file);
	r->failed = rc != 0;
	if (rc != 0) {
		/* the gap comes before what has been put meanwhile: a segment
		 * that begins with anything else follows its predecessor */
		r->is.lost += n + r->waiting;
		r->missing += n + r->waiting;
		r->is.written += r->waiting;
		r->waiting = 0;
		r->todo.n = 0;
	}
	set_trouble(r, rc != 0 ? why.text : "");
}

/* Writing failed: wait before the next attempt. The lock is held. */
static void
wait_again(struct recorder *r)
{
	struct timespec until;
	int64_t ns;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	ns = until.tv_nsec + r->again.ns;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	while (!r->quit &&
		pthread_cond_timedwait(&r->work, &r->lock, &until) == 0)
		continue;
}

static void *
recorder_thread(void *arg)
{
	struct recorder *r = arg;

	(void)pthread_mutex_lock(&r->lock);
	while (!r->quit) {
		if (r->failed)
			wait_again(r);
		else if (r->todo.n == 0)
			(void)pthread_cond_wait(&r->work, &r->lock);
		if (r->todo.n > 0)
			write_waiting(r);
	}
	if (r->todo.n > 0)
		write_waiting(r);
	(void)pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- the loop's thread ---- */

static void
tell_trouble(struct recorder *r)
{
	char why[sizeof(r->is.why)];
	bool told;

	(void)pthread_mutex_lock(&r->lock);
	told = r->told;
	r->told = true;
	memcpy(why, r->is.why, sizeof(why));
	(void)pthread_mutex_unlock(&r->lock);
	if (!told)
		r->tell(r->cookie, why[0] != '\0' ? why : NULL);
}

static void
on_wake(void *cookie, struct mono now)
{
	(void)now;
	tell_trouble(cookie);
}

/* The queue takes n more bytes; the entry that begins a recording always. */
static bool
has_room(const struct recorder *r, size_t n)
{
	return r->todo.n == 0 || r->todo.n + n <= RECORDER_WAITING;
}

/* Say that entries are missing, before the next one. */
static void
put_gap(struct recorder *r)
{
	struct buf gap = {0};

	record_put_gap(r->missing, &gap);
	put_behind_length(&r->todo, (const uint8_t *)gap.text, gap.n);
	buf_free(&gap);
	r->missing = 0;
}

/* Hand the fresh entries to the thread, or drop them: once some are missing, go
 * on when the queue is empty. The lock is held. */
static void
put_fresh(struct recorder *r)
{
	if (r->missing > 0 ? r->todo.n > 0 : !has_room(r, r->fresh.n)) {
		if (r->missing == 0)
			set_trouble(r, "they come faster than they can be "
				       "written");
		r->missing += r->nfresh;
		r->is.lost += r->nfresh;
		r->is.written += r->nfresh;
		return;
	}
	if (r->missing > 0)
		put_gap(r);
	if (r->todo.n == 0) {
		struct buf empty = r->todo;

		r->todo = r->fresh;
		r->fresh = empty;
	} else {
		buf_put(&r->todo, r->fresh.text, r->fresh.n);
	}
	r->waiting += r->nfresh;
	(void)pthread_cond_signal(&r->work);
}

static void
hand_over(struct recorder *r)
{
	if (r->nfresh == 0)
		return;
	(void)pthread_mutex_lock(&r->lock);
	r->is.entries += r->nfresh;
	put_fresh(r);
	(void)pthread_mutex_unlock(&r->lock);
	r->fresh.n = 0;
	r->nfresh = 0;
	loop_timer_set(r->gather, MONO_NEVER);
}

static void
on_gather(void *cookie, struct mono now)
{
	(void)now;
	hand_over(cookie);
}

void
recorder_put(void *cookie, const uint8_t *entry, size_t n)
{
	struct recorder *r = cookie;

	if (r->nfresh++ == 0)
		loop_timer_set(
			r->gather, mono_add(loop_now(), mono_ms(GATHER_MS)));
	put_behind_length(&r->fresh, entry, n);
	if (r->fresh.n >= BATCH)
		hand_over(r);
}

/* Free all but the thread. */
static void
free_recorder(struct recorder *r)
{
	(void)pthread_cond_destroy(&r->work);
	(void)pthread_mutex_destroy(&r->lock);
	loop_wake_free(r->wake);
	loop_timer_free(r->gather);
	record_file_free(r->file);
	buf_free(&r->fresh);
	buf_free(&r->todo);
	buf_free(&r->done);
	free(r);
}

struct recorder *
recorder_new(struct loop *l, const struct recorder_job *job, struct reason *why)
{
	struct recorder *r = mem_zalloc(1, sizeof(*r));
	pthread_condattr_t attr;
	int err;

	r->file = record_file_new(job->dir, job->room, job->recording);
	r->again = job->again;
	r->tell = job->told;
	r->cookie = job->cookie;
	r->told = true;
	r->wake = loop_wake_new(l, on_wake, r);
	r->gather = loop_timer_new(l, on_gather, r);
	(void)pthread_mutex_init(&r->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&r->work, &attr);
	(void)pthread_condattr_destroy(&attr);
	err = thread_start(&r->thread, recorder_thread, r);
	if (err == 0)
		return r;
	(void)reason_set(
		why, "cannot start the thread that records: %s", strerror(err));
	free_recorder(r);
	return NULL;
}

void
recorder_flush(struct recorder *r, struct recorder_status *out)
{
	hand_over(r);
	(void)pthread_mutex_lock(&r->lock);
	*out = r->is;
	(void)pthread_mutex_unlock(&r->lock);
}

void
recorder_free(struct recorder *r)
{
	if (r == NULL)
		return;
	hand_over(r);
	(void)pthread_mutex_lock(&r->lock);
	r->quit = true;
	(void)pthread_cond_signal(&r->work);
	(void)pthread_mutex_unlock(&r->lock);
	(void)pthread_join(r->thread, NULL);
	tell_trouble(r);
	free_recorder(r);
}
