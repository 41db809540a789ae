/*
 * Blocks of random entries as words: each bit is what the entry says.
 */
#include <check.h>

#include "routing/verify/block_mask.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { ROUNDS = 20000 };

struct lines {
	uint8_t a[LFT_BLOCK], b[LFT_BLOCK];
	uint8_t lo, hi, byte;
	unsigned bit;
};

/* Many entries lie at the ends of the range, and in many both lines agree. */
static void
fill_lines(struct lines *x, struct rng *r)
{
	x->lo = (uint8_t)rng_below(r, 256);
	x->hi = (uint8_t)(x->lo + rng_below(r, 256U - x->lo));
	x->bit = rng_below(r, 8);
	for (unsigned i = 0; i < LFT_BLOCK; i++) {
		uint8_t end = rng_below(r, 2) == 0 ? x->lo : x->hi;

		x->a[i] = (uint8_t)(rng_below(r, 3) == 0
					    ? rng_below(r, 256)
					    : end + rng_below(r, 3) - 1);
		x->b[i] = rng_below(r, 2) == 0 ? x->a[i]
					       : (uint8_t)rng_below(r, 256);
	}
	x->byte = x->a[rng_below(r, LFT_BLOCK)];
}

TEST(each_bit)
{
	struct rng r = {7};
	struct lines x;

	for (unsigned n = 0; n < ROUNDS; n++) {
		uint64_t bit = 0, equal = 0, range = 0, alike = 0;

		fill_lines(&x, &r);
		for (unsigned i = 0; i < LFT_BLOCK; i++) {
			uint8_t is = x.a[i];

			bit |= (uint64_t)(is >> x.bit & 1) << i;
			equal |= (uint64_t)(is == x.byte) << i;
			range |= (uint64_t)(is >= x.lo && is <= x.hi) << i;
			alike |= (uint64_t)(is == x.b[i]) << i;
		}
		if (bit != block_mask_bit(x.a, x.bit) ||
			equal != block_mask_equal(x.a, x.byte) ||
			range != block_mask_range(x.a, x.lo, x.hi) ||
			alike != block_mask_alike(x.a, x.b))
			ck_abort_msg("round %u: bit %u, byte %u, %u to %u", n,
				x.bit, x.byte, x.lo, x.hi);
	}
}
