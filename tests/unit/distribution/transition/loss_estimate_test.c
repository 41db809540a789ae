/*
 * The estimated loss of a change where it can be counted by hand: a ring of
 * switches with one host each loses a link, or gets another root.
 */
#include <check.h>

#include "distribution/transition/loss_estimate.h"
#include "tests/topo/gen.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/suite.h"

enum { ANSWER_US = 100, DRAIN_US = 1000, WAITED_MS = 2 };

struct ring {
	struct fabric *f, *less;
	struct topo *t, *t1;
	struct lft_pool *pool;
	struct device_store *hw;
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
	b->hw = device_new(b->pool);
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
	device_free(b->hw);
	ck_assert_uint_eq(b->pool->live, 0);
	lft_pool_free(b->pool);
	topo_unref(b->t1);
	topo_unref(b->t);
	fabric_free(b->less);
	fabric_free(b->f);
}
AUTO_VALUE(ring, struct ring, ring_free)

static struct transition_result *
find_transition(const struct ring *b, enum transition_method_kind method)
{
	struct transition_job job = {.to = b->to,
		.from = b->from,
		.hw = b->hw,
		.method = method,
		.max_stages = 8};
	struct transition_result *x = transition_find(&job);

	ck_assert_uint_gt(x->nwrites, 0);
	return x;
}

static struct loss_estimate_job
estimate_job(
	const struct ring *b, const struct transition_result *x, uint64_t steps)
{
	struct loss_estimate_job ask = {.change = x,
		.to = b->to,
		.from = b->from,
		.pace = loss_estimate_pace_defaults(),
		.waited = mono_ms(WAITED_MS),
		.steps = steps};

	ask.pace.answer = mono_us(ANSWER_US);
	ask.pace.drain = mono_us(DRAIN_US);
	ask.pace.hop = mono_us(1);
	return ask;
}

/* Estimates the loss of the change with this method. */
static void
estimate_loss(const struct ring *b, enum transition_method_kind method,
	uint64_t steps, struct loss_estimate *e)
{
	struct transition_result *x = find_transition(b, method);
	struct loss_estimate_job ask = estimate_job(b, x, steps);

	loss_estimate_compute(&ask, e);
	transition_free(x);
}

static const struct loss_estimate_phase *
phase_of(const struct loss_estimate *e, enum loss_estimate_kind kind)
{
	for (size_t i = 0; i < e->nphases; i++)
		if (e->phase[i].kind == kind)
			return &e->phase[i];
	return NULL;
}

/* The hosts at the ends of the failed link lose packets in both directions
 * until the tables are written. */
TEST(broken_until_written)
{
	static const double ms = 1e-3;
	const struct loss_estimate_phase *before, *tables;
	AUTO(ring) struct ring b;
	struct loss_estimate e;

	ring_new(&b, 3);
	estimate_loss(&b, TRANSITION_AUTO, 0, &e);
	ck_assert_uint_eq(e.hosts, 3);
	ck_assert_double_eq_tol(e.now, 2, 1e-9);
	before = phase_of(&e, LOSS_ESTIMATE_BEFORE);
	tables = phase_of(&e, LOSS_ESTIMATE_TABLES);
	ck_assert_ptr_nonnull(before);
	ck_assert_ptr_nonnull(tables);
	ck_assert_double_eq_tol(
		before->lost[LOSS_ESTIMATE_BROKEN], 2 * WAITED_MS * ms, 1e-9);
	/* two packets' worth, one hop each */
	ck_assert_double_eq_tol(
		before->lost[LOSS_ESTIMATE_FLIGHT], 2e-6, 1e-12);
	/* one answer's time, in which the loss falls */
	ck_assert_int_eq(tables->time.ns, mono_us(ANSWER_US).ns);
	ck_assert_double_gt(tables->lost[LOSS_ESTIMATE_BROKEN], 0);
	ck_assert_double_lt(tables->lost[LOSS_ESTIMATE_BROKEN],
		2 * ANSWER_US * 1e-6 + 1e-9);
	ck_assert_int_eq(e.time.ns, before->time.ns + tables->time.ns);
	ck_assert_double_eq_tol(loss_estimate_sum(e.lost),
		loss_estimate_sum(before->lost) +
			loss_estimate_sum(tables->lost),
		1e-12);
	/* each host sends half of its packets to each of the others */
	ck_assert_double_eq_tol(
		loss_estimate_packets(&e, 2 * ms, 1e6), 1000, 1e-6);
	loss_estimate_clear(&e);
}

/* While all ports are down no host gets anything: six pairs. */
TEST(static_loses_all)
{
	const struct loss_estimate_phase *tables, *fall, *rise;
	AUTO(ring) struct ring b;
	struct loss_estimate e;
	double all;

	ring_new(&b, 3);
	estimate_loss(&b, TRANSITION_STATIC, 0, &e);
	fall = phase_of(&e, LOSS_ESTIMATE_FALL);
	tables = phase_of(&e, LOSS_ESTIMATE_TABLES);
	rise = phase_of(&e, LOSS_ESTIMATE_RISE);
	ck_assert_ptr_nonnull(fall);
	ck_assert_ptr_nonnull(rise);
	all = 6 * mono_seconds(tables->time);
	ck_assert_double_eq_tol(tables->lost[LOSS_ESTIMATE_DOWN], all, 1e-9);
	ck_assert_double_gt(fall->lost[LOSS_ESTIMATE_DOWN], 0);
	ck_assert_double_lt(
		fall->lost[LOSS_ESTIMATE_DOWN], 6 * mono_seconds(fall->time));
	ck_assert_double_gt(rise->lost[LOSS_ESTIMATE_DOWN], 0);
	ck_assert_double_le(rise->lost[LOSS_ESTIMATE_DOWN],
		6 * mono_seconds(rise->time) + 1e-12);
	ck_assert_ptr_null(phase_of(&e, LOSS_ESTIMATE_CLOSE));
	loss_estimate_clear(&e);
}

