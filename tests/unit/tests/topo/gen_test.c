/* Generated fabrics: counts, degrees, connectivity, edits, determinism. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/unit/suite.h"

/* Numbers of a fabric that follow from its rule. */
struct counts {
	unsigned switches, hosts, cables;
};

static void
check_counts(struct fabric *f, const char *what, struct counts want)
{
	ck_assert_msg(f != NULL, "%s: not made", what);
	ck_assert_msg(f->nswitches == want.switches &&
			      f->nhosts == want.hosts &&
			      f->ncables == want.cables,
		"%s: %u switches, %u hosts, %u cables; want %u, %u, %u", what,
		f->nswitches, f->nhosts, f->ncables, want.switches, want.hosts,
		want.cables);
	ck_assert_msg(fabric_connected(f, FABRIC_NONE, FABRIC_NONE),
		"%s: in pieces", what);
	fabric_free(f);
}

TEST(trees_have_their_sizes)
{
	struct gen_fattree2 two = {18, 36, 1, 18, 18};
	struct gen_fattree2 uneven = {18, 36, 1, 13, 1};
	struct gen_fattree2 par = {2, 3, 3, 4, 4};
	struct gen_fattree2 flat = {0, 1, 0, 5, 5};

	check_counts(gen_tree_two(&two, NULL), "fattree2",
		(struct counts){54, 648, 1296});
	check_counts(gen_tree_two(&uneven, NULL), "uneven",
		(struct counts){54, 252, 900});
	check_counts(gen_tree_two(&par, NULL), "parallel",
		(struct counts){5, 12, 30});
	check_counts(gen_tree_two(&flat, NULL), "one leaf",
		(struct counts){1, 5, 5});
	check_counts(gen_tree_three(4, NULL), "fattree3 4",
		(struct counts){20, 16, 48});
	check_counts(gen_tree_three(24, NULL), "fattree3 24",
		(struct counts){720, 3456, 10368});
	check_counts(gen_tree_three(36, NULL), "fattree3 36",
		(struct counts){1620, 11664, 34992});
	check_counts(gen_tree_kary(4, 3, NULL), "4-ary 3-tree",
		(struct counts){48, 64, 192});
	check_counts(gen_tree_kary(2, 4, NULL), "2-ary 4-tree",
		(struct counts){32, 16, 64});
}

TEST(pgft_follows_its_rule)
{
	unsigned m[] = {3, 4}, w[] = {1, 2}, p[] = {1, 2};
	unsigned planes[] = {2, 2};
	AUTO(fabric) struct fabric *f = gen_tree_pgft(2, m, w, p, NULL);

	check_counts(f, "pgft", (struct counts){6, 12, 12 + 16});
	f = gen_tree_pgft(2, m, planes, NULL, NULL);
	ck_assert_uint_eq(f->nswitches, 4 * 2 + 4);
	ck_assert(!fabric_connected(f, FABRIC_NONE, FABRIC_NONE));
}

TEST(direct_networks_have_their_sizes)
{
	unsigned cube[] = {8, 8, 8}, grid[] = {3, 4}, two[] = {2, 2, 2, 2};
	unsigned one[] = {1}, hx[] = {4, 5}, ring[] = {5};

	check_counts(gen_grid(cube, 3, true, 1, NULL), "torus 8x8x8",
		(struct counts){512, 512, 2048});
	check_counts(gen_grid(grid, 2, false, 2, NULL), "mesh 3x4",
		(struct counts){12, 24, 24 + 17});
	check_counts(gen_grid(two, 4, true, 1, NULL), "hypercube",
		(struct counts){16, 16, 16 + 32});
	check_counts(gen_grid(one, 1, false, 7, NULL), "single",
		(struct counts){1, 7, 7});
	check_counts(gen_grid(ring, 1, true, 1, NULL), "ring",
		(struct counts){5, 5, 10});
	check_counts(gen_grid(ring, 1, false, 1, NULL), "line",
		(struct counts){5, 5, 9});
	check_counts(gen_hyperx(hx, 2, 2, NULL), "hyperx",
		(struct counts){20, 40, 40 + 20 * 7 / 2});
	check_counts(gen_dragonfly(8, 4, 4, NULL), "dragonfly",
		(struct counts){264, 1056, 2508});
	check_counts(gen_pair(), "pair", (struct counts){0, 2, 1});
	check_counts(gen_random(64, 6, 4, 1, NULL), "random",
		(struct counts){64, 256, 448});
	check_counts(gen_random(10, 3, 1, 7, NULL), "cubic",
		(struct counts){10, 10, 25});
	check_counts(gen_petersen(5, 2, 2, NULL), "Petersen graph",
		(struct counts){10, 20, 35});
}

