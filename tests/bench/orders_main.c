/*
 * Tables of engines whose paths climb in orders: figures for fabrics with some
 * links out. One line each:
 *
 *	fabric out seed engine levels:
 *	worst load, saturation (hosts - 1 over the worst load, at most 1),
 *	effective bisection bandwidth, layers, VLs, CPU milliseconds; then what
 *	the judge of the unit tests found: pairs that do not arrive, pairs of
 *	other layers back, channels on cycles
 *
 * usage: orders ENGINE[,ENGINE...] FABRIC [OUT [SEED [SEEDS]]]
 *        orders --lost N ENGINE[,ENGINE...] FABRIC [OUT [SEED [SEEDS]]]
 *	N single links lost, each from the same tables, at even distances:
 *	mean and highest CPU milliseconds of kept tables, of their judgement,
 *	and of all that compute_routes does; the worst load of kept tables, and
 *	of those that compute_routes takes, over that before; entries that
 *	change, pairs of switches that get another layer, in all and per cent;
 *	faults that the judge of the unit tests found
 *
 *        orders --back N ENGINE[,ENGINE...] FABRIC [OUT [SEED [SEEDS]]]
 *	N links lost one after the other, at even distances, each from the
 *	tables before, and put back one after the other: mean and highest CPU
 *	milliseconds of all that compute_routes does for a loss, and for a
 *	return; worst load and effective bisection bandwidth at first, without
 *	the links, and with all of them again; entries that are others at the
 *	end than at first, per cent; faults
 *
 * FABRIC: see shape.h; its links have 8 VLs. OUT: per cent of the links
 * between switches, or Ns: N switches. ENGINE: by name, auto for fresh tables
 * alone; nueN: nue on N layers; behind either @N: with N QoS levels
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/engines/nue/nue.h"
#include "routing/measure/bandwidth.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/channel_judge.h"

enum { TRIALS = 200, LIMIT = 1250 };

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

static struct topo *
give_vls(struct topo *t)
{
	enum { EIGHT = 4 };

	for (port_ix p = 0; p < t->nports; p++)
		t->port[p].vl_cap = t->port[p].op_vls = EIGHT;
	return t;
}

/* ---- one link lost ---- */

static struct verify_tables
tables_of(const struct routes *r)
{
	return (struct verify_tables){r->topo, r->pool, r->row, r->nblocks,
		&r->layers, r->link_ranks};
}

struct bench {
	const struct fabric *f;
	struct topo *t;
	uint32_t lost; /* links; 0: fresh tables */
	bool back;     /* they are put back */
};

struct mean {
	double sum, most;
};

static void
add_value(struct mean *m, double value)
{
	m->sum += value;
	m->most = fmax(m->most, value);
}

/* The cable between switches of this number. */
static uint32_t
find_cable(const struct fabric *f, uint32_t n)
{
	uint32_t c = 0;

	for (;; c++) {
		bool switches =
			f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
			f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;

		if (switches && n-- == 0)
			return c;
	}
}

/* Pairs of switches that have another layer in r than in prev. */
static uint64_t
count_new_layers(const struct routes *r, const struct routes *prev)
{
	uint64_t n = 0;

	for (sw_ix a = 0; a < r->topo->nsw; a++)
		for (sw_ix b = 0; b < a; b++)
			n += routes_layer(&r->layers, a, b) !=
			     routes_layer(&prev->layers,
				     topo_switch_in(prev->topo, r->topo, a),
				     topo_switch_in(prev->topo, r->topo, b));
	return n;
}

static uint64_t
count_faults(const struct routes *r)
{
	struct channel_verdict v = channel_judge(r);

	return v.lost + v.asymmetric + v.cyclic;
}

/* The tables after a loss: time of the engine, of the judge, of the driver;
 * loads of kept tables and of those that the driver takes. */
struct losses {
	struct mean keep, judge, all, load_kept, load;
	uint64_t entries, pairs, faults;
};

static double
load_ratio(const struct routes *r, const struct routes *prev)
{
	return (double)r->report.load_max / (double)prev->report.load_max;
}

