/*
 * Reading a tree with the rank cache gives what reading without it does: links
 * fail and come back at random, one by one and several at once, and everything
 * that was read is compared, the next cache, too.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/tiers/tree_priv.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/unit/suite.h"

enum { STEPS = 24 };

static struct fabric *
make_two_tier(void)
{
	static const struct gen_fattree2 p = {6, 12, 2, 6, 6};
	struct reason why;

	return gen_tree_two(&p, &why);
}

static struct fabric *
make_bare_leaves(void)
{
	static const struct gen_fattree2 p = {6, 12, 1, 4, 0};
	struct reason why;

	return gen_tree_two(&p, &why);
}

static struct fabric *
make_three_tier(void)
{
	struct reason why;

	return gen_tree_three(8, &why);
}

static struct fabric *
make_uneven(void)
{
	struct reason why;

	return gen_edit_populate(gen_tree_three(8, &why), 4, 1);
}

static struct fabric *
make_damaged(void)
{
	struct reason why;

	return gen_edit_fail_links(gen_tree_three(8, &why), 12, 3, true, &why);
}

static struct fabric *
make_self_loops(void)
{
	struct reason why;

	return gen_edit_self_loops(
		gen_edit_populate(gen_tree_three(8, &why), 2, 2), 5, &why);
}

static struct fabric *
make_aggregation(void)
{
	struct reason why;

	return gen_edit_aggregation(gen_tree_three(6, &why), &why);
}

static struct fabric *
make_racks(void)
{
	struct reason why;

	return gen_paper_thirds(1, 12, &why);
}

static struct fabric *
make_random(void)
{
	struct reason why;

	return gen_random(24, 5, 2, 1, &why);
}

static struct fabric *
make_torus(void)
{
	static const unsigned dim[2] = {5, 4};
	struct reason why;

	return gen_grid(dim, 2, true, 2, &why);
}

static const struct net {
	const char *name;
	struct fabric *(*make)(void);
	bool calm; /* most steps use the cache */
} nets[] = {
	{"two tiers, cables in pairs", make_two_tier, false},
	{"leaves without hosts", make_bare_leaves, false},
	{"three tiers", make_three_tier, true},
	{"uneven leaves", make_uneven, true},
	{"a damaged tree", make_damaged, true},
	{"cables to themselves", make_self_loops, true},
	{"aggregation nodes", make_aggregation, true},
	{"racks", make_racks, false},
	{"random", make_random, false},
	{"torus", make_torus, false},
	{"ufm-sdk-small", NULL, false},
	{"ibtopotool-4-sun-dcs36", NULL, false},
	{"ibtopotool-3-mixed-selfloop", NULL, false},
	{"topograph-ndr-gb200", NULL, false},
};

enum { NETS = sizeof(nets) / sizeof(nets[0]) };

static struct fabric *
make_net(const struct net *n)
{
	const char *dir = getenv("HEDDLE_FIXTURES");
	struct reason why;
	char path[512];
	struct fabric *f;

	if (n->make != NULL)
		return n->make();
	(void)snprintf(path, sizeof(path), "%s/%s.ibnet",
		dir != NULL ? dir : "../shared/fixtures", n->name);
	f = ibnet_load(path, NULL, &why);
	if (f == NULL)
		(void)printf("%s skipped: %s\n", n->name, why.text);
	return f;
}

/* ---- what is compared ---- */

static void
same_odd(const struct irregularity_kind *a, const struct irregularity_kind *b)
{
	ck_assert_int_eq(a->what, b->what);
	ck_assert_uint_eq(a->sw, b->sw);
	ck_assert_uint_eq(a->other, b->other);
	ck_assert_uint_eq(a->port, b->port);
	ck_assert_uint_eq(a->other_port, b->other_port);
	ck_assert_uint_eq(a->n, b->n);
	ck_assert_uint_eq(a->of, b->of);
	ck_assert_uint_eq(a->above, b->above);
	ck_assert_uint_eq(a->guid, b->guid);
}

/* a may know more classes than exist. */
static void
same_memory(const struct rank_cache *a, const struct rank_cache *b, uint32_t n)
{
	ck_assert_uint_eq(a->ncomp, b->ncomp);
	ck_assert_uint_ge(a->classes, b->classes);
	ck_assert_uint_eq(a->nseq, b->nseq);
	ck_assert_mem_eq(a->sum, b->sum, n * sizeof(*a->sum));
	ck_assert_mem_eq(a->far, b->far, n * sizeof(*a->far));
	ck_assert_mem_eq(a->leaf, b->leaf, n * sizeof(*a->leaf));
	ck_assert_mem_eq(a->high, b->high, n * sizeof(*a->high));
	ck_assert_mem_eq(a->seq, b->seq, a->nseq * sizeof(*a->seq));
	for (uint32_t c = 0; c < a->ncomp; c++) {
		ck_assert_uint_eq(a->look[c].links, b->look[c].links);
		ck_assert_uint_eq(a->look[c].level, b->look[c].level);
		ck_assert_uint_eq(a->look[c].hosts, b->look[c].hosts);
		ck_assert_uint_eq(a->look[c].misplaced, b->look[c].misplaced);
	}
}

