/*
 * bitset: sets of small numbers, 64 in a word.
 */
#ifndef HEDDLE_SM_BASE_BITSET_H
#define HEDDLE_SM_BASE_BITSET_H

#include <stdbool.h>
#include <stdint.h>

static inline bool
bitset_has(const uint64_t *set, uint32_t i)
{
	return (set[i / 64] >> (i % 64)) & 1;
}

static inline void
bitset_add(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline bool
bitset_intersects(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if ((a[w] & b[w]) != 0)
			return true;
	return false;
}

/* d |= s, four words at a time, of which there are a multiple of 4: compilers
 * make vectors of it. */
static inline void
bitset_or(uint64_t *restrict d, const uint64_t *restrict s, uint32_t words)
{
	for (uint32_t i = 0; i < words; i += 4) {
		d[i] |= s[i];
		d[i + 1] |= s[i + 1];
		d[i + 2] |= s[i + 2];
		d[i + 3] |= s[i + 3];
	}
}

static inline uint32_t
bitset_count64(uint64_t x)
{
	x -= (x >> 1) & 0x5555555555555555U;
	x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU;
	return (uint32_t)((x * 0x0101010101010101U) >> 56);
}

/* The lowest set bit of x, which must not be 0. */
static inline uint32_t
bitset_lowest64(uint64_t x)
{
	return (uint32_t)__builtin_ctzll(x);
}

#endif
