/*
 * A switch of each tier, and a link, of a tree of some hundred hosts: drained
 * under traffic, pulled in the microsecond in which that is told to be done,
 * plugged again, undrained and rebalanced. No packet is lost in any step, and
 * little more changes than has to. Selene, where it is there: build/bench/pull.
 */
#include <check.h>

#include "tests/sim/chaos/pull.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { TARGETS = 3, LEAF = 0, SPINE = 1, LINK = 2 };

/* Packets are in flight for some microseconds here. */
static const char quick[] = "distribution: {drain: 1ms}\n";

struct lab {
	struct fabric *f;
	struct pull p;
	struct pull_target at[TARGETS];
};

static void
lab_open(struct lab *l, const char *shape, const struct pull_load *load)
{
	l->f = shape_of("%s", shape);
	pull_open(&l->p, l->f, quick, load);
	ck_assert_uint_eq(pull_targets(l->f, l->at, TARGETS), TARGETS);
}

static void
lab_close(struct lab *l)
{
	pull_close(&l->p);
	fabric_free(l->f);
}

static void
run_case(struct lab *l, unsigned target, bool drain, struct pull_cost *c)
{
	struct reason why = {""};

	ck_assert_msg(pull_run(&l->p, &l->at[target], drain, c, &why) == 0,
		"%s", why.text);
}

static void
expect_nothing_lost(const struct pull_cost *c)
{
	ck_assert(c->clear);
	for (unsigned i = 0; i < PULL_STEPS; i++) {
		ck_assert_msg(c->lost[i] == 0, "%s: %llu packets lost",
			pull_step_name[i], (unsigned long long)c->lost[i]);
		ck_assert_uint_gt(c->sent[i], 100);
	}
	ck_assert_uint_gt(c->sent[PULL_DRAIN], 10000);
}

static const char hundreds[] = "two:8:16:16";
static const struct pull_load light = {2e-5, 0.02};

LOOP_TEST(drained_first, 0, TARGETS)
{
	const unsigned target = (unsigned)_i;
	struct lab l;
	struct pull_cost c;
	uint64_t extra;

	lab_open(&l, hundreds, &light);
	run_case(&l, target, true, &c);
	expect_nothing_lost(&c);
	ck_assert_uint_le(c.least, c.entries);
	/* the paths to the drained switch itself, and its own table */
	extra = sm_view(l.p.w->sm)->topo->nsw +
		sm_view(l.p.w->sm)->topo->max_lid;
	if (target != LEAF)
		ck_assert_uint_le(c.entries, c.least + extra);
	lab_close(&l);
}

/* The measurement sees packets that are lost. */
TEST(as_it_is)
{
	struct lab l;
	struct pull_cost c;

	lab_open(&l, hundreds, &light);
	run_case(&l, SPINE, false, &c);
	ck_assert_uint_gt(c.lost[PULL_OUT], 10);
	ck_assert_uint_eq(c.lost[PULL_BACK] + c.lost[PULL_REBALANCE], 0);
	run_case(&l, LINK, false, &c);
	ck_assert_uint_gt(c.lost[PULL_OUT], 0);
	ck_assert_uint_eq(c.lost[PULL_BACK] + c.lost[PULL_REBALANCE], 0);
	lab_close(&l);
}

/* The same when packets wait in the switches. */
LOOP_TEST(in_congestion, SPINE, TARGETS)
{
	static const struct pull_load heavy = {1e-4, 0.9};
	struct lab l;
	struct pull_cost c;

	lab_open(&l, "two:2:4:3", &heavy);
	run_case(&l, (unsigned)_i, true, &c);
	expect_nothing_lost(&c);
	lab_close(&l);
}
