/*
 * The time of route computation, next to a memset of the same bytes, and the
 * quality of the routes; with HEDDLE_THREADS threads, or one.
 *
 * usage: route [FIXTURES] [NAME...]
 *        route --row NAME...	ftree alone, one line of figures each:
 *	name switches LIDs tables/KiB memset fresh one-cable verify change less
 *	found, milliseconds: fresh and after one failed cable by the clock, the
 *	verifier in full and by the change; after that cable, fresh tables, and
 *	kept ones where the previous tables were read from the switches. Without
 *	NAME: the trees of three tiers, each intact and with 1 % of its cables
 *	failed
 *        route --fresh TIMES NAME...	ftree alone, fresh, TIMES times after
 *	the first: name threads, the least and the median of the clock, the
 *	least of all threads' CPU (milliseconds), and the fewest page faults;
 *	with HEDDLE_FRUGAL on a heap like the daemon's
 *        route --keep TIMES NAME...	the same of kept tables after one failed
 *	cable alone
 *        route --host TIMES NAME...	the same of kept tables after one host
 *	came back
 *        route --whole TIMES NAME...	both, verified, with disjoint paths for
 *	multi-port nodes and rebalanced links
 *
 * NAME: see shape.h
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "routing/core/engine.h"
#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/measure/bandwidth.h"
#include "routing/updown/updown_state.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"

/* Keeping is short: the least of many is without disturbance. */
enum { KEEPS = 10 };

/* The least times of several runs. */
struct cost {
	double ms, cpu;
};

struct result {
	struct cost first, route, less, found, keep, all;
	double verify, change, memset;
	struct routes *r;
	struct verify_report report;
	struct bandwidth_ebb ebb;
	struct bandwidth_shift shift;
	char changed[64];
	bool brief; /* without the quality of the routes */
};

static void
take_least(struct cost *c, double ms, double cpu)
{
	if (c->ms == 0 || ms < c->ms)
		c->ms = ms;
	if (c->cpu == 0 || cpu < c->cpu)
		c->cpu = cpu;
}

static struct routes *
run_engine(const struct engine *e, struct route_job *job, bool keep,
	struct cost *c)
{
	struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;
	double t = clock_ms(), cpu = clock_cpu_ms();

	if (e->route(job, keep, 0, a, &r, &why) != ENGINE_OK)
		(void)printf("  %s refused: %s\n", e->module.name, why.text);
	take_least(c, clock_ms() - t, clock_cpu_ms() - cpu);
	arena_free(a);
	return r;
}

/* Time of the incremental verifier for the job's topology. */
static void
judge_change(const struct engine *e, struct route_job *job, struct result *x)
{
	struct cost c = {0};
	struct routes *r = run_engine(e, job, true, &c);
	const struct routes *was = x->r;
	const struct verify_before before = {
		was->verified, {was->topo, was->pool, was->row, was->nblocks,
				       &was->layers, NULL}};
	struct verify_state *v = NULL;
	struct verify_report out;
	struct link_ranks *ranks;
	struct reason why;
	double t;

	if (r == NULL)
		return;
	t = clock_ms();
	ranks = routes_link_ranks(r);
	(void)verify_incremental(&before,
		&(struct verify_tables){r->topo, r->pool, r->row, r->nblocks,
			&r->layers, ranks},
		job->threads, &out, &v, &why);
	link_ranks_drop(ranks);
	t = clock_ms() - t;
	x->change = x->change == 0 || t < x->change ? t : x->change;
	verify_state_unref(v);
	routes_unref(r);
}

/* Number of links from a switch to nearer ones. */
static unsigned
ways_home(const struct topo *t, const struct fabric_node *x)
{
	node_ix n = topo_by_node_guid(t, x->guid);
	const struct topo_switch *sw = &t->sw[t->node[n].sw];
	unsigned ways = 0;

	for (uint32_t i = 0; i < sw->nadj; i++) {
		sw_ix peer = t->adj[sw->adj + i].peer;

		ways += t->node[t->sw[peer].node].hops < t->node[n].hops;
	}
	return ways;
}

/*
 * True if the cable is between switches and no end's only link to a nearer one,
 * so that all switches keep their distances and numbers.
 */
