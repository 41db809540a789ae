/*
 * The time of the verifier: the general judge beside the certificate, for
 * tables with and without ranks; for all of a fabric's tables, on one thread
 * and on two; and after one failed cable, from the previous state. usage:
 * verify [FABRIC...] (see shape.h)
 *
 * What is no tree is routed in layers, by the engine made for it or else by
 * nue. After one failed cable, several of them one after the other,
 * there is the time of the engine, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/engines/nue/nue.h"
#include "routing/verify/certificate.h"
#include "sm/base/mem.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"

enum { LAYERS = 4, CABLES = 6 };

static struct verify_tables
tables_of(const struct routes *r)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
}

static struct routes *
compute_one(struct topo *t, struct lft_pool *pool, const struct routes *prev)
{
	const struct route_job job = {.topo = t, .pool = pool, .prev = prev};
	struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	if (engine_updn.route(&job, prev != NULL, 0, a, &r, &why) != ENGINE_OK)
		(void)fprintf(stderr, "refused: %s\n", why.text);
	arena_free(a);
	return r;
}

static struct verify_state *
verify_all(const struct verify_tables *in, unsigned threads)
{
	struct verify_report out;
	struct verify_state *v;
	struct reason why = {""};
	double t = clock_ms(), cpu = clock_cpu_ms();

	if (verify_keep(in, threads, &out, &v, &why) != 0)
		(void)printf("  FAILS: %s\n", why.text);
	(void)printf("  full, %u thread%s: %8.1f ms, %8.1f of CPU, load %lu\n",
		threads, threads == 1 ? "" : "s", clock_ms() - t,
		clock_cpu_ms() - cpu, (unsigned long)out.load_max);
	return v;
}

static void
verify_change(const struct routes *was, const struct verify_state *state,
	const struct routes *is, const char *what)
{
	const struct verify_before before = {state, tables_of(was)};
	struct link_ranks *ranks = routes_link_ranks(is);
	struct verify_tables in = tables_of(is);
	struct verify_report out;
	struct verify_state *v;
	struct reason why = {""};
	double best = 0;

	in.ranks = ranks;

	for (unsigned i = 0; i < 5; i++) {
		double t = clock_cpu_ms();

		if (verify_incremental(&before, &in, 1, &out, &v, &why) != 0)
			(void)printf("  FAILS: %s\n", why.text);
		t = clock_cpu_ms() - t;
		best = i == 0 || t < best ? t : best;
		verify_state_unref(v);
	}
	(void)printf("  %s: %8.1f ms of CPU%s, load %lu, %lu entries changed\n",
		what, best, out.by_change ? "" : " IN FULL",
		(unsigned long)out.load_max,
		(unsigned long)is->entries_changed);
	link_ranks_drop(ranks);
}

/* Let a cable fail, between switches or to a host. */
static void
fail_one_cable(const struct fabric *f, const struct routes *was,
	const struct verify_state *state, bool host)
{
	bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	uint32_t c = f->ncables / 2;
	struct topo *t;
	struct routes *r;

	while (host !=
		(f->node[f->cable[c].node[0]].type != FABRIC_SWITCH ||
			f->node[f->cable[c].node[1]].type != FABRIC_SWITCH))
		c++;
	drop[c] = true;
	t = frozen_less(f, drop, was->topo);
	r = compute_one(t, was->pool, was);
	verify_change(was, state, r, host ? "one host gone" : "one cable gone");
	routes_unref(r);
	topo_unref(t);
	free(drop);
}

/* The same tables, with no block shared. */
static struct routes *
unshare_blocks(const struct routes *r)
{
	struct routes *own = routes_new(r->topo, r->pool);
	uint8_t *row = mem_alloc((size_t)r->nblocks * LFT_BLOCK);

	for (sw_ix s = 0; s < r->topo->nsw; s++) {
		for (uint32_t b = 0; b < r->nblocks; b++)
			memcpy(row + (size_t)b * LFT_BLOCK,
				routes_block(r, s, b), LFT_BLOCK);
		routes_put_row(own, s, row, NULL, TOPO_NONE);
	}
	free(row);
	return own;
}

/* What is timed: one run of it on these tables. */
typedef void timed(const struct verify_tables *in);

static void
time_judge(const struct verify_tables *in)
{
	struct verify_report out;
	struct verify_state *v;

	if (verify_keep(in, 1, &out, &v, NULL) != 0 ||
		out.by_rank != (in->ranks != NULL))
		(void)printf("  NOT PROVEN\n");
	verify_state_unref(v);
}

