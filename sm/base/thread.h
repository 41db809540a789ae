/*
 * thread: starting one, and sharing a piece of work out to several. Signals are
 * the loop's: a thread takes none.
 */
#ifndef HEDDLE_SM_BASE_THREAD_H
#define HEDDLE_SM_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

enum { THREAD_SHARES = 64 }; /* more would not be worth their start */

/* Run fn(arg) in a thread of its own, to be joined. 0, or an errno. */
int thread_start(pthread_t *t, void *(*fn)(void *arg), void *arg);

/*
 * fn for each of n parts, an array of things of this size: the first one in
 * this thread, the others, as far as there are threads to be had, in one each.
 * Returns when all is done. n is at most THREAD_SHARES.
 */
void thread_share(unsigned n, void (*fn)(void *part), void *part, size_t size);

/* Processors that this program may run on, at least 1. */
unsigned thread_cores(void);

#endif
