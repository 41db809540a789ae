/*
 * Ranks of layers may refuse what is right, but never accept what the general
 * judge refuses. Tables of the engines that route in layers are mutated:
 * entries, layers of pairs, ranks, and links that are lost; where the ranks
 * prove them, in full or from the tables before, every figure and every
 * dependency is compared with what the general judge finds.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "routing/engines/ftree/ftree.h"
#include "routing/engines/nue/nue.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/routing/verify/judgement_fixture.h"
#include "tests/unit/suite.h"

enum {
	SEEDS = 8,		/* fabrics of a kind */
	MUTATIONS = FEWER(160), /* of the tables of one */
	LOSS_EACH = 3, /* of so many mutations one has lost cables, too */
};

struct kind {
	const char *name, *engine;
	struct fabric *(*make)(struct rng *r);
	unsigned layers; /* asked for, where it can be */
	bool as_one;	 /* a rank is for all VLs of a link */
};

/* ---- fabrics ---- */

static struct fabric *
make_ring(struct rng *r)
{
	const unsigned dim[1] = {5 + rng_below(r, 6)};

	return gen_grid(dim, 1, true, 2, NULL);
}

static struct fabric *
make_torus(struct rng *r)
{
	const unsigned dim[2] = {5 + rng_below(r, 2), 3 + rng_below(r, 3)};

	return gen_grid(dim, 2, true, 1 + rng_below(r, 2), NULL);
}

static struct fabric *
make_torus_three(struct rng *r)
{
	const unsigned dim[3] = {5, 3 + rng_below(r, 2), 2 + rng_below(r, 2)};

	return gen_grid(dim, 3, true, 1, NULL);
}

static struct fabric *
make_dragonfly(struct rng *r)
{
	return rng_below(r, 2) ? shape_of("dragonfly:4:2:1")
			       : shape_of("dragonfly:3:2:2");
}

static struct fabric *
make_random(struct rng *r)
{
	return gen_random(10 + 2 * rng_below(r, 10), 3 + rng_below(r, 3), 2,
		rng_next(r), NULL);
}

static struct fabric *
make_slimfly(struct rng *r)
{
	(void)r;
	return shape_of("slimfly:5:1");
}

static struct fabric *
make_tree(struct rng *r)
{
	const struct gen_fattree2 tree = {
		2 + rng_below(r, 3), 3 + rng_below(r, 4), 1, 3, 2};

	return gen_tree_two(&tree, NULL);
}

static const struct kind kinds[] = {
	{"ring", "torus", make_ring, 0, false},
	{"torus", "torus", make_torus, 0, false},
	{"torus of three rings", "torus", make_torus_three, 0, false},
	{"dragonfly", "dragonfly", make_dragonfly, 0, false},
	{"random graph, 2 layers", "nue", make_random, 2, false},
	{"random graph, 4 layers", "nue", make_random, 4, false},
	{"random graph, 8 layers", "nue", make_random, 8, false},
	{"Slim Fly", "nue", make_slimfly, 4, false},
	{"vFtree", "ftree", make_tree, 3, true},
};

/* ---- one fabric ---- */

struct scene {
	const struct kind *kind;
	struct rng r;
	int seed;
	unsigned mutation;
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *base; /* of t */
	/* the tables that a change is judged from */
	struct routes *before;
	struct verify_state *state;
	unsigned both, neither, judge_alone, by_change;
};

static struct verify_tables
ranked_tables(const struct routes *r, const struct link_ranks *ranks)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, ranks};
}

/* NULL: the engine does not know the fabric any more. */
static struct routes *
route_topo(const struct scene *s, struct topo *t, const struct routes *prev)
{
	const struct engine *e = registry_find(s->kind->engine);
	const struct nue_options nue = {s->kind->layers};
	const struct ftree_options ftree = {s->kind->layers};
	const struct schema_values values[2] = {
		{engine_nue.module.options, &nue}, {&ftree_schema, &ftree}};
	const struct engine_options options = {
		.own = values, .nown = 2, .levels = 1};
	const struct route_job job = {
		.topo = t, .pool = s->pool, .prev = prev, .options = &options};
	AUTO(arena) struct arena *a = arena_new();
	struct routes *r = NULL;
	struct reason why = {""};

	(void)e->route(&job, prev != NULL, 0, a, &r, &why);
	ck_assert_msg(r != NULL || prev != NULL, "%s seed %d: %s",
		s->kind->name, s->seed, why.text);
	return r;
}

