/*
 * thread: start a thread, or split a piece of work among several. All signals
 * are blocked in these threads: the loop handles them.
 */
#ifndef HEDDLE_SM_BASE_THREAD_H
#define HEDDLE_SM_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

enum { THREAD_SHARES = 64 }; /* more threads would not be worth their start */

/* Run fn(arg) in a thread of its own, to be joined. 0, or an errno. */
int thread_start(pthread_t *t, void *(*fn)(void *arg), void *arg);

/*
 * Call fn for each of n parts, an array of elements of this size: for the first
 * in this thread, for the others in a thread each, or in this one where no
 * thread can be started. Returns when all are done. n is at most THREAD_SHARES.
 */
void thread_share(unsigned n, void (*fn)(void *part), void *part, size_t size);

/* Processors that this program may run on, at least 1. */
unsigned thread_cores(void);

#endif
