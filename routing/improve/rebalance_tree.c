#include "routing/improve/rebalance_tree.h"

#include <string.h>

enum { KEPT = 100000 }; /* switches of trees, of 11 bytes */

/* Distances from switch `from` on, following entries until one is known. */
static void
find_dist(const struct link_map *c, struct rebalance_tree *x, sw_ix from)
{
	unsigned n = 0;
	sw_ix s = from;

	while (x->dist[s] == REBALANCE_FAR &&
		x->next_link[s] != LINK_MAP_NONE && n < REBALANCE_FAR) {
		s = c->head[x->next_link[s]];
		n++;
	}
	if (x->dist[s] == REBALANCE_FAR || n + x->dist[s] >= REBALANCE_FAR)
		return;
	n += x->dist[s];
	for (s = from; x->dist[s] == REBALANCE_FAR;
		s = c->head[x->next_link[s]])
		x->dist[s] = (uint8_t)n--;
}

/* Switches by distance. */
static void
sort_by_distance(const struct link_map *c, struct rebalance_tree *x)
{
	uint32_t at[REBALANCE_FAR + 1] = {0};

	for (sw_ix s = 0; s < c->t->nsw; s++)
		if (x->dist[s] != REBALANCE_FAR)
			at[x->dist[s] + 1]++;
	for (unsigned k = 1; k <= REBALANCE_FAR; k++)
		at[k] += at[k - 1];
	x->n = at[REBALANCE_FAR];
	for (sw_ix s = 0; s < c->t->nsw; s++)
		if (x->dist[s] != REBALANCE_FAR)
			x->seq[at[x->dist[s]]++] = (uint16_t)s;
}

static struct rebalance_tree *
tree_new(uint32_t n, struct arena *a)
{
	struct rebalance_tree *x = arena_alloc(a, sizeof(*x));

	x->next_link = arena_array(a, n, sizeof(*x->next_link));
	x->flow = arena_array(a, n, sizeof(*x->flow));
	x->seq = arena_array(a, n, sizeof(*x->seq));
	x->dist = arena_array(a, n, sizeof(*x->dist));
	return x;
}

/* Make x the tree of a LID; its old content does not matter. */
static void
read_paths(const struct link_map *c, const struct routes *r, uint16_t lid,
	struct rebalance_tree *x)
{
	uint32_t nsw = c->t->nsw;
	sw_ix dest = topo_switch_of(c->t, c->t->by_lid[lid]);

	for (sw_ix s = 0; s < nsw; s++)
		x->next_link[s] = link_map_entry(c, r, s, lid);
	x->next_link[dest] = LINK_MAP_NONE;
	memset(x->dist, REBALANCE_FAR, nsw);
	x->dist[dest] = 0;
	for (sw_ix s = 0; s < nsw; s++)
		find_dist(c, x, s);
	sort_by_distance(c, x);
	for (sw_ix s = 0; s < nsw; s++)
		x->flow[s] = c->t->sw[s].nhost;
	for (uint32_t i = x->n; i-- > 1;)
		x->flow[c->head[x->next_link[x->seq[i]]]] += x->flow[x->seq[i]];
}

/* ---- the ring of trees ---- */

struct rebalance_tree_held {
	struct rebalance_tree *tree, **place;
};

void
rebalance_tree_begin(struct rebalance_tree_ring *g, const struct link_map *net,
	struct arena *a)
{
	*g = (struct rebalance_tree_ring){.net = net, .a = a};
	g->most = KEPT / (net->t->nsw + 1) + 2;
	g->held = arena_array(a, g->most, sizeof(*g->held));
}

bool
rebalance_tree_at(struct rebalance_tree_ring *g, struct rebalance_tree **place,
	const struct routes *r, uint16_t lid)
{
	struct rebalance_tree_held *h;

	if (*place != NULL)
		return false;
	if (g->n < g->most) {
		h = &g->held[g->n++];
		h->tree = tree_new(g->net->t->nsw, g->a);
	} else {
		h = &g->held[g->oldest];
		g->oldest = (g->oldest + 1) % g->most;
		*h->place = NULL;
	}
	h->place = place;
	*place = h->tree;
	read_paths(g->net, r, lid, h->tree);
	return true;
}