static void
scene_new(struct scene *s)
{
	/* every other fabric with LIDs in any order */
	const struct frozen_lids lids = {.shuffle = (uint64_t)s->seed % 2};
	struct verify_report out;
	struct link_ranks *ranks;
	struct verify_tables in;

	s->f = s->kind->make(&s->r);
	ck_assert_ptr_ne(s->f, NULL);
	s->t = frozen_topo(s->f, &lids);
	s->pool = lft_pool_new();
	s->base = s->before = route_topo(s, s->t, NULL);
	ranks = routes_link_ranks(s->base);
	in = ranked_tables(s->base, ranks);
	ck_assert_int_eq(verify_keep(&in, 1, &out, &s->state, NULL), 0);
	ck_assert_msg(out.by_rank && out.layers > 1, "%s seed %d: not proven",
		s->kind->name, s->seed);
	link_ranks_drop(ranks);
}

static void
scene_end(struct scene *s)
{
	verify_state_unref(s->state);
	routes_unref(s->base);
	topo_unref(s->t);
	fabric_free(s->f);
	ck_assert_uint_eq(s->pool->live, 0);
	lft_pool_free(s->pool);
}

/* ---- judgements ---- */

/* What the ranks, or a change, say of tables that they accept is what the
 * general judge says. as_one: their dependencies are those of all layers. */
static void
compare_judgements(const char *what, const struct topo *t, bool as_one,
	const struct verify_report *a, const struct verify_state *x,
	const struct verify_report *full, const struct verify_state *y)
{
	judgement_same_report(what, a, full);
	judgement_same_loads(what, t, x, y);
	judgement_all_dependencies(what, t, x, y);
	if (a->by_rank && !as_one)
		judgement_all_dependencies(what, t, y, x);
}

/* Judge m all ways. */
static void
judge_all(struct scene *s, const struct routes *m, const struct link_ranks *k)
{
	const struct verify_tables ranked = ranked_tables(m, k);
	const struct verify_tables general = ranked_tables(m, NULL);
	const struct verify_before was = {
		s->state, ranked_tables(s->before, NULL)};
	struct verify_report full, in_full, change;
	AUTO(verify_state) struct verify_state *a = NULL, *b = NULL, *c = NULL;
	struct reason why = {""};
	char what[128];

	(void)snprintf(what, sizeof(what), "%s seed %d mutation %u",
		s->kind->name, s->seed, s->mutation);
	(void)verify_keep(&general, 1, &full, &a, &why);
	(void)verify_keep(&ranked, 1 + s->mutation % 2, &in_full, &b, NULL);
	(void)verify_incremental(&was, &ranked, 1, &change, &c, NULL);
	ck_assert_msg(full.ok || !(in_full.by_rank && in_full.ok),
		"%s: accepted, but %s", what, why.text);
	ck_assert_msg(full.ok || !(change.by_change && change.ok),
		"%s: accepted as a change, but %s", what, why.text);
	compare_judgements(
		what, m->topo, s->kind->as_one, &in_full, b, &full, a);
	compare_judgements(
		what, m->topo, s->kind->as_one, &change, c, &full, a);
	s->both += in_full.by_rank && in_full.ok;
	s->neither += !full.ok;
	s->judge_alone += full.ok && !in_full.by_rank;
	s->by_change += change.by_change;
}

/* ---- mutations ---- */

static uint8_t
choose_port(struct scene *s, const struct topo *t, sw_ix sw)
{
	const struct topo_switch *x = &t->sw[sw];

	if (x->nadj > 0 && rng_below(&s->r, 6) > 0)
		return t->adj[x->adj + rng_below(&s->r, x->nadj)].out;
	return rng_below(&s->r, 3) == 0
		       ? LFT_DROP
		       : (uint8_t)rng_below(
				 &s->r, t->node[t->sw[sw].node].nports + 2U);
}

static uint16_t
choose_lid(struct scene *s, const struct routes *m)
{
	return (uint16_t)(1 + rng_below(&s->r, m->topo->max_lid));
}

/* One entry becomes another, mostly that for another LID. */
static void
mutate_entry(struct scene *s, struct routes *m)
{
	sw_ix sw = rng_below(&s->r, m->topo->nsw);
	uint8_t out = rng_below(&s->r, 4) == 0
			      ? choose_port(s, m->topo, sw)
			      : routes_port(m, sw, choose_lid(s, m));

	routes_put_entry(m, sw, choose_lid(s, m), out, NULL);
}

/* All entries for one LID are those for another; or for a LID of no port. */
static void
mutate_column(struct scene *s, struct routes *m)
{
	uint16_t from = choose_lid(s, m), to = choose_lid(s, m);

	if (rng_below(&s->r, 3) == 0)
		to = (uint16_t)(m->nblocks * LFT_BLOCK - 1 -
				rng_below(&s->r, 3));
	for (sw_ix i = 0; i < m->topo->nsw; i++)
		if (rng_below(&s->r, 20) > 0)
			routes_put_entry(
				m, i, to, routes_port(m, i, from), NULL);
}

