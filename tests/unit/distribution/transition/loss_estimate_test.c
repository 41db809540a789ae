/*
 * What a change is expected to cost hosts, where it can be counted by hand: a
 * ring of switches with a host each loses one cable, or gets another root.
 */
#include <check.h>

#include "distribution/transition/loss_estimate.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/suite.h"

enum { ANSWER_US = 100, DRAIN_US = 1000, WAITED_MS = 2 };

struct ring {
	struct fabric *f, *less;
	struct topo *t, *t1;
	struct lft_pool *pool;
	struct hwstate *hw;
	struct routes *from, *to;
};

static void
ring_new(struct ring *b, unsigned n)
{
	struct reason why = {""};
	struct world w;

	b->f = gen_grid(&n, 1, true, 1, &why);
	ck_assert_msg(b->f != NULL, "%s", why.text);
	b->less = gen_edit_fail_links(world_copy(b->f), 1, 7, true, &why);
	ck_assert_msg(b->less != NULL, "%s", why.text);
	b->pool = lft_pool_new();
	b->hw = hw_new(b->pool);
	b->t = frozen_topo(b->f, NULL);
	world_capable(b->t, true);
	b->from = world_routes(b->t, b->pool, NULL, 0);
	world_new(&w, b->t, b->t->max_lid + 1U);
	world_install(&w, b->hw, b->from);
	world_free(&w);
	b->t1 = frozen_again(b->less, b->t, 0);
	world_capable(b->t1, true);
	b->to = world_routes(b->t1, b->pool, b->from, 0);
}

static void
ring_free(struct ring *b)
{
	routes_unref(b->to);
	routes_unref(b->from);
	hw_free(b->hw);
	ck_assert_uint_eq(b->pool->live, 0);
	lft_pool_free(b->pool);
	topo_unref(b->t1);
	topo_unref(b->t);
	fabric_free(b->less);
	fabric_free(b->f);
}

static struct safe_transition *
transition(const struct ring *b, enum safe_method method)
{
	struct safe_job job = {.to = b->to,
		.from = b->from,
		.hw = b->hw,
		.method = method,
		.max_stages = 8};
	struct safe_transition *x = safe_plan(&job);

	ck_assert_uint_gt(x->nwrites, 0);
	return x;
}

static struct expect_job
question(const struct ring *b, const struct safe_transition *x, uint64_t steps)
{
	struct expect_job ask = {.change = x,
		.to = b->to,
		.from = b->from,
		.pace = expect_pace_defaults(),
		.waited = mono_ms(WAITED_MS),
		.steps = steps};

	ask.pace.answer = mono_us(ANSWER_US);
	ask.pace.drain = mono_us(DRAIN_US);
	ask.pace.hop = mono_us(1);
	return ask;
}

/* What is expected of this method; the transition is checked and freed. */
static void
expected(const struct ring *b, enum safe_method method, uint64_t steps,
	struct expect *e)
{
	struct safe_transition *x = transition(b, method);
	struct expect_job ask = question(b, x, steps);

	expect_make(&ask, e);
	safe_free(x);
}

static const struct expect_phase *
phase_of(const struct expect *e, enum expect_kind kind)
{
	for (size_t i = 0; i < e->nphases; i++)
		if (e->phase[i].kind == kind)
			return &e->phase[i];
	return NULL;
}

