/*
 * The switch order that tables obey, as routes give it to multicast trees.
 * Unicast dependencies are legal in it, and together with the trees made in it
 * there is no cycle of dependencies, as a brute-force search confirms that uses
 * no order.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/mcast/mcast.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/mcast/branch_of.h"
#include "tests/unit/suite.h"

static struct fabric *
some_fabric(uint64_t seed, struct reason *why)
{
	switch (seed % 4) {
	case 0:
		return gen_random(12 + (unsigned)(seed % 20), 4, 2, seed, why);
	case 1:
		return shape_of("three:4");
	case 2:
		return shape_of("torus:4x3x3:2");
	default:
		return shape_of("two:4:8:6:3:2");
	}
}

static struct routes *
compute_checked(
	struct topo *t, struct lft_pool *pool, const struct routes *prev)
{
	static const struct engine_options plain = {0};
	static const char *const engines[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.options = &plain,
		.load_limit = 1200,
		.seed = 1,
		.threads = 1};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engines, 2, &story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	return r;
}

/* Dependencies between link ends, by the out-port of a packet. */
struct deps {
	const struct topo *t;
	const uint32_t *pos;
	uint8_t *edge; /* [nports * nports] */
	uint8_t *mark;
	uint32_t illegal;
};

static bool
is_cable(const struct topo *t, port_ix p)
{
	port_ix q = t->port[p].peer;

	return q != TOPO_NONE && t->node[t->port[p].node].sw != TOPO_NONE &&
	       t->node[t->port[q].node].sw != TOPO_NONE;
}

static sw_ix
port_switch(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].sw;
}

/* A packet enters s by port in and leaves by out. */
static void
add_dependency(struct deps *d, port_ix in, port_ix out)
{
	const struct topo *t = d->t;
	sw_ix s = port_switch(t, in);

	if (!is_cable(t, in) || !is_cable(t, out))
		return;
	d->illegal += d->pos[port_switch(t, t->port[in].peer)] < d->pos[s] &&
		      d->pos[port_switch(t, t->port[out].peer)] < d->pos[s];
	d->edge[(size_t)t->port[in].peer * t->nports + out] = 1;
}

static void
add_unicast(struct deps *d, const struct routes *r)
{
	struct route_step step[64];

	for (port_ix p = 0; p < d->t->nports; p++) {
		if (!topo_has_lid(d->t, p))
			continue;
		for (uint16_t lid = 1; lid <= d->t->max_lid; lid++) {
			struct reason why;
			int n = routes_trace(r, p, lid, step, 64, &why);

			for (int i = 1; i < n; i++) {
				port_ix base =
					d->t->node[d->t->sw[step[i].sw].node]
						.first_port;

				add_dependency(d, base + step[i].in,
					base + step[i].out);
			}
		}
	}
}

static void
add_multicast(struct deps *d, const struct mcast_tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct mcast_branch *b = &tree->branch[i];
		port_ix base = d->t->node[d->t->sw[b->sw].node].first_port;

		for (unsigned in = 1; in < 256; in++)
			for (unsigned out = 1; out < 256; out++)
				if (in != out && mcast_bit(b->mask, out) &&
					in <= d->t->node[d->t->sw[b->sw].node]
							.nports &&
					d->t->port[base + in].peer != TOPO_NONE)
					add_dependency(
						d, base + in, base + out);
	}
}

/*
 * Dependencies of a tree from links that carry its packets: where the mask of
 * the other end has the link. No packet of the tree enters by another link.
 */
static void
add_fed_dependencies(
	struct deps *d, const struct mcast_tree *tree, struct deps *all)
{
	const struct topo *t = d->t;

	for (port_ix p = 0; p < t->nports; p++) {
		const struct mcast_branch *b;

		if (!is_cable(t, p))
			continue;
		b = branch_of(tree, port_switch(t, p));
		if (b == NULL || !mcast_bit(b->mask, t->port[p].num))
			continue;
		for (port_ix q = 0; q < t->nports; q++)
			all->edge[(size_t)p * t->nports + q] |=
				d->edge[(size_t)p * t->nports + q];
	}
}

static bool
has_cycle(struct deps *d, port_ix p)
{
	if (d->mark[p] != 0)
		return d->mark[p] == 1;
	d->mark[p] = 1;
	for (port_ix q = 0; q < d->t->nports; q++)
		if (d->edge[(size_t)p * d->t->nports + q] && has_cycle(d, q))
			return true;
	d->mark[p] = 2;
	return false;
}

static struct deps
deps_new(const struct topo *t, const uint32_t *pos)
{
	return (struct deps){.t = t,
		.pos = pos,
		.edge = mem_zalloc((size_t)t->nports, t->nports),
		.mark = mem_zalloc(t->nports, 1)};
}

static void
deps_free(struct deps *d)
{
	free(d->edge);
	free(d->mark);
}