/* A pair gets another layer, now and then one way alone. */
static void
mutate_layer(struct scene *s, struct routes *m)
{
	sw_ix a = rng_below(&s->r, m->topo->nsw);
	sw_ix b = rng_below(&s->r, m->topo->nsw);
	uint8_t layer = (uint8_t)rng_below(&s->r, m->layers.n);

	if (rng_below(&s->r, 25) == 0)
		layers_put_one_way(&m->layers, a, b, layer);
	else
		layers_put(&m->layers, a, b, layer);
}

/* Ranks of the routes, some of them another's. */
static struct link_ranks *
mutate_ranks(struct scene *s, const struct link_ranks *own)
{
	uint32_t n = own->groups * own->nadj;
	struct link_ranks *k = link_ranks_new(own->groups, own->nadj);

	memcpy(k->of, own->of, n * sizeof(k->of[0]));
	for (unsigned i = 1 + rng_below(&s->r, 3); i > 0; i--)
		k->of[rng_below(&s->r, n)] = own->of[rng_below(&s->r, n)];
	return k;
}

static struct routes *
copy_routes(const struct scene *s, const struct routes *r)
{
	struct routes *m = routes_new(r->topo, s->pool);

	route_layers_free(&m->layers);
	m->layers = route_layers_copy(&r->layers);
	for (sw_ix x = 0; x < r->topo->nsw; x++)
		routes_put_same(m, x, r, x);
	return m;
}

/* Mutate tables of the scene, or of what is left of its fabric, and judge. */
static void
run_mutation(struct scene *s, const struct routes *r)
{
	AUTO(routes) struct routes *m = copy_routes(s, r);
	struct link_ranks *own = routes_link_ranks(r), *k;
	unsigned what = rng_below(&s->r, 12);

	for (unsigned n = 1 + rng_below(&s->r, 4); n > 0; n--) {
		if (what < 4)
			mutate_entry(s, m);
		else if (what < 6)
			mutate_column(s, m);
		else if (what < 9)
			mutate_layer(s, m);
	}
	k = what == 9 ? mutate_ranks(s, own) : link_ranks_share(own);
	judge_all(s, m, k);
	link_ranks_drop(k);
	link_ranks_drop(own);
}

/* The tables of r, judged from those before, are what is judged from next; and
 * what was before comes back, mutated. */
static void
run_return(struct scene *s, struct routes *r)
{
	struct link_ranks *k = routes_link_ranks(r);
	const struct verify_tables in = ranked_tables(r, k);
	const struct verify_before was = {
		s->state, ranked_tables(s->before, NULL)};
	struct scene back = *s;
	struct verify_report out;

	ck_assert_int_eq(
		verify_incremental(&was, &in, 1, &out, &back.state, NULL), 0);
	ck_assert(out.by_rank || out.by_change);
	back.before = r;
	run_mutation(&back, s->base);
	verify_state_unref(back.state);
	link_ranks_drop(k);
	back.state = s->state;
	back.before = s->before;
	*s = back;
}

/* Cables of hosts and switches are lost, and the engine keeps what it can. */
static void
run_loss(struct scene *s)
{
	AUTO(mem) bool *drop = mem_zalloc(s->f->ncables, sizeof(*drop));
	AUTO(routes) struct routes *r = NULL;
	AUTO(topo) struct topo *t = NULL;

	for (unsigned n = 1 + rng_below(&s->r, 2); n > 0; n--)
		drop[rng_below(&s->r, s->f->ncables)] = true;
	t = frozen_less(s->f, drop, s->t);
	r = route_topo(s, t, s->base);
	if (r != NULL && rng_below(&s->r, 2) == 0)
		run_return(s, r);
	else
		run_mutation(s, r != NULL ? r : s->base);
}

/* Fabrics of a kind: more of them in make soak. */
static int
count_seeds(void)
{
	const char *n = getenv("CERTIFICATE_SEEDS");

	return n != NULL ? atoi(n) : SEEDS;
}

LOOP_TEST(never_more_than_the_judge, 0, LEN(kinds))
{
	struct scene s = {.kind = &kinds[_i]};
	int seeds = count_seeds();

	for (s.seed = 0; s.seed < seeds; s.seed++) {
		s.r = (struct rng){(uint64_t)(_i * seeds + s.seed)};
		scene_new(&s);
		for (s.mutation = 1; s.mutation <= MUTATIONS; s.mutation++)
			if (s.mutation % LOSS_EACH == 0)
				run_loss(&s);
			else
				run_mutation(&s, s.base);
		scene_end(&s);
	}
	(void)printf("%-24s both accept %u, both refuse %u, the judge alone "
		     "%u; %u by change\n",
		s.kind->name, s.both, s.neither, s.judge_alone, s.by_change);
	ck_assert(s.both > MUTATIONS && s.neither > MUTATIONS &&
		  s.by_change > MUTATIONS);
}

const struct suite_around suite_around = {.seconds = 3600};
