/*
 * Paths to the ports of one node stay disjoint while links fail and come back:
 * against an oracle that looks at every legal path of every leaf, the tables in
 * force and fresh ones have no single point of failure that the switch order
 * does not require, and a second pass changes nothing.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/improve/redundancy.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/updown/updown_oracle.h"
#include "tests/unit/suite.h"

enum { WORDS = 3, MOST = 64 * WORDS, WAYS = 256, GROUPS = 64 };

/* Switches on a path, without its leaf. */
struct line {
	uint64_t on[WORDS];
};

struct lines {
	struct line way[WAYS];
	unsigned n;
};

/* One fabric, failing and recovering. */
struct bed {
	struct fabric *f;
	struct topo *first, *t;
	struct lft_pool *pool;
	struct routes *r;
	struct engine_options options;
	struct route_multi_port home[2 * GROUPS];
	const char *engine;
	uint64_t seed;
	bool *drop;
	uint64_t singles, oracles, fresh; /* over all steps */
};

static struct routes *
compute_checked(const struct bed *b, const struct routes *prev, bool rebalance)
{
	const struct route_job job = {.topo = b->t,
		.pool = b->pool,
		.prev = prev,
		.options = &b->options,
		.load_limit = 1250,
		.rebalance = rebalance,
		.threads = 1};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, &b->engine, 1, &story, &why);

	ck_assert_msg(r != NULL, "seed %llu: %s", (unsigned long long)b->seed,
		why.text);
	ck_assert(r->report.ok);
	return r;
}

static struct redundancy_report
find_redundancy(const struct bed *b, const struct routes *r)
{
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, NULL, NULL};
	struct redundancy_report h;

	redundancy_find(&in, &b->options, &h);
	return h;
}

/* ---- the oracle ---- */

/* All paths from s on; so_far: the switches before s. */
static void
add_paths(/* NOLINT(misc-no-recursion): as deep as a path */
	const struct oracle *o, sw_ix s, sw_ix dest, struct line so_far,
	struct lines *out)
{
	const struct topo *t = o->t;

	if (s == dest) {
		ck_assert_uint_lt(out->n, WAYS);
		out->way[out->n++] = so_far;
		return;
	}
	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];
		struct line then = so_far;

		/* parallel links make the same paths */
		if (i > 0 && a[-1].peer == a->peer)
			continue;
		then.on[a->peer / 64] |= UINT64_C(1) << a->peer % 64;
		if (is_candidate(o, s, a->out))
			add_paths(o, a->peer, dest, then, out);
	}
}

/* True if a path can be chosen from each of n sets so that no switch is on all
 * of them. */
static bool
has_disjoint_paths(/* NOLINT(misc-no-recursion): as deep as a node has ports */
	const struct lines *l, uint32_t stride, unsigned n,
	const struct line *common)
{
	for (unsigned i = 0; n > 0 && i < l->n; i++) {
		struct line both;

		for (unsigned w = 0; w < WORDS; w++)
			both.on[w] = common->on[w] & l->way[i].on[w];
		if (has_disjoint_paths(l + stride, stride, n - 1, &both))
			return true;
	}
	for (unsigned w = 0; n == 0 && w < WORDS; w++)
		if (common->on[w] != 0)
			return false;
	return n == 0;
}

/* The paths from all leaves to one port. */
static void
find_paths(struct oracle *o, const struct multi_port_node_ports *p,
	port_ix port, struct lines *out)
{
	sw_ix dest = topo_switch_of(o->t, port);

	find_distances(o, dest);
	for (uint32_t i = 0; i < p->nleaves; i++)
		if (o->any[p->leaf[i]] < NEVER)
			add_paths(o, p->leaf[i], dest, (struct line){{0}},
				&out[i]);
}

/* The number of leaves from which no disjoint paths to the node exist, each
 * leaf for itself. */
