#include "sm/state/saver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"
#include "sm/state/previous_run.h"

enum { WAIT_SECONDS = 1 };

struct saver {
	char *dir;
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows, down to failed */
	pthread_cond_t work, idle;
	struct buf todo; /* the text to write; no text: nothing waits */
	struct buf kept; /* could not be written, and is tried again */
	struct mono again;
	bool marked; /* the mark may be there; used by the thread alone */
	bool quit, told, failed, busy;
	struct reason why; /* why it failed */
	struct loop_wake *wake;
	saver_done *done;
	void *cookie;
};

/* Write what waits. Called with the lock held, which is also held on return.
 * What cannot be written is kept, unless something newer waits. */
static void
write_one(struct saver *s)
{
	struct buf text = s->todo;
	struct reason why = {""};
	int rc;

	s->todo = (struct buf){0};
	s->busy = true;
	(void)pthread_mutex_unlock(&s->lock);
	rc = state_file_put(s->dir, &text, &why);
	if (rc != 0 || s->marked)
		(void)previous_run_unsaved(s->dir, rc != 0);
	(void)pthread_mutex_lock(&s->lock);
	if (rc != 0 && s->todo.text == NULL)
		s->kept = text;
	else
		buf_free(&text);
	s->failed = s->marked = rc != 0;
	s->why = why;
	s->told = s->busy = false;
	(void)pthread_cond_signal(&s->idle);
	loop_wake_send(s->wake);
}

/* Wait for a state; for one that could not be written, until it is worth
 * another attempt. */
static void
wait_for_work(struct saver *s)
{
	struct timespec until;
	int64_t ns;
	int err = 0;

	if (s->kept.text == NULL) {
		(void)pthread_cond_wait(&s->work, &s->lock);
		return;
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	ns = until.tv_nsec + s->again.ns;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	while (!s->quit && s->todo.text == NULL && err == 0)
		err = pthread_cond_timedwait(&s->work, &s->lock, &until);
	if (s->quit || s->todo.text != NULL)
		return;
	s->todo = s->kept;
	s->kept = (struct buf){0};
}

static void *
saver_thread(void *arg)
{
	struct saver *s = arg;

	(void)pthread_mutex_lock(&s->lock);
	while (!s->quit || s->todo.text != NULL) {
		if (s->todo.text != NULL)
			write_one(s);
		else
			wait_for_work(s);
	}
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void
log_saved(struct saver *s)
{
	struct reason why;
	bool told, failed;

	(void)pthread_mutex_lock(&s->lock);
	told = s->told;
	failed = s->failed;
	why = s->why;
	s->told = true;
	(void)pthread_mutex_unlock(&s->lock);
	if (!told)
		s->done(s->cookie, failed ? why.text : NULL);
}

static void
on_written(void *cookie, struct mono now)
{
	(void)now;
	log_saved(cookie);
}

/* Free all but the thread. */
static void
free_saver(struct saver *s)
{
	(void)pthread_cond_destroy(&s->work);
	(void)pthread_cond_destroy(&s->idle);
	(void)pthread_mutex_destroy(&s->lock);
	loop_wake_free(s->wake);
	buf_free(&s->todo);
	buf_free(&s->kept);
	free(s->dir);
	free(s);
}

struct saver *
saver_new(struct loop *l, const char *dir, struct mono again, saver_done *done,
	void *cookie, struct reason *why)
{
	struct saver *s = mem_zalloc(1, sizeof(*s));
	pthread_condattr_t attr;
	int err;

	s->dir = mem_strdup(dir);
	s->again = again;
	s->done = done;
	s->cookie = cookie;
	s->told = s->marked = true;
	s->wake = loop_wake_new(l, on_written, s);
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->work, &attr);
	(void)pthread_cond_init(&s->idle, &attr);
	(void)pthread_condattr_destroy(&attr);
	err = thread_start(&s->thread, saver_thread, s);
	if (err == 0)
		return s;
	(void)reason_set(why,
		"cannot start the thread that saves the state: %s",
		strerror(err));
	free_saver(s);
	return NULL;
}

void
saver_submit(struct saver *s, const struct state_file *state)
{
	struct buf text = {0}, old, kept;

	state_file_print(state, &text);
	(void)pthread_mutex_lock(&s->lock);
	old = s->todo;
	kept = s->kept;
	s->todo = text;
	s->kept = (struct buf){0};
	(void)pthread_cond_signal(&s->work);
	(void)pthread_mutex_unlock(&s->lock);
	buf_free(&old);
	buf_free(&kept);
}

void
saver_wait(struct saver *s)
{
	struct timespec until;
	int err = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += WAIT_SECONDS;
	(void)pthread_mutex_lock(&s->lock);
	while ((s->busy || s->todo.text != NULL) && err == 0)
		err = pthread_cond_timedwait(&s->idle, &s->lock, &until);
	(void)pthread_mutex_unlock(&s->lock);
}

void
saver_free(struct saver *s)
{
	if (s == NULL)
		return;
	(void)pthread_mutex_lock(&s->lock);
	s->quit = true;
	(void)pthread_cond_signal(&s->work);
	(void)pthread_mutex_unlock(&s->lock);
	(void)pthread_join(s->thread, NULL);
	log_saved(s);
	free_saver(s);
}
