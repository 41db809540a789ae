/*
 * climb_lids: the entries of LIDs by the trees of their switches. Each LID
 * chooses among the neighbours that are nearer in the tree, and links to them,
 * so that the LIDs of a switch spread; the path of each pair has to climb in
 * the pair's layer.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"
#include "sm/base/mem.h"

struct column {
	struct climb *x;
	sw_ix t;
	uint16_t lid;
	uint64_t *load;	 /* [topo.nadj] pairs of hosts */
	uint32_t *level; /* [nsw] links to t in its tree */
	sw_ix *seq;	 /* [nsw] by level; n of them */
	uint32_t *count; /* [nsw + 1] of a level and those before */
	uint32_t n;
	uint32_t *nearer; /* groups that lead nearer to t, by switch: */
	uint32_t *end;	  /* [nsw + 1] ... up to end[u + 1] from end[u] on */
	uint32_t *link;	  /* [nsw] index in topo.adj */
	uint32_t *next;	  /* [nsw] the group that it is of */
	uint16_t *tail;	  /* [nsw] layers in which the LID's path climbs behind
			     its first link */
	struct climb_onward *onward; /* [nsw] how its path goes on */
	uint64_t *cost;		     /* [nsw] load on it */
	bool *pinned;		     /* [nsw] to the tree */
	struct climb_paths former;   /* of the LID */
	bool *kept;		     /* [nsw] the former path */
	uint8_t *row;		     /* [nsw * width] the tables */
	size_t width;
};

/* Pairs of hosts over a link of a group: by LIDs so far, and by the trees of
 * the switches to come. */
static uint64_t
link_load(const struct column *c, uint32_t group, uint32_t link)
{
	return c->load[link] + c->x->load[group] / c->x->g->group[group].n;
}

/* The best way on from u; false: no neighbour leaves the layer of the pair.
 * regular: see climb_is_regular. */
static bool
choose_among(struct column *c, sw_ix u, bool regular)
{
	struct climb *x = c->x;
	const struct swgraph *g = x->g;
	unsigned layer = routes_layer(&x->layers, u, c->t);
	uint64_t least = UINT64_MAX;
	const uint32_t *pin = &x->next[climb_pair(x, c->t, u)];
	const uint32_t *at = c->pinned[u] ? pin : c->nearer + c->end[u];
	const uint32_t *end =
		c->pinned[u] ? pin + 1 : c->nearer + c->end[u + 1];

	for (; at < end; at++) {
		uint32_t i = *at;
		sw_ix v = g->group[i].peer;
		struct climb_layers l;
		uint64_t cost;
		uint32_t k;
		bool kept;

		l = climb_step(x, i, &c->onward[v]);
		if ((l.mask >> layer & 1) == 0 ||
			(regular && !climb_is_regular(x, c->t, i, &c->onward[v],
					    l.tail & 1U << layer)))
			continue;
		k = climb_choose_link(x, u, i, c->lid, c->load, &kept);
		cost = c->cost[v] + link_load(c, i, k) + 1;
		if (!kept && cost >= least)
			continue;
		least = kept ? 0 : cost;
		c->next[u] = i;
		c->link[u] = k;
		c->tail[u] = l.tail;
		c->cost[u] = cost;
	}
	if (least == UINT64_MAX)
		return false;
	c->onward[u] = climb_onward(x, c->t, u, c->next, c->tail);
	return true;
}

static bool
choose_next(struct column *c, sw_ix u)
{
	return (c->x->job->orders->structure != 0 &&
		       choose_among(c, u, true)) ||
	       choose_among(c, u, false);
}

/* Pin u to the tree, and all that its path there leads through. */
static void
pin_to_tree(struct column *c, sw_ix u)
{
	while (u != c->t && !c->pinned[u]) {
		c->pinned[u] = true;
		u = c->x->g->group[c->x->next[climb_pair(c->x, c->t, u)]].peer;
	}
}

/* The previous paths of the LID, as far as they stand, in the layers of their
 * pairs; those of pinned switches are the tree's. */
static void
keep_column(struct column *c)
{
	struct climb *x = c->x;
	bool kept;

	memset(c->kept, 0, x->g->nsw * sizeof(*c->kept));
	if (!x->job->keep)
		return;
	c->kept[c->t] = true;
	for (uint32_t k = 1; k < c->former.n; k++) {
		sw_ix u = c->former.seq[k];
		uint32_t group = c->former.next[u];
		sw_ix v = x->g->group[group].peer;

		if (!c->kept[v] ||
			(c->pinned[u] &&
				group != x->next[climb_pair(x, c->t, u)]) ||
			(c->former.mask[u] >>
					routes_layer(&x->layers, u, c->t) &
				1) == 0)
			continue;
		c->kept[u] = true;
		c->next[u] = group;
		c->link[u] =
			climb_choose_link(x, u, group, c->lid, c->load, &kept);
		c->tail[u] = c->former.tail[u];
		c->onward[u] = climb_onward(x, c->t, u, c->next, c->tail);
		c->cost[u] = c->cost[v] + link_load(c, group, c->link[u]) + 1;
	}
}

/*
 * Ways on for all switches. One that is stuck is pinned and all are chosen
 * again: with everything pinned the paths are those of the tree.
 */
