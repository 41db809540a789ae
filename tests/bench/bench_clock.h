/* bench_clock: clocks of the measurements. */
#ifndef HEDDLE_TESTS_BENCH_BENCH_CLOCK_H
#define HEDDLE_TESTS_BENCH_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Elapsed time. */
static inline double
clock_ms(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) / 1e6;
}

/* CPU time of all threads: a busy machine distorts it less. */
static inline double
clock_cpu_ms(void)
{
	return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

#endif
