#include <check.h>
#include <stdio.h>

#include "routing/verify.h"
#include "sm/base/rng.h"
#include "tests/unit/hand_topo.h"

static int
judge(struct topo *t, struct hand_tables *h, struct verify_report *r)
{
	struct verify_tables in = {.topo = t, .nblocks = h->nblocks};
	struct reason why = {""};
	int ret;

	hand_tables_pack(h);
	in.pool = &h->pool;
	in.block = h->block;
	ret = verify_tables(&in, r, &why);
	hand_tables_unpack(h);
	ck_assert_int_eq(ret, r->ok ? 0 : -1);
	if (!r->ok)
		ck_assert_str_eq(why.text, r->first);
	return ret;
}

/*
 * Two leaves (0, 1) with two hosts each, two spines (2, 3):
 * leaf ports 1, 2 to hosts, 3 to S0, 4 to S1; spine ports 1, 2 to the leaves.
 * LIDs: hosts 1..4, switches 5..8.
 */
static struct topo *
small_tree(void)
{
	struct hand h = {0};
	const char *name[] = {"L0", "L1", "S0", "S1", "h0", "h1", "h2", "h3"};
	struct topo *t;

	for (unsigned i = 0; i < 8; i++)
		(void)hand_node(&h, i < 4 ? TOPO_SWITCH : TOPO_CA,
			i < 4 ? 4 : 1, name[i]);
	for (unsigned i = 0; i < 2; i++) {
		hand_cable(&h, i, 1, 4 + 2 * i, 1);
		hand_cable(&h, i, 2, 5 + 2 * i, 1);
		hand_cable(&h, i, 3, 2, i + 1);
		hand_cable(&h, i, 4, 3, i + 1);
	}
	t = hand_topo(&h);
	hand_lids(t);
	return t;
}

static const uint8_t small_entries[4][9] = {
	{255, 1, 2, 3, 4, 0, 3, 3, 4},
	{255, 3, 4, 1, 2, 3, 0, 3, 4},
	{255, 1, 1, 2, 2, 1, 2, 0, 1},
	{255, 1, 1, 2, 2, 1, 2, 1, 0},
};

static void
small_tables(struct hand_tables *h, const struct topo *t)
{
	hand_tables_new(h, t);
	for (sw_ix s = 0; s < 4; s++)
		memcpy(hand_entry(h, s, 0), small_entries[s], 9);
}

START_TEST(good_tree)
{
	struct topo *t = small_tree();
	struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 32);
	ck_assert_uint_eq(r.unreachable + r.loops + r.cut_off, 0);
	ck_assert_uint_eq(r.cyclic_channels, 0);
	ck_assert_uint_eq(r.vls, 1);
	ck_assert_uint_eq(r.load_max, 2);
	ck_assert_double_eq_tol(r.load_mean, 2.0, 1e-9);
	ck_assert_uint_eq(r.hops_max, 2);
	ck_assert_double_eq_tol(r.hops_mean, 16.0 / 12.0, 1e-9);
	ck_assert_str_eq(r.first, "");
	/* everything over S0: its cables carry all four pairs a direction */
	*hand_entry(&h, 0, 4) = 3;
	*hand_entry(&h, 1, 2) = 3;
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.load_max, 4);
	ck_assert_double_eq_tol(r.load_mean, 2.0, 1e-9);
	ck_assert_uint_eq(r.load_sw, 0);
	ck_assert_uint_eq(r.load_port, 3);
	/* an aggregation node is no compute node, but must be reached */
	t->node[7].flags |= TN_AGGREGATION;
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.load_max, 2);
	ck_assert_uint_eq(r.pairs, 32);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

static const struct {
	sw_ix sw;
	uint8_t lid, entry;
	unsigned unreachable;
	const char *words;
} broken[] = {
	{2, 3, 255, 2,
		"LID 3 ('h2') from switch 'L0': it ends at switch 'S0', which "
		"has no entry (255)"},
	{2, 3, 77, 2, "'S0', whose entry is port 77 of 4"},
	{2, 3, 4, 2, "'S0', whose entry is port 4, which has no cable"},
	{2, 3, 0, 2, "'S0', which takes it for its own (port 0)"},
	{2, 3, 1, 2,
		"'L0' sends it out of port 3 to 'S0', whose entry is port 1, "
		"the cable it came from"},
	{1, 3, 2, 4,
		"it ends at switch 'L1', whose entry is port 2 to 'h3', which "
		"is not its owner, instead of port 1"},
	{1, 3, 255, 4, "which has no entry (255), instead of port 1"},
	{1, 3, 3, 4, "whose entry is port 3, the cable it came from"},
	{1, 3, 0, 4, "(port 0), instead of port 1"},
	{1, 6, 1, 4, "port 1 to 'h2', which is not its owner, instead of"},
	{0, 6, 255, 1, "LID 6 ('L1') from switch 'L0': it ends at"},
};

