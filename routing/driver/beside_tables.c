#include "routing/driver/beside_tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "routing/adaptive/legal_sets.h"
#include "routing/adaptive/shortest_sets.h"
#include "routing/mcast/mcast_order.h"
#include "routing/verify/sets_order.h"
#include "routing/verify/verify.h"
#include "routing/verify/verify_sets.h"
#include "sm/base/mem.h"

struct verify_tables
beside_tables_as_judged(const struct routes *r)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
}

struct verify_tables
beside_tables_ranked(const struct routes *r, struct link_ranks **ranks)
{
	struct verify_tables in = beside_tables_as_judged(r);

	*ranks = routes_link_ranks(r);
	in.ranks = *ranks;
	return in;
}

/*
 * The dependencies that r makes in some layers, no others: what is found beside
 * them depends on the tables alone, not on how they were judged.
 */
static struct verify_dependencies *
exact_dependencies(
	const struct route_job *job, const struct routes *r, uint16_t layers)
{
	struct verify_tables in;
	struct verify_dependencies *deps;
	struct verify_state *state;
	struct verify_report again;
	struct link_ranks *ranks;

	if (r->report.exact)
		return verify_state_dependencies(r->verified, r->topo, layers);
	in = beside_tables_ranked(r, &ranks);
	(void)verify_keep(&in, job->threads, &again, &state, NULL);
	deps = verify_state_dependencies(state, r->topo, layers);
	verify_state_unref(state);
	link_ranks_drop(ranks);
	return deps;
}

bool
beside_tables_mcast(const struct route_job *job, struct routes *r)
{
	const struct routes *prev = job->prev;
	struct route_mcast was = {0}, own = r->mcast;
	const struct mcast_order_try first[2] = {
		{prev != NULL ? prev->topo : NULL, &was}, {r->topo, &own}};
	uint16_t layers = route_layers_trees(&r->layers);
	struct verify_dependencies *deps;
	bool found;

	if (r->order != ROUTE_NO_ORDER)
		return true;
	deps = exact_dependencies(job, r, layers);
	if (prev != NULL)
		routes_mcast(prev, &was);
	found = mcast_order_find(r->topo, deps, layers, first, &r->mcast);
	routes_mcast_free(&was);
	routes_mcast_free(&own);
	free(deps);
	return found;
}

/* Whether sets stand the judge; deps: at least the dependencies of r. */
static bool
are_safe(const struct route_job *job, const struct routes *r,
	const struct route_sets *sets, const struct verify_dependencies *deps,
	struct reason *why)
{
	const struct verify_sets_job judged = {.topo = r->topo,
		.side = {{r->pool, r->row, r->nblocks, sets}},
		.nsides = 1,
		.deps = deps,
		.threads = job->threads};
	struct verify_sets_report found;

	return verify_sets(&judged, &found, why) == 0;
}

static uint32_t *
places_of(const struct routes *r)
{
	uint32_t *pos = mem_alloc((r->topo->nsw + 1U) * sizeof(*pos));

	routes_order(r, pos);
	return pos;
}

/* Whether the order of switches proves sets, as it may have proven those of the
 * routes before. */
static bool
are_in_order(const struct route_job *job, const struct routes *r,
	const struct route_sets *sets, const struct verify_dependencies *deps)
{
	const struct routes *prev = job->prev;
	bool proven =
		     prev != NULL && prev->sets != NULL && prev->sets->by_order,
	     in_order;
	const struct verify_sets_side side = {
		r->pool, r->row, r->nblocks, sets};
	struct sets_order_claim is = {r->topo, &side, NULL}, was = {0};
	struct verify_sets_side side_was;
	uint32_t *pos = places_of(r), *pos_was = NULL;

	is.pos = pos;
	if (proven) {
		side_was = (struct verify_sets_side){
			prev->pool, prev->row, prev->nblocks, prev->sets};
		pos_was = places_of(prev);
		was = (struct sets_order_claim){prev->topo, &side_was, pos_was};
	}
	in_order = sets_order_proves(
		&is, deps, proven ? &was : NULL, job->threads);
	free(pos);
	free(pos_was);
	return in_order;
}

/* Judge sets beside r. A change may leave dependencies of tables that are not
 * made any more: where they matter, they are found anew. */
static bool
judge_sets(const struct route_job *job, const struct routes *r,
	struct route_sets *sets, struct reason *why)
{
	struct verify_dependencies *deps =
		verify_state_dependencies(r->verified, r->topo, UINT16_MAX);
	bool safe;

	sets->by_order = are_in_order(job, r, sets, deps);
	safe = sets->by_order || are_safe(job, r, sets, deps, why);
	free(deps);
	if (safe)
		return true;
	deps = exact_dependencies(job, r, UINT16_MAX);
	safe = are_safe(job, r, sets, deps, why);
	free(deps);
	return safe;
}

static bool
has_row(const struct route_sets *sets)
{
	for (sw_ix s = 0; s < sets->nsw; s++)
		if (sets->row[s] != NULL)
			return true;
	return false;
}

/* Put all shortest paths in place of legal sets where switches escape, if that
 * stands; *no_escape says why not. */
static struct route_sets *
widen_sets(const struct route_job *job, const struct routes *r,
	struct route_sets *legal, struct reason *no_escape)
{
	struct route_sets *sets = shortest_sets_make(r, legal);

	if (!has_row(sets) || !judge_sets(job, r, sets, no_escape)) {
		route_sets_unref(sets);
		return legal;
	}
	route_sets_unref(legal);
	return sets;
}

/* Legal sets go on from those before; these may be of another kind. */
static struct route_sets *
make_sets(const struct route_job *job, const struct routes *r,
	struct reason *no_escape)
{
	struct route_adaptive fresh = *job->adaptive;
	struct route_job anew = *job;

	if (!route_choices_escape(job->adaptive->can, r->topo->nsw))
		return legal_sets_make(job, r);
	fresh.found = NULL;
	anew.adaptive = &fresh;
	anew.prev = NULL;
	return widen_sets(job, r, legal_sets_make(&anew, r), no_escape);
}

void
beside_tables_sets(const struct route_job *job, struct routes *r)
{
	struct reason why = {""}, no_escape = {""};
	struct route_sets *sets;

	if (job->adaptive == NULL)
		return;
	sets = make_sets(job, r, &no_escape);
	if (sets->why[0] == '\0' && !judge_sets(job, r, sets, &why)) {
		route_sets_unref(sets);
		sets = route_sets_new(r->topo, job->adaptive->can,
			job->adaptive->default_first);
		(void)snprintf(sets->why, sizeof(sets->why), "%s", why.text);
	}
	(void)snprintf(
		sets->no_escape, sizeof(sets->no_escape), "%s", no_escape.text);
	r->sets = sets;
}
