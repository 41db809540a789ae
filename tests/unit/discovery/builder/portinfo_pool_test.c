/* The PortInfo pool stores each value once: compared with an array that has one
 * value per reference. */
#include <check.h>
#include <string.h>

#include "discovery/builder/portinfo_pool.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { REFS = 40, VALUES = 20, STEPS = 2000 };

/* The bytes of value v; 0 stands for a PortInfo that was never read. */
static void
bytes_of(unsigned v, uint8_t out[INFO_BYTES])
{
	memset(out, 0, INFO_BYTES);
	for (unsigned i = 0; i < v; i++)
		out[(v * 7 + i) % INFO_BYTES] = (uint8_t)v;
}

/* True if equal values share one entry, different values do not, and nothing is
 * stored without a reference. */
static bool
pool_is_consistent(
	const struct portinfo_pool *x, const info_ref *r, const unsigned *v)
{
	uint8_t is[INFO_BYTES];
	unsigned distinct = 0;

	for (unsigned i = 0; i < REFS; i++) {
		unsigned same = 0;

		if ((r[i] == INFO_NONE) != (v[i] == 0))
			return false;
		if (v[i] == 0)
			continue;
		for (unsigned k = 0; k < REFS; k++) {
			if ((r[i] == r[k]) != (v[i] == v[k]))
				return false;
			same += r[i] == r[k];
			distinct += k == i && same == 1;
		}
		bytes_of(v[i], is);
		if (memcmp(x->at[r[i]], is, INFO_BYTES) != 0 ||
			x->refs[r[i]] != same)
			return false;
	}
	return x->known.n == distinct && x->n <= VALUES + 2;
}

TEST(each_value_once)
{
	struct portinfo_pool x = {0};
	info_ref r[REFS] = {INFO_NONE};
	unsigned v[REFS] = {0};
	struct rng rng = {1};

	for (unsigned n = 0; n < STEPS; n++) {
		unsigned i = rng_below(&rng, REFS);
		uint8_t bytes[INFO_BYTES];

		v[i] = rng_below(&rng, VALUES + 1);
		bytes_of(v[i], bytes);
		if (v[i] == 0)
			portinfo_pool_drop(&x, &r[i]);
		else
			portinfo_pool_set(&x, &r[i], bytes);
		ck_assert(pool_is_consistent(&x, r, v));
	}
	for (unsigned i = 0; i < REFS; i++)
		portinfo_pool_drop(&x, &r[i]);
	ck_assert_uint_eq(x.known.n, 0);
	portinfo_pool_free(&x);
}

/* Two values with one hash stay two values. */
TEST(one_hash)
{
	struct portinfo_pool x = {0};
	info_ref a = INFO_NONE, b = INFO_NONE, c = INFO_NONE;
	uint8_t one[INFO_BYTES] = {1}, two[INFO_BYTES] = {2};

	portinfo_pool_set(&x, &a, one);
	x.at[a][0] = 3; /* another value with the hash of one */
	portinfo_pool_set(&x, &b, one);
	ck_assert_uint_ne(a, b);
	portinfo_pool_set(&x, &c, two);
	portinfo_pool_drop(&x, &b);
	ck_assert_uint_eq(x.known.n, 2);
	portinfo_pool_set(&x, &b, two);
	ck_assert_uint_eq(b, c);
	portinfo_pool_free(&x);
}