static bool
is_plain(const struct fabric *f, const struct topo *t, uint32_t c)
{
	for (unsigned k = 0; k < 2; k++) {
		const struct fabric_node *x = &f->node[f->cable[c].node[k]];

		if (x->type != FABRIC_SWITCH || ways_home(t, x) == 1)
			return false;
	}
	return true;
}

/* The job's fabric without one cable between switches; for topo_unref. */
static struct topo *
one_less(const struct fabric *f, const struct topo *was)
{
	bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	uint32_t c = f->ncables / 2; /* not at the sFtree root */
	struct fabric *less;
	struct topo *t;

	for (uint32_t i = 0; i < f->ncables && !is_plain(f, was, c); i++)
		c = (c + 1) % f->ncables;
	drop[c] = true;
	less = fabric_rebuild(f, &edit);
	t = frozen_again(less, was, 0);
	fabric_free(less);
	free(drop);
	return t;
}

/* The same job with one failed cable: kept, kept from tables that were found,
 * and fresh. */
static void
one_failed(const struct engine *e, struct route_job *job,
	const struct fabric *f, struct result *x)
{
	struct topo *was = job->topo;
	const char *engine = x->r->engine;

	job->topo = one_less(f, was);
	job->prev = x->r;
	for (unsigned i = 0; i < KEEPS; i++) {
		struct routes *r = run_engine(e, job, true, &x->keep);

		(void)snprintf(x->changed, sizeof(x->changed), "%llu entries",
			(unsigned long long)(r ? r->entries_changed : 0));
		routes_unref(r);
	}
	for (unsigned i = 0; x->r->verified != NULL && i < 3; i++)
		judge_change(e, job, x);
	for (unsigned i = 0; x->r->verified != NULL && i < 3; i++) {
		struct route_account story;
		struct reason why;
		double at = clock_ms(), cpu = clock_cpu_ms();

		routes_unref(
			compute_routes(job, &e->module.name, 1, &story, &why));
		take_least(&x->all, clock_ms() - at, clock_cpu_ms() - cpu);
	}
	x->r->engine = "found";
	for (unsigned i = 0; i < 3; i++)
		routes_unref(run_engine(e, job, true, &x->found));
	x->r->engine = engine;
	job->prev = NULL;
	for (unsigned i = 0; i < 3; i++)
		routes_unref(run_engine(e, job, false, &x->less));
	topo_unref(job->topo);
	job->topo = was;
}

/* The fabric without one host, not the SM's; for topo_unref. */
static struct topo *
one_host_less(const struct fabric *f, const struct topo *was)
{
	bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
	struct fabric_edit edit = {.drop_node = drop};
	uint32_t n = f->nnodes / 2;
	struct fabric *less;
	struct topo *t;

	while (f->node[n].type == FABRIC_SWITCH || n == fabric_first_host(f))
		n = (n + 1) % f->nnodes;
	drop[n] = true;
	less = fabric_rebuild(f, &edit);
	t = frozen_again(less, was, 0);
	fabric_free(less);
	free(drop);
	return t;
}

static size_t
table_bytes(const struct topo *t)
{
	return (size_t)t->nsw * (t->max_lid / LFT_BLOCK + 1U) * LFT_BLOCK;
}

static bool
measure_engine(const struct engine *e, const struct fabric *f, struct topo *t,
	struct result *x)
{
	struct lft_pool *pool = lft_pool_new();
	struct route_job job = {.topo = t,
		.pool = pool,
		.threads = args_said(getenv("HEDDLE_THREADS"), 1),
		.load_limit = 1250};
	size_t bytes = table_bytes(t);
	uint8_t *floor = mem_alloc(bytes);
	struct verify_tables in;
	struct reason why = {""};
	struct link_ranks *ranks;

