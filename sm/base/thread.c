#include "sm/base/thread.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

struct share {
	void (*fn)(void *part);
	void *part;
	pthread_t thread;
	bool started;
};

int
thread_start(pthread_t *t, void *(*fn)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(t, NULL, fn, arg);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void *
run_share(void *arg)
{
	const struct share *s = arg;

	s->fn(s->part);
	return NULL;
}

void
thread_share(unsigned n, void (*fn)(void *part), void *part, size_t size)
{
	struct share share[THREAD_SHARES];

	assert(n <= THREAD_SHARES);
	for (unsigned i = 0; i < n; i++) {
		struct share *s = &share[i];

		s->fn = fn;
		s->part = (char *)part + i * size;
		s->started =
			i > 0 && thread_start(&s->thread, run_share, s) == 0;
	}
	for (unsigned i = 0; i < n; i++)
		if (!share[i].started)
			fn(share[i].part);
	for (unsigned i = 1; i < n; i++)
		if (share[i].started)
			(void)pthread_join(share[i].thread, NULL);
}

unsigned
thread_cores(void)
{
	cpu_set_t set;
	int n;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	n = CPU_COUNT(&set);
	return n > 1 ? (unsigned)n : 1;
}
