/*
 * The time and memory of sets of ports beside tables: making them for a whole
 * fabric, proving them by the order of switches, and what the judge that
 * follows all dependencies takes instead, on one thread and on two; then what a
 * cable costs that is lost, and that is put back.
 * usage: sets [FABRIC...] (see shape.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/adaptive/legal_sets.h"
#include "routing/driver/compute.h"
#include "routing/verify/sets_order.h"
#include "routing/verify/verify.h"
#include "routing/verify/verify_sets.h"
#include "sm/base/mem.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"

enum { GROUPS = 2048, CABLES = 4, AGAIN = 3 };

struct bench {
	struct route_job job;
	struct route_choice *can;
};

/* CPU ms of a proof by the order of switches. */
static double
time_proof(struct routes *r, const struct verify_sets_job *judged)
{
	uint32_t *pos = mem_zalloc(r->topo->nsw, sizeof(*pos));
	const struct sets_order_claim is = {r->topo, &judged->side[0], pos};
	double start = clock_cpu_ms();

	routes_order(r, pos);
	r->sets->by_order =
		sets_order_proves(&is, judged->deps, NULL, judged->threads);
	free(pos);
	return clock_cpu_ms() - start;
}

/* CPU ms of legal sets for r, and of their judgement; r keeps them. */
static void
time_sets(struct bench *b, struct routes *r, unsigned threads)
{
	struct verify_dependencies *deps =
		verify_state_dependencies(r->verified, r->topo, UINT16_MAX);
	struct verify_sets_job judged = {.topo = r->topo,
		.side = {{r->pool, r->row, r->nblocks, NULL}},
		.nsides = 1,
		.deps = deps,
		.threads = threads};
	struct verify_sets_report found;
	struct reason why = {""};
	double wall = clock_ms(), start = clock_cpu_ms(), made, proven, judge;

	b->job.threads = threads;
	route_sets_unref(r->sets);
	r->sets = legal_sets_make(&b->job, r);
	made = clock_cpu_ms() - start;
	judged.side[0].sets = r->sets;
	proven = time_proof(r, &judged);
	wall = clock_ms() - wall;
	start = clock_cpu_ms();
	if (verify_sets(&judged, &found, &why) != 0)
		(void)printf("  FAILS: %s\n", why.text);
	judge = clock_cpu_ms() - start;
	(void)printf("  %u thread%s: made %7.1f ms, %s %7.1f, elapsed %7.1f; "
		     "judged %7.1f; %lu of %.1f ports, %lu dropped %s\n",
		threads, threads == 1 ? "" : "s", made,
		r->sets->by_order ? "proven" : "NOT PROVEN", proven, wall,
		judge, (unsigned long)found.choices,
		(double)found.options /
			(double)(found.choices > 0 ? found.choices : 1),
		(unsigned long)r->sets->dropped, r->sets->why);
	free(deps);
}

static void
print_sizes(const struct routes *r)
{
	size_t bytes = 0;
	unsigned most = 0, rows = 0;

	for (sw_ix s = 0; s < r->topo->nsw; s++) {
		const struct route_set_row *row = r->sets->row[s];

		if (row == NULL)
			continue;
		rows++;
		bytes += sizeof(*row) + row->n * sizeof(*row->set) +
			 row->ndest * sizeof(row->of[0]);
		most = row->n > most ? row->n : most;
	}
	(void)printf(
		"  %u switches, %u with sets, at most %u in one; %.1f MB\n",
		r->topo->nsw, rows, most - (most > 0), (double)bytes / 1e6);
}

static unsigned
count_shared(const struct routes *a, const struct routes *b)
{
	unsigned n = 0;

	for (sw_ix s = 0; s < b->topo->nsw; s++) {
		sw_ix o = topo_switch_in(a->topo, b->topo, s);

		n += o != TOPO_NONE && a->sets->row[o] == b->sets->row[s];
	}
	return n;
}

/* CPU ms of a computation; *out gets the routes. */
static double
time_routes(const struct route_job *job, struct routes **out)
{
	const char *engine = "ftree";
	struct route_account story;
	struct reason why = {""};
	double start = clock_cpu_ms();

	*out = compute_routes(job, &engine, 1, &story, &why);
	return clock_cpu_ms() - start;
}

