/*
 * Tables of engines whose paths climb in orders: figures for fabrics with some
 * links out. One line each:
 *
 *	fabric engine out/% seed: worst load, saturation (hosts - 1 over the
 *	worst load, at most 1), effective bisection bandwidth, layers, VLs, CPU
 *	milliseconds; then what the judge of the unit tests found: pairs that do
 *	not arrive, pairs of other layers back, channels on cycles
 *
 * usage: orders ENGINE[,ENGINE...] FABRIC [OUT/% [SEED [SEEDS]]]
 *
 * FABRIC: torusAxBx..., hyperxAxB:HOSTS, dragonflyA:P:H, slimflyQ:HOSTS,
 * randomN:DEGREE:HOSTS, meshAxB... ENGINE: by name; nueN: nue on N layers
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "routing/engines/nue/nue.h"
#include "routing/measure/bandwidth.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/routing/channel_judge.h"

enum { TRIALS = 200 };

/* The numbers in a name; returns how many. */
static unsigned
read_numbers(const char *s, unsigned *out, unsigned most)
{
	static const char digits[] = "0123456789";
	unsigned n = 0;

	for (s += strcspn(s, digits); *s != '\0' && n < most;
		s += strcspn(s, digits)) {
		out[n++] = (unsigned)strtoul(s, NULL, 10);
		s += strspn(s, digits);
	}
	return n;
}

static struct fabric *
make_fabric(const char *name, struct reason *why)
{
	unsigned a[8] = {0}, n = read_numbers(name, a, 8);

	if (strncmp(name, "torus", 5) == 0)
		return gen_grid(a, n, true, 1, why);
	if (strncmp(name, "mesh", 4) == 0)
		return gen_grid(a, n, false, 1, why);
	if (strncmp(name, "hyperx", 6) == 0)
		return gen_hyperx(a, n - 1, a[n - 1], why);
	if (strncmp(name, "dragonfly", 9) == 0)
		return gen_dragonfly(a[0], a[1], a[2], why);
	if (strncmp(name, "slimfly", 7) == 0)
		return gen_slimfly(a[0], a[1], why);
	return gen_random(a[0], a[1], a[2], 1, why);
}

static uint32_t
count_cables(const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < f->ncables; c++)
		n += f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
		     f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;
	return n;
}

static void
print_figures(struct routes *r, double ms)
{
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct channel_verdict v = channel_judge(r);
	struct bandwidth_ebb ebb;
	uint64_t load = 0;

	(void)verify_load(&in, 1, &load);
	bandwidth_ebb(&in, TRIALS, 1, &ebb);
	printf("load %llu sat %.3f eBB %.3f layers %u VLs %u ms %.0f",
		(unsigned long long)load,
		fmin(1, (ebb.hosts - 1.0) / (double)load), ebb.mean,
		r->layers.n, v.groups, ms);
	printf(" | lost %llu asymmetric %llu cyclic %llu | 0: %.2f%% | %s\n",
		(unsigned long long)v.lost, (unsigned long long)v.asymmetric,
		(unsigned long long)v.cyclic,
		100.0 * (double)v.used[0] /
			((double)r->topo->nsw * (r->topo->nsw - 1)),
		r->note);
}

static void
measure_engine(const char *name, struct topo *t)
{
	const char *number = name + strcspn(name, "0123456789");
	const struct nue_options own = {
		args_said(*number != '\0' ? number : NULL, 4)};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine *e =
		*number != '\0' ? &engine_nue : registry_find(name);
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = 1};
	struct lft_pool *pool = lft_pool_new();
	struct route_job job = {.topo = t, .pool = pool, .options = &options};
	struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;
	double began = clock_cpu_ms();

	printf("%-8s ", name);
	if (e == NULL || e->route(&job, false, 0, a, &r, &why) != ENGINE_OK)
		printf("refused: %s\n", why.text);
	else
		print_figures(r, clock_cpu_ms() - began);
	routes_unref(r);
	arena_free(a);
	lft_pool_free(pool);
}

int
main(int argc, char **argv)
{
	const struct frozen_lids lids = {.shuffle = 5};
	double out = argc > 3 ? strtod(argv[3], NULL) : 0;
	uint32_t seed = args_number(argc, argv, 4, 1);
	uint32_t seeds = args_number(argc, argv, 5, 1);

	if (argc < 3)
		return 2;
	for (uint32_t s = seed; s < seed + seeds; s++) {
		struct reason why = {""};
		struct fabric *f = make_fabric(argv[2], &why);
		char *names = mem_strdup(argv[1]), *save = NULL;
		struct topo *t;

		if (f != NULL && out > 0)
			f = gen_edit_fail_links(f,
				(unsigned)(count_cables(f) * out / 100 + 0.5),
				s, true, &why);
		if (f == NULL) {
			fprintf(stderr, "%s\n", why.text);
			return 1;
		}
		t = frozen_topo(f, &lids);
		for (char *n = strtok_r(names, ",", &save); n != NULL;
			n = strtok_r(NULL, ",", &save)) {
			printf("%s %g%% %u ", argv[2], out, s);
			measure_engine(n, t);
			fflush(stdout);
		}
		free(names);
		topo_unref(t);
		fabric_free(f);
	}
	return 0;
}