/* Every switch of f has this many links, to distinct neighbours. */
static void
check_regular(const struct fabric *f, unsigned degree, const char *what)
{
	for (uint32_t n = 0; n < f->nnodes; n++) {
		bool *seen = calloc(f->nnodes, sizeof(*seen));

		for (unsigned p = 1; p <= f->node[n].nports; p++) {
			uint32_t peer;
			unsigned pp;

			if (!fabric_peer(f, n, p, &peer, &pp))
				continue;
			ck_assert_msg(!seen[peer] && peer != n,
				"%s: \"%s\" twice", what, f->node[peer].name);
			seen[peer] = true;
		}
		free(seen);
		if (f->node[n].type == FABRIC_SWITCH)
			ck_assert_msg(fabric_degree(f, n) == degree,
				"%s: \"%s\" has %u cables, not %u", what,
				f->node[n].name, fabric_degree(f, n), degree);
	}
}

TEST(regular_means_regular)
{
	struct fabric *f;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		f = gen_random(20, 5, 2, seed, NULL);
		check_regular(f, 7, "random");
		ck_assert_msg(fabric_connected(f, FABRIC_NONE, FABRIC_NONE),
			"seed %u: in pieces", (unsigned)seed);
		fabric_free(f);
	}
	f = gen_dragonfly(4, 2, 2, NULL);
	check_regular(f, 3 + 2 + 2, "dragonfly");
	fabric_free(f);
	f = gen_petersen(8, 3, 1, NULL);
	check_regular(f, 3 + 1, "Petersen graph");
	fabric_free(f);
	f = gen_tree_three(8, NULL);
	check_regular(f, 8, "fattree3");
	fabric_free(f);
}

static char *
text_of(const struct fabric *f)
{
	struct buf b = {0};

	ibnet_print(f, &b);
	return b.text;
}

TEST(seeds_decide_and_nothing_else)
{
	struct fabric *f[3];
	char *t[3];

	for (unsigned i = 0; i < 3; i++) {
		f[i] = gen_random(30, 4, 1, i < 2 ? 5 : 6, NULL);
		f[i] = gen_edit_fail_links(f[i], 6, 9, true, NULL);
		ck_assert(f[i] != NULL);
		t[i] = text_of(f[i]);
	}
	ck_assert_str_eq(t[0], t[1]);
	ck_assert_str_ne(t[0], t[2]);
	for (unsigned i = 0; i < 3; i++) {
		free(t[i]);
		fabric_free(f[i]);
	}
}

TEST(failures_keep_what_was_asked)
{
	struct gen_fattree2 two = {4, 6, 1, 3, 3};
	struct reason why;

	for (uint64_t seed = 1; seed <= 30; seed++) {
		AUTO(fabric) struct fabric *f = gen_tree_two(&two, NULL);

		f = gen_edit_fail_links(f, 15, seed, true, &why);
		ck_assert_msg(
			f != NULL, "seed %u: %s", (unsigned)seed, why.text);
		check_counts(f, "15 of 24 links", (struct counts){10, 18, 27});
		f = gen_tree_two(&two, NULL);
		f = gen_edit_fail_switches(f, 3, seed, true, &why);
		ck_assert_uint_eq(f->nswitches, 7);
		ck_assert(fabric_connected(f, FABRIC_NONE, FABRIC_NONE));
	}
	/* ten switches are connected by nine links at least */
	ck_assert(!gen_edit_fail_links(
		gen_tree_two(&two, NULL), 16, 1, true, &why));
	ck_assert(strstr(why.text, "15 of 16") != NULL);
	check_counts(gen_edit_fail_links(
			     gen_tree_two(&two, NULL), 0, 1, false, &why),
		"none", (struct counts){10, 18, 42});
	ck_assert(!gen_edit_fail_links(
		gen_tree_two(&two, NULL), 25, 1, false, &why));
}

