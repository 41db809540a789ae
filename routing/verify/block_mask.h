/*
 * block_mask: the 64 entries of a block as sets of LIDs, one word each, eight
 * entries at a time; private to the verifier.
 */
#ifndef HEDDLE_ROUTING_VERIFY_BLOCK_MASK_H
#define HEDDLE_ROUTING_VERIFY_BLOCK_MASK_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "routing/core/lft.h"

/* The lowest bits of the eight bytes of x, as eight bits. */
static inline uint64_t
block_mask_gather(uint64_t x)
{
	return (x & UINT64_C(0x0101010101010101)) *
		       UINT64_C(0x0102040810204080) >>
	       56;
}

/* The LIDs whose byte has this bit. */
static inline uint64_t
block_mask_bit(const uint8_t *line, unsigned bit)
{
	uint64_t mask = 0, x;

	for (unsigned i = 0; i < LFT_BLOCK; i += 8) {
		memcpy(&x, line + i, sizeof(x));
		mask |= block_mask_gather(le64toh(x) >> bit) << i;
	}
	return mask;
}

/* The LIDs whose byte is this one. */
static inline uint64_t
block_mask_equal(const uint8_t *line, uint8_t byte)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t all = UINT64_C(0x0101010101010101) * byte, mask = 0, x;

	for (unsigned i = 0; i < LFT_BLOCK; i += 8) {
		memcpy(&x, line + i, sizeof(x));
		x = le64toh(x) ^ all;
		x = ~(((x & low) + low) | x | low); /* 0x80 where x has 0 */
		mask |= block_mask_gather(x >> 7) << i;
	}
	return mask;
}

#endif
