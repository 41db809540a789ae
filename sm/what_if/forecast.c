#include "sm/what_if/forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/beside_tables.h"
#include "routing/tiers/topo_class.h"
#include "routing/tiers/tree.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/policy/jobs.h"
#include "sm/what_if/snapshot_read.h"

enum { SEED = 1 };

void
forecast_tell(const struct forecast_job *job, const char *doing)
{
	if (job->told != NULL)
		job->told(job->cookie, doing);
}

struct topo *
forecast_lids(const struct forecast_job *job, const struct topo *t,
	const struct lid_record *record, size_t nrecord, struct lid_table *out,
	struct reason *why)
{
	const struct jobs_lid_records known = {record, nrecord,
		job->given != NULL && job->given->standby != NULL};
	struct lid_table table;
	struct topo *with;

	forecast_tell(job, "assigning LIDs");
	if (jobs_lids(job->cfg, t, &known, &table, why) != 0)
		return NULL;
	with = topo_with_lids(t, &(struct topo_lids){table.lid, table.lmc});
	if (out != NULL)
		*out = table;
	else
		lid_table_free(&table);
	return with;
}

static void
measure_bandwidth(const struct forecast_job *job,
	const struct verify_tables *in, struct forecast *out)
{
	unsigned shifts;

	forecast_tell(job, "bisections");
	bandwidth_ebb(in, FORECAST_TRIALS, SEED, &out->ebb);
	forecast_tell(job, "shifts");
	shifts = FORECAST_FLOWS / (out->ebb.hosts + 1);
	if (shifts > FORECAST_SHIFTS)
		shifts = FORECAST_SHIFTS;
	bandwidth_shift(in, shifts, SEED, &out->shift);
	out->measured = true;
}

static void
find_redundancy(const struct forecast_job *job, const struct verify_tables *in,
	struct forecast *out)
{
	struct jobs_options options;

	forecast_tell(job, "multi_port");
	jobs_options(job->cfg, in->topo, &options);
	redundancy_find(in, &options.engine, &out->redundancy);
	jobs_options_free(&options);
}

static void
measure_adaptive(const struct forecast_job *job, const struct routes *r,
	const struct choices *choices, struct forecast *out)
{
	forecast_tell(job, "adaptive routing");
	forecast_adaptive_measure(
		r, choices, FORECAST_TRIALS, SEED, &out->adaptive);
}

/* Take verified routes into the forecast and measure them. */
static void
take_routes(
	const struct forecast_job *job, struct routes *r, struct forecast *out)
{
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};

	out->topo = topo_ref(r->topo);
	out->routes = routes_ref(r);
	out->report = r->report;
	measure_bandwidth(job, &in, out);
	find_redundancy(job, &in, out);
}

/* Read the fabric as a tree, whatever engine made r, in the order of r if it is
 * known. */
static void
read_tree(const struct forecast_job *job, struct routes *r)
{
	struct jobs_options options;
	struct route_job work;
	struct arena *scratch = arena_new();

	jobs_route(job->cfg, r->topo, job->pool, &options, &work);
	work.prev = topo_class_kept(r)->engine != NULL ? r : NULL;
	tree_keep(tree_read(&work, scratch), r);
	arena_free(scratch);
	jobs_options_free(&options);
}

/*
 * The sets that a master has beside the tables in force: they follow from the
 * tables, from what its switches can do, and from the narrow ones that it told.
 */
static void
judge_adaptive(
	const struct forecast_job *job, struct routes *r, struct forecast *out)
{
	const struct snapshot *given = job->given;
	struct jobs_options options;
	struct route_job work;
	struct choices choices;
	struct route_sets *told = r->sets;

	r->sets = NULL;
	if (given != NULL && given->standby == NULL && r->report.ok) {
		jobs_route(job->cfg, r->topo, job->pool, &options, &work);
		work.adaptive =
			choices_find(given->cfg, given, r->topo, &choices);
		choices.use.found = told;
		beside_tables_sets(&work, r);
		if (work.adaptive != NULL)
			measure_adaptive(job, r, &choices, out);
		choices_free(&choices);
		jobs_options_free(&options);
	}
	route_sets_unref(told);
}

void
forecast_judge(
	const struct forecast_job *job, struct routes *r, struct forecast *out)
{
	struct link_ranks *ranks = routes_link_ranks(r);
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, ranks};
	struct reason why = {""};

	*out = (struct forecast){0};
	forecast_tell(job, "verifying");
	verify_state_unref(r->verified);
	if (verify_keep(&in, jobs_threads(job->cfg), &r->report, &r->verified,
		    &why) != 0)
		(void)snprintf(out->why, sizeof(out->why), "%s", why.text);
	link_ranks_drop(ranks);
	read_tree(job, r);
	take_routes(job, r, out);
	judge_adaptive(job, r, out);
}

void
forecast_route(const struct forecast_job *job, struct topo *t,
	const struct routes *prev, struct forecast *out)
{
	const struct config_routing *c = &job->cfg->routing;
	struct jobs_options options;
	struct route_job work;
	struct route_account story;
	struct choices choices;
	struct reason why = {""};
	struct routes *r;

	jobs_route(job->cfg, t, job->pool, &options, &work);
	work.adaptive = choices_find(job->cfg, job->given, t, &choices);
	work.prev = prev;
	work.rebalance = job->rebalance && prev != NULL;
	if (job->given != NULL)
		snapshot_routes(job->given, &work);
	forecast_tell(job, "routing");
	r = compute_routes(&work, c->engines.name, c->engines.n, &story, &why);
	jobs_options_free(&options);
	*out = (struct forecast){.story = story};
	if (r == NULL) {
		out->topo = topo_ref(t);
		(void)snprintf(out->why, sizeof(out->why), "%s", why.text);
	} else {
		take_routes(job, r, out);
		if (work.adaptive != NULL)
			measure_adaptive(job, r, &choices, out);
	}
	choices_free(&choices);
	routes_unref(r);
}

void
forecast_free(struct forecast *f)
{
	routes_unref(f->routes);
	topo_unref(f->topo);
	redundancy_free(&f->redundancy);
	*f = (struct forecast){0};
}