static uint32_t
count_cut_off_leaves(struct oracle *o, const struct multi_port_node_ports *p,
	size_t at, size_t n)
{
	struct lines *ways = mem_zalloc(n * p->nleaves, sizeof(*ways));
	struct line all;
	uint32_t cut = 0;

	memset(&all, 0xff, sizeof(all));
	for (size_t k = 0; k < n; k++)
		find_paths(o, p, p->member[at + k].port, ways + k * p->nleaves);
	for (uint32_t i = 0; i < p->nleaves; i++) {
		bool none = false;

		for (size_t k = 0; k < n; k++)
			none |= ways[k * p->nleaves + i].n == 0;
		cut += !none && !has_disjoint_paths(ways + i, p->nleaves,
					(unsigned)n, &all);
	}
	free(ways);
	return cut;
}

/* ---- every step ---- */

/* The number of nodes with a single point of failure; fails if one of them has
 * disjoint paths. */
static uint64_t
check_redundancy(const struct bed *b, const struct routes *r, const char *what)
{
	struct oracle o = oracle_new(r, b->seed);
	struct multi_port_node_ports p =
		multi_port_node_ports(r->topo, &b->options);
	struct redundancy_report h = find_redundancy(b, r);
	uint64_t single = h.single;

	for (size_t i = 0, n, k = 0; i < p.n; i += n) {
		n = multi_port_node_size(&p, i);
		if (n < 2)
			continue;
		ck_assert_uint_eq(h.node[k].port, p.member[i].port);
		if (h.node[k].cut > 0 && !o.joiners)
			ck_assert_msg(h.node[k].cut == count_cut_off_leaves(
							       &o, &p, i, n),
				"seed %llu, %s: %s is cut off from %u leaves",
				(unsigned long long)b->seed, what,
				topo_desc(r->topo,
					r->topo->port[p.member[i].port].node),
				h.node[k].cut);
		k++;
	}
	redundancy_free(&h);
	multi_port_node_ports_free(&p);
	oracle_free(&o);
	return single;
}

/* If nothing has changed, the tables do not change, whether the disjoint pass
 * is known to have run or unknown, as after a restart. */
static void
check_again(const struct bed *b)
{
	uint64_t known = b->r->disjoint_opts_hash;

	for (unsigned forgotten = 0; forgotten < 2; forgotten++) {
		AUTO(routes) struct routes *again = NULL;

		b->r->disjoint_opts_hash = forgotten ? 0 : known;
		again = compute_checked(b, b->r, false);
		ck_assert_msg(again->entries_changed == 0,
			"seed %llu: %llu entries change for nothing%s",
			(unsigned long long)b->seed,
			(unsigned long long)again->entries_changed,
			forgotten ? " when looked at afresh" : "");
	}
	b->r->disjoint_opts_hash = known;
}

/* The topology with the links that have not failed. */
static void
take_topology(struct bed *b)
{
	const struct fabric_edit edit = {.drop_cable = b->drop};
	AUTO(fabric) struct fabric *now = fabric_rebuild(b->f, &edit);

	topo_unref(b->t);
	b->t = frozen_again(now, b->first, 0);
}

/* True if all switches reach each other over the remaining links. */
static bool
is_whole(const struct bed *b)
{
	struct topo *t = b->t;
	const struct routes *r = b->r;

	return t->nsw == r->topo->nsw && t->nend == r->topo->nend;
}

/* A link between switches fails, or one that failed comes back. */
static void
toggle_link(struct bed *b, struct rng *g)
{
	bool back = rng_below(g, 4) == 0;

	for (unsigned i = 0; i < 1000; i++) {
		uint32_t c = rng_below(g, b->f->ncables);
		const struct fabric_cable *x = &b->f->cable[c];

		if (b->f->node[x->node[0]].type != FABRIC_SWITCH ||
			b->f->node[x->node[1]].type != FABRIC_SWITCH ||
			b->drop[c] != back)
			continue;
		b->drop[c] = !back;
		take_topology(b);
		if (is_whole(b))
			return;
		b->drop[c] = back;
		take_topology(b);
	}
}

static void
check_step(struct bed *b, struct rng *g)
{
	struct routes *kept, *fresh;
	uint64_t single;

	toggle_link(b, g);
	kept = compute_checked(b, b->r, false);
	fresh = compute_checked(b, b->r, true);
	single = check_redundancy(b, kept, "kept");
	b->singles += single;
	b->fresh += check_redundancy(b, fresh, "fresh");
	routes_unref(fresh);
	routes_unref(b->r);
	b->r = kept;
	check_again(b);
}

