/* state_fixture: what a state file keeps of routes, as the next job's input. */
#ifndef HEDDLE_TESTS_UNIT_STATE_FIXTURE_H
#define HEDDLE_TESTS_UNIT_STATE_FIXTURE_H

#include "routing/core/engine.h"
#include "routing/tiers/topo_class.h"
#include "sm/base/mem.h"

/* Gives job the ranks of r. The caller frees the result; job refers to it until
 * then. */
static inline struct route_rank *
remembered_ranks(const struct routes *r, struct route_job *job)
{
	const struct topo *t = r->topo;
	struct route_rank *rank = mem_zalloc(t->nsw, sizeof(*rank));

	job->nranks = 0;
	for (node_ix i = 0; i < t->nnodes; i++) {
		sw_ix s = t->node[t->by_node[i]].sw;

		if (s != TOPO_NONE)
			rank[job->nranks++] = routes_note(r, s);
	}
	job->ranks = rank;
	job->ranks_order = r->order;
	job->reading = *topo_class_kept(r);
	return rank;
}

#endif