	for (unsigned i = 0; i < 4; i++) {
		double at = clock_ms();

		memset(floor, (int)i, bytes);
		__asm__ volatile("" : : "r"(floor) : "memory");
		x->memset = clock_ms() - at;
		routes_unref(x->r);
		x->r = run_engine(
			e, &job, false, i == 0 ? &x->first : &x->route);
		if (x->r == NULL)
			break;
	}
	free(floor);
	if (x->r == NULL) {
		lft_pool_free(pool);
		return false;
	}
	x->verify = clock_ms();
	ranks = routes_link_ranks(x->r);
	in = (struct verify_tables){
		t, pool, x->r->row, x->r->nblocks, &x->r->layers, ranks};
	if (verify_keep(&in, job.threads, &x->report, &x->r->verified, &why) <
		0)
		(void)printf("  FAILS: %s\n", why.text);
	x->verify = clock_ms() - x->verify;
	link_ranks_drop(ranks);
	in.ranks = NULL;
	x->r->fresh_load = x->report.load_max;
	one_failed(e, &job, f, x);
	if (!x->brief) {
		bandwidth_ebb(&in, 20, 1, &x->ebb);
		bandwidth_shift(
			&in, t->max_lid < 5000 ? 100 : 10, 1, &x->shift);
		(void)printf("  %-6s %s, turn leaf %d, %u blocks of %zu\n",
			e->module.name, x->r->note,
			(int)updown_state_sftree_root(x->r), pool->live,
			bytes / 64);
	}
	routes_unref(x->r);
	lft_pool_free(pool);
	return true;
}

static void
print_engine(const struct engine *e, const struct fabric *f, struct topo *t)
{
	struct result x = {0};

	if (!measure_engine(e, f, t, &x))
		return;
	(void)printf("         first %.1f, route %.1f (CPU %.1f), memset %.2f, "
		     "verify %.1f ms\n",
		x.first.ms, x.route.ms, x.route.cpu, x.memset, x.verify);
	(void)printf("         one cable failed: kept %.2f (CPU %.2f; %s), "
		     "and judged %.2f (CPU %.2f), of found ones %.1f ms\n",
		x.keep.ms, x.keep.cpu, x.changed, x.all.ms, x.all.cpu,
		x.found.ms);
	(void)printf("         load max %llu (\"%s\" port %u) of %u hosts, "
		     "mean %.0f, eBB %.3f, shift %u, hops max %u mean %.2f\n",
		(unsigned long long)x.report.load_max,
		x.report.load_sw < t->nsw
			? topo_desc(t, t->sw[x.report.load_sw].node)
			: "",
		x.report.load_port, x.ebb.hosts, x.report.load_mean, x.ebb.mean,
		x.shift.worst, x.report.hops_max, x.report.hops_mean);
}

