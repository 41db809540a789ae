/*
 * Multicast trees, judged by sending: a packet from every member is forwarded
 * by the masks, and must reach every receiver once and no other port.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/mcast/mcast.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/mcast/branch_of.h"
#include "tests/unit/suite.h"

/* Positions by distance from switch `top`: one root in a connected fabric. */
static uint32_t *
order_from(const struct topo *t, sw_ix top)
{
	uint32_t *pos = mem_zalloc(t->nsw, sizeof(*pos)), n = 0;
	AUTO(mem) sw_ix *queue = mem_zalloc(t->nsw, sizeof(*queue));
	uint32_t tail = 0;

	memset(pos, 0xff, t->nsw * sizeof(*pos));
	for (sw_ix s = 0; s < t->nsw; s++) {
		sw_ix from = (s + top) % t->nsw;

		if (pos[from] != UINT32_MAX)
			continue;
		pos[from] = n++;
		queue[tail++] = from;
		for (uint32_t head = tail - 1; head < tail; head++) {
			const struct topo_switch *w = &t->sw[queue[head]];

			for (uint32_t i = 0; i < w->nadj; i++) {
				sw_ix p = t->adj[w->adj + i].peer;

				if (pos[p] != UINT32_MAX)
					continue;
				pos[p] = n++;
				queue[tail++] = p;
			}
		}
	}
	return pos;
}

struct judge {
	const struct topo *t;
	const struct mcast_tree *tree;
	uint32_t *got;	  /* [nports] copies that came out to this port */
	uint32_t *passed; /* [nsw] */
	bool twice;
};

/* The packet enters switch s by port in. */
static void
forward_packet(struct judge *j, sw_ix s, unsigned in)
{
	const struct topo *t = j->t;
	const struct mcast_branch *b = branch_of(j->tree, s);
	port_ix first = t->node[t->sw[s].node].first_port;

	if (++j->passed[s] > 1) {
		j->twice = true;
		return;
	}
	if (b == NULL)
		return;
	for (unsigned out = 0; out < 255; out++) {
		port_ix peer;

		if (!mcast_bit(b->mask, out) || out == in)
			continue;
		if (out == 0) {
			j->got[first]++;
			continue;
		}
		peer = t->port[first + out].peer;
		ck_assert_uint_ne(peer, TOPO_NONE);
		if (t->node[t->port[peer].node].type == TOPO_SWITCH)
			forward_packet(j, t->node[t->port[peer].node].sw,
				t->port[peer].num);
		else
			j->got[peer]++;
	}
}

static bool
is_receiver(const struct mcast_member *m, size_t n, port_ix p)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].port == p && m[i].receives)
			return true;
	return false;
}

/* Sends from every member. */
static void
check_delivery(const struct topo *t, const struct mcast_tree *tree,
	const struct mcast_member *m, size_t n, uint64_t seed)
{
	struct judge j = {.t = t, .tree = tree};

	j.got = mem_zalloc(t->nports, sizeof(*j.got));
	j.passed = mem_zalloc(t->nsw, sizeof(*j.passed));
	for (size_t i = 0; i < n; i++) {
		sw_ix s = topo_switch_of(t, m[i].port);
		bool own = t->node[t->port[m[i].port].node].sw == s;

		memset(j.got, 0, t->nports * sizeof(*j.got));
		memset(j.passed, 0, t->nsw * sizeof(*j.passed));
		j.twice = false;
		forward_packet(
			&j, s, own ? 0 : t->port[t->port[m[i].port].peer].num);
		ck_assert_msg(!j.twice, "seed %llu: a switch passed twice",
			(unsigned long long)seed);
		for (port_ix p = 0; p < t->nports; p++)
			ck_assert_msg(j.got[p] == (p != m[i].port &&
							  is_receiver(m, n, p)),
				"seed %llu: port %u got %u",
				(unsigned long long)seed, p, j.got[p]);
	}
	free(j.got);
	free(j.passed);
}

/* Each branch has one uplink, which exists and is legal; no branch is
 * useless. */
static void
check_shape(const struct topo *t, const struct mcast_tree *tree,
	const uint32_t *pos)
{
	uint32_t roots = 0;

	for (size_t i = 0; i < tree->n; i++) {
		const struct mcast_branch *b = &tree->branch[i];
		port_ix up;

		if (b->parent == TOPO_NONE) {
			roots++;
			continue;
		}
		up = t->node[t->sw[b->sw].node].first_port + b->up;
		ck_assert(pos[b->parent] < pos[b->sw]);
		ck_assert(branch_of(tree, b->parent) != NULL);
		ck_assert_uint_eq(t->port[t->port[up].peer].num, b->down);
		ck_assert_uint_eq(
			t->node[t->port[t->port[up].peer].node].sw, b->parent);
	}
	ck_assert_uint_le(roots, 1);
}

/* n random ports that have LIDs, some of them twice, some only senders. */
static size_t
draw_members(
	const struct topo *t, struct rng *rng, struct mcast_member *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		port_ix p = 0;

		do
			p = (port_ix)rng_below(rng, t->nports);
		while (!topo_has_lid(t, p) ||
			topo_switch_of(t, p) == TOPO_NONE);
		m[i] = (struct mcast_member){p, rng_below(rng, 5) > 0};
		for (size_t k = 0; k < i; k++)
			if (m[k].port == p)
				m[i].receives = m[k].receives;
	}
	return n;
}