static void
run_steps(struct bed *b, unsigned steps)
{
	struct rng g = {b->seed};

	b->first = frozen_topo(b->f, NULL);
	b->t = topo_ref(b->first);
	b->pool = lft_pool_new();
	b->drop = mem_zalloc(b->f->ncables, sizeof(*b->drop));
	b->r = compute_checked(b, NULL, false);
	(void)check_redundancy(b, b->r, "first");
	while (steps-- > 0)
		check_step(b, &g);
	routes_unref(b->r);
	ck_assert_uint_eq(b->pool->live, 0);
	lft_pool_free(b->pool);
	topo_unref(b->t);
	topo_unref(b->first);
	fabric_free(b->f);
	free(b->drop);
}

/* ---- the tests ---- */

static struct fabric *
fabric_of(unsigned kind, uint64_t seed)
{
	const struct gen_fattree2 two = {4, 8, 1, 4, 4}, par = {3, 6, 2, 4, 2};
	const unsigned m[3] = {3, 4, 4}, w[3] = {1, 2, 3};
	struct reason why = {""};

	switch (kind) {
	case 0:
		return gen_edit_rails(
			gen_tree_two(&two, &why), 2, seed & 1, &why);
	case 1:
		return gen_edit_rails(
			gen_tree_two(&par, &why), 2, seed & 1, &why);
	case 2:
		return gen_edit_rails(
			gen_tree_two(&two, &why), 3, seed & 1, &why);
	case 3:
		return gen_edit_rails(shape_of("three:6"), 2, seed & 1, &why);
	case 4:
		return gen_edit_rails(shape_of("three:6"), 3, seed & 1, &why);
	case 5:
		return gen_edit_rails(
			gen_tree_pgft(3, m, w, NULL, &why), 2, seed & 1, &why);
	case 6:
		return gen_edit_rails(shape_of("kary:3:3"), 2, seed & 1, &why);
	default:
		return gen_edit_rails(
			gen_paper_thirds(1, 2, &why), 2, seed & 1, &why);
	}
}

TEST(kept_like_fresh)
{
	uint64_t singles = 0, fresh = 0;

	for (uint64_t seed = 1; seed <= FEWER(32); seed++) {
		struct bed b = {.f = fabric_of(seed % 8, seed / 8),
			.seed = seed,
			.engine = "ftree"};

		ck_assert_ptr_nonnull(b.f);
		run_steps(&b, 6);
		singles += b.singles;
		fresh += b.fresh;
	}
	ck_assert_uint_le(singles, fresh);
}

static int
by_guid(const void *a, const void *b)
{
	const struct route_multi_port *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* The same with ports of any nodes in groups of two and three, the last one of
 * each passive, and with the engine that needs no tree. */
static void
group_at_random(struct bed *b)
{
	struct rng g = {b->seed};
	uint32_t *host = mem_zalloc(b->f->nnodes, sizeof(*host)), n = 0;
	size_t k = 0;

	for (uint32_t i = 0; i < b->f->nnodes; i++)
		if (b->f->node[i].type != FABRIC_SWITCH)
			host[n++] = i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i + rng_below(&g, n - i), was = host[i];

		host[i] = host[at];
		host[at] = was;
	}
	for (uint32_t i = 0; i < n && k < 2 * GROUPS; i++)
		b->home[k++] = (struct route_multi_port){
			fabric_port(b->f, host[i], 1)->guid,
			i / 5 * 2 + i % 5 / 3, i % 5 == 2 || i % 5 == 4};
	qsort(b->home, k, sizeof(*b->home), by_guid);
	b->options.multi_port = b->home;
	b->options.nmulti_port = k;
	free(host);
}

TEST(groups_like_nodes)
{
	uint64_t singles = 0, fresh = 0;

	for (uint64_t seed = 1; seed <= FEWER(12); seed++) {
		struct bed b = {.f = seed % 2 ? shape_of("two:4:8:4:3")
					      : shape_of("three:6"),
			.seed = seed,
			.engine = seed % 3 == 0 ? "updn" : "ftree"};

		group_at_random(&b);
		run_steps(&b, 6);
		singles += b.singles;
		fresh += b.fresh;
	}
	ck_assert_uint_le(singles, fresh);
}

