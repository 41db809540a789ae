#include "sm/state/event_writer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"
#include "sm/state/event_file.h"

/* Bytes handed to the file at once, whole lines. */
enum { BATCH = 65536 };

struct event_writer {
	struct event_file *file; /* used by the thread alone */
	struct mono again;
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows, down to lost */
	pthread_cond_t work;
	struct buf todo; /* lines that wait */
	bool quit, failed, told;
	struct reason why; /* why it failed */
	uint64_t lost;	   /* lines given up since it failed */
	struct loop_wake *wake;
	event_writer_told *tell;
	void *cookie;
};

/* The length of the first whole lines of text, at most BATCH bytes of them
 * unless the first one is longer. */
static size_t
first_lines(const char *text, size_t n)
{
	const char *end;

	if (n <= BATCH)
		return n;
	end = memrchr(text, '\n', BATCH);
	if (end == NULL)
		end = memchr(text, '\n', n);
	return (size_t)(end - text) + 1;
}

/* Write lines and take what was written off them. */
static int
write_lines(struct event_file *f, struct buf *text, struct reason *why)
{
	int rc = 0;

	while (text->n > 0 && rc == 0) {
		size_t n = first_lines(text->text, text->n);

		rc = event_file_append(f, text->text, n, why);
		if (rc == 0)
			buf_drop(text, n);
	}
	return rc != 0 ? rc : event_file_sync(f, why);
}

/* Write what waits. Called with the lock held, which is also held on return. */
static void
write_waiting(struct event_writer *w)
{
	struct buf text = w->todo;
	struct reason why = {""};
	bool failed;

	w->todo = (struct buf){0};
	(void)pthread_mutex_unlock(&w->lock);
	failed = write_lines(w->file, &text, &why) != 0;
	(void)pthread_mutex_lock(&w->lock);
	/* what is left goes before what has come meanwhile */
	if (text.n > 0 && w->todo.n > 0)
		buf_put(&text, w->todo.text, w->todo.n);
	if (text.n > 0) {
		buf_free(&w->todo);
		w->todo = text;
	} else {
		buf_free(&text);
	}
	if (failed != w->failed) {
		w->told = false;
		loop_wake_send(w->wake);
	}
	w->failed = failed;
	w->why = why;
}

/* Wait until there is something to do; after a failure, as long as it takes
 * before it is worth another attempt. */
static void
wait_for_work(struct event_writer *w)
{
	struct timespec until;
	int64_t ns;

	if (!w->failed) {
		(void)pthread_cond_wait(&w->work, &w->lock);
		return;
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	ns = until.tv_nsec + w->again.ns;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	while (!w->quit &&
		pthread_cond_timedwait(&w->work, &w->lock, &until) == 0)
		continue;
}

static void *
writer_thread(void *arg)
{
	struct event_writer *w = arg;

	(void)pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		if (w->todo.n == 0 || w->failed)
			wait_for_work(w);
		if (w->todo.n > 0)
			write_waiting(w);
	}
	if (w->todo.n > 0)
		write_waiting(w);
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void
tell_state(struct event_writer *w)
{
	struct reason why;
	uint64_t lost = 0;
	bool told, failed;

	(void)pthread_mutex_lock(&w->lock);
	told = w->told;
	failed = w->failed;
	why = w->why;
	w->told = true;
	if (!told && !failed) {
		lost = w->lost;
		w->lost = 0;
	}
	(void)pthread_mutex_unlock(&w->lock);
	if (!told)
		w->tell(w->cookie, failed ? why.text : NULL, lost);
}

static void
on_wake(void *cookie, struct mono now)
{
	(void)now;
	tell_state(cookie);
}

/* Free all but the thread. */
static void
free_writer(struct event_writer *w)
{
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_mutex_destroy(&w->lock);
	loop_wake_free(w->wake);
	event_file_free(w->file);
	buf_free(&w->todo);
	free(w);
}

struct event_writer *
event_writer_new(
	struct loop *l, const struct event_writer_job *job, struct reason *why)
{
	struct event_writer *w = mem_zalloc(1, sizeof(*w));
	pthread_condattr_t attr;
	int err;

	w->file = event_file_new(job->dir, job->most);
	w->again = job->again;
	w->tell = job->told;
	w->cookie = job->cookie;
	w->told = true;
	w->wake = loop_wake_new(l, on_wake, w);
	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->work, &attr);
	(void)pthread_condattr_destroy(&attr);
	err = thread_start(&w->thread, writer_thread, w);
	if (err == 0)
		return w;
	(void)reason_set(why,
		"cannot start the thread that writes the events: %s",
		strerror(err));
	free_writer(w);
	return NULL;
}

void
event_writer_submit(struct event_writer *w, const char *line, size_t n)
{
	(void)pthread_mutex_lock(&w->lock);
	if (w->todo.n + n <= EVENT_WRITER_WAITING)
		buf_put(&w->todo, line, n);
	else
		w->lost++;
	(void)pthread_cond_signal(&w->work);
	(void)pthread_mutex_unlock(&w->lock);
}

void
event_writer_free(struct event_writer *w)
{
	if (w == NULL)
		return;
	(void)pthread_mutex_lock(&w->lock);
	w->quit = true;
	(void)pthread_cond_signal(&w->work);
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_join(w->thread, NULL);
	tell_state(w);
	free_writer(w);
}
