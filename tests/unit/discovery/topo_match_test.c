/*
 * Switches and links are found in an older topology by GUID and port, whatever
 * their numbers are; what is new, gone or ambiguous is not.
 */
#include <check.h>
#include <stdlib.h>

#include "discovery/topo_match.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { SEEDS = 200, LOST = 3 };

/* A tree, and the same seen from another host, or without some cables. */
struct pair {
	struct fabric *f;
	struct topo *was, *t;
};

static void
pair_open(struct pair *x, uint64_t seed)
{
	const struct frozen_lids lids = {0};
	struct rng r = {seed};
	bool *drop;
	uint32_t host;

	x->f = shape_of("three:6");
	x->was = frozen_topo(x->f, &lids);
	drop = mem_zalloc(x->f->ncables, sizeof(*drop));
	for (uint64_t n = seed % LOST; n > 0; n--)
		drop[rng_below(&r, x->f->ncables)] = true;
	host = (uint32_t)rng_below(&r, x->f->nnodes);
	x->t = frozen_less_from(
		x->f, drop, x->was, seed % 2 ? x->f->node[host].guid : 0);
	free(drop);
}

static void
pair_close(struct pair *x)
{
	topo_unref(x->was);
	topo_unref(x->t);
	fabric_free(x->f);
}

static uint64_t
guid_of(const struct topo *t, sw_ix s)
{
	return t->node[t->sw[s].node].guid;
}

/* The link of the switch with this GUID by port out, or TOPO_NONE. */
static uint32_t
find_link(const struct topo *t, uint64_t guid, uint8_t out)
{
	node_ix n = topo_by_node_guid(t, guid);
	const struct topo_switch *sw = &t->sw[t->node[n].sw];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (t->adj[i].out == out)
			return i;
	return TOPO_NONE;
}

/* Returns the switches with another number than before. */
static unsigned
check_switch(const struct topo_match *m, sw_ix s)
{
	const struct topo *t = m->t, *was = m->was;
	const struct topo_switch *sw = &t->sw[s];
	sw_ix o = m->sw[s];
	bool all;

	ck_assert_uint_ne(o, TOPO_NONE);
	ck_assert_uint_eq(guid_of(t, s), guid_of(was, o));
	all = sw->nadj == was->sw[o].nadj;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		uint32_t k = find_link(was, guid_of(t, s), t->adj[i].out);

		if (k != TOPO_NONE)
			ck_assert_uint_eq(guid_of(t, t->adj[i].peer),
				guid_of(was, was->adj[k].peer));
		all &= k != TOPO_NONE;
	}
	ck_assert_int_eq(m->links[s], all);
	return o != s;
}

TEST(test_renumbered)
{
	unsigned moved = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct topo_match m;
		struct pair x;

		pair_open(&x, seed);
		topo_match_open(&m, x.t, x.was);
		for (sw_ix s = 0; s < x.t->nsw; s++)
			moved += check_switch(&m, s);
		topo_match_close(&m);
		topo_match_open(&m, x.was, x.t);
		for (sw_ix s = 0; s < x.was->nsw; s++)
			if (m.sw[s] != TOPO_NONE)
				ck_assert_uint_eq(guid_of(x.was, s),
					guid_of(x.t, m.sw[s]));
		topo_match_close(&m);
		pair_close(&x);
	}
	ck_assert_uint_gt(moved, SEEDS);
}

/* The switch has no match, all others do; it and its neighbours have no links
 * that are the same. */
static void
expect_alone(const struct topo *t, const struct topo *was, sw_ix alone)
{
	struct topo_match m;

	topo_match_open(&m, t, was);
	for (sw_ix s = 0; s < t->nsw; s++) {
		bool all = s != alone;

		ck_assert_int_eq(m.sw[s] == TOPO_NONE, s == alone);
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++) {
			all &= t->adj[i].peer != alone;
		}
		ck_assert_int_eq(m.links[s], all);
	}
	topo_match_close(&m);
}

TEST(test_quarantined_and_duplicate)
{
	const struct frozen_lids lids = {0};
	struct fabric *f = shape_of("three:4");
	struct topo *was = frozen_topo(f, &lids);
	uint64_t guid = guid_of(was, 2);
	struct topo *t = frozen_again(f, was, guid);
	sw_ix s = t->node[topo_by_node_guid(t, guid)].sw;

	expect_alone(t, was, s);
	topo_unref(t);
	t = frozen_again(f, was, 0);
	was->node[was->sw[2].node].flags |= TN_DUPLICATE;
	expect_alone(t, was, 2);
	topo_unref(t);
	topo_unref(was);
	fabric_free(f);
}
