/*
 * climb_former: the paths and the layers in force, as far as they still climb.
 *
 * A path is kept as a whole: where all of its links are there and it climbs in
 * the layer of its pair. If the graph has gained links, it has to be a shortest
 * one too, so that paths that went a long way round come back.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"

struct climb_former {
	sw_ix *sw;	  /* [nsw] the switch in job->prev, or TOPO_NONE */
	uint32_t *pair;	  /* [nsw] the switch in job->pairs, or TOPO_NONE */
	bool gained;	  /* switches or links since */
	uint32_t *dist;	  /* [nsw] links to a switch */
	uint32_t *length; /* [nsw] of the path to it */
	bool *seen;	  /* [nsw] */
	struct climb_paths tree;
};

struct climb_paths
climb_former_room(const struct climb *x)
{
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U;

	return (struct climb_paths){.next = arena_array(a, n, sizeof(uint32_t)),
		.mask = arena_array(a, n, sizeof(uint16_t)),
		.tail = arena_array(a, n, sizeof(uint16_t)),
		.seq = arena_array(a, n, sizeof(sw_ix))};
}

/* Whether a link of the group was there. */
static bool
was_linked(const struct climb *x, uint32_t c)
{
	const struct climb_former *f = x->former;
	const struct topo *old = x->job->prev->topo;
	sw_ix from = f->sw[x->d->from[c]], to = f->sw[x->g->group[c].peer];

	if (from == TOPO_NONE || to == TOPO_NONE)
		return false;
	for (uint32_t i = 0; i < old->sw[from].nadj; i++)
		if (old->adj[old->sw[from].adj + i].peer == to)
			return true;
	return false;
}

static uint32_t
find_in_pairs(const struct climb *x, sw_ix s)
{
	const struct topo *t = x->g->t;
	uint32_t i = TOPO_NONE;

	if (x->job->pairs != NULL && !map_get(&x->job->pairs->by_guid,
					     t->node[t->sw[s].node].guid, &i))
		i = TOPO_NONE;
	return i;
}

/* The groups of ports. */
static void
list_ports(struct climb *x)
{
	const struct swgraph *g = x->g;
	const struct topo *t = g->t;
	uint32_t n = 0;

	x->ports = arena_array(g->a, g->nsw + 1U, sizeof(*x->ports));
	for (sw_ix s = 0; s < g->nsw; s++) {
		x->ports[s] = n;
		n += t->node[t->sw[s].node].nports + 1U;
	}
	x->ports[g->nsw] = n;
	x->port_group = arena_array(g->a, n + 1U, sizeof(*x->port_group));
	memset(x->port_group, CLIMB_NO_PORT, n);
	for (uint32_t c = 0; c < x->d->n; c++) {
		sw_ix s = x->d->from[c];

		for (unsigned k = 0; k < g->group[c].n; k++)
			x->port_group[x->ports[s] +
				      t->adj[g->group[c].adj + k].out] =
				(uint8_t)(c - g->first[s]);
	}
}

void
climb_former_begin(struct climb *x)
{
	const struct swgraph *g = x->g;
	const struct routes *prev = x->job->prev;
	size_t n = g->nsw + 1U;
	struct climb_former *f = arena_alloc(g->a, sizeof(*f));

	*f = (struct climb_former){.sw = arena_array(g->a, n, sizeof(*f->sw)),
		.pair = arena_array(g->a, n, sizeof(*f->pair))};
	x->former = f;
	for (sw_ix s = 0; s < g->nsw; s++) {
		f->sw[s] = prev == NULL ? TOPO_NONE
					: topo_switch_in(prev->topo, g->t, s);
		f->pair[s] = find_in_pairs(x, s);
	}
	list_ports(x);
	if (prev == NULL || !x->job->keep)
		return;
	f->dist = arena_array(g->a, n, sizeof(*f->dist));
	f->length = arena_array(g->a, n, sizeof(*f->length));
	f->seen = arena_array(g->a, n, sizeof(*f->seen));
	f->tree = climb_former_room(x);
	for (uint32_t c = 0; c < x->d->n; c++)
		f->gained |= !was_linked(x, c);
}