static void
time_proof(const struct verify_tables *in)
{
	struct cdg *g = cdg_new(in, NULL, NULL);
	struct certificate *c = certificate_new(g, in);

	if (c == NULL || !certificate_proves(c, 1))
		(void)printf("  NOT PROVEN\n");
	certificate_free(c);
	cdg_free(g);
}

static void
time_loads(const struct verify_tables *in)
{
	uint64_t load;

	(void)verify_load(in, 1, &load);
}

/* CPU time in ms, the best of some runs. */
static double
best_of(timed *run, const struct verify_tables *in)
{
	double best = 0;

	for (unsigned i = 0; i < 3; i++) {
		double t = clock_cpu_ms();

		run(in);
		t = clock_cpu_ms() - t;
		best = i == 0 || t < best ? t : best;
	}
	return best;
}

/* Pairs of switches go round n layers. */
static struct route_layers
spread_pairs(uint32_t nsw, uint8_t n)
{
	struct route_layers l = {.n = n, .nsw = nsw};

	for (sw_ix d = 0; d < nsw; d++) {
		struct layer_row *row = layer_row_new(nsw);

		for (sw_ix s = 0; s < nsw; s++)
			layer_row_put(row, s, (uint8_t)((s + d) % n));
		route_layers_put(&l, d, row, NULL);
	}
	return l;
}

/* The same tables with pairs in several layers. */
static void
compare_layered(const struct verify_tables *in, const struct link_ranks *ranks)
{
	struct route_layers l = spread_pairs(in->topo->nsw, 4);
	struct verify_tables layered = *in;
	double judge, by_rank;

	layered.layers = &l;
	layered.ranks = NULL;
	judge = best_of(time_judge, &layered);
	layered.ranks = ranks;
	by_rank = best_of(time_judge, &layered);
	(void)printf("  4 layers %5.1f ms of CPU, with ranks %6.1f: %.1f "
		     "times\n",
		judge, by_rank, judge / by_rank);
	route_layers_free(&l);
}

/* The general judge beside the certificate, in one run. */
static void
compare_certificate(const struct routes *r)
{
	struct verify_tables in = tables_of(r), ranked = in, own;
	struct link_ranks *ranks = routes_link_ranks(r);
	struct routes *unshared = unshare_blocks(r);
	double judge, by_rank, proof, apart, loads, order;

	in.layers = NULL;
	ranked.layers = NULL;
	ranked.ranks = ranks;
	own = ranked;
	own.row = unshared->row;
	judge = best_of(time_judge, &in);
	by_rank = best_of(time_judge, &ranked);
	proof = best_of(time_proof, &ranked);
	apart = best_of(time_proof, &own);
	loads = best_of(time_loads, &in);
	order = best_of(time_loads, &ranked);
	(void)printf("  judge %8.1f ms of CPU, with ranks %6.1f: %.1f times\n",
		judge, by_rank, judge / by_rank);
	(void)printf("  proof %8.1f: %.1f times, %.1f with no block shared: "
		     "%.1f times\n",
		proof, judge / proof, apart, judge / apart);
	(void)printf("  loads %8.1f, with ranks %6.1f: %.1f times\n", loads,
		order, loads / order);
	compare_layered(&in, ranks);
	routes_unref(unshared);
	link_ranks_drop(ranks);
}

/* ---- layers ---- */

/* The engine for what is no tree; NULL: it is one, or a fixture. */
static const struct engine *
engine_of(const char *fabric)
{
	static const char *const by[][2] = {{"torus", "torus"},
		{"dragonfly", "dragonfly"}, {"mesh", "nue"}, {"hyperx", "nue"},
		{"slimfly", "nue"}, {"petersen", "nue"}, {"random", "nue"}};

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++)
		if (strncmp(fabric, by[i][0], strlen(by[i][0])) == 0)
			return registry_find(by[i][1]);
	return NULL;
}

static struct routes *
compute_layers(const char *fabric, struct topo *t, struct lft_pool *pool,
	const struct routes *prev)
{
	static const struct nue_options own = {LAYERS};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = 1};
	const struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .options = &options};
	struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	if (engine_of(fabric)->route(&job, prev != NULL, 0, a, &r, &why) !=
		ENGINE_OK)
		(void)fprintf(stderr, "refused: %s\n", why.text);
	arena_free(a);
	return r;
}