/* ---- where nodes stay cut off ---- */

static void
end_bed(struct bed *b)
{
	lft_pool_free(b->pool);
	topo_unref(b->t);
	fabric_free(b->f);
}
AUTO_VALUE(bed, struct bed, end_bed)

/* All cables of a host, which is alone at its leaf, are pulled or put back. */
static void
toggle_host(struct bed *b, struct rng *g)
{
	uint32_t n;

	do
		n = rng_below(g, b->f->nnodes);
	while (b->f->node[n].type == FABRIC_SWITCH ||
		n == fabric_first_host(b->f));
	for (uint32_t c = 0; c < b->f->ncables; c++)
		if (b->f->cable[c].node[0] == n || b->f->cable[c].node[1] == n)
			b->drop[c] = !b->drop[c];
	take_topology(b);
}

static void
check_mesh(struct bed *b, struct rng *g, unsigned steps)
{
	bool lost = false;

	b->first = frozen_topo(b->f, NULL);
	b->t = topo_ref(b->first);
	b->pool = lft_pool_new();
	b->drop = mem_zalloc(b->f->ncables, sizeof(*b->drop));
	b->r = compute_checked(b, NULL, false);
	check_again(b);
	while (steps-- > 0) {
		struct routes *r;

		if (rng_below(g, 3) == 0)
			toggle_host(b, g);
		else
			toggle_link(b, g);
		r = compute_checked(b, b->r, false);
		routes_unref(b->r);
		b->r = r;
		lost |= r->lost_disjoint;
		check_again(b);
	}
	ck_assert(lost);
	routes_unref(b->r);
	topo_unref(b->first);
	free(b->drop);
	end_bed(b);
}

/* In a mesh most nodes stay cut off from some leaf: what a search finds hangs
 * on links and leaves that are on no path. */
LOOP_TEST(meshes, 7, 9)
{
	uint64_t first = 8 * (uint64_t)_i + 1;

	for (uint64_t seed = first; seed < first + FEWER(8); seed++) {
		struct rng g = {seed};
		const unsigned dim[3] = {4 + rng_below(&g, 5),
			2 + rng_below(&g, 2), 4 + rng_below(&g, 4)};
		struct bed b = {.seed = seed, .engine = "updn"};

		b.f = gen_edit_rails(
			gen_grid(dim, 3, false, 1, NULL), 2, seed & 1, NULL);
		ck_assert_ptr_nonnull(b.f);
		check_mesh(&b, &g, 12);
	}
}

/* ---- and balanced ---- */

/* Two-port nodes in a damaged tree: no link carries more for their sake, and no
 * node has a single point of failure. */
TEST(no_price)
{
	for (uint64_t seed = 1; seed <= FEWER(4); seed++) {
		struct reason why = {""};
		AUTO(bed) struct bed b = {.seed = seed, .engine = "ftree"};
		AUTO(routes) struct routes *r = NULL, *strangers = NULL;
		struct redundancy_report h;

		b.f = gen_edit_fail_links(
			gen_edit_rails(shape_of("two:18:36:9"), 2, true, &why),
			seed % 2 ? 34 : 85, seed, true, &why);
		ck_assert_ptr_nonnull(b.f);
		b.t = frozen_topo(b.f, NULL);
		b.pool = lft_pool_new();
		r = compute_checked(&b, NULL, false);
		h = find_redundancy(&b, r);
		ck_assert_uint_eq(h.n, 324);
		ck_assert_uint_eq(h.single, 0);
		redundancy_free(&h);
		for (uint32_t i = 0; i < b.f->nnodes; i++)
			b.f->node[i].sysimg = b.f->node[i].guid;
		topo_unref(b.t);
		b.t = frozen_topo(b.f, NULL);
		strangers = compute_checked(&b, NULL, false);
		ck_assert(r->multi_port && !strangers->multi_port);
		ck_assert_msg(
			r->report.load_max <= strangers->report.load_max + 18,
			"seed %u: %llu, strangers %llu", (unsigned)seed,
			(unsigned long long)r->report.load_max,
			(unsigned long long)strangers->report.load_max);
	}
}

