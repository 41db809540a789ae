/*
 * digest: one line per fabric, engine and event with a hash of the tables -
 * fresh, after cables failed one by one, after they came back, and where the
 * previous tables were read from the switches - so that a change that must not
 * change results can be compared with the program before it.
 *
 * usage: digest [FIXTURES [FABRIC...]] (see shape.h), with HEDDLE_THREADS
 * threads, or one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/updown/updown_state.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/bench/args.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"

enum { EVENTS = 6 };

static uint64_t
hash_routes(const struct routes *r)
{
	uint64_t h = hash_mix(updown_state_sftree_root(r), r->layers.n);

	for (sw_ix s = 0; s < r->topo->nsw; s++) {
		h = hash_mix(h, r->rank[s]);
		for (uint32_t b = 0; b < r->nblocks; b++)
			for (unsigned i = 0; i < LFT_BLOCK; i += 8) {
				uint64_t x;

				memcpy(&x, routes_block(r, s, b) + i, 8);
				h = hash_mix(h, x);
			}
	}
	return h;
}

static void
print_result(const char *name, const char *what, const struct routes *r,
	const struct reason *why)
{
	if (r == NULL)
		(void)printf("%s %s: none, %s\n", name, what, why->text);
	else
		(void)printf("%s %s: %s %016llx load %llu mean %.3f, kept "
			     "%llu, changed %llu\n",
			name, what, r->engine,
			(unsigned long long)hash_routes(r),
			(unsigned long long)r->report.load_max,
			r->report.load_mean,
			(unsigned long long)r->entries_kept,
			(unsigned long long)r->entries_changed);
}

static struct routes *
compute_one(struct topo *t, const struct routes *prev, struct lft_pool *pool,
	const char *engine, struct reason *why)
{
	const struct route_job job = {.topo = t,
		.pool = pool,
		.prev = prev,
		.load_limit = 1250,
		.threads = args_said(getenv("HEDDLE_THREADS"), 1)};
	struct route_account story;

	return compute_routes(&job, &engine, 1, &story, why);
}

/* Route the fabric, then remove cables one by one, and return all. */
static void
run_events(const struct fabric *f, const char *name, const char *engine)
{
	struct lft_pool *pool = lft_pool_new();
	struct topo *t = frozen_topo(f, &(struct frozen_lids){.found = true});
	bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct rng rng = {1};
	struct reason why = {""};
	char text[512], what[32];
	struct routes *r = compute_one(t, NULL, pool, engine, &why);

	(void)snprintf(text, sizeof(text), "%s %s", name, engine);
	print_result(text, "fresh", r, &why);
	for (unsigned i = 0; r != NULL && i < EVENTS; i++) {
		struct topo *was = t;
		struct routes *next;
		uint32_t c = rng_below(&rng, f->ncables);

		drop[c] = i != EVENTS - 1; /* the last event: all are back */
		if (i == EVENTS - 1)
			memset(drop, 0, f->ncables * sizeof(*drop));
		t = frozen_less(f, drop, was);
		topo_unref(was);
		next = compute_one(t, r, pool, engine, &why);
		(void)snprintf(what, sizeof(what), "event %u", i);
		print_result(text, what, next, &why);
		if (next != NULL && i % 2 == 0) { /* a restart in between */
			r->engine = "found";
			routes_unref(next);
			next = compute_one(t, r, pool, engine, &why);
			print_result(text, "  from switches", next, &why);
		}
		routes_unref(r);
		r = next;
	}
	routes_unref(r);
	topo_unref(t);
	free(drop);
	lft_pool_free(pool);
}

int
main(int argc, char **argv)
{
	static const char *const all[] = {"648:18:18", "648:17:1", "648:5:1",
		"racks:24:24", "racks:24:24,fail=85", "racks:12:12,rails",
		"648:18:18,fail=34", "648:18:18,pairs", "648:18:18,sharp",
		"two:8:16:24,pairs", "two:3:4:6", "three:8", "three:12,fail=9",
		"three:16,fail=60,seed=3", "3456:12:12", "3456:7:1",
		"3456:12:12,fail=69", "random:64:6:4", "torus:8x8x8",
		"dragonfly:8:4:4", "ufm-sdk-small", "ibtopotool-4-sun-dcs36",
		"ibtopotool-3-mixed-selfloop", "topograph-ndr-gb200",
		"ufm-sdk-selene-compute"};
	static const char *const engines[] = {"ftree", "updn"};
	const char *fixtures = argc > 1 ? argv[1] : "../shared/fixtures";
	size_t n = sizeof(all) / sizeof(*all);

	for (size_t i = 0; i < (argc > 2 ? (size_t)argc - 2 : n); i++) {
		const char *name = argc > 2 ? argv[i + 2] : all[i];
		struct reason why = {""};
		struct fabric *f = shape_load(name, fixtures, &why);

		for (size_t e = 0; f != NULL && e < 2; e++)
			run_events(f, name, engines[e]);
		if (f == NULL)
			(void)printf("%s: skipped: %s\n", name, why.text);
		fabric_free(f);
		(void)fflush(stdout);
	}
	return 0;
}