/* Cables between switches fail, one after the other. */
static void
fail_cables(const char *name, const struct fabric *f, struct routes *r,
	struct verify_state *v)
{
	bool *drop = mem_zalloc(f->ncables, sizeof(*drop));

	(void)routes_ref(r);
	(void)verify_state_ref(v);
	for (uint32_t i = 0, c = f->ncables / 2; i < CABLES; i++, c += 7) {
		struct verify_before was = {v, tables_of(r)};
		struct verify_tables in;
		struct verify_report out;
		struct verify_state *next;
		struct reason why = {""};
		struct routes *less;
		struct topo *t;
		double took, engine = clock_cpu_ms();

		while (f->node[f->cable[c].node[0]].type != FABRIC_SWITCH ||
			f->node[f->cable[c].node[1]].type != FABRIC_SWITCH)
			c++;
		drop[c] = true;
		t = frozen_less(f, drop, r->topo);
		engine = clock_cpu_ms();
		less = compute_layers(name, t, r->pool, r);
		took = clock_cpu_ms();
		engine = took - engine;
		in = tables_of(less);
		in.ranks = less->link_ranks;
		if (verify_incremental(&was, &in, 1, &out, &next, &why) != 0)
			(void)printf("  FAILS: %s\n", why.text);
		(void)printf("  cable gone: engine %7.1f ms of CPU, verifier "
			     "%7.1f%s, %lu entries changed\n",
			engine, clock_cpu_ms() - took,
			out.by_change ? "" : " IN FULL",
			(unsigned long)less->entries_changed);
		routes_unref(r);
		verify_state_unref(v);
		topo_unref(t);
		r = less;
		v = next;
	}
	routes_unref(r);
	verify_state_unref(v);
	free(drop);
}

static void
bench_layers(const char *name, struct fabric *f)
{
	struct lft_pool *pool = lft_pool_new();
	struct topo *t = frozen_topo(f, NULL);
	struct routes *r = compute_layers(name, t, pool, NULL);
	struct verify_tables in = tables_of(r), ranked = in;
	struct verify_state *v;
	double judge;

	(void)printf("%s: %u LIDs, %u switches, %u layers on %u VLs\n", name,
		t->max_lid, t->nsw, r->layers.n,
		route_layers_groups(&r->layers));
	ranked.ranks = r->link_ranks;
	judge = best_of(time_judge, &in);
	(void)printf("  judge %8.1f ms of CPU, with ranks %6.1f\n", judge,
		best_of(time_judge, &ranked));
	v = verify_all(&ranked, 1);
	fail_cables(name, f, r, v);
	verify_state_unref(v);
	routes_unref(r);
	topo_unref(t);
	fabric_free(f);
	lft_pool_free(pool);
}

/* ---- one fabric ---- */

static void
bench_fabric(const char *name)
{
	struct reason why = {""};
	struct fabric *f = shape_load(name, "../shared/fixtures", &why);
	struct lft_pool *pool;
	struct link_ranks *ranks;
	struct verify_tables in;
	struct verify_state *v;
	struct topo *t;
	struct routes *r;

	if (f == NULL) {
		(void)fprintf(stderr, "%s: %s\n", name, why.text);
		return;
	}
	if (engine_of(name) != NULL) {
		bench_layers(name, f);
		return;
	}
	pool = lft_pool_new();
	t = frozen_topo(f, NULL);
	r = compute_one(t, pool, NULL);
	(void)printf("%s: %u LIDs, %u switches\n", name, t->max_lid, t->nsw);
	compare_certificate(r);
	in = tables_of(r);
	verify_state_unref(verify_all(&in, 1));
	verify_state_unref(verify_all(&in, 2));
	ranks = routes_link_ranks(r);
	in.ranks = ranks;
	v = verify_all(&in, 2);
	link_ranks_drop(ranks);
	fail_one_cable(f, r, v, false);
	fail_one_cable(f, r, v, true);
	verify_state_unref(v);
	routes_unref(r);
	topo_unref(t);
	fabric_free(f);
	lft_pool_free(pool);
}

int
main(int argc, char **argv)
{
	static const char *const all[] = {"three:24", "three:24,fail=1",
		"three:36", "three:36,fail=1", "three:56", "three:56,fail=1"};

	for (int i = 1; i < argc; i++)
		bench_fabric(argv[i]);
	for (size_t i = 0; argc == 1 && i < sizeof(all) / sizeof(*all); i++)
		bench_fabric(all[i]);
	return 0;
}
