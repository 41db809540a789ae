#include "sm/worker.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/thread.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* guards todo, ready and quit */
	pthread_cond_t work;
	void *todo;
	void *ready;
	bool quit;
	bool busy; /* the loop's thread only */
	struct loop_wake *wake;
	worker_run *run;
	worker_done *done;
	void *cookie;
};

static void *
run_jobs(void *arg)
{
	struct worker *w = arg;
	void *job;

	(void)pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		job = w->todo;
		if (job == NULL) {
			(void)pthread_cond_wait(&w->work, &w->lock);
			continue;
		}
		w->todo = NULL;
		(void)pthread_mutex_unlock(&w->lock);
		w->run(job);
		(void)pthread_mutex_lock(&w->lock);
		w->ready = job;
		loop_wake_send(w->wake);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void
hand_back(void *cookie, struct mono now)
{
	struct worker *w = cookie;
	void *job;

	(void)pthread_mutex_lock(&w->lock);
	job = w->ready;
	w->ready = NULL;
	(void)pthread_mutex_unlock(&w->lock);
	if (job == NULL)
		return;
	w->busy = false;
	w->done(w->cookie, job, now);
}

struct worker *
worker_new(struct loop *l, worker_run *run, worker_done *done, void *cookie,
	struct reason *why)
{
	struct worker *w = mem_zalloc(1, sizeof(*w));
	int err;

	w->run = run;
	w->done = done;
	w->cookie = cookie;
	w->wake = loop_wake_new(l, hand_back, w);
	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_cond_init(&w->work, NULL);
	err = thread_start(&w->thread, run_jobs, w);
	if (err == 0)
		return w;
	(void)reason_set(
		why, "cannot start the routing thread: %s", strerror(err));
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_mutex_destroy(&w->lock);
	loop_wake_free(w->wake);
	free(w);
	return NULL;
}

void
worker_submit(struct worker *w, void *job)
{
	assert(!w->busy);
	w->busy = true;
	(void)pthread_mutex_lock(&w->lock);
	w->todo = job;
	(void)pthread_cond_signal(&w->work);
	(void)pthread_mutex_unlock(&w->lock);
}

bool
worker_busy(const struct worker *w)
{
	return w->busy;
}

void
worker_free(struct worker *w)
{
	if (w == NULL)
		return;
	(void)pthread_mutex_lock(&w->lock);
	w->quit = true;
	(void)pthread_cond_signal(&w->work);
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_join(w->thread, NULL);
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_mutex_destroy(&w->lock);
	loop_wake_free(w->wake);
	free(w);
}
