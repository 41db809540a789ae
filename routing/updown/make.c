#include <stdio.h>
#include <string.h>

#include "routing/updown/updown.h"

struct routes *
routes_from_order(struct updown *u, bool keep, const char *engine)
{
	const struct route_job *job = u->graph.job;
	struct routes *r = routes_new(job->topo, job->pool);
	struct reachability reach;
	struct dest_table dests;

	engine_cache_begin(u, false);
	reach = reachability(u);
	dests = down_path(u, &reach, keep && job->prev != NULL);
	r->engine = engine;
	r->order = u->order;
	r->sftree_root = u->turn_leaf;
	r->reranked = u->reranked;
	r->homes = dests.nhomes;
	if (u->graph.plane != NULL)
		r->plane = multi_tree_numbers(u);
	memcpy(r->rank, u->rank, u->graph.nsw * sizeof(*r->rank));
	(void)snprintf(r->note, sizeof(r->note), "%s", u->note);
	engine_cache_store(u, &reach, &dests, 0, r);
	if (rows_make(u, &reach, &dests, keep, r) < 0) {
		routes_unref(r);
		return NULL;
	}
	return r;
}