static void
measure_loss(
	const struct engine *e, const struct route_job *job, struct losses *sum)
{
	const struct routes *prev = job->prev;
	struct verify_before before = {
		.state = prev->verified, .in = tables_of(prev)};
	struct arena *a = arena_new();
	struct reason why = {""};
	struct route_account story;
	struct routes *r = NULL;
	double began = clock_cpu_ms();

	if (e->route(job, true, 0, a, &r, &why) != ENGINE_OK) {
		printf("refused: %s\n", why.text);
	} else {
		struct verify_tables in = tables_of(r);

		add_value(&sum->keep, clock_cpu_ms() - began);
		began = clock_cpu_ms();
		(void)verify_incremental(
			&before, &in, 1, &r->report, &r->verified, &why);
		add_value(&sum->judge, clock_cpu_ms() - began);
		add_value(&sum->load_kept, load_ratio(r, prev));
		sum->entries += r->entries_changed;
		sum->pairs += count_new_layers(r, prev);
		sum->faults += count_faults(r);
	}
	arena_free(a);
	routes_unref(r);
	began = clock_cpu_ms();
	r = compute_routes(job, &e->module.name, 1, &story, &why);
	add_value(&sum->all, clock_cpu_ms() - began);
	if (r == NULL || strcmp(r->engine, e->module.name) != 0)
		printf("not routed by the engine: %s%s\n", why.text,
			story.tried);
	else
		add_value(&sum->load, load_ratio(r, prev));
	routes_unref(r);
}

static void
print_losses(const struct bench *b, const struct engine *e,
	const struct route_job *fresh, struct routes *r)
{
	const struct verify_tables in = tables_of(r);
	uint32_t cables = count_cables(b->f), n = b->lost;
	double pairs = (double)b->t->nsw * (b->t->nsw - 1) / 2;
	struct losses sum = {0};

	(void)verify_keep(&in, 1, &r->report, &r->verified, NULL);
	r->fresh_load = r->report.load_max;
	for (uint32_t i = 0; i < n; i++) {
		bool *drop = mem_zalloc(b->f->ncables, sizeof(*drop));
		struct route_job job = *fresh;

		drop[find_cable(b->f, (uint32_t)((uint64_t)cables * i / n))] =
			true;
		job.prev = r;
		job.load_limit = LIMIT;
		job.topo = give_vls(frozen_less(b->f, drop, b->t));
		measure_loss(e, &job, &sum);
		topo_unref(job.topo);
		free(drop);
	}
	printf("keep %.1f/%.1f judge %.1f/%.1f all %.1f/%.1f ms, load "
	       "%.2f/%.2f %.2f/%.2f, entries %.0f, new layers %.1f = %.3f%%, "
	       "faults %llu\n",
		sum.keep.sum / n, sum.keep.most, sum.judge.sum / n,
		sum.judge.most, sum.all.sum / n, sum.all.most,
		sum.load_kept.sum / n, sum.load_kept.most, sum.load.sum / n,
		sum.load.most, (double)sum.entries / n, (double)sum.pairs / n,
		100.0 * (double)sum.pairs / n / pairs,
		(unsigned long long)sum.faults);
}

/* ---- links that come back ---- */

static void
print_state(const char *what, const struct routes *r)
{
	const struct verify_tables in = tables_of(r);
	struct bandwidth_ebb ebb;

	bandwidth_ebb(&in, TRIALS, 1, &ebb);
	printf(", %s %llu %.3f", what, (unsigned long long)r->report.load_max,
		ebb.mean);
}

/* What the driver makes for a topology; prev (NULL allowed) is dropped. */
static struct routes *
go_on(const struct engine *e, const struct route_job *fresh,
	struct routes *prev, struct topo *t, struct mean *ms)
{
	struct route_job job = *fresh;
	struct route_account story;
	struct reason why = {""};
	struct routes *r;
	double began = clock_cpu_ms();

	job.topo = t;
	job.prev = prev;
	job.load_limit = LIMIT;
	r = compute_routes(&job, &e->module.name, 1, &story, &why);
	add_value(ms, clock_cpu_ms() - began);
	if (r == NULL || strcmp(r->engine, e->module.name) != 0) {
		printf("not routed by the engine: %s%s\n", why.text,
			story.tried);
		exit(1);
	}
	routes_unref(prev);
	return r;
}

static void
print_returns(const struct bench *b, const struct engine *e,
	const struct route_job *fresh)
{
	uint32_t cables = count_cables(b->f), n = b->lost;
	bool *drop = mem_zalloc(b->f->ncables, sizeof(*drop));
	struct mean loss = {0}, back = {0}, once = {0};
	struct routes *first = go_on(e, fresh, NULL, b->t, &once);
	struct routes *r = routes_ref(first);
	uint64_t faults = 0;

	print_state("", first);
	for (uint32_t i = 0; i < 2 * n; i++) {
		uint32_t c = (uint32_t)((uint64_t)cables * (i % n) / n);
		struct topo *t;

		drop[find_cable(b->f, c)] = i < n;
		t = give_vls(frozen_less(b->f, drop, b->t));
		r = go_on(e, fresh, r, t, i < n ? &loss : &back);
		topo_unref(t);
		faults += count_faults(r);
		if (i + 1 == n)
			print_state("without", r);
	}
	print_state("again", r);
	routes_count_changes(r, first);
	printf(", others %.2f%%",
		100.0 * (double)r->entries_changed /
			(double)(r->entries_changed + r->entries_kept));
	routes_unref(r);
	printf(", lost %.1f/%.1f back %.1f/%.1f ms, faults %llu\n",
		loss.sum / n, loss.most, back.sum / n, back.most,
		(unsigned long long)faults);
	routes_unref(first);
	free(drop);
}