/* ---- passive ports ---- */

/* Of the first leaf's four hosts 1 and 2 are passive; their active ports are
 * hosts of the third leaf, shifted by `further`. */
static struct bed
with_passive(unsigned further)
{
	struct bed b = {.f = shape_of("two:4:4:4"), .engine = "ftree"};
	size_t n = 0;

	for (uint32_t i = 0; i < 4; i++) {
		char name[16];
		uint32_t h;

		(void)snprintf(name, sizeof(name), "h%u",
			i < 2 ? i + 1 : 9 + (i + further) % 4);
		h = fabric_find(b.f, name);
		b.home[n++] = (struct route_multi_port){
			fabric_port(b.f, h, 1)->guid, i % 2, i < 2};
	}
	qsort(b.home, n, sizeof(*b.home), by_guid);
	b.options = (struct engine_options){.nmulti_port = n};
	b.t = frozen_topo(b.f, NULL);
	b.pool = lft_pool_new();
	return b;
}

/* True if all entries for this host's LID are equal. */
static bool
same_to(const struct bed *b, const struct routes *x, const struct routes *y,
	const char *name)
{
	uint64_t guid = fabric_port(b->f, fabric_find(b->f, name), 1)->guid;
	uint16_t lid = b->t->port[topo_by_port_guid(b->t, guid)].lid;

	for (sw_ix s = 0; s < b->t->nsw; s++)
		if (routes_port(x, s, lid) != routes_port(y, s, lid))
			return false;
	return true;
}

/* Active ports get their paths first, whichever passive ports belong to
 * them. */
TEST(active_first)
{
	AUTO(bed) struct bed one = with_passive(0);
	struct routes *first, *r;

	one.options.multi_port = one.home;
	first = compute_checked(&one, NULL, false);
	for (unsigned further = 1; further < 4; further++) {
		AUTO(bed) struct bed b = with_passive(further);
		struct redundancy_report h;
		char name[16];

		b.options.multi_port = b.home;
		r = compute_checked(&b, NULL, false);
		h = find_redundancy(&b, r);
		ck_assert_uint_eq(h.n, 2);
		ck_assert_uint_eq(h.single, 0);
		redundancy_free(&h);
		for (unsigned i = 9; i <= 12; i++) {
			(void)snprintf(name, sizeof(name), "h%u", i);
			ck_assert_msg(same_to(&b, r, first, name),
				"%s goes another way", name);
		}
		routes_unref(r);
	}
	routes_unref(first);
}

/* The active ports fail: the passive ones remain, and are balanced like ports
 * that are not passive. */
TEST(passive_takes_over)
{
	AUTO(bed) struct bed b = with_passive(1);
	AUTO(mem) bool *drop = mem_zalloc(b.f->nnodes, sizeof(*drop));
	const struct fabric_edit edit = {.drop_node = drop};
	struct routes *was, *kept, *fresh, *plain;
	AUTO(fabric) struct fabric *less = NULL;
	struct topo *t;

	b.options.multi_port = b.home;
	was = compute_checked(&b, NULL, false);
	for (unsigned i = 9; i <= 12; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "h%u", i);
		drop[fabric_find(b.f, name)] = true;
	}
	less = fabric_rebuild(b.f, &edit);
	t = frozen_again(less, b.t, 0);
	topo_unref(b.t);
	b.t = t;
	kept = compute_checked(&b, was, false);
	ck_assert_uint_eq(kept->multi_port, 0);
	ck_assert_uint_gt(kept->entries_kept, kept->entries_changed);
	fresh = compute_checked(&b, NULL, false);
	b.options.nmulti_port = 0;
	plain = compute_checked(&b, NULL, false);
	for (unsigned i = 1; i <= 4; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "h%u", i);
		ck_assert(same_to(&b, fresh, plain, name));
	}
	routes_unref(was);
	routes_unref(kept);
	routes_unref(fresh);
	routes_unref(plain);
	ck_assert_uint_eq(b.pool->live, 0);
}