uint8_t
climb_former_port(const struct climb *x, sw_ix u, uint16_t lid)
{
	sw_ix was = x->former->sw[u];

	return was == TOPO_NONE ? LFT_DROP
				: routes_port(x->job->prev, was, lid);
}

sw_ix
climb_former_switch(const struct climb *x, sw_ix s)
{
	return x->former->sw[s];
}

uint16_t
climb_former_layer(const struct climb *x, sw_ix t, sw_ix u)
{
	const sw_ix *was = x->former->sw;
	const uint32_t *at = x->former->pair;
	uint8_t layer = LAYER_MEMORY_NONE;

	if (at[t] != TOPO_NONE && at[u] != TOPO_NONE)
		layer = *layer_memory_at(x->job->pairs, at[t], at[u]);
	if (layer != LAYER_MEMORY_NONE)
		return (uint16_t)(x->all & 1U << layer);
	if (x->job->layers == NULL || was[t] == TOPO_NONE ||
		was[u] == TOPO_NONE)
		return 0;
	return (uint16_t)(x->all &
			  1U << routes_layer(x->job->layers, was[u], was[t]));
}

/* From u along the previous entries to what has been seen; the switches on the
 * way get their paths, if there are any. */
static void
walk_on(struct climb *x, sw_ix t, sw_ix u, uint16_t lid,
	struct climb_paths *out)
{
	const struct swgraph *g = x->g;
	bool *seen = x->former->seen;
	uint32_t n = 0;

	for (; u != TOPO_NONE && !seen[u]; n++) {
		uint32_t c =
			climb_port_group(x, u, climb_former_port(x, u, lid));

		seen[u] = true;
		x->wave[n] = u;
		out->next[u] = c;
		u = c == CLIMB_NO_GROUP || !g->live[g->group[c].peer]
			    ? TOPO_NONE
			    : g->group[c].peer;
	}
	while (n-- > 0) {
		sw_ix s = x->wave[n];
		uint32_t c = out->next[s];
		sw_ix v = c == CLIMB_NO_GROUP ? TOPO_NONE : g->group[c].peer;

		struct climb_layers l = {0, 0};

		if (v != TOPO_NONE && out->mask[v] != 0) {
			struct climb_onward o =
				climb_onward(x, t, v, out->next, out->tail);

			l = climb_step(x, c, &o);
		}
		out->mask[s] = l.mask;
		out->tail[s] = l.tail;
		if (out->mask[s] == 0)
			out->next[s] = CLIMB_NO_GROUP;
		else
			out->seq[out->n++] = s;
	}
}

void
climb_former_paths(
	struct climb *x, sw_ix t, uint16_t lid, struct climb_paths *out)
{
	const struct swgraph *g = x->g;
	bool *seen = x->former->seen;

	memset(seen, 0, g->nsw * sizeof(*seen));
	memset(out->mask, 0, g->nsw * sizeof(*out->mask));
	memset(out->next, 0xff, g->nsw * sizeof(*out->next));
	out->n = 0;
	seen[t] = true;
	out->mask[t] = x->all;
	out->seq[out->n++] = t;
	for (sw_ix u = 0; u < g->nsw; u++)
		if (g->live[u])
			walk_on(x, t, u, lid, out);
}

/* Take off what is no shortest path any more. */
static void
leave_detours(struct climb *x, sw_ix t, struct climb_paths *p)
{
	struct climb_former *f = x->former;

	climb_measure(x, t, f->dist);
	f->length[t] = 0;
	for (uint32_t k = 1; k < p->n; k++) {
		sw_ix u = p->seq[k];

		f->length[u] = f->length[x->g->group[p->next[u]].peer] + 1;
		if (f->length[u] > f->dist[u])
			p->mask[u] = 0;
	}
}

const struct climb_paths *
climb_former_tree(struct climb *x, sw_ix t)
{
	const uint32_t *first = x->lids.first;
	struct climb_former *f = x->former;

	f->tree.n = 0;
	if (first[t] == first[t + 1])
		return &f->tree;
	/* the last one is a host's, where there are any */
	climb_former_paths(x, t, x->lids.lid[first[t + 1] - 1], &f->tree);
	if (f->gained)
		leave_detours(x, t, &f->tree);
	return &f->tree;
}