START_TEST(broken_entries)
{
	struct topo *t = small_tree();
	struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	*hand_entry(&h, broken[_i].sw, broken[_i].lid) = broken[_i].entry;
	ck_assert_int_eq(judge(t, &h, &r), -1);
	ck_assert_uint_eq(r.unreachable, broken[_i].unreachable);
	ck_assert_uint_eq(r.loops, 0);
	ck_assert_uint_eq(r.pairs, 32);
	ck_assert_msg(strstr(r.first, broken[_i].words) != NULL,
		"case %d: \"%s\" lacks \"%s\"", _i, r.first, broken[_i].words);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

START_TEST(short_tables)
{
	struct topo *t = small_tree();
	struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	/* h3 moves to a LID beyond the tables: nothing is there for it */
	t->port[topo_port_of(t, 7, 1)].lid = 70;
	hand_index(t);
	(void)judge(t, &h, &r);
	ck_assert_uint_eq(r.unreachable, 4);
	ck_assert(strstr(r.first, "LID 70") != NULL);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

/* A ring of n switches with a host each, all traffic clockwise. */
static struct topo *
ring(unsigned n, unsigned port, struct hand_tables *tables)
{
	struct hand h = {0};
	struct topo *t;

	for (unsigned i = 0; i < n; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "R%u", i);
		(void)hand_node(&h, TOPO_SWITCH, (uint8_t)(port + 1), name);
	}
	for (unsigned i = 0; i < n; i++) {
		hand_cable(&h, i, 1, hand_node(&h, TOPO_CA, 1, ""), 1);
		hand_cable(&h, i, port, (i + 1) % n, port + 1);
	}
	t = hand_topo(&h);
	hand_lids(t);
	hand_tables_new(tables, t);
	for (sw_ix s = 0; s < n; s++)
		for (uint32_t lid = 1; lid <= 2 * n; lid++) {
			sw_ix d = (lid - 1) % n;

			*hand_entry(tables, s, lid) = (uint8_t)(d != s ? port
								: lid <= n ? 1
									   : 0);
		}
	return t;
}

START_TEST(cyclic_ring)
{
	static const unsigned ports[] = {2, 63, 64, 127, 128, 191, 252};
	struct hand_tables h;
	struct verify_report r;
	struct topo *t = ring(4, ports[_i], &h);
	char words[64];

	(void)judge(t, &h, &r);
	ck_assert(!r.ok);
	ck_assert_uint_eq(r.unreachable + r.loops, 0);
	ck_assert_uint_eq(r.cyclic_channels, 4);
	ck_assert_uint_eq(r.hops_max, 3);
	ck_assert_double_eq_tol(r.hops_mean, 2.0, 1e-9);
	ck_assert_uint_eq(r.load_max, 6);
	(void)snprintf(words, sizeof(words),
		"credit loop of 4 cables: 'R0' port %u (LID ", ports[_i]);
	ck_assert_msg(strstr(r.first, words) != NULL, "%s", r.first);
	ck_assert(strstr(r.first, "'R3' port") != NULL);
	/* break it: what would pass from R3 over R0 goes the other way */
	for (sw_ix s = 1; s < 4; s++)
		for (uint32_t lid = 1; lid <= 8; lid++)
			if ((lid - 1) % 4 < s && (lid - 1) % 4 > 0)
				*hand_entry(&h, s, lid) =
					(uint8_t)(ports[_i] + 1);
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

/* A and B with two cables, C behind B with a host: LID 1. */
START_TEST(parallel_cables)
{
	struct hand h = {0};
	struct hand_tables tb;
	struct verify_report r;
	struct topo *t;

	for (unsigned i = 0; i < 3; i++)
		(void)hand_node(&h, TOPO_SWITCH, 4,
			(char[]){(char)('A' + (char)i), '\0'});
	hand_cable(&h, 0, 1, 1, 1);
	hand_cable(&h, 0, 2, 1, 2);
	hand_cable(&h, 1, 3, 2, 3);
	hand_cable(&h, 2, 1, hand_node(&h, TOPO_CA, 1, "host"), 1);
	t = hand_topo(&h);
	t->port[topo_port_of(t, 3, 1)].lid = 1;
	hand_index(t);
	hand_tables_new(&tb, t);
	*hand_entry(&tb, 0, 1) = 1;
	*hand_entry(&tb, 1, 1) = 3;
	*hand_entry(&tb, 2, 1) = 1;
	(void)judge(t, &tb, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 3);
	/* back over the other cable: a loop, and a credit loop */
	*hand_entry(&tb, 1, 1) = 2;
	(void)judge(t, &tb, &r);
	ck_assert_uint_eq(r.loops, 2);
	ck_assert_uint_eq(r.unreachable, 0);
	ck_assert_uint_eq(r.cyclic_channels, 2);
	ck_assert_str_eq(r.first, "LID 1 ('host') from switch 'A': it loops: "
				  "'A' port 1 -> 'B' port 2 -> 'A'");
	/* back over the same cable: discarded by the hardware */
	*hand_entry(&tb, 1, 1) = 1;
	(void)judge(t, &tb, &r);
	ck_assert_uint_eq(r.loops, 0);
	ck_assert_uint_eq(r.unreachable, 2);
	ck_assert_uint_eq(r.cyclic_channels, 0);
	/* the same when it comes in through a third switch */
	*hand_entry(&tb, 2, 1) = 3;
	(void)judge(t, &tb, &r);
	ck_assert_uint_eq(r.unreachable, 3);
	hand_tables_free(&tb);
	hand_free(t);
}
END_TEST

START_TEST(quarantined)
{
	struct topo *t = small_tree();
	struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	t->node[3].flags |= TN_QUARANTINED;
	(void)judge(t, &h, &r);
	ck_assert(!r.ok);
	ck_assert_uint_eq(r.pairs, 21);
	ck_assert_uint_eq(r.cut_off, 3);
	ck_assert_uint_eq(r.unreachable, 2);
	ck_assert_msg(strstr(r.first, "port 4 to the quarantined 'S1'") != NULL,
		"%s", r.first);
	*hand_entry(&h, 0, 4) = 3;
	*hand_entry(&h, 1, 2) = 3;
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.load_max, 4);
	ck_assert_double_eq_tol(r.load_mean, 4.0, 1e-9);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

/* S1 and both its cables away, L1 alone: two components. */
START_TEST(cut_off)
{
	struct topo *t = small_tree();
	struct hand_tables h;
	struct verify_report r;

	small_tables(&h, t);
	t->node[3].flags |= TN_QUARANTINED;
	t->node[2].flags |= TN_QUARANTINED;
	for (uint32_t lid = 1; lid <= 8; lid++) {
		*hand_entry(&h, 0, lid) =
			lid <= 2 || lid == 5 ? small_entries[0][lid] : 255;
		*hand_entry(&h, 1, lid) = lid == 3 || lid == 4 || lid == 6
						  ? small_entries[1][lid]
						  : 255;
	}
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 6);
	ck_assert_uint_eq(r.cut_off, 10);
	ck_assert_uint_eq(r.load_max, 0);
	ck_assert_uint_eq(r.hops_max, 0);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

/* What circles for a LID that is not there at all is a fault too. */
START_TEST(stray_loop)
{
	struct hand_tables h;
	struct verify_report r;
	struct topo *t = ring(3, 2, &h);

	for (sw_ix s = 0; s < 3; s++)
		for (uint32_t lid = 1; lid <= 6; lid++)
			if (*hand_entry(&h, s, lid) == 2 &&
				(lid - 1) % 3 != (s + 1) % 3)
				*hand_entry(&h, s, lid) = 3;
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	for (sw_ix s = 0; s < 3; s++)
		*hand_entry(&h, s, 20) = 2;
	(void)judge(t, &h, &r);
	ck_assert_uint_eq(r.loops, 3);
	ck_assert_uint_eq(r.unreachable, 0);
	ck_assert_uint_eq(r.cyclic_channels, 3);
	ck_assert_str_eq(r.first, "LID 20 (nobody's here) from switch 'R0': "
				  "it loops: 'R0' port 2 -> 'R1' port 2 -> "
				  "'R2' port 2 -> 'R0'");
	/* a stray entry that only ends is none */
	*hand_entry(&h, 2, 20) = 255;
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

START_TEST(no_switch)
{
	struct hand h = {0};
	struct hand_tables tb;
	struct verify_report r;
	struct topo *t;

	(void)hand_node(&h, TOPO_CA, 1, "a");
	(void)hand_node(&h, TOPO_CA, 1, "b");
	hand_cable(&h, 0, 1, 1, 1);
	t = hand_topo(&h);
	t->port[topo_port_of(t, 0, 1)].lid = 1;
	t->port[topo_port_of(t, 1, 1)].lid = 2;
	hand_index(t);
	hand_tables_new(&tb, t);
	ck_assert_int_eq(judge(t, &tb, &r), 0);
	ck_assert_uint_eq(r.pairs + r.cut_off, 0);
	hand_tables_free(&tb);
	hand_free(t);
}
END_TEST

/* A switch of 254 ports full of hosts, and one more behind its last port. */
START_TEST(wide_switch)
{
	struct hand h = {0};
	struct hand_tables tb;
	struct verify_report r;
	struct topo *t;
	node_ix a = hand_node(&h, TOPO_SWITCH, 254, "wide");
	node_ix b = hand_node(&h, TOPO_SWITCH, 254, "far");

	for (unsigned i = 1; i < 254; i++)
		hand_cable(&h, a, i, hand_node(&h, TOPO_CA, 1, ""), 1);
	hand_cable(&h, a, 254, b, 254);
	hand_cable(&h, b, 1, hand_node(&h, TOPO_CA, 1, "end"), 1);
	t = hand_topo(&h);
	hand_lids(t);
	hand_tables_new(&tb, t);
	for (uint32_t lid = 1; lid <= 256; lid++) {
		*hand_entry(&tb, 0, lid) = (uint8_t)(lid < 254	  ? lid
						     : lid == 255 ? 0
								  : 254);
		*hand_entry(&tb, 1, lid) = (uint8_t)(lid == 254	  ? 1
						     : lid == 256 ? 0
								  : 254);
	}
	(void)judge(t, &tb, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 512);
	ck_assert_uint_eq(r.load_max, 253);
	ck_assert_uint_eq(r.hops_max, 1);
	hand_tables_free(&tb);
	hand_free(t);
}
END_TEST

/* Two LIDs a port (LMC 1): both must arrive, the base one bears the load. */
START_TEST(lmc)
{
	struct topo *t = small_tree();
	struct hand_tables h;
	struct verify_report r;

	for (node_ix n = 4; n < 8; n++) {
		struct topo_port *p = &t->port[topo_port_of(t, n, 1)];

		p->lid = (uint16_t)(2 + 2 * (n - 4));
		p->lmc = 1;
	}
	for (node_ix n = 0; n < 4; n++)
		t->port[t->node[n].first_port].lid = (uint16_t)(20 + n);
	hand_index(t);
	hand_tables_new(&h, t);
	for (sw_ix s = 0; s < 4; s++) {
		for (unsigned i = 0; i < 8; i++) {
			uint8_t e = small_entries[s][1 + i / 2];

			/* the second path over the other spine */
			if (i % 2 == 1 && e >= 3)
				e = (uint8_t)(7 - e);
			*hand_entry(&h, s, 2 + i) = e;
		}
		memcpy(hand_entry(&h, s, 20), &small_entries[s][5], 4);
	}
	(void)judge(t, &h, &r);
	ck_assert_msg(r.ok, "%s", r.first);
	ck_assert_uint_eq(r.pairs, 4 * 12);
	ck_assert_uint_eq(r.load_max, 2);
	*hand_entry(&h, 2, 3) = 255;
	(void)judge(t, &h, &r);
	ck_assert(!r.ok);
	ck_assert(strstr(r.first, "LID 3 ('h0')") != NULL);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("verify");
	TCase *tc = tcase_create("hand");

	tcase_add_test(tc, good_tree);
	tcase_add_loop_test(tc, broken_entries, 0,
		(int)(sizeof(broken) / sizeof(broken[0])));
	tcase_add_test(tc, short_tables);
	tcase_add_loop_test(tc, cyclic_ring, 0, 7);
	tcase_add_test(tc, parallel_cables);
	tcase_add_test(tc, quarantined);
	tcase_add_test(tc, cut_off);
	tcase_add_test(tc, stray_loop);
	tcase_add_test(tc, no_switch);
	tcase_add_test(tc, wide_switch);
	tcase_add_test(tc, lmc);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(suite());
	int failed;

	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