static void
print_brief(const char *name, const struct fabric *f, struct topo *t)
{
	struct result x = {.brief = true};

	if (!measure_engine(&engine_ftree, f, t, &x))
		return;
	(void)printf("%s %u %u %zu %.4f %.2f %.2f %.1f %.2f %.2f %.2f\n", name,
		t->nsw, t->max_lid, table_bytes(t) / 1024, x.memset, x.route.ms,
		x.keep.ms, x.verify, x.change, x.less.ms, x.found.ms);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static long
count_faults(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

/* Compute routes as the daemon does. */
static struct routes *
compute_all(const struct route_job *job, struct cost *c)
{
	double t = clock_ms(), cpu = clock_cpu_ms();
	struct route_account story;
	struct reason why;
	struct routes *r =
		compute_routes(job, &engine_ftree.module.name, 1, &story, &why);

	take_least(c, clock_ms() - t, clock_cpu_ms() - cpu);
	return r;
}

/* What to do with each fabric; times: repetitions. */
struct wanted {
	bool rows, keep, host, whole;
	uint32_t times;
};

/* Print the cost of a job, over repetitions after a first one that warms up. */
static void
again_and_again(
	const char *name, struct route_job *job, const struct wanted *wanted)
{
	uint32_t times = wanted->times;
	double *ms = mem_alloc((times + 1) * sizeof(*ms));
	struct cost least = {0};
	long fewest = 0;

	for (uint32_t i = 0; i <= times; i++) {
		struct cost c = {0};
		long n = count_faults();

		routes_unref(wanted->whole ? compute_all(job, &c)
					   : run_engine(&engine_ftree, job,
						     job->prev != NULL, &c));
		n = count_faults() - n;
		fewest = i < 2 || n < fewest ? n : fewest;
		ms[i] = c.ms;
		if (i > 0)
			take_least(&least, c.ms, c.cpu);
	}
	qsort(ms + 1, times, sizeof(*ms), by_size);
	(void)printf("%s%s %u %.2f %.2f %.2f %ld\n", name,
		!wanted->whole	    ? ""
		: job->prev != NULL ? " kept"
				    : " fresh",
		job->threads, least.ms, ms[1 + times / 2], least.cpu, fewest);
	free(ms);
}

/* Measure fresh tables alone, or kept ones alone, or both. */
static void
measure_many(const char *name, const struct fabric *f, struct topo *t,
	const struct wanted *wanted)
{
	struct lft_pool *pool = lft_pool_new();
	struct route_job job = {.topo = t,
		.pool = pool,
		.load_limit = 1250,
		.threads = args_said(getenv("HEDDLE_THREADS"), 1)};
	struct cost c = {0};
	struct routes *r = NULL;

	if (wanted->host)
		job.topo = one_host_less(f, t);
	else if (!wanted->keep)
		again_and_again(name, &job, wanted);
	if (wanted->keep || wanted->host || wanted->whole)
		r = wanted->whole ? compute_all(&job, &c)
				  : run_engine(&engine_ftree, &job, false, &c);
	if (r != NULL) {
		topo_unref(wanted->host ? job.topo : NULL);
		job.prev = r;
		job.topo = wanted->host ? topo_ref(t) : one_less(f, t);
		again_and_again(name, &job, wanted);
		topo_unref(job.topo);
	}
	routes_unref(r);
	lft_pool_free(pool);
}

static void
bench_fabric(
	const char *name, const char *fixtures, const struct wanted *wanted)
{
	struct frozen_lids lids = {.found = true};
	struct reason why = {""};
	struct fabric *f = shape_load(name, fixtures, &why);
	struct topo *t;

	if (f == NULL) {
		(void)printf("%-12s skipped: %s\n", name, why.text);
		return;
	}
	t = frozen_topo(f, &lids);
	if (wanted->times > 0) {
		measure_many(name, f, t, wanted);
	} else if (wanted->rows) {
		print_brief(name, f, t);
	} else {
		(void)printf("%-24s %u switches, LIDs to %u\n", name, t->nsw,
			t->max_lid);
		print_engine(&engine_ftree, f, t);
		print_engine(&engine_updn, f, t);
	}
	topo_unref(t);
	fabric_free(f);
}

int
main(int argc, char **argv)
{
	static const char *const all[] = {"648:18:18", "648:13:1",
		"648:18:18,fail=34", "two:9:31:18:18:4", "three:24",
		"three:24,fail=69", "three:36", "three:36,fail=233", "three:56",
		"random:64:6:4", "torus:8x8x8", "dragonfly:8:4:4",
		"ufm-sdk-selene-compute", "topograph-ndr-gb200"};
	static const char *const trees[] = {"three:24", "three:24,fail=69",
		"three:36", "three:36,fail=233", "three:56",
		"three:56,fail=878"};
	const char *fixtures = argc > 1 ? argv[1] : "../shared/fixtures";

	struct wanted wanted = {.rows = strcmp(fixtures, "--row") == 0,
		.keep = strcmp(fixtures, "--keep") == 0,
		.host = strcmp(fixtures, "--host") == 0,
		.whole = strcmp(fixtures, "--whole") == 0};

	if (wanted.keep || wanted.host || wanted.whole ||
		strcmp(fixtures, "--fresh") == 0)
		wanted.times = args_number(argc, argv, 2, 20);
	if (getenv("HEDDLE_FRUGAL") != NULL)
		mem_frugal();
	for (int i = wanted.times > 0 ? 3 : 2; i < argc; i++)
		bench_fabric(argv[i], fixtures, &wanted);
	for (size_t i = 0;
		argc <= 2 && wanted.rows && i < sizeof(trees) / sizeof(*trees);
		i++)
		bench_fabric(trees[i], fixtures, &wanted);
	for (size_t i = 0;
		argc <= 2 && !wanted.rows && i < sizeof(all) / sizeof(*all);
		i++)
		bench_fabric(all[i], fixtures, &wanted);
	return 0;
}
