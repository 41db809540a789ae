#include "routing/tiers/topo_class.h"

#include <string.h>

#include "routing/tiers/tree.h"

const struct topo_class *
topo_class_kept(const struct routes *r)
{
	static const struct topo_class none;

	return r->reading != NULL ? &r->reading->class : &none;
}

enum route_read
topo_class_of_switch(const struct routes *r, sw_ix s)
{
	return r->reading != NULL && r->reading->of != NULL ? r->reading->of[s]
							    : ROUTE_READ_NEVER;
}

/*
 * True if the class in force is that of the routes in force; else it is the
 * restored one, job->reading and job->ranks.
 */
static bool
is_class_from_routes(const struct route_job *job)
{
	return job->prev != NULL &&
	       topo_class_kept(job->prev)->engine != NULL &&
	       job->prev->reading->of != NULL;
}

const struct topo_class *
topo_class_previous(const struct route_job *job)
{
	const struct topo_class *r = is_class_from_routes(job)
					     ? topo_class_kept(job->prev)
					     : &job->reading;
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
	return s == TOPO_NONE ? ROUTE_READ_NEVER
			      : topo_class_of_switch(job->prev, s);
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

		if (old != ROUTE_READ_NEVER &&
			old != topo_class_of_switch(r, s))
			return false;
	}
	return true;
}

/* Room in the reading of r for the class of each switch, all unknown. */
static uint8_t *
begin_switches(struct routes *r)
{
	struct route_reading *to = routes_reading(r);
	uint32_t nsw = r->topo->nsw;

	if (to->of == NULL)
		to->of = arena_alloc(to->arena, nsw + 1U);
	memset(to->of, ROUTE_READ_NEVER, nsw);
	return to->of;
}

void
topo_class_describe(const struct route_job *job, struct routes *r)
{
	const struct topo_class *was = topo_class_previous(job);
	uint8_t *of = begin_switches(r);
	const struct tree *tree = r->reading->tree;

	for (sw_ix s = 0; s < r->topo->nsw; s++)
		if (tree->tier[s] != UINT32_MAX)
			of[s] = tree->treeless[s] ? ROUTE_READ_MESH
						  : ROUTE_READ_TREE;
	r->reading->class = (struct topo_class){r->engine,
		job->options != NULL ? job->options->reading : 0, job->now};
	if (is_same_class(job, was, r))
		r->reading->class.when = was->when;
}

void
topo_class_restore(struct routes *r, const struct topo_class *class,
	const struct route_rank *rank, size_t n)
{
	const struct topo *t = r->topo;
	uint8_t *of = begin_switches(r);

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct route_rank *is =
			routes_rank_of(rank, n, t->node[t->sw[s].node].guid);

		of[s] = is != NULL ? is->read : ROUTE_READ_NEVER;
	}
	r->reading->class = *class;
}
