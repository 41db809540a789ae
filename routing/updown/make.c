#include <stdio.h>
#include <string.h>

#include "routing/updown/updown.h"

struct routes *
updn_make(struct updn *u, bool keep, const char *engine)
{
	const struct route_job *job = u->job;
	struct routes *r = routes_new(job->topo, job->pool);
	struct updn_reach reach;
	struct updn_dests dests;

	updn_past_begin(u, false);
	reach = updn_reach(u);
	dests = updn_chain(u, &reach, keep && job->prev != NULL);
	r->engine = engine;
	r->order = u->order;
	r->turn_leaf = u->turn_leaf;
	r->reranked = u->reranked;
	r->homes = dests.nhomes;
	if (u->plane != NULL)
		r->plane = updn_plane_marks(u);
	memcpy(r->rank, u->rank, u->nsw * sizeof(*r->rank));
	(void)snprintf(r->note, sizeof(r->note), "%s", u->note);
	updn_past_keep(u, &reach, &dests, 0, r);
	if (updn_rows(u, &reach, &dests, keep, r) < 0) {
		routes_unref(r);
		return NULL;
	}
	return r;
}