static struct fabric *
some_fabric(uint64_t seed, struct reason *why)
{
	switch (seed % 4) {
	case 0:
		return gen_random(12 + (unsigned)(seed % 20), 4, 2, seed, why);
	case 1:
		return shape_of("three:6");
	case 2:
		return shape_of("torus:4x4x3:2");
	default:
		return shape_of("two:4:8:6:3:2");
	}
}

LOOP_TEST(every_receiver_once, 0, 40)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct rng rng = {seed};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = some_fabric(seed, &why);
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(mem) uint32_t *pos = order_from(t, rng_below(&rng, t->nsw));
	struct mcast *m = mcast_new(t, &(struct route_mcast){.pos = pos});
	struct mcast_member member[60];
	struct mcast_tree *tree = NULL, *next;

	/* members come and go; the tree is kept from one to the next */
	for (unsigned round = 0; round < 12; round++) {
		size_t n =
			draw_members(t, &rng, member, 1 + rng_below(&rng, 60));

		next = mcast_tree(m, member, n, tree, seed);
		ck_assert_uint_eq(next->left_out, 0);
		check_shape(t, next, pos);
		check_delivery(t, next, member, n, seed);
		mcast_tree_free(tree);
		tree = next;
	}
	mcast_tree_free(tree);
	mcast_free(m);
}

/* The number of branches of `is` with another uplink than in `was`. */
static size_t
count_moved(const struct mcast_tree *was, const struct mcast_tree *is)
{
	size_t n = 0;

	for (size_t i = 0; i < is->n; i++) {
		const struct mcast_branch *b = branch_of(was, is->branch[i].sw);

		n += b != NULL && b->parent != TOPO_NONE &&
		     is->branch[i].parent != TOPO_NONE &&
		     b->up != is->branch[i].up;
	}
	return n;
}

LOOP_TEST(one_more_moves_no_branch, 0, 12)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct rng rng = {seed};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = some_fabric(seed, &why);
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(mem) uint32_t *pos = order_from(t, 0);
	struct mcast *m = mcast_new(t, &(struct route_mcast){.pos = pos});
	struct mcast_member member[40];
	struct mcast_tree *tree = NULL, *next;

	(void)draw_members(t, &rng, member, 40);
	for (size_t n = 1; n <= 40; n++) {
		next = mcast_tree(m, member, n, tree, seed);
		if (tree != NULL)
			ck_assert_uint_eq(count_moved(tree, next), 0);
		mcast_tree_free(tree);
		tree = next;
	}
	for (size_t n = 39; n >= 1; n--) {
		next = mcast_tree(m, member, n, tree, seed);
		ck_assert_uint_eq(count_moved(tree, next), 0);
		ck_assert_uint_le(next->n, tree->n);
		mcast_tree_free(tree);
		tree = next;
	}
	mcast_tree_free(tree);
	mcast_free(m);
}

LOOP_TEST(a_lost_cable_moves_what_hung_on_it, 0, 16)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct rng rng = {seed};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("three:6");
	AUTO(topo) struct topo *t = frozen_topo(f, NULL), *u = NULL;
	AUTO(mem) uint32_t *pos = order_from(t, 0), *again = NULL;
	struct mcast *m = mcast_new(t, &(struct route_mcast){.pos = pos}), *mu;
	struct mcast_member member[30], same[30];
	struct mcast_tree *tree, *next;

	(void)draw_members(t, &rng, member, 30);
	tree = mcast_tree(m, member, 30, NULL, seed);
	f = gen_edit_fail_links(f, 1 + (unsigned)(seed % 3), seed, true, &why);
	u = frozen_again(f, t, 0);
	again = order_from(u, 0);
	for (size_t i = 0; i < 30; i++) {
		same[i] = member[i];
		same[i].port =
			topo_by_port_guid(u, t->port[member[i].port].guid);
	}
	mu = mcast_new(u, &(struct route_mcast){.pos = again});
	next = mcast_tree(mu, same, 30, tree, seed);
	check_shape(u, next, again);
	check_delivery(u, next, same, 30, seed);
	mcast_tree_free(next);
	mcast_tree_free(tree);
	mcast_free(m);
	mcast_free(mu);
}

TEST(groups_spread)
{
	AUTO(fabric) struct fabric *f = shape_of("two:6:6:6");
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(mem) uint32_t *pos = order_from(t, 0);
	struct mcast *m;
	struct mcast_member all[36];
	uint32_t used[64] = {0}, roots = 0, n = 0;

	/* spines above leaves, all of them roots */
	for (sw_ix s = 0; s < t->nsw; s++)
		pos[s] = t->sw[s].nend > 1 ? 100 + s : s;
	for (port_ix q = 0; q < t->nports; q++)
		if (topo_has_lid(t, q) &&
			t->node[t->port[q].node].type == TOPO_CA)
			all[n++] = (struct mcast_member){q, true};
	ck_assert_uint_eq(n, 36);
	m = mcast_new(t, &(struct route_mcast){.pos = pos});
	for (uint64_t mlid = 0; mlid < 12; mlid++) {
		struct mcast_tree *tree = mcast_tree(m, all, n, NULL, mlid);

		for (size_t i = 0; i < tree->n; i++)
			if (tree->branch[i].parent == TOPO_NONE &&
				used[tree->branch[i].sw]++ == 0)
				roots++;
		ck_assert_uint_eq(tree->n, 7);
		check_delivery(t, tree, all, n, mlid);
		mcast_tree_free(tree);
	}
	ck_assert_uint_eq(roots, 6);
	mcast_free(m);
}
