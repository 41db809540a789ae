/*
 * The certificate may refuse what is right, but never accept what the judge
 * refuses. On fabrics of every kind, tables are mutated, entry by entry and as
 * LIDs that are nobody's; where both accept, loads, hops, dependencies and
 * every figure of the report are compared, as they are of the tables before.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/verify/certificate.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/verify/judgement_fixture.h"
#include "tests/unit/suite.h"

enum {
	SEEDS = 6,		/* fabrics of a kind */
	MUTATIONS = FEWER(110), /* of the tables of one */
	LOSS_EACH = 4, /* of so many mutations one has lost cables, too */
};

struct kind {
	const char *name;
	struct fabric *(*make)(struct rng *r);
	unsigned lmc;
	bool quarantine;
	bool planes; /* with links outside the order of switches */
};

/* ---- fabrics ---- */

static struct fabric *
make_two(struct rng *r)
{
	const struct gen_fattree2 tree = {2 + rng_below(r, 3),
		2 + rng_below(r, 5), 1 + rng_below(r, 2), 3, 2};

	return gen_tree_two(&tree, NULL);
}

static struct fabric *
make_three(struct rng *r)
{
	(void)r;
	return shape_of("three:4");
}

static struct fabric *
make_damaged(struct rng *r)
{
	return gen_edit_fail_links(shape_of("three:4"), 1 + rng_below(r, 8),
		rng_next(r), true, NULL);
}

static struct fabric *
make_kary(struct rng *r)
{
	return gen_edit_populate(shape_of("kary:2:3"), 1 + rng_below(r, 2), 1);
}

/* One spine or switch in the middle, without which there are pieces. */
static struct fabric *
make_pieces(struct rng *r)
{
	const struct gen_fattree2 tree = {
		1, 2 + rng_below(r, 4), 1 + rng_below(r, 2), 3, 2};

	return rng_below(r, 2) == 0 ? gen_tree_two(&tree, NULL)
				    : shape_of("mesh:7:2");
}

static struct fabric *
make_random(struct rng *r)
{
	return gen_random(12, 4, 2, rng_next(r), NULL);
}

static struct fabric *
make_mesh(struct rng *r)
{
	const unsigned dim[2] = {3 + rng_below(r, 2), 3};

	return gen_grid(dim, 2, false, 2, NULL);
}

static struct fabric *
make_torus(struct rng *r)
{
	const unsigned dim[2] = {4, 3 + rng_below(r, 2)};

	return gen_grid(dim, 2, true, 2, NULL);
}

static struct fabric *
make_hypercube(struct rng *r)
{
	static const unsigned dim[4] = {2, 2, 2, 2};

	return gen_grid(dim, 3 + rng_below(r, 2), false, 1, NULL);
}

static struct fabric *
make_hyperx(struct rng *r)
{
	const unsigned dim[2] = {3, 2 + rng_below(r, 2)};

	return gen_hyperx(dim, 2, 2, NULL);
}

static struct fabric *
make_dragonfly(struct rng *r)
{
	return gen_dragonfly(2 + rng_below(r, 2), 2, 1, NULL);
}

static struct fabric *
make_racks(struct rng *r)
{
	return gen_paper_racks(1, 1 + rng_below(r, 3), 2, NULL);
}

static struct fabric *
make_planes(struct rng *r)
{
	const struct gen_planes p = {2 + rng_below(r, 2), 3 + rng_below(r, 3),
		2, 2, 1 + rng_below(r, 2)};

	return gen_paper_planes(&p);
}

static struct fabric *
make_wide(struct rng *r)
{
	return gen_edit_ports(
		make_two(r), rng_below(r, 2) ? 80 : 150, true, NULL);
}

static struct fabric *
make_rails(struct rng *r)
{
	return gen_edit_rails(make_two(r), 2, false, NULL);
}