/* Blocking dependencies, tables behind a drain, unblocking behind another. */
TEST(blocks_are_phases)
{
	const struct loss_estimate_phase *close, *tables, *open;
	AUTO(ring) struct ring b;
	struct loss_estimate e;

	ring_new(&b, 5);
	/* another root, in the whole ring */
	routes_unref(b.to);
	b.to = world_routes(b.t, b.pool, NULL, 2);
	estimate_loss(&b, TRANSITION_BREAK_DEPENDENCIES, 0, &e);
	close = phase_of(&e, LOSS_ESTIMATE_CLOSE);
	tables = phase_of(&e, LOSS_ESTIMATE_TABLES);
	open = phase_of(&e, LOSS_ESTIMATE_OPEN);
	ck_assert_ptr_nonnull(close);
	ck_assert_ptr_nonnull(open);
	ck_assert_uint_eq(close->smps, open->smps);
	ck_assert_int_eq(tables->drain.ns, mono_us(DRAIN_US).ns);
	ck_assert_int_eq(open->drain.ns, mono_us(DRAIN_US).ns);
	ck_assert_double_eq(e.lost[LOSS_ESTIMATE_BROKEN], 0);
	loss_estimate_clear(&e);
}

/* Some LIDs stand for all of them: the estimate is neither zero nor absurd. */
TEST(few_steps)
{
	AUTO(ring) struct ring b;
	struct loss_estimate all, some;

	ring_new(&b, 3);
	estimate_loss(&b, TRANSITION_STATIC, 0, &all);
	estimate_loss(&b, TRANSITION_STATIC, 100, &some);
	ck_assert_double_gt(
		loss_estimate_sum(some.lost), loss_estimate_sum(all.lost) / 3);
	ck_assert_double_lt(
		loss_estimate_sum(some.lost), loss_estimate_sum(all.lost) * 3);
	loss_estimate_clear(&all);
	loss_estimate_clear(&some);
}

static void
same_cost(const struct loss_estimate *a, const struct loss_estimate *b)
{
	ck_assert_uint_eq(a->hosts, b->hosts);
	ck_assert_double_eq(a->now, b->now);
	ck_assert_int_eq(a->time.ns, b->time.ns);
	ck_assert_uint_eq(a->nphases, b->nphases);
	for (size_t k = 0; k < a->nphases; k++)
		for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
			ck_assert_double_eq(
				a->phase[k].lost[c], b->phase[k].lost[c]);
	ck_assert_double_eq(
		loss_estimate_sum(a->lost), loss_estimate_sum(b->lost));
}

/* Frees the old blocks and lets others take their place in the pool. */
static void
reuse_blocks(struct ring *b)
{
	uint8_t bytes[LFT_BLOCK] = {0};
	lft_ref ref[64];

	routes_unref(b->from);
	device_free(b->hw);
	b->from = NULL;
	b->hw = device_new(b->pool);
	for (uint8_t i = 0; i < 64; i++) {
		bytes[0] = i;
		ref[i] = lft_add(b->pool, bytes);
	}
	for (unsigned i = 0; i < 64; i++)
		lft_drop(b->pool, ref[i]);
}

/*
 * When the cost is queried, the transition, the old routes and what the
 * switches held are gone, and the fabric has been read again: a host that was
 * down is up, and does not count as a host of that time.
 */
LOOP_TEST(asked_later, 0, 3)
{
	static const enum transition_method_kind method[] = {TRANSITION_AUTO,
		TRANSITION_STATIC, TRANSITION_BREAK_DEPENDENCIES};
	struct transition_result *x;
	struct expectation *later;
	struct loss_estimate_job ask;
	struct routes *again;
	AUTO(topo) struct topo *t = NULL;
	AUTO(ring) struct ring b;
	struct loss_estimate e;
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
	estimate_loss(&b, method[_i], 0, &e);
	ck_assert_uint_eq(e.hosts, 4);
	x = find_transition(&b, method[_i]);
	ask = estimate_job(&b, x, 0);
	later = loss_estimate_begin(&ask);
	transition_free(x);
	reuse_blocks(&b);
	again = routes_for(b.to, t);
	same_cost(loss_estimate_cost(later, again), &e);
	ck_assert_ptr_eq(loss_estimate_cost(later, again),
		loss_estimate_cost(later, NULL));
	loss_estimate_unref(later);
	routes_unref(again);
	loss_estimate_clear(&e);
}

/* Old blocks that only the writes refer to are not kept if they are very
 * many. */
TEST(many_are_not_kept)
{
	enum { MANY = 20000 };
	uint8_t bytes[LFT_BLOCK] = {1, 2, 3};
	struct expectation *later;
	struct transition_result *x;
	struct loss_estimate_job ask;
	struct lft_write one;
	AUTO(ring) struct ring b;
	uint32_t live;

	ring_new(&b, 3);
	x = find_transition(&b, TRANSITION_AUTO);
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
	ask = estimate_job(&b, x, 1);
	later = loss_estimate_begin(&ask);
	transition_free(x);
	ck_assert_uint_le(b.pool->live, live);
	ck_assert_uint_eq(loss_estimate_cost(later, NULL)->hosts, 3);
	loss_estimate_unref(later);
}