/* The pair at the ends of the cable, both ways, until it is written. */
START_TEST(broken_until_written)
{
	static const double ms = 1e-3;
	const struct expect_phase *before, *tables;
	struct ring b;
	struct expect e;

	ring_new(&b, 3);
	expected(&b, SAFE_AUTO, 0, &e);
	ck_assert_uint_eq(e.hosts, 3);
	ck_assert_double_eq_tol(e.now, 2, 1e-9);
	before = phase_of(&e, EXPECT_BEFORE);
	tables = phase_of(&e, EXPECT_TABLES);
	ck_assert_ptr_nonnull(before);
	ck_assert_ptr_nonnull(tables);
	ck_assert_double_eq_tol(
		before->lost[EXPECT_BROKEN], 2 * WAITED_MS * ms, 1e-9);
	/* two packets' worth, one hop each */
	ck_assert_double_eq_tol(before->lost[EXPECT_FLIGHT], 2e-6, 1e-12);
	/* one answer's time, in which it gets less and less */
	ck_assert_int_eq(tables->time.ns, mono_us(ANSWER_US).ns);
	ck_assert_double_gt(tables->lost[EXPECT_BROKEN], 0);
	ck_assert_double_lt(
		tables->lost[EXPECT_BROKEN], 2 * ANSWER_US * 1e-6 + 1e-9);
	ck_assert_int_eq(e.time.ns, before->time.ns + tables->time.ns);
	ck_assert_double_eq_tol(expect_sum(e.lost),
		expect_sum(before->lost) + expect_sum(tables->lost), 1e-12);
	/* each host sends half of its packets to each of the others */
	ck_assert_double_eq_tol(expect_packets(&e, 2 * ms, 1e6), 1000, 1e-6);
	expect_clear(&e);
	ring_free(&b);
}
END_TEST

/* While all ports are down nobody gets anything; six pairs there are. */
START_TEST(static_loses_all)
{
	const struct expect_phase *tables, *fall, *rise;
	struct ring b;
	struct expect e;
	double all;

	ring_new(&b, 3);
	expected(&b, SAFE_STATIC, 0, &e);
	fall = phase_of(&e, EXPECT_FALL);
	tables = phase_of(&e, EXPECT_TABLES);
	rise = phase_of(&e, EXPECT_RISE);
	ck_assert_ptr_nonnull(fall);
	ck_assert_ptr_nonnull(rise);
	all = 6 * mono_seconds(tables->time);
	ck_assert_double_eq_tol(tables->lost[EXPECT_DOWN], all, 1e-9);
	ck_assert_double_gt(fall->lost[EXPECT_DOWN], 0);
	ck_assert_double_lt(
		fall->lost[EXPECT_DOWN], 6 * mono_seconds(fall->time));
	ck_assert_double_gt(rise->lost[EXPECT_DOWN], 0);
	ck_assert_double_lt(
		rise->lost[EXPECT_DOWN], 6 * mono_seconds(rise->time));
	ck_assert_ptr_null(phase_of(&e, EXPECT_CLOSE));
	expect_clear(&e);
	ring_free(&b);
}
END_TEST

/* Closing turns, tables behind a drain, opening them behind another. */
START_TEST(turns_are_phases)
{
	const struct expect_phase *close, *tables, *open;
	struct ring b;
	struct expect e;

	ring_new(&b, 5);
	/* another root, in the whole ring */
	routes_unref(b.to);
	b.to = world_routes(b.t, b.pool, NULL, 2);
	expected(&b, SAFE_BREAK_DEPENDENCIES, 0, &e);
	close = phase_of(&e, EXPECT_CLOSE);
	tables = phase_of(&e, EXPECT_TABLES);
	open = phase_of(&e, EXPECT_OPEN);
	ck_assert_ptr_nonnull(close);
	ck_assert_ptr_nonnull(open);
	ck_assert_uint_eq(close->smps, open->smps);
	ck_assert_int_eq(tables->drain.ns, mono_us(DRAIN_US).ns);
	ck_assert_int_eq(open->drain.ns, mono_us(DRAIN_US).ns);
	ck_assert_double_eq(e.lost[EXPECT_BROKEN], 0);
	expect_clear(&e);
	ring_free(&b);
}
END_TEST

/* Some LIDs stand for all of them: something, and not absurd. */
START_TEST(few_steps)
{
	struct ring b;
	struct expect all, some;

	ring_new(&b, 3);
	expected(&b, SAFE_STATIC, 0, &all);
	expected(&b, SAFE_STATIC, 100, &some);
	ck_assert_double_gt(expect_sum(some.lost), expect_sum(all.lost) / 3);
	ck_assert_double_lt(expect_sum(some.lost), expect_sum(all.lost) * 3);
	expect_clear(&all);
	expect_clear(&some);
	ring_free(&b);
}
END_TEST