static void
same_tree(const struct tree *a, const struct tree *b, uint32_t n)
{
	ck_assert_uint_eq(a->ntiers, b->ntiers);
	ck_assert_mem_eq(a->tier, b->tier, n * sizeof(*a->tier));
	ck_assert_mem_eq(a->origin, b->origin, n * sizeof(*a->origin));
	ck_assert_mem_eq(a->leaf, b->leaf, n * sizeof(*a->leaf));
	ck_assert_mem_eq(a->top, b->top, n * sizeof(*a->top));
	ck_assert_mem_eq(a->treeless, b->treeless, n * sizeof(*a->treeless));
	ck_assert_mem_eq(a->count, b->count, sizeof(a->count));
	ck_assert_int_eq(a->regular, b->regular);
	ck_assert_uint_eq(a->nodd, b->nodd);
	for (size_t i = 0; i < a->nodd; i++)
		same_odd(&a->odd[i], &b->odd[i]);
	ck_assert_int_eq(a->memory == NULL, b->memory == NULL);
	if (a->memory != NULL)
		same_memory(a->memory, b->memory, n);
}

/* ---- sequences ---- */

struct run {
	const struct fabric *f;
	struct lft_pool *pool;
	struct routes *r; /* in force */
	unsigned calm;	  /* readings that used the cache */
};

static bool
went_on(const struct tree *was, const struct tree *is)
{
	return was->memory != NULL && is->memory != NULL &&
	       is->memory->classes == was->memory->classes + 2;
}

/* The next routes, with a tree read with the cache of those in force, compared
 * with a reading without it. */
static void
check_step(struct run *x, struct topo *t)
{
	static const char *const engine[] = {"ftree"};
	struct route_job job = {.topo = t,
		.pool = x->pool,
		.prev = x->r,
		.threads = 1,
		.load_limit = 1250};
	struct routes without = *x->r, *next;
	struct route_account story;
	struct arena *a = arena_new();
	struct reason why = {""};
	const struct tree *is;

	is = tree_read(&job, a);
	without.tree = NULL;
	job.prev = &without;
	same_tree(is, tree_read(&job, a), t->nsw);
	x->calm += x->r->tree != NULL && went_on(x->r->tree->tree, is);
	job.prev = x->r;
	next = compute_routes(&job, engine, 1, &story, &why);
	ck_assert_msg(next != NULL, "%s", why.text);
	ck_assert_ptr_nonnull(next->tree);
	routes_unref(x->r);
	x->r = next;
	arena_free(a);
}

/* A link, mostly one between switches. */
static uint32_t
pick_link(const struct fabric *f, struct rng *rng)
{
	uint32_t c = 0;

	for (unsigned i = 0; i < 8; i++) {
		const uint32_t *end = f->cable[c].node;

		if (i > 0 && f->node[end[0]].type == FABRIC_SWITCH &&
			f->node[end[1]].type == FABRIC_SWITCH)
			break;
		c = rng_below(rng, f->ncables);
	}
	return c;
}

static struct routes *
first_routes(struct topo *t, struct lft_pool *pool)
{
	static const char *const engine[] = {"ftree"};
	const struct route_job job = {
		.topo = t, .pool = pool, .threads = 1, .load_limit = 1250};
	struct route_account story;
	struct reason why = {""};

	return compute_routes(&job, engine, 1, &story, &why);
}

static void
run_sequence(const struct fabric *f, const struct net *net)
{
	struct run x = {.f = f, .pool = lft_pool_new()};
	struct topo *t = frozen_topo(f, &(struct frozen_lids){.found = true});
	bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct rng rng = {7};
	uint32_t last = 0;

	x.r = first_routes(t, x.pool);
	ck_assert_ptr_nonnull(x.r);
	for (unsigned i = 0; i < STEPS; i++) {
		struct topo *was = t;
		unsigned n = i % 8 == 7 ? 3 : 1;

		while (n-- > 0) {
			uint32_t c = i % 3 == 2 ? last : pick_link(f, &rng);

			drop[c] = !drop[c];
			last = c;
		}
		t = frozen_less(f, drop, was);
		topo_unref(was);
		check_step(&x, t);
	}
	ck_assert_msg(!net->calm || x.calm * 2 > STEPS, "%s: %u steps of %d",
		net->name, x.calm, STEPS);
	routes_unref(x.r);
	topo_unref(t);
	free(drop);
	lft_pool_free(x.pool);
}

START_TEST(as_from_nothing)
{
	struct fabric *f = make_net(&nets[_i]);

	if (f == NULL)
		return;
	run_sequence(f, &nets[_i]);
	fabric_free(f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("rank_cache");
	TCase *c = tcase_create("sequences");

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, as_from_nothing, 0, NETS);
	suite_add_tcase(s, c);
	return suite_run(s);
}
