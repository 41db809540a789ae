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
	bool marked;	 /* the mark may be there; used by the thread alone */
	bool quit, told, failed, busy;
	struct reason why; /* why it failed */
	struct loop_wake *wake;
	saver_done *done;
	void *cookie;
};

/* Write what waits. Called with the lock held, which is also held on return. */
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
	buf_free(&text);
	if (rc != 0 || s->marked)
		(void)previous_run_unsaved(s->dir, rc != 0);
	(void)pthread_mutex_lock(&s->lock);
	s->failed = s->marked = rc != 0;
	s->why = why;
	s->told = s->busy = false;
	(void)pthread_cond_signal(&s->idle);
	loop_wake_send(s->wake);
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
			(void)pthread_cond_wait(&s->work, &s->lock);
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
	free(s->dir);
	free(s);
}

struct saver *
saver_new(struct loop *l, const char *dir, saver_done *done, void *cookie,
	struct reason *why)
{
	struct saver *s = mem_zalloc(1, sizeof(*s));
	pthread_condattr_t attr;
	int err;

	s->dir = mem_strdup(dir);
	s->done = done;
	s->cookie = cookie;
	s->told = s->marked = true;
	s->wake = loop_wake_new(l, on_written, s);
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_cond_init(&s->work, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
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
	struct buf text = {0}, old;

	state_file_print(state, &text);
	(void)pthread_mutex_lock(&s->lock);
	old = s->todo;
	s->todo = text;
	(void)pthread_cond_signal(&s->work);
	(void)pthread_mutex_unlock(&s->lock);
	buf_free(&old);
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