TEST(edits_do_what_they_say)
{
	struct gen_fattree2 two = {4, 6, 1, 3, 3};
	struct fabric *f = gen_edit_aggregation(gen_tree_two(&two, NULL), NULL);
	uint32_t an = f->nnodes - 1;

	ck_assert_uint_eq(f->node[an].device, 0xcf09);
	ck_assert_uint_eq(f->node[an].vendor, 0x2c9);
	check_counts(f, "sharp", (struct counts){10, 28, 52});

	f = gen_edit_rails(gen_tree_two(&two, NULL), 2, false, NULL);
	ck_assert_uint_eq(f->node[fabric_find(f, "h1")].nports, 2);
	check_counts(f, "rails", (struct counts){10, 18, 60});
	f = gen_edit_rails(gen_tree_two(&two, NULL), 2, true, NULL);
	ck_assert_uint_eq(f->node[fabric_find(f, "h1 HCA-2")].sysimg,
		f->node[fabric_find(f, "h1")].sysimg);
	check_counts(f, "HCAs", (struct counts){10, 36, 60});

	f = gen_edit_self_loops(gen_tree_two(&two, NULL), 2, NULL);
	check_counts(f, "self-loops", (struct counts){10, 18, 44});

	f = gen_edit_populate(gen_tree_two(&two, NULL), 2, 1);
	check_counts(f, "populate", (struct counts){10, 9, 33});
}

TEST(wide_switches)
{
	unsigned one = 1;
	static const unsigned wide[] = {65, 129, 254, 255};

	for (unsigned i = 0; i < 4; i++) {
		struct fabric *f = gen_grid(&one, 1, false, 3, NULL);

		f = gen_edit_ports(f, wide[i], true, NULL);
		ck_assert_uint_eq(f->node[0].nports, wide[i]);
		ck_assert(fabric_port(f, 0, wide[i])->cable != FABRIC_NONE);
		ck_assert(fabric_port(f, 0, 1)->cable == FABRIC_NONE);
		check_counts(f, "wide", (struct counts){1, 3, 3});
	}
	check_counts(gen_grid(&one, 1, false, 254, NULL), "254 hosts",
		(struct counts){1, 254, 254});
	ck_assert(!gen_edit_ports(
		gen_grid(&one, 1, false, 30, NULL), 20, false, NULL));
}

TEST(impossible_numbers_are_refused)
{
	struct gen_fattree2 wide = {200, 4, 1, 60, 60}, none = {1, 0, 1, 1, 1};
	unsigned dim[] = {0, 3}, one = 1, big[] = {1000, 1000};
	struct reason why = {{0}};

	ck_assert(!gen_tree_two(&wide, &why) && why.text[0]);
	ck_assert(!gen_tree_two(&none, &why));
	ck_assert(!gen_tree_three(7, &why));
	ck_assert(!gen_tree_kary(0, 2, &why));
	ck_assert(!gen_tree_kary(2, 9, &why));
	ck_assert(!gen_grid(dim, 2, true, 1, &why));
	ck_assert(!gen_grid(big, 2, true, 1, &why));
	ck_assert(!gen_grid(&one, 1, true, 255, &why));
	ck_assert(!gen_grid(&one, 0, true, 1, &why));
	ck_assert(!gen_random(5, 3, 1, 1, &why));
	ck_assert(!gen_random(5, 5, 1, 1, &why));
	ck_assert(!gen_random(4, 1, 1, 1, &why));
	ck_assert(!gen_petersen(8, 4, 1, &why));
	ck_assert(!gen_petersen(8, 0, 1, &why));
	ck_assert(!gen_dragonfly(0, 1, 1, &why));
	ck_assert(!gen_dragonfly(200, 100, 100, &why));
}

TEST(connectivity_is_seen)
{
	unsigned ring[] = {4}, line[] = {4};
	struct fabric *f = gen_grid(ring, 1, true, 1, NULL);

	for (uint32_t c = 0; c < f->ncables; c++)
		ck_assert(fabric_connected(f, c, FABRIC_NONE));
	fabric_free(f);
	f = gen_grid(line, 1, false, 1, NULL);
	for (uint32_t c = 0; c < f->ncables; c++) {
		const struct fabric_cable *w = &f->cable[c];
		bool host = f->node[w->node[0]].type == FABRIC_CA ||
			    f->node[w->node[1]].type == FABRIC_CA;

		/* a host that lost its only link is not counted */
		ck_assert(fabric_connected(f, c, FABRIC_NONE) == host);
	}
	fabric_free(f);
}
