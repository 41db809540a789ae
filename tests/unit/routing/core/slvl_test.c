/*
 * Service levels and routing layers: which gets which SL and VL; and that no
 * level, with old or new rows, on any number of VLs, closes a cycle or shares a
 * VL with a level that it does not name.
 */
#include "routing/core/slvl.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/rng.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/suite.h"

enum { SEED = 71, ROUNDS = 3000, LINKS = 12, MOST_VLS = 15 };

static struct slvl_want
want_levels(unsigned n)
{
	struct slvl_want w = {.n = n};

	for (unsigned i = 0; i < n; i++)
		w.level[i].sl = SLVL_ANY;
	return w;
}

TEST(without_levels_lanes_are_straight)
{
	const struct slvl_want none = {0};
	static const uint8_t straight4[SLVL_ROW] = {0x01, 0x23};
	static const uint8_t zero[SLVL_ROW] = {0};
	uint8_t row[SLVL_ROW];
	struct slvl l;

	slvl_allocate(&none, 4, true, &l);
	for (unsigned k = 0; k < 4; k++)
		ck_assert_uint_eq(l.sl[0][k], k);
	slvl_row(&l, (struct slvl_hop){8, .end = false}, row);
	ck_assert_mem_eq(row, straight4, SLVL_ROW);
	slvl_allocate(&none, 1, true, &l);
	slvl_row(&l, (struct slvl_hop){8, .end = false}, row);
	ck_assert_mem_eq(row, zero, SLVL_ROW);
	ck_assert(!l.wanted);
}

TEST(numbers)
{
	struct slvl_want w = want_levels(3);
	struct slvl l, more;

	w.level[1].sl = 5;
	w.level[2].sl = 0;
	slvl_allocate(&w, 1, true, &l);
	ck_assert_uint_eq(l.sl[0][0], 1); /* 0 is taken */
	ck_assert_uint_eq(l.sl[1][0], 5);
	ck_assert_uint_eq(l.sl[2][0], 0);
	/* an SL means the same with more layers */
	slvl_allocate(&w, 2, true, &l);
	slvl_allocate(&w, 4, true, &more);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 2; k++)
			ck_assert_uint_eq(l.sl[i][k], more.sl[i][k]);
	/* more levels than SLs for them: the last ones share */
	w = want_levels(5);
	w.level[4].with = 3;
	w.level[3].with = 2;
	slvl_allocate(&w, 4, true, &l);
	ck_assert_uint_eq(l.separate, 4);
	ck_assert_mem_eq(l.sl[4], l.sl[3], sizeof(l.sl[3]));
}

TEST(few_lanes)
{
	struct slvl_want w = want_levels(4);
	struct slvl l;

	w.level[3].with = 1;
	slvl_allocate(&w, 1, true, &l);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(slvl_vl(&l, l.sl[i][0],
					  (struct slvl_hop){8, .end = false}),
			i);
	/* two slots: the default level and the first one; the others share */
	ck_assert_uint_eq(
		slvl_vl(&l, l.sl[1][0], (struct slvl_hop){2, .end = false}), 1);
	ck_assert_uint_eq(
		slvl_vl(&l, l.sl[2][0], (struct slvl_hop){2, .end = false}), 0);
	ck_assert_uint_eq(
		slvl_vl(&l, l.sl[3][0], (struct slvl_hop){2, .end = false}), 1);
	for (unsigned sl = 0; sl < SLVL_SLS; sl++)
		ck_assert_uint_eq(
			slvl_vl(&l, sl, (struct slvl_hop){1, .end = false}), 0);
	/* a port without a link has no VL */
	ck_assert_uint_eq(
		slvl_vl(&l, 0, (struct slvl_hop){0, .end = false}), SLVL_DROP);
	l.together = true;
	ck_assert_uint_eq(
		slvl_vl(&l, l.sl[1][0], (struct slvl_hop){8, .end = false}), 0);
}

TEST(unknown_numbers)
{
	struct slvl_want w = want_levels(2);
	struct slvl l;

	slvl_allocate(&w, 1, true, &l);
	ck_assert_uint_eq(
		slvl_vl(&l, 7, (struct slvl_hop){8, .end = false}), 0);
	w.drop = true;
	slvl_allocate(&w, 1, true, &l);
	ck_assert_uint_eq(
		slvl_vl(&l, 7, (struct slvl_hop){8, .end = false}), SLVL_DROP);
	ck_assert_uint_eq(
		slvl_vl(&l, 1, (struct slvl_hop){8, .end = false}), 1);
	w.level[0].sl = 3; /* no level has SL 0: mapped all the same */
	w.level[1].sl = 4;
	slvl_allocate(&w, 1, true, &l);
	ck_assert_uint_eq(
		slvl_vl(&l, 0, (struct slvl_hop){8, .end = false}), 0);
	ck_assert_uint_eq(
		slvl_vl(&l, 1, (struct slvl_hop){8, .end = false}), SLVL_DROP);
}