/* Cut "@N" off a name; N, or 1. */
static uint8_t
take_levels(char *name)
{
	char *at = name + strcspn(name, "@");
	bool said = *at != '\0';

	*at = '\0';
	return (uint8_t)args_said(said ? at + 1 : NULL, 1);
}

/* What the engine makes, or the driver for one that chooses among others. */
static bool
make_routes(const struct engine *e, const struct route_job *job,
	struct arena *a, struct routes **r, struct reason *why)
{
	struct route_account story;

	if ((e->caps & ENGINE_CHOOSES) == 0)
		return e->route(job, false, 0, a, r, why) == ENGINE_OK;
	*r = compute_routes(job, &e->module.name, 1, &story, why);
	if (*r != NULL)
		printf("%-9s ", (*r)->engine);
	return *r != NULL;
}

static void
measure_engine(const struct bench *b, char *name)
{
	uint8_t levels = take_levels(name);
	const char *number = name + strcspn(name, "0123456789");
	const struct nue_options own = {
		args_said(*number != '\0' ? number : NULL, 4)};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine *e =
		*number != '\0' ? &engine_nue : registry_find(name);
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = levels};
	struct lft_pool *pool = lft_pool_new();
	struct route_job job = {
		.topo = b->t, .pool = pool, .options = &options};
	struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;
	double began = clock_cpu_ms();

	printf("%-8s %u ", name, levels);
	if (e != NULL && b->lost > 0 && (e->caps & ENGINE_CHOOSES) != 0)
		printf("chooses among engines, of which one has to be named\n");
	else if (e == NULL || !make_routes(e, &job, a, &r, &why))
		printf("refused: %s\n", why.text);
	else if (b->lost == 0)
		print_figures(r, clock_cpu_ms() - began);
	else if (b->back)
		print_returns(b, e, &job);
	else
		print_losses(b, e, &job, r);
	routes_unref(r);
	arena_free(a);
	lft_pool_free(pool);
}

/* All engines on one fabric. */
static void
measure_engines(struct bench *b, char **argv, const char *out, uint32_t seed)
{
	const struct frozen_lids lids = {.shuffle = 5};
	char *names = mem_strdup(argv[1]), *save = NULL;

	b->t = give_vls(frozen_topo(b->f, &lids));
	for (char *n = strtok_r(names, ",", &save); n != NULL;
		n = strtok_r(NULL, ",", &save)) {
		printf("%s %s %u ", argv[2], out, seed);
		measure_engine(b, n);
		fflush(stdout);
	}
	free(names);
	topo_unref(b->t);
}

/* The fabric without what is out: see above. */
static struct fabric *
fail_parts(struct fabric *f, const char *out, uint32_t seed, struct reason *why)
{
	char *unit;
	double n = strtod(out, &unit);

	if (f == NULL || n <= 0)
		return f;
	if (*unit == 's')
		return gen_edit_fail_switches(f, (unsigned)n, seed, true, why);
	return gen_edit_fail_links(f,
		(unsigned)(count_cables(f) * n / 100 + 0.5), seed, true, why);
}

static int
measure_fabrics(struct bench *b, int argc, char **argv)
{
	const char *out = argc > 3 ? argv[3] : "0";
	uint32_t seed = args_number(argc, argv, 4, 1);
	uint32_t seeds = args_number(argc, argv, 5, 1);

	if (argc < 3)
		return 2;
	for (uint32_t s = seed; s < seed + seeds; s++) {
		struct reason why = {""};
		struct fabric *f =
			fail_parts(shape_make(argv[2], &why), out, s, &why);

		if (f == NULL) {
			fprintf(stderr, "%s\n", why.text);
			return 1;
		}
		b->f = f;
		measure_engines(b, argv, out, s);
		fabric_free(f);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	bool back = argc > 2 && strcmp(argv[1], "--back") == 0;
	bool lost = back || (argc > 2 && strcmp(argv[1], "--lost") == 0);
	struct bench b = {
		.lost = lost ? args_number(argc, argv, 2, 1) : 0, .back = back};

	return lost ? measure_fabrics(&b, argc - 2, argv + 2)
		    : measure_fabrics(&b, argc, argv);
}
