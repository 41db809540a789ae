/*
 * The estimated packet loss beside the packets dropped: dozens of random
 * fabrics, each with a method, a switch that fails and one that returns, on the
 * virtual clock: the same numbers on every machine.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/chaos/trial.h"
#include "tests/unit/suite.h"

/*
 * FACTOR is the model's error. It is larger for static, which writes everything
 * and waits for everything: most of its loss is time, and the time of an SMP is
 * known as a mean only. HANDFUL packets may get through, or not, in the moment
 * when a block arrives.
 */
enum { SEEDS = 25, HANDFUL = 25 };

#define LOAD 0.1
#define FACTOR 1.3
#define FACTOR_STATIC 2.0

static void
expect_near_estimate(
	const char *method, const char *what, const struct trial_outcome *o)
{
	double factor = strcmp(method, "static") == 0 ? FACTOR_STATIC : FACTOR;
	double expected = loss_estimate_sum(o->expected);

	ck_assert_uint_eq(o->unsettled, 0);
	ck_assert_msg(o->lost <= expected * factor + HANDFUL &&
			      expected <= o->lost * factor + HANDFUL,
		"%s, %s: %.0f packets dropped, %.0f expected", method, what,
		o->lost, expected);
}

LOOP_TEST(as_expected, 0, SEEDS)
{
	const char *method = trial_method[_i % TRIAL_METHODS];
	unsigned n = 8 + (unsigned)_i / 2;
	AUTO(fabric) struct fabric *f = trial_irregular(n, 100 + (uint64_t)_i);
	struct trial_outcome removal = {0}, addition = {0};
	uint32_t sw = (uint32_t)_i % n;
	struct trial r;

	while (!trial_removable(f, sw))
		sw = (sw + 1) % n;
	trial_open(&r, f, method, LOAD, (struct mono){0});
	trial_change(&r, sw, false, &removal);
	trial_change(&r, sw, true, &addition);
	trial_close(&r);
	(void)printf("%2u switches, %-18s removal %4.0f of %4.0f, addition "
		     "%4.0f of %4.0f\n",
		n, method, removal.lost, loss_estimate_sum(removal.expected),
		addition.lost, loss_estimate_sum(addition.expected));
	expect_near_estimate(method, "removal", &removal);
	expect_near_estimate(method, "addition", &addition);
}
