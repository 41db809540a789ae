/*
 * thread: starting one. Signals are the loop's: a thread takes none.
 */
#ifndef HEDDLE_BASE_THREAD_H
#define HEDDLE_BASE_THREAD_H

#include <pthread.h>

/* Run fn(arg) in a thread of its own, to be joined. 0, or an errno. */
int thread_start(pthread_t *t, void *(*fn)(void *arg), void *arg);

#endif
