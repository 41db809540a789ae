/*
 * hash: FNV-1a, 64 bits, of bytes. For names in tables, repeated messages and
 * the checksum of a file; not for keys that an attacker could choose to
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

#endif
