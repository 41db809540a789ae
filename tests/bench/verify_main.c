/*
 * The time of the verifier: for all of a fabric's tables, on one thread and on
 * two; and after one failed cable, from the previous state. usage: verify
 * [K...], K being the ports of the switches of a three-level fat tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"

static struct verify_tables
tables_of(const struct routes *r)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers};
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
verify_all(const struct routes *r, unsigned threads)
{
	const struct verify_tables in = tables_of(r);
	struct verify_report out;
	struct verify_state *v;
	struct reason why = {""};
	double t = clock_ms(), cpu = clock_cpu_ms();

	if (verify_keep(&in, threads, &out, &v, &why) != 0)
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
	const struct verify_tables in = tables_of(is);
	struct verify_report out;
	struct verify_state *v;
	struct reason why = {""};
	double best = 0;

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

static void
bench_tree(unsigned k)
{
	struct lft_pool *pool = lft_pool_new();
	struct reason why;
	struct fabric *f = gen_tree_three(k, &why);
	struct verify_state *v;
	struct topo *t;
	struct routes *r;

	if (f == NULL) {
		(void)fprintf(stderr, "%u: %s\n", k, why.text);
		return;
	}
	t = frozen_topo(f, NULL);
	r = compute_one(t, pool, NULL);
	(void)printf("k = %u: %u LIDs, %u switches\n", k, t->max_lid, t->nsw);
	verify_state_unref(verify_all(r, 1));
	v = verify_all(r, 2);
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
	for (int i = 1; i < argc; i++)
		bench_tree((unsigned)strtoul(argv[i], NULL, 10));
	if (argc == 1) {
		bench_tree(24);
		bench_tree(36);
		bench_tree(56);
	}
	return 0;
}
