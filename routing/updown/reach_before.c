#include "routing/updown/reach_before.h"

#include <stdlib.h>
#include <string.h>

#include "routing/updown/updown_state.h"
#include "sm/base/mem.h"

static void
number_switches(struct reach_before *x)
{
	struct keep_job *p = x->p;
	struct swgraph *g = &x->u.graph;
	uint32_t n = p->u->graph.nsw;

	x->number = arena_array(g->a, g->t->nsw, sizeof(*x->number));
	memset(x->number, 0xff, g->t->nsw * sizeof(*x->number));
	for (sw_ix s = 0; s < n; s++)
		if (p->was[s] != TOPO_NONE)
			x->number[p->was[s]] = s;
	for (sw_ix o = 0; o < g->t->nsw; o++)
		if (x->number[o] == TOPO_NONE)
			x->number[o] = n++;
	g->nsw = n;
	g->words = p->u->graph.words; /* sets are of present switches */
}

static bool
is_linked(const struct reach_before *x, sw_ix a, sw_ix b)
{
	return topo_sw_live(x->u.graph.t, a) && topo_sw_live(x->u.graph.t, b) &&
	       routes_in_one_part(x->p->prev->part, a, b);
}

/* Groups of one switch by the present numbers of its peers: nearly sorted. */
static void
sort_groups(struct link_group *g, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k > 0 && g[k].peer < g[k - 1].peer; k--) {
			struct link_group swap = g[k];

			g[k] = g[k - 1];
			g[k - 1] = swap;
		}
}

/* The link groups of o, a previous number; returns how many. */
static uint32_t
make_groups(const struct reach_before *x, sw_ix o, struct link_group *to)
{
	const struct topo *t = x->u.graph.t;
	uint32_t n = 0;

	for (uint32_t i = t->sw[o].adj; i < t->sw[o].adj + t->sw[o].nadj; i++) {
		sw_ix peer = t->adj[i].peer;

		if (!is_linked(x, o, peer))
			continue;
		if (n > 0 && to[n - 1].peer == x->number[peer])
			to[n - 1].n++;
		else
			to[n++] = (struct link_group){
				(uint16_t)x->number[peer], 1, i};
	}
	sort_groups(to, n);
	return n;
}

static void
make_graph(struct reach_before *x)
{
	struct swgraph *g = &x->u.graph;
	sw_ix *old = arena_array(g->a, g->nsw, sizeof(*old));
	uint32_t n = 0;

	memset(old, 0xff, g->nsw * sizeof(*old));
	for (sw_ix o = 0; o < g->t->nsw; o++)
		old[x->number[o]] = o;
	g->first = arena_array(g->a, g->nsw + 1, sizeof(*g->first));
	g->group = arena_array(g->a, g->t->nadj, sizeof(*g->group));
	for (sw_ix s = 0; s < g->nsw; s++) {
		g->first[s] = n;
		if (old[s] != TOPO_NONE)
			n += make_groups(x, old[s], g->group + n);
	}
	g->first[g->nsw] = n;
}

/* The previous order; switches that are new now have no links in it. */
static void
take_order(struct reach_before *x)
{
	struct swgraph *g = &x->u.graph;
	struct sw_order *line = &x->u.sw_order;
	uint32_t *pos = mem_alloc((g->t->nsw + 1U) * sizeof(*pos));
	uint32_t n = g->t->nsw;

	line->pos = arena_array(g->a, g->nsw, sizeof(*line->pos));
	line->seq = arena_array(g->a, g->nsw, sizeof(*line->seq));
	memset(line->pos, 0xff, g->nsw * sizeof(*line->pos));
	routes_order(x->p->prev, pos);
	for (sw_ix o = 0; o < g->t->nsw; o++)
		line->pos[x->number[o]] = pos[o];
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (line->pos[s] == UINT32_MAX)
			line->pos[s] = n++;
		line->seq[line->pos[s]] = s;
	}
	free(pos);
}

/* ---- is it a tier order with one subtree reversed ---- */

/* The component of each switch, by its first one in the order; the switches
 * above that one in tiers are marked. */