static const struct kind kinds[] = {
	{"tree of two levels", make_two, 0, false, false},
	{"tree of three levels", make_three, 0, false, false},
	{"damaged tree", make_damaged, 0, false, false},
	{"k-ary tree", make_kary, 0, false, false},
	{"in pieces", make_pieces, 0, true, false},
	{"LMC 2", make_two, 2, false, false},
	{"quarantine", make_three, 0, true, false},
	{"random graph", make_random, 0, false, false},
	{"random, quarantine, LMC 1", make_random, 1, true, false},
	{"mesh", make_mesh, 0, false, false},
	{"torus", make_torus, 0, false, false},
	{"hypercube", make_hypercube, 0, false, false},
	{"HyperX", make_hyperx, 0, false, false},
	{"dragonfly", make_dragonfly, 0, false, false},
	{"racks", make_racks, 0, false, false},
	{"planes", make_planes, 0, false, true},
	{"many ports", make_wide, 0, false, false},
	{"two rails", make_rails, 0, false, false},
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
	struct routes *base;
	struct link_ranks *ranks;
	/* the tables that a change is judged from */
	struct routes *before;
	struct verify_state *state;
	unsigned both, neither, judge_alone, by_change;
};

static struct verify_tables
ranked_tables(const struct scene *s, const struct routes *r)
{
	return (struct verify_tables){.topo = r->topo,
		.pool = r->pool,
		.row = r->row,
		.nblocks = r->nblocks,
		.ranks = s->ranks};
}

/* A switch whose quarantine leaves others; of pieces, the one with the most
 * links, or the one in the middle. */
static uint64_t
choose_quarantined(struct scene *s, const struct topo *t)
{
	sw_ix best = rng_below(&s->r, t->nsw);

	if (s->kind->make == make_pieces)
		for (sw_ix i = 0; i < t->nsw; i++)
			if (t->sw[i].nadj > t->sw[best].nadj)
				best = i;
	return t->node[t->sw[best].node].guid;
}

/* Route the topology of the scene, and find the ranks of its links. */
static void
route_scene(struct scene *s, const struct routes *prev)
{
	const char *engine =
		s->seed % 3 == 2 && !s->kind->planes ? "updn" : "ftree";
	const struct route_job job = {.load_limit = 1250,
		.threads = 1,
		.topo = s->t,
		.pool = s->pool,
		.prev = prev};
	struct route_account story;
	struct reason why = {""};

	s->base = compute_routes(&job, &engine, 1, &story, &why);
	ck_assert_msg(s->base != NULL, "%s seed %d: %s", s->kind->name, s->seed,
		why.text);
	s->ranks = routes_link_ranks(s->base);
}

static void
scene_new(struct scene *s)
{
	struct frozen_lids lids = {.lmc = s->kind->lmc};
	struct fabric *f = s->f = s->kind->make(&s->r);
	struct verify_tables in;
	struct verify_report out;

	ck_assert_ptr_ne(f, NULL);
	s->t = frozen_topo(f, &lids);
	if (s->kind->quarantine) {
		lids.quarantine = choose_quarantined(s, s->t);
		topo_unref(s->t);
		s->t = frozen_topo(f, &lids);
	}
	s->pool = lft_pool_new();
	route_scene(s, NULL);
	s->before = s->base;
	in = ranked_tables(s, s->base);
	ck_assert_int_eq(verify_keep(&in, 1, &out, &s->state, NULL), 0);
}

static void
scene_end(struct scene *s)
{
	link_ranks_drop(s->ranks);
	verify_state_unref(s->state);
	routes_unref(s->base);
	topo_unref(s->t);
	fabric_free(s->f);
	lft_pool_free(s->pool);
}

/* ---- what is compared ---- */

static void
expect_same_findings(
	const struct scene *s, const struct cdg *a, const struct cdg *b)
{
	for (uint32_t p = 0; p < a->nports; p++)
		ck_assert_msg(a->load[p] == b->load[p],
			"%s seed %d mutation %u: load %u not %u", s->kind->name,
			s->seed, s->mutation, b->load[p], a->load[p]);
	ck_assert_msg(memcmp(a->dep, b->dep, a->plane * sizeof(*a->dep)) == 0,
		"%s seed %d mutation %u: dependencies", s->kind->name, s->seed,
		s->mutation);
	for (uint32_t h = 0; h <= a->n; h++)
		ck_assert_msg(a->hops[h] == b->hops[h],
			"%s seed %d mutation %u: %llu pairs with %u hops, not "
			"%llu",
			s->kind->name, s->seed, s->mutation,
			(unsigned long long)b->hops[h], h,
			(unsigned long long)a->hops[h]);
}