/* ---- any levels, any layers, any links ---- */

static struct slvl_want
random_want(struct rng *r)
{
	struct slvl_want w = {
		.n = rng_below(r, SLVL_MAX + 1), .drop = rng_below(r, 2) != 0};
	bool taken[SLVL_SLS] = {false};

	for (unsigned i = 0; i < w.n; i++) {
		unsigned sl = rng_below(r, 2 * SLVL_SLS);

		w.level[i].sl = SLVL_ANY;
		if (sl < SLVL_SLS && !taken[sl])
			w.level[i].sl = (uint8_t)sl;
		if (sl < SLVL_SLS)
			taken[sl] = true;
		w.level[i].with = (uint8_t)(i > 0 ? rng_below(r, i) : 0);
	}
	return w;
}

/*
 * Whether two levels may share a VL on a link: a level without a slot of its
 * own shares with the one that it names, or with the one which that one names
 * ...
 */
static bool
may_meet(const struct slvl *l, unsigned a, unsigned b, unsigned slots)
{
	for (unsigned i = 0; a >= slots && i < SLVL_MAX; i++)
		a = l->with[a];
	for (unsigned i = 0; b >= slots && i < SLVL_MAX; i++)
		b = l->with[b];
	return a == b;
}

TEST(unrelated_levels_do_not_meet)
{
	struct rng r = {SEED};

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct slvl_want w = random_want(&r);
		unsigned lanes = 1 + rng_below(&r, SLVL_LAYERS);
		bool plain = rng_below(&r, 2) != 0;
		unsigned vls = 1 + rng_below(&r, MOST_VLS), owner[16][2];
		struct slvl l;

		memset(owner, 0xff, sizeof(owner));
		slvl_allocate(&w, lanes, plain, &l);
		for (unsigned i = 0; i < l.separate; i++)
			for (unsigned k = 0; k < l.layers; k++) {
				unsigned sl = l.sl[i][k], vl;

				ck_assert_msg(
					l.level[sl] == i && l.layer[sl] == k,
					"round %u", round);
				vl = slvl_vl(&l, sl,
					(struct slvl_hop){vls, .end = false});
				if (vl == SLVL_DROP) {
					ck_assert(!plain && vls < lanes);
					continue;
				}
				ck_assert_uint_lt(vl, vls);
				if (owner[vl][0] == UINT32_MAX) {
					owner[vl][0] = i;
					owner[vl][1] = k;
				}
				if (!plain && vls >= lanes)
					ck_assert_uint_eq(owner[vl][1], k);
				ck_assert_msg(
					may_meet(&l, owner[vl][0], i,
						slvl_slots(&l, vls, false)),
					"round %u: levels %u and %u on VL %u",
					round, owner[vl][0], i, vl);
			}
	}
}

/* Channels of links x VLs, and which waits for which. */
struct graph {
	bool edge[LINKS * 16][LINKS * 16];
	uint8_t mark[LINKS * 16];
};

static bool
has_cycle_from(/* NOLINT(misc-no-recursion) */ struct graph *g, unsigned v)
{
	g->mark[v] = 1;
	for (unsigned w = 0; w < LINKS * 16; w++)
		if (g->edge[v][w] &&
			(g->mark[w] == 1 ||
				(g->mark[w] == 0 && has_cycle_from(g, w))))
			return true;
	g->mark[v] = 2;
	return false;
}

static bool
has_cycle(struct graph *g)
{
	memset(g->mark, 0, sizeof(g->mark));
	for (unsigned v = 0; v < LINKS * 16; v++)
		if (g->mark[v] == 0 && has_cycle_from(g, v))
			return true;
	return false;
}

/* A packet with this SL on link a goes on over link b, each by one of the
 * rows */
static void
wait_for(struct graph *g, const struct slvl l[2], const unsigned vls[LINKS],
	unsigned sl, const unsigned link[2])
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned v[2], at[2] = {i & 1, i >> 1};

		for (unsigned e = 0; e < 2; e++)
			v[e] = slvl_vl(&l[at[e]], sl,
				(struct slvl_hop){vls[link[e]], .end = false});
		if (v[0] != SLVL_DROP && v[1] != SLVL_DROP)
			g->edge[link[0] * 16 + v[0]][link[1] * 16 + v[1]] =
				true;
	}
}

/*
 * Tables that need their layers: each layer has its own order of links, and all
 * dependencies of that order. Levels change; some rows are old, some new; SLs
 * are current ones and previous ones.
 */
