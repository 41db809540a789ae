/*
 * block_mask: the 64 entries of a block as sets of LIDs, one word each; private
 * to the verifier. 16 entries at a time where the processor has instructions
 * for it, else eight.
 */
#ifndef HEDDLE_ROUTING_VERIFY_BLOCK_MASK_H
#define HEDDLE_ROUTING_VERIFY_BLOCK_MASK_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "routing/core/lft.h"

#ifdef __SSE2__
#include <emmintrin.h>

enum { BLOCK_MASK_STEP = 16 };
typedef __m128i block_mask_part;

static inline block_mask_part
block_mask_load(const uint8_t *line)
{
	return _mm_loadu_si128((const void *)line);
}

static inline block_mask_part
block_mask_fill(uint8_t byte)
{
	return _mm_set1_epi8((char)byte);
}

/* The bytes of a part that have this bit; that are the same in two. */
static inline uint64_t
block_mask_part_bit(block_mask_part x, unsigned bit)
{
	return (uint64_t)_mm_movemask_epi8(_mm_slli_epi16(x, 7 - (int)bit));
}

static inline uint64_t
block_mask_part_alike(block_mask_part x, block_mask_part y)
{
	return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
}

/* Those that are lo ... lo + n. */
static inline uint64_t
block_mask_part_range(block_mask_part x, uint8_t lo, uint8_t n)
{
	x = _mm_sub_epi8(x, block_mask_fill(lo));
	return block_mask_part_alike(x, _mm_min_epu8(x, block_mask_fill(n)));
}

#else

enum { BLOCK_MASK_STEP = 8 };
typedef uint64_t block_mask_part;

static inline block_mask_part
block_mask_load(const uint8_t *line)
{
	uint64_t x;

	memcpy(&x, line, sizeof(x));
	return le64toh(x);
}

static inline block_mask_part
block_mask_fill(uint8_t byte)
{
	return UINT64_C(0x0101010101010101) * byte;
}

static inline uint64_t
block_mask_part_bit(block_mask_part x, unsigned bit)
{
	return ((x >> bit) & UINT64_C(0x0101010101010101)) *
		       UINT64_C(0x0102040810204080) >>
	       56;
}

static inline uint64_t
block_mask_part_alike(block_mask_part x, block_mask_part y)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t d = x ^ y;

	return block_mask_part_bit(~(((d & low) + low) | d | low), 7);
}

static inline uint64_t
block_mask_part_range(block_mask_part x, uint8_t lo, uint8_t n)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t first = block_mask_fill(lo), most = block_mask_fill(n), fits;

	/* byte by byte: x - lo, and whether n minus its low bits is not less */
	x = ((x | high) - (first & ~high)) ^ ((x ^ ~first) & high);
	fits = (most | high) - (x & ~high);
	return block_mask_part_bit((~x & most) | (~(x ^ most) & fits), 7);
}

#endif

/* The LIDs whose byte has this bit. */
static inline uint64_t
block_mask_bit(const uint8_t *line, unsigned bit)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < LFT_BLOCK; i += BLOCK_MASK_STEP)
		mask |= block_mask_part_bit(block_mask_load(line + i), bit)
			<< i;
	return mask;
}

/* The LIDs whose byte is this one. */
static inline uint64_t
block_mask_equal(const uint8_t *line, uint8_t byte)
{
	block_mask_part all = block_mask_fill(byte);
	uint64_t mask = 0;

	for (unsigned i = 0; i < LFT_BLOCK; i += BLOCK_MASK_STEP)
		mask |= block_mask_part_alike(block_mask_load(line + i), all)
			<< i;
	return mask;
}

/* The LIDs whose byte is lo ... hi. */
static inline uint64_t
block_mask_range(const uint8_t *line, uint8_t lo, uint8_t hi)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < LFT_BLOCK; i += BLOCK_MASK_STEP)
		mask |= block_mask_part_range(block_mask_load(line + i), lo,
				(uint8_t)(hi - lo))
			<< i;
	return mask;
}

/* The LIDs whose bytes are the same in both. */
static inline uint64_t
block_mask_alike(const uint8_t *a, const uint8_t *b)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < LFT_BLOCK; i += BLOCK_MASK_STEP)
		mask |= block_mask_part_alike(
				block_mask_load(a + i), block_mask_load(b + i))
			<< i;
	return mask;
}

#endif
