#include "routing/tiers/topo_class.h"

#include <stdlib.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "sm/base/mem.h"

/*
 * True if the class in force is that of the routes in force; else it is the
 * restored one, job->reading and job->ranks.
 */
static bool
is_class_from_routes(const struct route_job *job)
{
	return job->prev != NULL && job->prev->reading.engine != NULL &&
	       job->prev->read != NULL;
}

const struct topo_class *
topo_class_previous(const struct route_job *job)
{
	const struct topo_class *r =
		is_class_from_routes(job) ? &job->prev->reading : &job->reading;
	uint64_t asked = job->options != NULL ? job->options->reading : 0;

	if (job->rebalance || r->engine == NULL || r->options != asked)
		return NULL;
	return r;
}

enum route_read
topo_class_of(const struct route_job *job, sw_ix s)
{
	const struct topo *t = job->topo;

	if (!is_class_from_routes(job)) {
		const struct route_rank *r = routes_rank_of(
			job->ranks, job->nranks, t->node[t->sw[s].node].guid);

		return r != NULL ? r->read : ROUTE_READ_NEVER;
	}
	s = topo_switch_in(job->prev->topo, t, s);
	return s == TOPO_NONE ? ROUTE_READ_NEVER : job->prev->read[s];
}

/*
 * True if the engine of r and the class of every switch are as they were, where
 * they are known.
 */
static bool
is_same_class(const struct route_job *job, const struct topo_class *was,
	const struct routes *r)
{
	const struct topo *t = r->topo;

	if (was == NULL || strcmp(was->engine, r->engine) != 0)
		return false;
	for (sw_ix s = 0; s < t->nsw; s++) {
		enum route_read old = topo_class_of(job, s);

		if (old != ROUTE_READ_NEVER && old != r->read[s])
			return false;
	}
	return true;
}

void
topo_class_describe(const struct route_job *job, struct routes *r)
{
	const struct topo_class *was = topo_class_previous(job);
	const struct tree *tree = r->tree->tree;

	free(r->read);
	r->read = mem_zalloc(r->topo->nsw, sizeof(*r->read));
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		if (tree->tier[s] != UINT32_MAX)
			r->read[s] = tree->treeless[s] ? ROUTE_READ_MESH
						       : ROUTE_READ_TREE;
	r->reading = (struct topo_class){r->engine,
		job->options != NULL ? job->options->reading : 0, job->now};
	if (is_same_class(job, was, r))
		r->reading.when = was->when;
}
