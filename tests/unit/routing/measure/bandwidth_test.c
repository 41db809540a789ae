#include <check.h>

#include "routing/measure/bandwidth.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/suite.h"

/*
 * A two-level tree: leaves of `down` hosts, one link to each of `up` spines.
 * Hosts are nodes leaves + spines and on, LIDs from 1 leaf by leaf. Host h is
 * reached over spine h % use.
 */
static struct topo *
two_tier_topo(unsigned leaves, unsigned down, unsigned up, unsigned use,
	struct hand_tables *tb)
{
	struct hand h = {0};
	struct topo *t;

	for (unsigned i = 0; i < leaves + up; i++)
		(void)hand_node(&h, TOPO_SWITCH,
			(uint8_t)(i < leaves ? down + up : leaves), "");
	for (unsigned i = 0; i < leaves; i++) {
		for (unsigned k = 0; k < down; k++)
			hand_link(
				&h, i, k + 1, hand_node(&h, TOPO_CA, 1, ""), 1);
		for (unsigned k = 0; k < up; k++)
			hand_link(&h, i, down + k + 1, leaves + k, i + 1);
	}
	t = hand_topo(&h);
	hand_lids(t);
	hand_tables_new(tb, t);
	for (unsigned lid = 1; lid <= leaves * down; lid++) {
		unsigned leaf = (lid - 1) / down, k = (lid - 1) % down;

		for (sw_ix s = 0; s < leaves; s++)
			*hand_entry(tb, s, lid) =
				(uint8_t)(s == leaf ? k + 1
						    : down + 1 + k % use);
		for (sw_ix s = leaves; s < leaves + up; s++)
			*hand_entry(tb, s, lid) = (uint8_t)(leaf + 1);
	}
	hand_tables_pack(tb);
	return t;
}

static struct verify_tables
verify_input(const struct topo *t, const struct hand_tables *tb)
{
	return (struct verify_tables){.topo = t,
		.pool = &tb->pool,
		.row = tb->row,
		.nblocks = tb->nblocks};
}

/* Two leaves, two hosts each: over two spines no flows meet. */
TEST(free_tree)
{
	AUTO(hand_tables) struct hand_tables tb;
	AUTO(hand) struct topo *t = two_tier_topo(2, 2, 2, 2, &tb);
	struct verify_tables in = verify_input(t, &tb);
	struct bandwidth_ebb e;
	struct bandwidth_shift s;

	bandwidth_ebb(&in, 50, 1, &e);
	ck_assert_uint_eq(e.hosts, 4);
	ck_assert_uint_eq(e.trials, 50);
	ck_assert_double_eq_tol(e.mean, 1, 1e-9);
	ck_assert_double_eq_tol(e.spread, 0, 1e-6);
	ck_assert_double_eq_tol(e.lowest, 1, 1e-9);
	ck_assert_uint_eq(e.lost, 0);
	bandwidth_shift(&in, 100, 1, &s);
	ck_assert_uint_eq(s.shifts, 3);
	ck_assert_uint_eq(s.worst, 1);
	ck_assert_double_eq_tol(s.mean, 1, 1e-9);
	ck_assert(s.first_exact);
	ck_assert_uint_eq(s.first_worst, 1);
}

/*
 * Over one spine: in one bisection of three both senders share a leaf and halve
 * each other: 2/3 + 1/3 * 1/2. Shift 2 sends everything across.
 */
TEST(narrow_tree)
{
	AUTO(hand_tables) struct hand_tables tb;
	AUTO(hand) struct topo *t = two_tier_topo(2, 2, 2, 1, &tb);
	struct verify_tables in = verify_input(t, &tb);
	struct bandwidth_ebb e, again;
	struct bandwidth_shift s;

	bandwidth_ebb(&in, 20000, 7, &e);
	ck_assert_double_eq_tol(e.mean, 5.0 / 6, 0.01);
	ck_assert_double_eq_tol(e.spread, 0.2357, 0.01);
	ck_assert_double_eq_tol(e.lowest, 0.5, 1e-9);
	bandwidth_ebb(&in, 20000, 7, &again);
	ck_assert(memcmp(&e, &again, sizeof(e)) == 0);
	bandwidth_shift(&in, 3, 0, &s);
	ck_assert_uint_eq(s.shifts, 3);
	ck_assert_uint_eq(s.worst, 2);
	ck_assert_uint_eq(s.worst_by, 2);
	ck_assert(s.first_exact);
	ck_assert_uint_eq(s.first_worst, 2);
	ck_assert_double_eq_tol(s.mean, 2.5 / 3, 1e-9);
	bandwidth_shift(&in, 2, 0, &s);
	ck_assert_uint_eq(s.shifts, 2);
	/* an aggregation node takes no part */
	t->node[t->nnodes - 1].flags |= TN_AGGREGATION;
	bandwidth_ebb(&in, 10, 7, &e);
	ck_assert_uint_eq(e.hosts, 3);
}