static void
expect_same_reports(const struct scene *s, const struct verify_report *a,
	const struct verify_report *b)
{
	ck_assert_msg(a->ok && b->ok && a->plain && b->plain &&
			      a->pairs == b->pairs &&
			      a->cut_off == b->cut_off && a->vls == b->vls,
		"%s seed %d mutation %u: %llu pairs, %llu cut off; not %llu, "
		"%llu",
		s->kind->name, s->seed, s->mutation,
		(unsigned long long)b->pairs, (unsigned long long)b->cut_off,
		(unsigned long long)a->pairs, (unsigned long long)a->cut_off);
	ck_assert_uint_eq(a->load_max, b->load_max);
	ck_assert_uint_eq(a->load_min, b->load_min);
	ck_assert_uint_eq(a->load_sw, b->load_sw);
	ck_assert_uint_eq(a->load_port, b->load_port);
	ck_assert_double_eq(a->load_mean, b->load_mean);
	ck_assert_uint_eq(a->hops_max, b->hops_max);
	ck_assert_double_eq(a->hops_mean, b->hops_mean);
}

/* Every dependency leads to a link of higher rank. */
static void
expect_climb(const struct scene *s, const struct verify_tables *tables,
	const struct verify_state *v)
{
	const struct cdg *g = v->g;
	AUTO(mem) uint32_t *rank = cdg_ranks(g, tables);

	ck_assert(cdg_climbs(g, rank));
	for (uint32_t x = 0; x < g->n; x++)
		for (uint32_t in = g->off[x]; in < g->off[x + 1]; in++)
			for (uint32_t o = g->off[x]; o < g->off[x + 1]; o++) {
				uint32_t e = g->peer[o], i = o - g->off[x];
				size_t row = (size_t)in << g->shift;

				if (g->peer[in] >> 8 == g->n ||
					e >> 8 == g->n ||
					!(g->dep[row + i / 64] >> i % 64 & 1))
					continue;
				ck_assert_msg(rank[in] < rank[g->off[e >> 8] +
								 (e & 255)],
					"%s seed %d mutation %u: no climb",
					s->kind->name, s->seed, s->mutation);
			}
}

/* Both judgements of tables that both accept are the same in every figure. */
static void
compare_judgements(const struct scene *s, const struct verify_tables *in)
{
	struct verify_tables general = *in;
	struct verify_report a, b;
	AUTO(verify_state) struct verify_state *x = NULL, *y = NULL;
	uint64_t load;

	general.ranks = NULL;
	ck_assert_int_eq(verify_keep(&general, 1, &a, &x, NULL), 0);
	ck_assert_int_eq(verify_keep(in, 1 + s->mutation % 3, &b, &y, NULL), 0);
	ck_assert(!a.by_rank && b.by_rank);
	expect_same_reports(s, &a, &b);
	expect_same_findings(s, x->g, y->g);
	expect_climb(s, in, y);
	ck_assert(verify_load(in, 1 + s->mutation % 2, &load));
	ck_assert_uint_eq(load, a.load_max);
}

static bool
is_proven(const struct verify_tables *in)
{
	struct cdg *g = cdg_new(in, NULL, NULL);
	struct certificate *c = certificate_new(g, in);
	bool proven = c != NULL && certificate_proves(c, 1);

	certificate_free(c);
	cdg_free(g);
	return proven;
}

/* The tables before and what differs lead to the same judgement. */
static void
judge_change(struct scene *s, const struct verify_tables *in,
	const struct verify_report *full, const struct verify_state *state)
{
	const struct verify_before was = {
		s->state, ranked_tables(s, s->before)};
	struct verify_report part;
	AUTO(verify_state) struct verify_state *v = NULL;
	char what[128];

	(void)snprintf(what, sizeof(what), "%s seed %d mutation %u",
		s->kind->name, s->seed, s->mutation);
	(void)verify_incremental(&was, in, 1, &part, &v, NULL);
	judgement_same_report(what, &part, full);
	judgement_same_loads(what, in->topo, v, state);
	judgement_all_dependencies(what, in->topo, v, state);
	ck_assert(part.by_rank || !part.by_change);
	if (part.by_rank)
		expect_climb(s, in, v);
	s->by_change += part.by_change;
}