static void
mark_subtrees(const struct reach_before *x, const uint32_t *tier, bool *in)
{
	const struct swgraph *g = &x->u.graph;
	bool *seen = arena_array(g->a, g->nsw, sizeof(*seen));
	sw_ix *queue = arena_array(g->a, g->nsw, sizeof(*queue));

	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t head = 0, tail = 0;

		if (seen[x->u.sw_order.seq[i]])
			continue;
		queue[tail++] = x->u.sw_order.seq[i];
		seen[queue[0]] = in[queue[0]] = true;
		while (head < tail) {
			sw_ix s = queue[head++];

			for (uint32_t k = g->first[s]; k < g->first[s + 1];
				k++) {
				sw_ix y = g->group[k].peer;

				if (!seen[y])
					queue[tail++] = y;
				seen[y] = true;
			}
		}
		/* the root is the lowest of its subtree: one pass from below */
		head = tail = 0;
		queue[tail++] = x->u.sw_order.seq[i];
		while (head < tail) {
			sw_ix s = queue[head++];

			for (uint32_t k = g->first[s]; k < g->first[s + 1];
				k++) {
				sw_ix y = g->group[k].peer;

				if (tier[y] > tier[s] || in[y])
					continue;
				in[y] = true;
				queue[tail++] = y;
			}
		}
	}
}

static int
by_tier(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Places in the previous tier order: by rank and GUID. */
static uint32_t *
tier_places(const struct reach_before *x)
{
	const struct swgraph *g = &x->u.graph;
	const struct topo *t = g->t;
	uint32_t *tier = arena_array(g->a, g->nsw, sizeof(*tier));
	uint64_t(*key)[3] = arena_array(g->a, t->nsw, sizeof(*key));

	for (sw_ix o = 0; o < t->nsw; o++) {
		key[o][0] = x->p->prev->rank[o];
		key[o][1] = t->node[t->sw[o].node].guid;
		key[o][2] = x->number[o];
	}
	qsort(key, t->nsw, sizeof(*key), by_tier);
	for (uint32_t i = 0; i < t->nsw; i++)
		tier[key[i][2]] = i;
	return tier;
}

/*
 * True if the previous order has no extension switches: then all links lead the
 * way that one subtree reversed in each component gives them.
 */
static bool
is_plain(const struct reach_before *x)
{
	const struct swgraph *g = &x->u.graph;
	const uint32_t *pos = x->u.sw_order.pos, *tier = tier_places(x);
	bool *in = arena_array(g->a, g->nsw, sizeof(*in));

	mark_subtrees(x, tier, in);
	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t k = g->first[s]; k < g->first[s + 1]; k++) {
			sw_ix y = g->group[k].peer;

			if ((pos[y] < pos[s]) !=
				((tier[y] < tier[s]) != (in[y] && in[s])))
				return false;
		}
	return true;
}

/* The previous extension switches, with their destinations by present numbers.
 */
static void
take_extra(struct reach_before *x, const struct updown_state *old)
{
	struct swgraph *g = &x->u.graph;
	uint32_t n = x->p->u->graph.nsw;

	if (old->sftree_extra == NULL)
		return;
	x->u.sftree_extra =
		arena_array(g->a, g->nsw, sizeof(*x->u.sftree_extra));
	for (sw_ix o = 0; o < g->t->nsw; o++) {
		const uint64_t *from = old->sftree_extra[o];
		uint64_t *to;

		if (from == NULL)
			continue;
		to = arena_array(g->a, g->words, sizeof(*to));
		x->u.sftree_extra[x->number[o]] = to;
		for (sw_ix d = 0; d < g->t->nsw; d++)
			if (bitset_has(from, d) && x->number[d] < n)
				bitset_add(to, x->number[d]);
	}
}

bool
reach_before_find(struct reach_before *x, struct keep_job *p, struct arena *a,
	const char *engine)
{
	const struct routes *prev = p->prev;
	const struct updown_state *state = updown_state_of(prev);

	*x = (struct reach_before){.p = p,
		.u = {.graph = {.job = p->u->graph.job,
			      .t = prev->topo,
			      .a = a}}};
	number_switches(x);
	make_graph(x);
	take_order(x);
	if (prev->sw_order == NULL || prev->order == ROUTE_NO_ORDER ||
		prev->engine == NULL || strcmp(prev->engine, engine) != 0)
		return false;
	if (state == NULL || !state->extra_known)
		return is_plain(x);
	take_extra(x, state);
	return true;
}
