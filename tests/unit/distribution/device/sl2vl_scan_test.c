/* The scan of SL2VL rows that a previous run may have blocked: every row is
 * read in the end. */
#include <check.h>
#include <string.h>

#include "distribution/device/sl2vl_scan.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/sm/transport/xact_fixture.h"
#include "tests/unit/suite.h"

enum { SWITCHES = 3, PORTS = 4, ROWS = PORTS * PORTS, STEP_MS = 10 };

/* A chain of switches; one of them may be silent. */
struct bed {
	struct topo *t;
	struct env *e;
	struct sl2vl_scan *s;
	size_t heard;	 /* how many of e's messages have been delivered */
	unsigned deaf;	 /* the switch that does not answer; SWITCHES: none */
	unsigned closed; /* the switch that discards from port 1 to port 2 */
	unsigned asked[SWITCHES], found;
	bool mute; /* answers are under way and do not arrive */
};

static struct topo *
make_chain(void)
{
	struct hand h = {0};
	struct topo *t;

	for (unsigned i = 0; i < SWITCHES; i++)
		hand_node(&h, TOPO_SWITCH, PORTS, "sw");
	for (node_ix i = 1; i < SWITCHES; i++)
		hand_link(&h, i - 1, 1, i, 2);
	t = hand_topo(&h);
	for (node_ix i = 0; i < SWITCHES; i++) {
		t->node[i].hops = (uint8_t)i;
		t->node[i].via = i > 0 ? topo_port_of(t, i - 1, 1) : TOPO_NONE;
		t->port[t->node[i].first_port].capmask = MAD_CAP_SL_MAPPING;
	}
	return t;
}

static void
bed_open(struct bed *b, bool hurry)
{
	*b = (struct bed){.deaf = SWITCHES, .closed = SWITCHES};
	b->t = make_chain();
	b->e = env_new(8, 8, 4);
	b->s = sl2vl_scan_new();
	sl2vl_scan_doubt(b->s, hurry);
	sl2vl_scan_adopt(b->s, b->t, b->e->now);
}

static void
bed_close(struct bed *b)
{
	xact_cancel_all(b->e->x, b->e->now);
	sl2vl_scan_free(b->s);
	env_free(b->e);
	hand_free(b->t);
}
AUTO_VALUE(bed, struct bed, bed_close)

/* Delivers what was sent meanwhile, and its answers. */
static void
deliver_answers(struct bed *b)
{
	for (; !b->mute && b->heard < b->e->n; b->heard++) {
		struct smp s = sent_smp(b->e, b->heard);
		unsigned n = s.hop_cnt;

		ck_assert_uint_lt(n, SWITCHES);
		b->asked[n]++;
		if (n == b->deaf)
			continue;
		s = answer_to(b->e, b->heard);
		memset(s.data, 0, sizeof(s.data));
		if (n == b->closed && s.mod == (1U << 8 | 2))
			memset(s.data, 0xff, 8);
		ck_assert(deliver_smp(b->e, &s, 0));
	}
}

static void
run_scan(struct bed *b, int64_t ms)
{
	struct mono end = mono_add(b->e->now, mono_ms(ms));
	size_t n;

	while (mono_before(b->e->now, end)) {
		struct mono next =
			mono_min(xact_next(b->e->x), sl2vl_scan_next(b->s));

		/* nothing happens before next */
		b->e->now = mono_min(
			end, mono_before(b->e->now, next)
				     ? next
				     : mono_add(b->e->now, mono_ms(STEP_MS)));
		xact_tick(b->e->x, b->e->now);
		deliver_answers(b);
		sl2vl_scan_feed(b->s, b->e->x, 1, b->e->now);
		deliver_answers(b);
		(void)sl2vl_scan_found(b->s, &n);
		b->found += (unsigned)n;
	}
}

/* Checks whether the scan has nothing left to read. */
static void
expect_done(const struct bed *b, bool done)
{
	ck_assert_int_eq(sl2vl_scan_next(b->s).ns == MONO_NEVER.ns, done);
	if (done)
		ck_assert_uint_eq(sl2vl_scan_counts(b->s).left, 0);
}

LOOP_TEST(all_are_read_once, 0, 2)
{
	AUTO(bed) struct bed b;

	bed_open(&b, _i == 1);
	b.closed = 1;
	run_scan(&b, _i == 1 ? 1500 : 70000);
	expect_done(&b, true);
	ck_assert_uint_eq(b.found, 1);
	run_scan(&b, 7200000);
	for (unsigned i = 0; i < SWITCHES; i++)
		ck_assert_uint_eq(b.asked[i], ROWS);
}

/* The silent switch answers again after some rounds, and the scan finds out by
 * itself. */
TEST(a_hurried_lap_comes_back)
{
	AUTO(bed) struct bed b;

	bed_open(&b, true);
	b.deaf = b.closed = 1;
	run_scan(&b, 6000);
	expect_done(&b, false);
	ck_assert_uint_eq(b.asked[0], ROWS);
	ck_assert_uint_eq(b.asked[2], ROWS);
	ck_assert_uint_eq(b.found, 0);
	run_scan(&b, 12000);
	expect_done(&b, false);
	b.deaf = SWITCHES;
	run_scan(&b, 20000);
	expect_done(&b, true);
	ck_assert_uint_eq(b.found, 1);
	ck_assert_uint_eq(b.asked[2], ROWS);
}

/* A switch that never answers is asked less and less often, and not
 * forgotten. */
LOOP_TEST(silent_switches_are_asked_now_and_then, 0, 2)
{
	unsigned first, then;
	AUTO(bed) struct bed b;

	bed_open(&b, _i == 1);
	b.deaf = 1;
	run_scan(&b, 600000);
	first = b.asked[1];
	ck_assert_uint_gt(first, 0);
	ck_assert_uint_lt(first, 500);
	run_scan(&b, 24 * 3600000);
	then = b.asked[1];
	ck_assert_uint_gt(then, first + 24);
	ck_assert_uint_lt(then, first + 40 * 24);
	expect_done(&b, false);
	b.deaf = SWITCHES;
	run_scan(&b, 2 * 3600000);
	expect_done(&b, true);
	ck_assert_uint_eq(b.asked[0], ROWS);
}

/* After a plan or a new view, rows with answers under way are read again. */
LOOP_TEST(what_was_overtaken_is_read_again, 0, 2)
{
	AUTO(bed) struct bed b;

	bed_open(&b, true);
	b.closed = 0;
	b.mute = true;
	run_scan(&b, 1050);
	ck_assert_uint_gt(b.e->n, 0);
	if (_i == 0)
		sl2vl_scan_discard(b.s);
	else
		sl2vl_scan_adopt(b.s, b.t, b.e->now);
	b.mute = false;
	run_scan(&b, 1500);
	expect_done(&b, false);
	ck_assert_uint_eq(b.found, 0);
	run_scan(&b, 2000);
	expect_done(&b, true);
	ck_assert_uint_eq(b.found, 1);
	ck_assert_uint_eq(b.asked[1], ROWS);
	ck_assert_uint_eq(b.asked[2], ROWS);
}

/* A new doubt does not wait as long as a silent switch. */
TEST(a_new_doubt_is_urgent)
{
	AUTO(bed) struct bed b;

	bed_open(&b, false);
	b.deaf = 1;
	run_scan(&b, 4 * 3600000);
	expect_done(&b, false);
	b.deaf = SWITCHES;
	sl2vl_scan_doubt(b.s, true);
	sl2vl_scan_adopt(b.s, b.t, b.e->now);
	run_scan(&b, 1500);
	expect_done(&b, true);
}