TEST(no_cycle)
{
	AUTO(mem) struct graph *g = calloc(1, sizeof(*g));
	struct rng r = {SEED + 1};

	ck_assert_ptr_nonnull(g);
	for (unsigned round = 0; round < ROUNDS / 10; round++) {
		struct slvl_want w[2] = {random_want(&r), random_want(&r)};
		unsigned lanes = 2 + rng_below(&r, SLVL_LAYERS - 1);
		unsigned vls[LINKS], order[SLVL_LAYERS][LINKS];
		struct slvl l[2];

		memset(g, 0, sizeof(*g));
		for (unsigned i = 0; i < LINKS; i++)
			vls[i] = 1 + rng_below(&r, MOST_VLS);
		for (unsigned k = 0; k < lanes; k++)
			for (unsigned i = 0; i < LINKS; i++)
				order[k][i] = rng_below(&r, 1000) * LINKS + i;
		slvl_allocate(&w[0], lanes, false, &l[0]);
		slvl_allocate(&w[1], lanes, false, &l[1]);
		for (unsigned sl = 0; sl < SLVL_SLS; sl++) {
			unsigned k = l[0].layer[sl];

			ck_assert_uint_eq(l[1].layer[sl], k);
			for (unsigned a = 0; a < LINKS; a++)
				for (unsigned b = 0; b < LINKS; b++)
					if (order[k][a] < order[k][b])
						wait_for(g, l, vls, sl,
							(unsigned[]){a, b});
		}
		ck_assert_msg(!has_cycle(g), "seed %d round %u", SEED, round);
	}
}

/* Rows of other levels keep SLs in their layers; those of other layers do not.
 */
TEST(rows_that_keep_layers)
{
	struct rng r = {SEED + 2};
	unsigned differ = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct slvl_want w[2] = {random_want(&r), random_want(&r)};
		unsigned lanes = 2 + rng_below(&r, 7);
		unsigned vls = lanes + rng_below(&r, 16 - lanes);
		uint8_t row[SLVL_ROW];
		struct slvl l[3];

		w[1].drop = false;
		slvl_allocate(&w[0], lanes, false, &l[0]);
		slvl_allocate(&w[1], lanes, false, &l[1]);
		slvl_allocate(&w[1], lanes - 1, false, &l[2]);
		slvl_row(&l[1], (struct slvl_hop){vls, .end = false}, row);
		ck_assert(slvl_keeps_layers(
			&l[0], (struct slvl_hop){.vls = vls}, row));
		ck_assert(!slvl_keeps_layers(
			&l[0], (struct slvl_hop){.vls = lanes - 1}, row));
		slvl_row(&l[2], (struct slvl_hop){vls, .end = false}, row);
		ck_assert(!slvl_keeps_layers(
			&l[0], (struct slvl_hop){.vls = vls}, row));
		row[0] = 0xf0; /* SL 0 is discarded, SL 1 is on VL 0 */
		memset(row + 1, 0xff, SLVL_ROW - 1);
		ck_assert(
			slvl_keeps_layers(&l[0], (struct slvl_hop){.vls = vls},
				row) == (l[0].layer[1] == 0));
		differ += memcmp(&l[0], &l[1], sizeof(l[0])) != 0;
	}
	ck_assert_uint_gt(differ, 0);
}

/* The VLs of a link, as codes, by what is known of its two ends. */
TEST(vls_of_a_link)
{
	enum { WIDE = 4, NARROW = 2 };
	static const struct {
		uint8_t state[2], vl_cap[2], op_vls[2], max, code;
	} row[] = {
		{{PORT_INIT, PORT_INIT}, {WIDE, WIDE}, {1, 1}, 0, WIDE},
		{{PORT_INIT, PORT_INIT}, {WIDE, NARROW}, {1, 1}, 0, NARROW},
		{{PORT_INIT, PORT_INIT}, {WIDE, WIDE}, {1, 1}, 3, 3},
		{{PORT_ACTIVE, PORT_ACTIVE}, {WIDE, WIDE}, {3, WIDE}, 1, 3},
		/* one end is up: the other takes as many as it can */
		{{PORT_ARMED, PORT_INIT}, {WIDE, WIDE}, {3, 1}, 1, 3},
		{{PORT_ARMED, PORT_INIT}, {WIDE, NARROW}, {WIDE, 1}, 0, NARROW},
		/* the other end was not read */
		{{PORT_ACTIVE, 0}, {WIDE, 0}, {WIDE, 0}, 0, WIDE},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct hand h = {0};
		node_ix a = hand_node(&h, TOPO_SWITCH, 2, "a");
		node_ix b = hand_node(&h, TOPO_SWITCH, 2, "b");
		AUTO(hand) struct topo *t = NULL;
		port_ix p[2];

		hand_link(&h, a, 1, b, 2);
		t = hand_topo(&h);
		p[0] = topo_port_of(t, a, 1);
		p[1] = topo_port_of(t, b, 2);
		for (unsigned k = 0; k < 2; k++) {
			t->port[p[k]].state = row[i].state[k];
			t->port[p[k]].vl_cap = row[i].vl_cap[k];
			t->port[p[k]].op_vls = row[i].op_vls[k];
		}
		for (unsigned k = 0; k < 2; k++)
			ck_assert_msg(slvl_link_code(t, p[k], row[i].max) ==
					      row[i].code,
				"row %zu, end %u: %u", i, k,
				slvl_link_code(t, p[k], row[i].max));
	}
}