/*
 * Three leaves of three hosts, three spines of which two are used: a leaf's
 * hosts send to three others in a row, two of which meet; one shift looked at
 * by sampling is enough for the window to see all.
 */
TEST(windows)
{
	AUTO(hand_tables) struct hand_tables tb;
	AUTO(hand) struct topo *t = two_tier_topo(3, 3, 3, 2, &tb);
	struct verify_tables in = verify_input(t, &tb);
	struct bandwidth_shift s;

	bandwidth_shift(&in, 1, 3, &s);
	ck_assert_uint_eq(s.shifts, 1);
	ck_assert(s.first_exact);
	ck_assert_uint_eq(s.first_worst, 2);
}

/* Saturation: (hosts - 1) pairs fill a link. */
TEST(saturation)
{
	struct verify_report r = {.load_max = 0};
	const struct topo even = {.rate_max = 2000, .rate_host = 2000};
	const struct topo slow_hosts = {.rate_max = 2000, .rate_host = 1000};

	ck_assert_double_eq_tol(bandwidth_saturation(&r, &even, 10), 1, 1e-12);
	r.load_max = 9;
	ck_assert_double_eq_tol(bandwidth_saturation(&r, &even, 10), 1, 1e-12);
	r.load_max = 18;
	ck_assert_double_eq_tol(
		bandwidth_saturation(&r, &even, 10), 0.5, 1e-12);
	ck_assert_double_eq_tol(
		bandwidth_saturation(&r, &slow_hosts, 10), 1, 1e-12);
}

/* The full 648-port tree: 0.807 is the published measurement. */
TEST(tree_648)
{
	AUTO(hand_tables) struct hand_tables tb;
	AUTO(hand) struct topo *t = two_tier_topo(36, 18, 18, 18, &tb);
	struct verify_tables in = verify_input(t, &tb);
	struct bandwidth_ebb e;
	struct bandwidth_shift s;

	bandwidth_ebb(&in, 200, 1, &e);
	ck_assert_double_eq_tol(e.mean, 0.807, 0.006);
	bandwidth_shift(&in, 1000, 1, &s);
	ck_assert_uint_eq(s.shifts, 647);
	ck_assert_uint_eq(s.worst, 1);
}

/* Flows that do not arrive count as nothing, and do not hang. */
LOOP_TEST(lost_flows, 0, 5)
{
	static const uint8_t spoilt[] = {255, 0, 99, 1, 3};
	AUTO(hand_tables) struct hand_tables tb;
	AUTO(hand) struct topo *t = two_tier_topo(2, 2, 2, 2, &tb);
	struct verify_tables in;
	struct bandwidth_shift s;

	hand_tables_unpack(&tb);
	/* from leaf 0 to the hosts of leaf 1; 3 loops with the spine's 1 */
	*hand_entry(&tb, 0, 3) = spoilt[_i];
	if (spoilt[_i] == 3)
		*hand_entry(&tb, 2, 3) = 1;
	hand_tables_pack(&tb);
	in = verify_input(t, &tb);
	bandwidth_shift(&in, 3, 0, &s);
	/* hosts 1 and 2 of leaf 0 send to host 3 (and so does 4 of its own
	 * leaf) */
	ck_assert_uint_eq(s.lost, 2);
	ck_assert_double_eq_tol(s.mean, 10.0 / 12, 1e-9);
}

TEST(no_hosts)
{
	struct hand h = {0};
	AUTO(hand_tables) struct hand_tables tb;
	struct verify_tables in;
	struct bandwidth_ebb e;
	struct bandwidth_shift s;
	AUTO(hand) struct topo *t = NULL;

	(void)hand_node(&h, TOPO_SWITCH, 4, "");
	t = hand_topo(&h);
	hand_lids(t);
	hand_tables_new(&tb, t);
	hand_tables_pack(&tb);
	in = verify_input(t, &tb);
	bandwidth_ebb(&in, 10, 1, &e);
	ck_assert_uint_eq(e.trials + e.hosts, 0);
	bandwidth_shift(&in, 10, 1, &s);
	ck_assert_uint_eq(s.shifts + s.hosts, 0);
}