static void
check_together(struct topo *t, const struct routes *r, uint64_t seed)
{
	AUTO(mem) uint32_t *pos = mem_zalloc(t->nsw, sizeof(*pos));
	AUTO(mem) uint8_t *seen = mem_zalloc(t->nsw, 1);
	struct rng rng = {seed};
	struct route_mcast trees;
	struct deps all;
	struct mcast *m;

	routes_order(r, pos);
	for (sw_ix s = 0; s < t->nsw; s++) {
		ck_assert_uint_lt(pos[s], t->nsw);
		ck_assert_uint_eq(seen[pos[s]]++, 0);
	}
	all = deps_new(t, pos);
	add_unicast(&all, r);
	ck_assert_msg(r->part != NULL || all.illegal == 0,
		"seed %llu: %u turns are illegal", (unsigned long long)seed,
		all.illegal);
	routes_mcast(r, &trees);
	m = mcast_new(t, &trees);
	for (uint64_t mlid = 0; mlid < 6; mlid++) {
		struct mcast_member member[24];
		struct mcast_tree *tree;
		struct deps own = deps_new(t, pos);
		size_t n = 0;

		while (n < 24) {
			port_ix p = (port_ix)rng_below(&rng, t->nports);

			if (topo_has_lid(t, p))
				member[n++] = (struct mcast_member){p, true};
		}
		tree = mcast_tree(m, member, n, NULL, mlid);
		ck_assert_uint_eq(tree->left_out, 0);
		ck_assert_uint_gt(tree->n, 0);
		add_multicast(&own, tree);
		add_fed_dependencies(&own, tree, &all);
		deps_free(&own);
		mcast_tree_free(tree);
	}
	for (port_ix p = 0; p < t->nports; p++)
		ck_assert_msg(!has_cycle(&all, p), "seed %llu: a cycle",
			(unsigned long long)seed);
	deps_free(&all);
	mcast_free(m);
	routes_mcast_free(&trees);
}

LOOP_TEST(unicast_and_multicast_have_no_cycle, 0, 16)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = some_fabric(seed, &why);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = NULL, *u = NULL;
	AUTO(routes) struct routes *r = NULL, *next = NULL;

	ck_assert_msg(f != NULL, "%s", why.text);
	t = frozen_topo(f, NULL);
	r = compute_checked(t, pool, NULL);
	check_together(t, r, seed);
	/* and after a repair, which keeps the order */
	f = gen_edit_fail_links(f, 1, seed, true, &why);
	ck_assert_msg(f != NULL, "%s", why.text);
	u = frozen_again(f, t, 0);
	next = compute_checked(u, pool, r);
	check_together(u, next, seed);
}

/*
 * Planes that meet inside racks only: packets between planes cross in the first
 * rack, in both directions, which no switch order expresses. Links fail one
 * after another, and return; where that leaves the order as it was, few entries
 * change.
 */
LOOP_TEST(planes_have_no_cycle, 0, 12)
{
	static const struct gen_planes kind[] = {
		{2, 6, 4, 2, 2}, {2, 5, 3, 1, 1}, {3, 5, 4, 1, 1}};
	uint64_t seed = (uint64_t)_i + 1;
	AUTO(fabric) struct fabric *whole = gen_paper_planes(&kind[_i % 3]);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct topo *t = frozen_topo(whole, NULL);
	struct routes *r = compute_checked(t, pool, NULL);
	unsigned crossed = 0, same = 0;

	ck_assert_ptr_nonnull(r->part);
	check_together(t, r, seed);
	for (unsigned n = 1; n <= 8; n++) {
		struct fabric_edit none = {0};
		struct reason why = {""};
		AUTO(fabric)
		struct fabric *f = gen_edit_fail_links(
			fabric_rebuild(whole, &none), n % 8, seed, true, &why);
		struct topo *u = frozen_again(f, t, 0);
		struct routes *next = compute_checked(u, pool, r);

		ck_assert_str_eq(next->engine, "ftree");
		crossed += next->part != NULL;
		if (next->part != NULL &&
			memcmp(next->sw_order, r->sw_order,
				u->nsw * sizeof(*r->sw_order)) == 0) {
			same++;
			ck_assert_uint_le(
				next->entries_changed * 10, next->entries_kept);
		}
		check_together(u, next, seed * 100 + n);
		routes_unref(r);
		topo_unref(t);
		r = next;
		t = u;
	}
	ck_assert_uint_gt(crossed, 4);
	ck_assert_uint_gt(same, 1);
	routes_unref(r);
	topo_unref(t);
}

/* Routes without a switch order of their own have that of their ranks. */
TEST(ranks_are_an_order)
{
	AUTO(fabric) struct fabric *f = shape_of("three:4");
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(routes) struct routes *r = routes_new(t, pool);
	AUTO(mem) uint32_t *pos = mem_zalloc(t->nsw, sizeof(*pos));

	for (sw_ix s = 0; s < t->nsw; s++)
		r->rank[s] = s % 3;
	routes_order(r, pos);
	for (sw_ix a = 0; a < t->nsw; a++)
		for (sw_ix b = 0; b < t->nsw; b++)
			ck_assert(routes_above(r, a, b) == (pos[a] < pos[b]));
}
