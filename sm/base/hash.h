/*
 * hash: hashes of 64 bits. FNV-1a of bytes, for names in tables, repeated
 * messages and the checksum of a file; two mixers of numbers, for tables and
 * comparisons in memory. None is for keys that an attacker could choose to
 * collide.
 */
#ifndef HEDDLE_SM_BASE_HASH_H
#define HEDDLE_SM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* The hash h of the bytes before (FNV_START: none), continued with n bytes. */
static inline uint64_t
fnv_more(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * FNV_PRIME;
	return h;
}

/* The hash h of the numbers before, continued with x: one multiplication. */
static inline uint64_t
hash_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* One number with each bit spread over all 64 (the finaliser of splitmix64):
 * GUIDs differ in few low bits. */
static inline uint64_t
hash_spread(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

#endif
