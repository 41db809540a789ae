#include "routing/graph/swgraph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The links to one and the same live switch become a group. */
static void
make_groups(struct swgraph *g)
{
	const struct topo *t = g->t;
	uint32_t n = 0;

	g->group = arena_array(g->a, t->nadj, sizeof(*g->group));
	for (sw_ix s = 0; s < g->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];
		uint32_t begin = n;

		g->first[s] = n;
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix peer = t->adj[i].peer;

			if (!g->live[s] || !g->live[peer] ||
				(g->plane != NULL &&
					g->plane[s] != g->plane[peer]))
				continue;
			if (n > begin && g->group[n - 1].peer == peer)
				g->group[n - 1].n++;
			else
				g->group[n++] = (struct link_group){
					(uint16_t)peer, 1, i};
		}
	}
	g->first[g->nsw] = n;
}

static void
find_components(struct swgraph *g)
{
	sw_ix *queue = arena_array(g->a, g->nsw, sizeof(*queue));

	memset(g->comp, 0xff, g->nsw * sizeof(*g->comp));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t head = 0, tail = 0;

		if (!g->live[s] || g->comp[s] != TOPO_NONE)
			continue;
		g->comp[s] = g->ncomp;
		queue[tail++] = s;
		while (head < tail) {
			sw_ix x = queue[head++];

			for (uint32_t i = g->first[x]; i < g->first[x + 1];
				i++) {
				sw_ix y = g->group[i].peer;

				if (g->comp[y] != TOPO_NONE)
					continue;
				g->comp[y] = g->ncomp;
				queue[tail++] = y;
			}
		}
		g->ncomp++;
	}
}

/*
 * Only compute hosts weigh: aggregation nodes sit on every switch and say
 * nothing about tiers.
 */
static void
weigh_switches(struct swgraph *g)
{
	g->hosts = arena_array(g->a, g->ncomp, sizeof(*g->hosts));
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (!g->live[s])
			continue;
		g->weight[s] = g->t->sw[s].nhost;
		g->hosts[g->comp[s]] += g->weight[s];
	}
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (g->live[s] && g->hosts[g->comp[s]] == 0)
			g->weight[s] = 1;
		g->nhosts += g->weight[s];
	}
}

void
swgraph_components(struct swgraph *g)
{
	g->ncomp = 0;
	g->nhosts = 0;
	g->comp = arena_array(g->a, g->nsw, sizeof(*g->comp));
	g->weight = arena_array(g->a, g->nsw, sizeof(*g->weight));
	find_components(g);
	weigh_switches(g);
}

/* Switches, links, hosts: what does not change any more. */
static void
make_graph(struct swgraph *g)
{
	const struct topo *t = g->t;

	g->live = arena_array(g->a, g->nsw, sizeof(*g->live));
	g->first = arena_array(g->a, g->nsw + 1, sizeof(*g->first));
	for (sw_ix s = 0; s < g->nsw; s++)
		g->live[s] = topo_sw_live(t, s);
	make_groups(g);
	swgraph_components(g);
	if (g->like != NULL)
		g->topo_diff = g->like->topo_diff;
	else if (g->job->prev != NULL)
		g->topo_diff = topo_diff(t, g->job->prev->topo, g->a);
}

static void
share_graph(struct swgraph *g, const struct swgraph *like)
{
	g->live = like->live;
	g->first = like->first;
	g->group = like->group;
	g->comp = like->comp;
	g->ncomp = like->ncomp;
	g->weight = like->weight;
	g->nhosts = like->nhosts;
	g->hosts = like->hosts;
	g->topo_diff = like->topo_diff;
}

void
swgraph_build(struct swgraph *g)
{
	assert(g->t->nsw <= UINT16_MAX); /* each has a LID of its own */
	g->nsw = g->t->nsw;
	g->words = (g->nsw + 255) / 256 * 4;
	if (g->like != NULL && g->plane == NULL)
		share_graph(g, g->like);
	else
		make_graph(g);
}

struct by_guid {
	uint64_t guid;
	sw_ix s;
};

static int
lower_guid_first(const void *a, const void *b)
{
	const struct by_guid *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

uint32_t
swgraph_group(const struct swgraph *g, sw_ix s, sw_ix peer)
{
	uint32_t lo = g->first[s], hi = g->first[s + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (g->group[mid].peer < peer)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < g->first[s + 1] && g->group[lo].peer == peer ? lo
								 : UINT32_MAX;
}

uint32_t *
swgraph_by_guid(const struct swgraph *g)
{
	struct by_guid *by = arena_array(g->a, g->nsw + 1U, sizeof(*by));
	uint32_t *place = arena_array(g->a, g->nsw + 1U, sizeof(*place));
	uint32_t n = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			by[n++] = (struct by_guid){
				g->t->node[g->t->sw[s].node].guid, s};
	qsort(by, n, sizeof(*by), lower_guid_first);
	memset(place, 0xff, g->nsw * sizeof(*place));
	for (uint32_t i = 0; i < n; i++)
		place[by[i].s] = i;
	return place;
}

struct swgraph_name
swgraph_name(const struct swgraph *g, sw_ix s)
{
	node_ix n = g->t->sw[s].node;
	const char *desc = topo_desc(g->t, n);
	struct swgraph_name name;

	if (*desc != '\0')
		(void)snprintf(name.s, sizeof(name.s), "\"%.64s\"", desc);
	else
		(void)snprintf(name.s, sizeof(name.s), "0x%016" PRIx64,
			g->t->node[n].guid);
	return name;
}
