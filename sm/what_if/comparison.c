#include "sm/what_if/comparison.h"

#include <stdio.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/loop.h"
#include "sm/base/mem_peak.h"
#include "sm/policy/jobs.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

enum { SEED = 1, TEXT = 512 };

/* ---- measuring ---- */

/* What is known of an engine's routes. */
struct row {
	const struct engine *engine;
	struct routes *routes; /* NULL: it made none, see why */
	struct forecast_adaptive adaptive;
	char why[TEXT];
	double seconds;	 /* until they were verified */
	uint64_t memory; /* bytes beyond what was in use; 0: unknown */
};

/* "dor refused: a ring of 5" without the name, where nothing else was tried. */
static void
explain_refusal(
	const struct route_account *story, const char *name, char why[TEXT])
{
	char head[64];
	size_t n = (size_t)snprintf(head, sizeof(head), "%s refused: ", name);
	bool own = strncmp(story->tried, head, n) == 0;

	(void)snprintf(why, TEXT, "%s", own ? story->tried + n : story->tried);
}

static void
route_row(const struct forecast_job *job, struct topo *t, struct row *out)
{
	struct jobs_options options;
	struct route_account story;
	struct route_job work;
	struct choices choices;
	struct reason why = {""};
	uint64_t before;
	struct mono began;

	jobs_route(job->cfg, t, job->pool, &options, &work);
	work.adaptive = choices_find(job->cfg, job->given, t, &choices);
	before = mem_peak_begin();
	began = loop_now();
	out->routes = compute_by_engine(&work, out->engine, &story, &why);
	out->seconds = mono_seconds(mono_sub(loop_now(), began));
	out->memory = mem_peak_end(before);
	if (out->routes == NULL)
		explain_refusal(&story, out->engine->module.name, out->why);
	else if (work.adaptive != NULL)
		forecast_adaptive_measure(out->routes, &choices,
			FORECAST_TRIALS, SEED, &out->adaptive);
	choices_free(&choices);
	jobs_options_free(&options);
}

static void
put_figures(const struct row *row, json_t *o)
{
	const struct routes *r = row->routes;
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	const struct verify_report *q = &r->report;
	struct bandwidth_ebb ebb;

	bandwidth_ebb(&in, FORECAST_TRIALS, SEED, &ebb);
	json_util_put(o, M("layers", q->layers), M("vls", q->vls),
		M("load", q->load_max),
		M("saturation", bandwidth_saturation(q, r->topo, ebb.hosts)),
		M("ebb", ebb.mean), M("hops_mean", q->hops_mean),
		M("hops_max", q->hops_max), M("note", names_text(r->note)));
	if (row->adaptive.enabled)
		json_util_put(
			o, M("adaptive", forecast_adaptive_json(&row->adaptive,
						 r->topo, ebb.hosts)));
}

static json_t *
row_json(const struct row *row)
{
	json_t *o = json_object();

	json_util_put(o, M("engine", row->engine->module.name),
		M("verified", json_boolean(row->routes != NULL)),
		M("why", names_text(row->why)), M("seconds", row->seconds),
		M("memory", row->memory > 0 ? json_util_u64(row->memory)
					    : json_null()));
	if (row->routes != NULL)
		put_figures(row, o);
	return o;
}

json_t *
comparison_json(
	const struct forecast_job *job, struct topo *t, const char **best)
{
	const struct schema_module *const *m = registry_modules();
	struct routes *first = NULL; /* of the best engine so far */
	json_t *list = json_array();

	*best = NULL;
	for (; *m != NULL; m++) {
		struct row row = {.engine = registry_find((*m)->name)};

		if ((row.engine->caps & ENGINE_CHOOSES) != 0)
			continue;
		forecast_tell(job, row.engine->module.name);
		route_row(job, t, &row);
		json_util_add(list, row_json(&row));
		if (row.routes != NULL &&
			(first == NULL ||
				compute_is_better(row.routes, first))) {
			routes_unref(first);
			first = routes_ref(row.routes);
			*best = row.engine->module.name;
		}
		routes_unref(row.routes);
	}
	routes_unref(first);
	return list;
}

/* ---- the table ---- */

static void
print_size(const json_t *row, char out[16])
{
	const double mib = 1 << 20;

	if (json_is_integer(json_object_get(row, "memory")))
		(void)snprintf(out, 16, "%.1f MiB",
			(double)json_util_num(row, "memory") / mib);
	else
		(void)snprintf(out, 16, "-");
}

static void
print_time(const json_t *row, char out[16])
{
	enum { LONG = 10 };
	double s = json_util_real(row, "seconds");

	if (s < LONG)
		(void)snprintf(out, 16, "%.0f ms", s * 1000);
	else
		(void)snprintf(out, 16, "%.1f s", s);
}

static void
print_row(const json_t *row, struct buf *out)
{
	char took[16], size[16];

	if (!json_util_yes(row, "verified")) {
		page_print(out, row, "%(engine)-10s no       %(why)s\n");
		return;
	}
	print_time(row, took);
	print_size(row, size);
	page_print(out, row, "%(engine)-10s verified %(layers)5d %(vls)4d ");
	buf_printf(out, "%9s %11s ", took, size);
	page_print(out, row,
		"%(load)9d %(saturation)5.3f %(ebb)5.3f %(hops_mean)6.2f "
		"%(hops_max)5d");
	/* the load and the bisections where switches choose; "-": none does */
	page_print(out, json_object_get(row, "adaptive"),
		"%(load)&{ %(load.max)9.1f %(ebb.mean)5.3f}"
		"%(load)~{%()?{         -     -}}");
	buf_printf(out, "\n");
}

void
comparison_page(const json_t *report, bool verbose, struct buf *out)
{
	const json_t *list = json_object_get(report, "engines"), *row;
	bool adaptive = false;
	size_t i;

	json_array_foreach(list, i, row) adaptive |=
		json_object_get(row, "adaptive") != NULL;
	fabric_counts_line(json_object_get(report, "fabric"), out);
	page_print(out, report,
		"%(pieces)?{IN PIECES  %(pieces)d more piece%(pieces)[|s], not "
		"compared\n}"
		"best       %(best)s, which the engine auto takes\n"
		"VLs        %(vls_assumed)d on each link, assumed: --vls\n\n");
	buf_printf(out, "%-10s %-8s %5s %4s %9s %11s %9s %5s %5s %6s %5s%s\n",
		"engine", "", "SLs", "VLs", "time", "memory", "load", "sat",
		"eBB", "hops", "max", adaptive ? "    evenly   eBB" : "");
	json_array_foreach(list, i, row) print_row(row, out);
	if (verbose)
		page_print(out, list,
			"\n%()*{%(note)?{%(engine)-10s %(note)s\n}}");
}
