/*
 * climb_escape: the up/down paths of layer 0, which any switch can be pinned
 * to.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"

/* Whether a group leads up in the order of switches. */
static bool
leads_up(const struct climb *x, uint32_t c)
{
	const uint32_t *pos = x->job->orders->pos;

	return pos[x->g->group[c].peer] < pos[x->d->from[c]];
}

/* Switches above t, from which links that all lead down reach it. */
static void
escape_from_above(struct climb *x, sw_ix t)
{
	const struct swgraph *g = x->g;
	uint32_t head = 0, tail = 0;

	x->wave[tail++] = t;
	for (; head < tail; head++) {
		sw_ix v = x->wave[head];

		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			sw_ix u = g->group[i].peer;

			if (!g->live[u] || x->depth[u] != UINT32_MAX ||
				!leads_up(x, i))
				continue;
			x->escape[u] = x->d->back[i];
			x->depth[u] = x->depth[v] + 1;
			x->wave[tail++] = u;
		}
	}
}

/* Down where that is enough, else up first. */
void
climb_escape_make(struct climb *x, sw_ix t)
{
	const struct layer_orders *o = x->job->orders;
	const struct swgraph *g = x->g;

	if (x->escape_to == t)
		return;
	x->escape_to = t;
	memset(x->escape, 0xff, g->nsw * sizeof(*x->escape));
	memset(x->depth, 0xff, g->nsw * sizeof(*x->depth));
	x->depth[t] = 0;
	escape_from_above(x, t);
	for (uint32_t k = 0; k < o->nseq; k++) {
		sw_ix u = o->seq[k];
		uint32_t most = x->depth[u];

		for (uint32_t i = g->first[u];
			most == UINT32_MAX && i < g->first[u + 1]; i++) {
			uint32_t beyond = x->depth[g->group[i].peer];

			if (!leads_up(x, i) || beyond == UINT32_MAX ||
				beyond + 1 >= x->depth[u])
				continue;
			x->escape[u] = i;
			x->depth[u] = beyond + 1;
		}
	}
}
