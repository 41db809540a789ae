#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "routing/updown/updown.h"

/* Cables to one and the same live switch become a group. */
static void
make_groups(struct updown *u)
{
	const struct topo *t = u->t;
	uint32_t n = 0;

	u->group = arena_array(u->a, t->nadj, sizeof(*u->group));
	for (sw_ix s = 0; s < u->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];
		uint32_t begin = n;

		u->first[s] = n;
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix peer = t->adj[i].peer;

			if (!u->live[s] || !u->live[peer] ||
				(u->plane != NULL &&
					u->plane[s] != u->plane[peer]))
				continue;
			if (n > begin && u->group[n - 1].peer == peer)
				u->group[n - 1].n++;
			else
				u->group[n++] = (struct link_group){
					(uint16_t)peer, 1, i};
		}
	}
	u->first[u->nsw] = n;
}

static void
find_components(struct updown *u)
{
	sw_ix *queue = arena_array(u->a, u->nsw, sizeof(*queue));

	memset(u->comp, 0xff, u->nsw * sizeof(*u->comp));
	for (sw_ix s = 0; s < u->nsw; s++) {
		uint32_t head = 0, tail = 0;

		if (!u->live[s] || u->comp[s] != TOPO_NONE)
			continue;
		u->comp[s] = u->ncomp;
		queue[tail++] = s;
		while (head < tail) {
			sw_ix x = queue[head++];

			for (uint32_t g = u->first[x]; g < u->first[x + 1];
				g++) {
				sw_ix y = u->group[g].peer;

				if (u->comp[y] != TOPO_NONE)
					continue;
				u->comp[y] = u->ncomp;
				queue[tail++] = y;
			}
		}
		u->ncomp++;
	}
}

/* Aggregation nodes sit on every switch: they say nothing about tiers. */
static void
weigh(struct updown *u)
{
	u->hosts = arena_array(u->a, u->ncomp, sizeof(*u->hosts));
	for (sw_ix s = 0; s < u->nsw; s++) {
		if (!u->live[s])
			continue;
		u->weight[s] = u->t->sw[s].nhost;
		u->hosts[u->comp[s]] += u->weight[s];
	}
	for (sw_ix s = 0; s < u->nsw; s++) {
		if (u->live[s] && u->hosts[u->comp[s]] == 0)
			u->weight[s] = 1;
		u->nhosts += u->weight[s];
	}
}

void
swgraph_components(struct updown *u)
{
	u->ncomp = 0;
	u->nhosts = 0;
	u->comp = arena_array(u->a, u->nsw, sizeof(*u->comp));
	u->weight = arena_array(u->a, u->nsw, sizeof(*u->weight));
	find_components(u);
	weigh(u);
}

/* Switches, cables, hosts: what nobody changes any more. */
static void
make_graph(struct updown *u)
{
	const struct topo *t = u->t;

	u->live = arena_array(u->a, u->nsw, sizeof(*u->live));
	u->first = arena_array(u->a, u->nsw + 1, sizeof(*u->first));
	for (sw_ix s = 0; s < u->nsw; s++)
		u->live[s] = topo_sw_live(t, s);
	make_groups(u);
	swgraph_components(u);
	if (u->like != NULL)
		u->topo_diff = u->like->topo_diff;
	else if (u->job->prev != NULL)
		u->topo_diff = topo_diff(t, u->job->prev->topo, u->a);
}

static void
share_graph(struct updown *u, const struct updown *like)
{
	u->live = like->live;
	u->first = like->first;
	u->group = like->group;
	u->comp = like->comp;
	u->ncomp = like->ncomp;
	u->weight = like->weight;
	u->nhosts = like->nhosts;
	u->hosts = like->hosts;
	u->topo_diff = like->topo_diff;
}

void
swgraph_build(struct updown *u)
{
	assert(u->t->nsw <= UINT16_MAX); /* each has a LID of its own */
	u->nsw = u->t->nsw;
	u->words = (u->nsw + 255) / 256 * 4;
	u->rank = arena_array(u->a, u->nsw, sizeof(*u->rank));
	u->tier.pos = arena_array(u->a, u->nsw, sizeof(*u->tier.pos));
	u->tier.seq = arena_array(u->a, u->nsw, sizeof(*u->tier.seq));
	u->sw_order.pos = arena_array(u->a, u->nsw, sizeof(*u->sw_order.pos));
	u->sw_order.seq = arena_array(u->a, u->nsw, sizeof(*u->sw_order.seq));
	u->flat = arena_array(u->a, u->nsw, sizeof(*u->flat));
	u->sftree_set = arena_array(u->a, u->words, sizeof(*u->sftree_set));
	u->turn_leaf = TOPO_NONE;
	u->m = u->own = u->a;
	if (u->like != NULL && u->plane == NULL)
		share_graph(u, u->like);
	else
		make_graph(u);
}

struct place {
	uint64_t guid;
	uint32_t rank;
	sw_ix sw;
};

static int
by_place(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

static bool
is_flat(const struct updown *u, sw_ix s)
{
	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++)
		if (u->rank[u->group[g].peer] < u->rank[s])
			return false;
	return true;
}

void
swgraph_sort(struct updown *u)
{
	struct place *p = arena_array(u->a, u->nsw, sizeof(*p));
	const struct topo *t = u->t;

	u->tier_above = NULL;
	u->tier_kin =
		(struct nbr_class){NULL, NULL, {NULL, NULL}, {NULL, NULL}};
	for (sw_ix s = 0; s < u->nsw; s++)
		p[s] = (struct place){
			t->node[t->sw[s].node].guid, u->rank[s], s};
	if (u->nsw > 0)
		qsort(p, u->nsw, sizeof(*p), by_place);
	for (uint32_t i = 0; i < u->nsw; i++) {
		u->tier.seq[i] = u->sw_order.seq[i] = p[i].sw;
		u->tier.pos[p[i].sw] = u->sw_order.pos[p[i].sw] = i;
		u->flat[p[i].sw] = is_flat(u, p[i].sw);
	}
}
