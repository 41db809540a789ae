#include <stdlib.h>

#include "routing/ftree.h"
#include "sm/base/mem.h"

enum { MOST = 8 }; /* data lanes that routing may use */

static bool
quarantined(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_QUARANTINED) != 0;
}

/* VLCap: 1, 2, 4, 8 or 15 data lanes. */
static unsigned
lanes_of(const struct topo *t, sw_ix s, const struct topo_adj *a)
{
	unsigned mine, its, cap;

	mine = t->port[topo_port_of(t, t->sw[s].node, a->out)].vl_cap;
	its = t->port[topo_port_of(t, t->sw[a->peer].node, a->peer_port)]
		      .vl_cap;
	cap = mine < its ? mine : its;
	return cap < 2 ? 1 : cap > 3 ? MOST : 1U << (cap - 1);
}

/* Lanes that every cable between live switches has. */
static unsigned
usable(const struct topo *t)
{
	unsigned most = MOST;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; !quarantined(t, s) && i < t->sw[s].nadj;
			i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];
			unsigned n = lanes_of(t, s, a);

			if (n < most && !quarantined(t, a->peer))
				most = n;
		}
	return most;
}

static bool
has_hosts(const struct topo *t, sw_ix s)
{
	for (uint32_t i = 0; i < t->sw[s].nend; i++) {
		const struct topo_end *e = &t->end[t->sw[s].end + i];

		if (e->out != 0 && !(t->node[t->port[e->port].node].flags &
					   TN_AGGREGATION))
			return true;
	}
	return false;
}

/* The number that s had, or none. */
static uint16_t
former(const struct routes *prev, const struct topo *t, sw_ix s)
{
	node_ix n;

	if (prev == NULL || prev->lanes.cls == NULL)
		return ROUTE_NO_LEAF;
	n = topo_by_node_guid(prev->topo, t->node[t->sw[s].node].guid);
	if (n == TOPO_NONE || prev->topo->node[n].sw == TOPO_NONE)
		return ROUTE_NO_LEAF;
	return prev->lanes.cls[prev->topo->node[n].sw];
}

/* Numbers in the order of switches; who is new takes the free ones. */
static void
number(const struct topo *t, const struct routes *prev, uint16_t *cls)
{
	bool *taken = mem_zalloc(UINT16_MAX + 1U, sizeof(*taken));
	uint16_t next = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		cls[s] = has_hosts(t, s) ? former(prev, t, s) : ROUTE_NO_LEAF;
		if (cls[s] != ROUTE_NO_LEAF && taken[cls[s]])
			cls[s] = ROUTE_NO_LEAF; /* a duplicate GUID */
		taken[cls[s]] = true;
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (cls[s] != ROUTE_NO_LEAF || !has_hosts(t, s))
			continue;
		while (taken[next] && next < ROUTE_NO_LEAF)
			next++;
		cls[s] = next;
		taken[next] = true;
	}
	free(taken);
}

void
ftree_lanes(const struct route_job *job, struct routes *r)
{
	const struct topo *t = r->topo;
	unsigned wanted = job->options != NULL ? job->options->lanes : 1;
	unsigned n = wanted > 1 ? usable(t) : 1;

	if (n > wanted)
		n = wanted;
	if (n < 2)
		return;
	r->lanes.n = r->lanes.spread = (uint8_t)n;
	r->lanes.cls = mem_zalloc(t->nsw, sizeof(*r->lanes.cls));
	number(t, job->prev, r->lanes.cls);
}