/* Judge all ways. True when the certificate accepts. */
static bool
judge_both(struct scene *s, const struct verify_tables *in)
{
	struct verify_tables general = *in;
	bool proven = is_proven(in), right;
	struct verify_report out;
	struct verify_state *v;
	struct reason why = {""};

	general.ranks = NULL;
	right = verify_keep(&general, 1, &out, &v, &why) == 0;
	judge_change(s, in, &out, v);
	verify_state_unref(v);
	ck_assert_msg(right || !proven,
		"%s seed %d mutation %u: accepted, but %s", s->kind->name,
		s->seed, s->mutation, why.text);
	s->both += proven;
	s->neither += !right;
	s->judge_alone += right && !proven;
	if (proven)
		compare_judgements(s, in);
	return proven;
}

/* ---- mutations ---- */

/* A port of switch s that leads to a switch, or to anything. */
static uint8_t
choose_port(struct scene *s, sw_ix sw)
{
	const struct topo *t = s->t;
	const struct topo_switch *x = &t->sw[sw];

	if (x->nadj > 0 && rng_below(&s->r, 4) > 0)
		return t->adj[x->adj + rng_below(&s->r, x->nadj)].out;
	if (rng_below(&s->r, 4) == 0)
		return LFT_DROP;
	return (uint8_t)rng_below(&s->r, t->node[t->sw[sw].node].nports + 2U);
}

/* One entry becomes another. */
static void
mutate_entry(struct scene *s, struct routes *m)
{
	sw_ix sw = rng_below(&s->r, s->t->nsw);
	uint32_t lid = rng_below(&s->r, m->nblocks * LFT_BLOCK);

	routes_put_entry(m, sw, (uint16_t)lid, choose_port(s, sw), NULL);
}

/* An entry becomes that for another LID: most likely legal where it is. */
static void
mutate_like(struct scene *s, struct routes *m)
{
	sw_ix sw = rng_below(&s->r, s->t->nsw);
	uint16_t to = (uint16_t)(1 + rng_below(&s->r, s->t->max_lid));
	uint16_t from = (uint16_t)(1 + rng_below(&s->r, s->t->max_lid));

	routes_put_entry(m, sw, to, routes_port(m, sw, from), NULL);
}

/* A LID that no port owns gets the entries of another at most switches, or a
 * link that it goes to and fro on. */
static void
mutate_stray(struct scene *s, struct routes *m)
{
	uint32_t top = m->nblocks * LFT_BLOCK;
	uint16_t stray = (uint16_t)(top - 1 - rng_below(&s->r, 3));
	uint16_t like = (uint16_t)(1 + rng_below(&s->r, s->t->max_lid));
	const struct topo_adj *a;
	sw_ix sw = rng_below(&s->r, s->t->nsw);

	if (rng_below(&s->r, 2) == 0)
		for (sw_ix i = 0; i < s->t->nsw; i++)
			if (rng_below(&s->r, 9) > 0)
				routes_put_entry(m, i, stray,
					routes_port(m, i, like), NULL);
	if (s->t->sw[sw].nadj == 0)
		return;
	a = &s->t->adj[s->t->sw[sw].adj + rng_below(&s->r, s->t->sw[sw].nadj)];
	routes_put_entry(m, sw, stray, a->out, NULL);
	routes_put_entry(m, a->peer, stray,
		rng_below(&s->r, 3) ? a->peer_port : choose_port(s, a->peer),
		NULL);
}

/* All entries for one LID are those for another. */
static void
mutate_column(struct scene *s, struct routes *m)
{
	uint16_t to = (uint16_t)(1 + rng_below(&s->r, s->t->max_lid));
	uint16_t from = (uint16_t)(1 + rng_below(&s->r, s->t->max_lid));

	for (sw_ix i = 0; i < s->t->nsw; i++)
		if (rng_below(&s->r, 20) > 0)
			routes_put_entry(
				m, i, to, routes_port(m, i, from), NULL);
}