static unsigned
count_renumbered(const struct topo *was, const struct topo *t)
{
	unsigned n = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		n += topo_switch_in(was, t, s) != s;
	return n;
}

/* The routes of t after prev, with what their sets cost. */
static struct routes *
time_change(const struct bench *b, const char *what, struct topo *t,
	struct routes *prev)
{
	struct route_job job = b->job;
	double plain = 1e9, with = 1e9;
	struct routes *r = NULL;

	job.topo = t;
	job.prev = prev;
	job.load_limit = 1250;
	for (unsigned i = 0; i < AGAIN; i++) {
		double ms;

		job.adaptive = NULL;
		ms = time_routes(&job, &r);
		plain = ms < plain ? ms : plain;
		routes_unref(r);
		job.adaptive = b->job.adaptive;
		ms = time_routes(&job, &r);
		with = ms < with ? ms : with;
		if (i + 1 < AGAIN)
			routes_unref(r);
	}
	(void)printf("  cable %s: %7.1f ms without sets, %7.1f with: %+.1f; "
		     "%u switches renumbered, %u rows shared, %s %s\n",
		what, plain, with, with - plain,
		count_renumbered(prev->topo, t), count_shared(prev, r),
		r->sets->by_order ? "proven" : "judged", r->sets->why);
	return r;
}

static bool
is_between_switches(const struct fabric *f, uint32_t c)
{
	return f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
	       f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;
}

/* A cable is lost from the whole fabric, and comes back. */
static void
lose_cable(
	struct bench *b, const struct fabric *f, struct routes *was, uint32_t c)
{
	bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct topo *less;
	struct routes *r, *back;

	drop[c] = true;
	less = frozen_less(f, drop, was->topo);
	r = time_change(b, "gone", less, was);
	back = time_change(b, "back", was->topo, r);
	routes_unref(back);
	routes_unref(r);
	topo_unref(less);
	free(drop);
}

/* Cables between switches, and the one of a host. */
static void
lose_cables(struct bench *b, const struct fabric *f, struct routes *was)
{
	uint32_t c;

	for (uint32_t i = 0; i < CABLES; i++) {
		c = f->ncables / CABLES * i;
		while (!is_between_switches(f, c))
			c++;
		lose_cable(b, f, was, c);
	}
	for (c = f->ncables - 1; is_between_switches(f, c);)
		c--;
	(void)printf("  a host:\n");
	lose_cable(b, f, was, c);
}

static void
bench_fabric(const char *name)
{
	const struct frozen_lids lids = {0};
	struct reason why = {""};
	struct fabric *f = shape_load(name, "../shared/fixtures", &why);
	struct route_account story;
	const char *engine = "ftree";
	struct route_adaptive adaptive = {.default_first = true};
	struct bench b = {0};
	struct routes *r;

	if (f == NULL) {
		(void)fprintf(stderr, "%s: %s\n", name, why.text);
		return;
	}
	b.job = (struct route_job){.topo = frozen_topo(f, &lids),
		.pool = lft_pool_new(),
		.threads = 2};
	r = compute_routes(&b.job, &engine, 1, &story, &why);
	b.can = mem_zalloc(b.job.topo->nsw, sizeof(*b.can));
	for (sw_ix s = 0; s < b.job.topo->nsw; s++)
		b.can[s] = (struct route_choice){ROUTE_COMMITS, GROUPS};
	adaptive.can = b.can;
	b.job.adaptive = &adaptive;
	(void)printf("%s: %u LIDs\n", name, b.job.topo->max_lid);
	time_sets(&b, r, 1);
	time_sets(&b, r, 2);
	print_sizes(r);
	lose_cables(&b, f, r);
	routes_unref(r);
	topo_unref(b.job.topo);
	lft_pool_free(b.job.pool);
	free(b.can);
	fabric_free(f);
}

int
main(int argc, char **argv)
{
	static const char *const usual[] = {
		"648:18:18", "three:24", "three:36", "three:56"};

	for (int i = 1; i < argc; i++)
		bench_fabric(argv[i]);
	for (unsigned i = 0; argc == 1 && i < 4; i++)
		bench_fabric(usual[i]);
	return 0;
}
