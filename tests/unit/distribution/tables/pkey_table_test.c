/* P_Key tables: changes that move no key. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/tables/pkey_table.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

TEST(tables)
{
	static const struct {
		uint16_t was[4], want[5];
		size_t n;
		uint16_t grown[4], out[4];
		int rc;
	} cases[] = {
		/* a new port; the default key comes first */
		{{0}, {0x8005, 0xffff}, 2, {0xffff, 0x8005}, {0xffff, 0x8005},
			0},
		{{0}, {0x8005}, 1, {0, 0x8005}, {0, 0x8005}, 0},
		/* a kept key does not move, even to a better place */
		{{0x8005, 0x8006, 0, 0xffff}, {0xffff, 0x8005}, 2,
			{0x8005, 0x8006, 0, 0xffff}, {0x8005, 0, 0, 0xffff}, 0},
		/* rights are granted first and taken last */
		{{0xffff, 0x0005}, {0x7fff, 0x8005}, 2, {0xffff, 0x8005},
			{0x7fff, 0x8005}, 0},
		/* both memberships */
		{{0xffff, 0x0005}, {0xffff, 0x8005, 0x0005}, 3,
			{0xffff, 0x0005, 0x8005}, {0xffff, 0x0005, 0x8005}, 0},
		/* room is made by removing keys, in the second step */
		{{0xffff, 1, 2, 3}, {0xffff, 4}, 2, {0xffff, 1, 2, 3},
			{0xffff, 4, 0, 0}, 0},
		/* no room */
		{{0xffff}, {0xffff, 1, 2, 3, 4}, 5, {0xffff, 1, 2, 3},
			{0xffff, 1, 2, 3}, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t grown[4], out[4];
		int rc = pkey_table_lay(
			cases[i].was, 4, cases[i].want, cases[i].n, grown, out);

		ck_assert_int_eq(rc, cases[i].rc);
		ck_assert_msg(memcmp(grown, cases[i].grown, 8) == 0,
			"case %zu: grown %04x %04x %04x %04x", i, grown[0],
			grown[1], grown[2], grown[3]);
		ck_assert_msg(memcmp(out, cases[i].out, 8) == 0,
			"case %zu: out %04x %04x %04x %04x", i, out[0], out[1],
			out[2], out[3]);
	}
}

LOOP_TEST(random_tables, 1, 10)
{
	struct rng rng = {(uint64_t)_i};
	uint16_t was[32] = {0}, grown[32], out[32];

	for (unsigned round = 0; round < 200; round++) {
		uint16_t want[12];
		size_t n = 0;

		while (n < 12 && rng_below(&rng, 8) > 0) {
			uint16_t key = (uint16_t)(1 + rng_below(&rng, 20));

			key |= rng_below(&rng, 2) ? PKEY_FULL : 0;
			for (size_t i = 0; i < n; i++)
				if (want[i] == key)
					key = 0;
			if (key != 0)
				want[n++] = key;
		}
		ck_assert_int_eq(
			pkey_table_lay(was, 32, want, n, grown, out), 0);
		for (unsigned i = 0; i < 32; i++) {
			bool both = was[i] != 0 && out[i] != 0;

			/* indices of live keys do not move, rights grow */
			ck_assert(!both || (was[i] & PKEY_NUMBER) ==
						   (out[i] & PKEY_NUMBER));
			ck_assert(was[i] == 0 || (grown[i] | PKEY_FULL) ==
							 (was[i] | PKEY_FULL));
			ck_assert(grown[i] >= was[i]);
		}
		for (size_t k = 0; k < n; k++) {
			unsigned there = 0;

			for (unsigned i = 0; i < 32; i++)
				there += out[i] == want[k];
			ck_assert_uint_eq(there, 1);
		}
		memcpy(was, out, sizeof(was));
	}
}
