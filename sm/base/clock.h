/*
 * clock: time as a value of its own type, always an argument, never asked for
 * by the code that uses it. In production the loop reads CLOCK_MONOTONIC; under
 * test the simulator owns it.
 */
#ifndef HEDDLE_SM_BASE_CLOCK_H
#define HEDDLE_SM_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* An instant, or a duration, in nanoseconds. */
struct mono {
	int64_t ns;
};

#define MONO_NEVER ((struct mono){INT64_MAX})

static inline struct mono
mono_ms(int64_t ms)
{
	return (struct mono){ms * 1000000};
}

static inline struct mono
mono_us(int64_t us)
{
	return (struct mono){us * 1000};
}

/* a + b, saturating at MONO_NEVER. */
static inline struct mono
mono_add(struct mono a, struct mono b)
{
	if (a.ns > 0 && b.ns > INT64_MAX - a.ns)
		return MONO_NEVER;
	return (struct mono){a.ns + b.ns};
}

/* The duration from b to a. */
static inline struct mono
mono_sub(struct mono a, struct mono b)
{
	return (struct mono){a.ns - b.ns};
}

static inline bool
mono_before(struct mono a, struct mono b)
{
	return a.ns < b.ns;
}

static inline struct mono
mono_min(struct mono a, struct mono b)
{
	return a.ns < b.ns ? a : b;
}

static inline double
mono_seconds(struct mono d)
{
	return (double)d.ns / 1e9;
}

#endif
