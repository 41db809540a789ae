/* Serials of few bits against a plain array of ids. */
#include "sm/transport/serials.h"

#include <check.h>

#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { SEED = 47, BITS = 12, ALL = 1 << BITS, OPEN = 700, STEPS = 100000 };

/* Through many rounds of all serials, with gaps that close at random. */
TEST(like_an_array)
{
	uint32_t id_of[ALL] = {0}, open[OPEN], n = 0, before = 0;
	struct rng rng = {SEED};
	struct serials s;

	serials_init(&s, UINT32_MAX - 5, BITS);
	for (uint32_t k = 1; k <= STEPS; k++) {
		uint32_t i = rng_below(&rng, OPEN), probe;

		if (i < n) {
			serials_drop(&s, open[i]);
			id_of[open[i]] = 0;
			open[i] = open[--n];
		} else {
			open[n] = serials_give(&s, k);
			if (open[n] == 0 || open[n] >= ALL ||
				open[n] == before || id_of[open[n]] != 0)
				ck_abort_msg("seed %d step %u: %u", SEED, k,
					open[n]);
			before = open[n];
			id_of[open[n++]] = k;
		}
		probe = rng_below(&rng, ALL);
		if (serials_find(&s, probe) != id_of[probe])
			ck_abort_msg("seed %d step %u: wrong id", SEED, k);
	}
	serials_free(&s);
}

/* A serial of the past is told from one that was never given. */
TEST(past_and_never)
{
	const uint32_t first = 100;
	struct serials s;

	serials_init(&s, first, BITS);
	ck_assert(!serials_was_given(&s, first));
	for (uint32_t i = 1; i <= 200; i++)
		serials_drop(&s, serials_give(&s, i));
	for (uint32_t i = 1; i <= 200; i++)
		ck_assert(serials_was_given(&s, first + i));
	ck_assert(!serials_was_given(&s, first));
	ck_assert(!serials_was_given(&s, first + 201));
	for (uint32_t i = 1; i <= 3 * ALL; i++)
		serials_drop(&s, serials_give(&s, i));
	/* of a count that wrapped around the last half is the past */
	ck_assert(serials_was_given(&s, (uint32_t)(s.first + s.issued) % ALL));
	ck_assert(!serials_was_given(
		&s, (uint32_t)(s.first + s.issued + 1) % ALL));
	serials_free(&s);
}