static void
same_cost(const struct expect *a, const struct expect *b)
{
	ck_assert_uint_eq(a->hosts, b->hosts);
	ck_assert_double_eq(a->now, b->now);
	ck_assert_int_eq(a->time.ns, b->time.ns);
	ck_assert_uint_eq(a->nphases, b->nphases);
	for (size_t k = 0; k < a->nphases; k++)
		for (unsigned c = 0; c < EXPECT_CAUSES; c++)
			ck_assert_double_eq(
				a->phase[k].lost[c], b->phase[k].lost[c]);
	ck_assert_double_eq(expect_sum(a->lost), expect_sum(b->lost));
}

/* Blocks that nobody holds are somebody else's now. */
static void
reuse_blocks(struct ring *b)
{
	uint8_t bytes[LFT_BLOCK] = {0};
	lft_ref ref[64];

	routes_unref(b->from);
	hw_free(b->hw);
	b->from = NULL;
	b->hw = hw_new(b->pool);
	for (uint8_t i = 0; i < 64; i++) {
		bytes[0] = i;
		ref[i] = lft_add(b->pool, bytes);
	}
	for (unsigned i = 0; i < 64; i++)
		lft_drop(b->pool, ref[i]);
}

/*
 * When somebody asks, the transition, the old routes and what the switches held
 * are gone, and the fabric has been read again: a host that was not up is, and
 * is no host of that time.
 */
START_TEST(asked_later)
{
	static const enum safe_method method[] = {
		SAFE_AUTO, SAFE_STATIC, SAFE_BREAK_DEPENDENCIES};
	struct safe_transition *x;
	struct expectation *later;
	struct expect_job ask;
	struct routes *again;
	struct topo *t;
	struct ring b;
	struct expect e;
	port_ix p;

	ring_new(&b, 5);
	if (_i == 2) { /* the whole ring another root */
		routes_unref(b.to);
		b.to = world_routes(b.t, b.pool, NULL, 2);
	}
	t = frozen_again(_i == 2 ? b.f : b.less, b.t, 0);
	/* behind port 0 of its switch */
	p = b.to->topo->end[b.to->topo->sw[3].end + 1].port;
	b.to->topo->port[p].state = 2;
	expected(&b, method[_i], 0, &e);
	ck_assert_uint_eq(e.hosts, 4);
	x = transition(&b, method[_i]);
	ask = question(&b, x, 0);
	later = expect_begin(&ask);
	safe_free(x);
	reuse_blocks(&b);
	again = routes_for(b.to, t);
	same_cost(expect_cost(later, again), &e);
	ck_assert_ptr_eq(expect_cost(later, again), expect_cost(later, NULL));
	expect_unref(later);
	routes_unref(again);
	topo_unref(t);
	expect_clear(&e);
	ring_free(&b);
}
END_TEST

/* A block that only its writes know is not kept for the sake of very many. */
START_TEST(many_are_not_kept)
{
	enum { MANY = 20000 };
	uint8_t bytes[LFT_BLOCK] = {1, 2, 3};
	struct expectation *later;
	struct safe_transition *x;
	struct expect_job ask;
	struct safe_write one;
	struct ring b;
	uint32_t live;

	ring_new(&b, 3);
	x = transition(&b, SAFE_AUTO);
	live = b.pool->live;
	one = x->write[0];
	one.was = lft_add(b.pool, bytes);
	x->write = mem_resize(x->write, x->nwrites + MANY, sizeof(*x->write));
	for (unsigned i = 0; i < MANY; i++) {
		x->write[x->nwrites] = one;
		x->write[x->nwrites].image = lft_share(b.pool, one.image);
		x->write[x->nwrites].was = lft_share(b.pool, one.was);
		x->nwrites++;
	}
	lft_drop(b.pool, one.was);
	ask = question(&b, x, 1);
	later = expect_begin(&ask);
	safe_free(x);
	ck_assert_uint_le(b.pool->live, live);
	ck_assert_uint_eq(expect_cost(later, NULL)->hosts, 3);
	expect_unref(later);
	ring_free(&b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("expect");
	TCase *tc = tcase_create("by hand");

	tcase_add_test(tc, broken_until_written);
	tcase_add_test(tc, static_loses_all);
	tcase_add_test(tc, turns_are_phases);
	tcase_add_test(tc, few_steps);
	tcase_add_loop_test(tc, asked_later, 0, 3);
	tcase_add_test(tc, many_are_not_kept);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
