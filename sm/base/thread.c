#include "sm/base/thread.h"

#include <signal.h>

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