static void
choose_all(struct column *c)
{
	uint32_t k;

	memset(c->pinned, 0, c->x->g->nsw * sizeof(*c->pinned));
	c->cost[c->t] = 0;
	c->onward[c->t] = climb_onward(c->x, c->t, c->t, c->next, c->tail);
	if (c->x->job->keep)
		climb_former_paths(c->x, c->t, c->lid, &c->former);
	do {
		keep_column(c);
		for (k = 1; k < c->n &&
			    (c->kept[c->seq[k]] || choose_next(c, c->seq[k]));
			k++)
			;
		if (k < c->n)
			pin_to_tree(c, c->seq[k]);
	} while (k < c->n);
}

/* The entries of the LID, and its load. */
static void
fill_column(struct column *c)
{
	struct climb *x = c->x;
	const struct swgraph *g = x->g;

	choose_all(c);
	c->row[c->t * c->width + c->lid] = x->lids.eject[c->lid];
	for (uint32_t k = 0; k < c->n; k++)
		x->behind[c->seq[k]] = g->t->sw[c->seq[k]].nhost;
	for (uint32_t k = c->n; k-- > 1;) {
		sw_ix u = c->seq[k];

		c->row[u * c->width + c->lid] = g->t->adj[c->link[u]].out;
		x->behind[g->group[c->next[u]].peer] += x->behind[u];
		if (x->lids.host[c->lid])
			c->load[c->link[u]] += x->behind[u];
	}
}

/*
 * The switches of the tree by their distance in it, which is not the order in
 * which they were settled where some had to wait.
 */
static void
sort_by_level(struct column *c)
{
	struct climb *x = c->x;
	const sw_ix *seq = x->seq + climb_pair(x, c->t, 0);

	c->n = x->nseq[c->t];
	memset(c->level, 0xff, x->g->nsw * sizeof(*c->level));
	memset(c->count, 0, (x->g->nsw + 1U) * sizeof(*c->count));
	c->level[c->t] = 0;
	c->count[1]++;
	for (uint32_t k = 1; k < c->n; k++) {
		uint32_t group = x->next[climb_pair(x, c->t, seq[k])];

		c->level[seq[k]] = c->level[x->g->group[group].peer] + 1;
		if (c->level[seq[k]] + 1 < x->g->nsw + 1U)
			c->count[c->level[seq[k]] + 1]++;
	}
	for (uint32_t l = 0; l < x->g->nsw; l++)
		c->count[l + 1] += c->count[l];
	for (uint32_t k = 0; k < c->n; k++)
		c->seq[c->count[c->level[seq[k]]]++] = seq[k];
}

/* What each switch of the tree chooses from, whatever the LID. */
static void
list_nearer(struct column *c)
{
	const struct swgraph *g = c->x->g;
	uint32_t n = 0;

	for (sw_ix u = 0; u < g->nsw; u++) {
		c->end[u] = n;
		for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
			if (c->level[g->group[i].peer] < c->level[u])
				c->nearer[n++] = i;
	}
	c->end[g->nsw] = n;
}

static void
put_rows(const struct column *c, struct routes *r)
{
	const struct climb *x = c->x;
	const struct routes *prev = x->job->prev;

	for (sw_ix s = 0; s < x->g->nsw; s++)
		if (x->g->live[s])
			routes_put_row(r, s, c->row + s * c->width, prev,
				climb_former_switch(x, s));
}

bool
climb_fill_lids(struct climb *x, struct routes *r, uint64_t **load)
{
	const struct swgraph *g = x->g;
	struct arena *a = g->a;
	size_t n = g->nsw + 1U;
	struct column c = {.x = x,
		.load = arena_array(a, g->t->nadj + 1U, sizeof(*c.load)),
		.level = arena_array(a, n, sizeof(*c.level)),
		.seq = arena_array(a, n, sizeof(*c.seq)),
		.count = arena_array(a, n + 1, sizeof(*c.count)),
		.kept = arena_array(a, n, sizeof(*c.kept)),
		.former = climb_former_room(x),
		.nearer = arena_array(a, x->d->n + 1U, sizeof(*c.nearer)),
		.end = arena_array(a, n, sizeof(*c.end)),
		.link = arena_array(a, n, sizeof(*c.link)),
		.next = arena_array(a, n, sizeof(*c.next)),
		.tail = arena_array(a, n, sizeof(*c.tail)),
		.onward = arena_array(a, n, sizeof(*c.onward)),
		.cost = arena_array(a, n, sizeof(*c.cost)),
		.pinned = arena_array(a, n, sizeof(*c.pinned)),
		.width = (g->t->max_lid / LFT_BLOCK + 1U) * (size_t)LFT_BLOCK};

	c.row = arena_alloc(a, g->nsw * c.width);
	memset(c.row, LFT_DROP, g->nsw * c.width);
	for (c.t = 0; c.t < g->nsw; c.t++) {
		if (x->job->cancel != NULL && *x->job->cancel)
			return false;
		if (!g->live[c.t])
			continue;
		sort_by_level(&c);
		list_nearer(&c);
		climb_add_load(x, c.t, false);
		for (uint32_t i = x->lids.first[c.t];
			i < x->lids.first[c.t + 1]; i++) {
			c.lid = x->lids.lid[i];
			fill_column(&c);
		}
	}
	put_rows(&c, r);
	*load = c.load;
	return true;
}
