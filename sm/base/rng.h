/*
 * rng: a small seeded generator (splitmix64) for tests, samples and tie-breaks
 * that must be the same on every machine and every run.
 */
#ifndef HEDDLE_SM_BASE_RNG_H
#define HEDDLE_SM_BASE_RNG_H

#include <stdint.h>

#include "sm/base/hash.h"

struct rng {
	uint64_t state;
};

static inline uint64_t
rng_next(struct rng *r)
{
	return hash_spread(r->state += 0x9e3779b97f4a7c15U);
}

/* Uniform in 0..n-1; n > 0. The bias of the modulus is below 2^-32. */
static inline uint32_t
rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

#endif
