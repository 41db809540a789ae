/* The heap of deadlines against a plain array. */
#include "sm/transport/deadlines.h"

#include <check.h>

#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { SEED = 31, IDS = 300, STEPS = 100000 };

TEST(like_an_array)
{
	struct deadlines d = {0};
	struct mono want[IDS];
	struct rng rng = {SEED};

	for (size_t i = 0; i < IDS; i++)
		want[i] = MONO_NEVER;
	for (int k = 0; k < STEPS; k++) {
		uint32_t id = rng_below(&rng, IDS), got = IDS;
		struct mono first = MONO_NEVER;

		if (rng_below(&rng, 3) == 0) {
			deadlines_clear(&d, id);
			want[id] = MONO_NEVER;
		} else {
			want[id].ns = rng_below(&rng, 1000);
			deadlines_set(&d, id, want[id]);
		}
		for (size_t i = 0; i < IDS; i++)
			first = mono_min(first, want[i]);
		if (deadlines_first(&d, &got).ns != first.ns ||
			(first.ns != INT64_MAX && want[got].ns != first.ns))
			ck_abort_msg("seed %d step %d", SEED, k);
	}
	deadlines_free(&d);
}

/* Some are removed from the middle, the rest comes in order. */
TEST(sorted_after_clearing)
{
	struct deadlines d = {0};
	struct rng rng = {SEED};

	for (int round = 0; round < 1000; round++) {
		struct mono last = {-1}, next;
		uint32_t id;

		for (uint32_t i = 0; i < IDS; i++)
			deadlines_set(&d, i, mono_ms(rng_below(&rng, 1000)));
		for (int k = 0; k < IDS / 2; k++)
			deadlines_clear(&d, rng_below(&rng, IDS));
		while ((next = deadlines_first(&d, &id)).ns != INT64_MAX) {
			if (mono_before(next, last))
				ck_abort_msg("seed %d round %d", SEED, round);
			last = next;
			deadlines_clear(&d, id);
		}
	}
	deadlines_free(&d);
}

TEST(equal_ones_in_order)
{
	struct deadlines d = {0};
	uint32_t id;

	for (uint32_t i = 0; i < 50; i++)
		deadlines_set(&d, (i * 7) % 50, mono_ms(5));
	for (uint32_t i = 0; i < 50; i++) {
		ck_assert_int_eq(deadlines_first(&d, &id).ns, mono_ms(5).ns);
		ck_assert_uint_eq(id, (i * 7) % 50);
		deadlines_clear(&d, id);
	}
	ck_assert_int_eq(deadlines_first(&d, NULL).ns, MONO_NEVER.ns);
	deadlines_free(&d);
}