static void
mutate_ranks(struct scene *s)
{
	uint32_t n = s->t->nadj, *rank = s->ranks->of;

	for (unsigned i = 1 + rng_below(&s->r, 3); n > 0 && i > 0; i--)
		rank[rng_below(&s->r, n)] = rng_below(&s->r, 4) == 0
						    ? rng_below(&s->r, 2 * n)
						    : rank[rng_below(&s->r, n)];
}

static struct routes *
copy_base(const struct scene *s)
{
	struct routes *m = routes_new(s->t, s->pool);

	for (sw_ix x = 0; x < s->t->nsw; x++)
		routes_put_same(m, x, s->base, x);
	return m;
}

static void
run_mutation(struct scene *s)
{
	AUTO(routes) struct routes *m = copy_base(s);
	uint32_t *rank = mem_dup(s->ranks->of, s->t->nadj * sizeof(*rank));
	unsigned what = rng_below(&s->r, 12);
	struct verify_tables in;

	for (unsigned n = 1 + rng_below(&s->r, 3); n > 0; n--) {
		if (what < 3)
			mutate_entry(s, m);
		else if (what < 7)
			mutate_like(s, m);
		else if (what < 9)
			mutate_stray(s, m);
		else if (what == 9)
			mutate_column(s, m);
	}
	in = ranked_tables(s, m);
	if (what >= 10)
		mutate_ranks(s);
	(void)judge_both(s, &in);
	if (what >= 10)
		memcpy(s->ranks->of, rank, s->t->nadj * sizeof(*rank));
	free(rank);
}

/* The tables of the whole fabric where cables were lost. */
static void
keep_tables(struct scene *s, const struct routes *base)
{
	routes_unref(s->base);
	s->base = routes_new(s->t, s->pool);
	for (sw_ix x = 0; x < s->t->nsw; x++)
		routes_put_same(
			s->base, x, base, topo_switch_in(base->topo, s->t, x));
}

/* A mutation of tables after cables were lost: computed anew, or as before. */
static void
run_loss(struct scene *s)
{
	struct scene less = *s;
	bool *drop = mem_zalloc(s->f->ncables, sizeof(*drop));

	for (unsigned n = 1 + rng_below(&less.r, 3); n > 0; n--)
		drop[rng_below(&less.r, s->f->ncables)] = true;
	less.t = frozen_less(s->f, drop, s->t);
	route_scene(&less, s->base);
	if (rng_below(&less.r, 2) == 0)
		keep_tables(&less, s->base);
	run_mutation(&less);
	routes_unref(less.base);
	topo_unref(less.t);
	link_ranks_drop(less.ranks);
	free(drop);
	s->r = less.r;
	s->both = less.both;
	s->neither = less.neither;
	s->judge_alone = less.judge_alone;
	s->by_change = less.by_change;
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
	unsigned fabrics = 0;
	int seeds = count_seeds();

	for (s.seed = 0; s.seed < seeds; s.seed++) {
		struct verify_tables in;

		s.r = (struct rng){(uint64_t)(_i * seeds + s.seed)};
		scene_new(&s);
		s.mutation = 0;
		in = ranked_tables(&s, s.base);
		fabrics += judge_both(&s, &in);
		for (s.mutation = 1; s.mutation <= MUTATIONS; s.mutation++)
			if (s.mutation % LOSS_EACH == 0)
				run_loss(&s);
			else
				run_mutation(&s);
		scene_end(&s);
	}
	(void)printf("%-26s both accept %u, both refuse %u, the judge "
		     "alone %u; %u by change; %u of %d unchanged tables "
		     "proven\n",
		s.kind->name, s.both, s.neither, s.judge_alone, s.by_change,
		fabrics, seeds);
	ck_assert_int_eq((int)fabrics, seeds);
	ck_assert(s.both > MUTATIONS / 4 && s.neither > MUTATIONS / 4);
}

/* ---- rules one by one ---- */

/* A LID of no port goes to and fro on one link: hardware discards it.
 * Over two links it is a loop. A LID that a port owns must not. */
TEST(u_turns)
{
	struct fabric *f = shape_of("two:2:3:2:2:2");
	struct scene s = {.kind = &kinds[0], .t = frozen_topo(f, NULL)};
	const struct topo_adj *a;
	struct verify_tables in;
	struct routes *m;
	uint16_t stray;

	fabric_free(f);
	topo_unref(s.t);
	s.r = (struct rng){3};
	scene_new(&s);
	m = copy_base(&s);
	stray = (uint16_t)(m->nblocks * LFT_BLOCK - 1);
	ck_assert_uint_gt(stray, s.t->max_lid);
	a = &s.t->adj[s.t->sw[0].adj];
	routes_put_entry(m, 0, stray, a->out, NULL);
	routes_put_entry(m, a->peer, stray, a->peer_port, NULL);
	in = ranked_tables(&s, m);
	ck_assert(judge_both(&s, &in));
	routes_unref(m);
	scene_end(&s);
}

/* The port by which switch a is linked with switch b, or 0. */
static uint8_t
port_to(const struct topo *t, sw_ix a, sw_ix b)
{
	for (uint32_t i = 0; i < t->sw[a].nadj; i++)
		if (t->adj[t->sw[a].adj + i].peer == b)
			return t->adj[t->sw[a].adj + i].out;
	return 0;
}

/* The first neighbour of switch s that is not this one. */
static sw_ix
other_peer(const struct topo *t, sw_ix s, sw_ix not )
{
	uint32_t i = t->sw[s].adj;

	while (t->adj[i].peer == not )
		i++;
	ck_assert_uint_lt(i, t->sw[s].adj + t->sw[s].nadj);
	return t->adj[i].peer;
}

/*
 * A LID of no port comes back over the link it was sent by, where hardware
 * discards it. When it is sent on there instead, round a square, it is a loop,
 * in which only one entry changed.
 */
LOOP_TEST(discarded_before, 0, 2)
{
	struct scene s = {.kind = &kinds[0], .r = {3}};
	struct verify_report out;
	struct verify_tables in;
	struct verify_before was;
	struct verify_state *v;
	struct routes *m, *n;
	sw_ix ring[4];
	uint16_t stray;

	scene_new(&s);
	/* beginning at a leaf and at a spine */
	ring[0] = _i == 0 ? 0 : other_peer(s.t, 0, TOPO_NONE);
	ring[1] = other_peer(s.t, ring[0], TOPO_NONE);
	ring[2] = other_peer(s.t, ring[1], ring[0]);
	ring[3] = other_peer(s.t, ring[0], ring[1]);
	m = copy_base(&s);
	stray = (uint16_t)(m->nblocks * LFT_BLOCK - 1);
	for (unsigned i = 0; i < 4; i++)
		routes_put_entry(m, ring[i], stray,
			port_to(s.t, ring[i], ring[i == 1 ? 0 : (i + 1) % 4]),
			NULL);
	in = ranked_tables(&s, m);
	ck_assert_int_eq(verify_keep(&in, 1, &out, &v, NULL), 0);
	was = (struct verify_before){v, in};
	n = copy_base(&s);
	for (unsigned i = 0; i < 4; i++)
		routes_put_entry(n, ring[i], stray,
			port_to(s.t, ring[i], ring[(i + 1) % 4]), NULL);
	in = ranked_tables(&s, n);
	ck_assert_int_ne(verify_incremental(&was, &in, 1, &out, NULL, NULL), 0);
	ck_assert_uint_gt(out.loops, 0);
	verify_state_unref(v);
	routes_unref(m);
	routes_unref(n);
	scene_end(&s);
}

/* Without ranks, or with those of another order, nothing is proven. */
TEST(without_ranks)
{
	struct scene s = {.kind = &kinds[1]};
	struct verify_tables in;
	struct verify_report out;

	scene_new(&s);
	in = ranked_tables(&s, s.base);
	ck_assert(is_proven(&in));
	for (uint32_t i = 0; i < s.t->nadj; i++)
		s.ranks->of[i] = 7;
	ck_assert(!is_proven(&in));
	ck_assert_int_eq(verify_keep(&in, 1, &out, NULL, NULL), 0);
	ck_assert(!out.by_rank);
	in.ranks = NULL;
	ck_assert(!is_proven(&in));
	scene_end(&s);
}

const struct suite_around suite_around = {.seconds = 3600};
