/*
 * channel_judge: a judge that shares nothing with the product's. It walks from
 * every switch to every LID by the tables, notes each dependency between
 * channels (a link direction and the VL group that the map of VLs gives the
 * packet there), and takes off channels that wait for none, until there are no
 * more: what is left is on a cycle.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_CHANNEL_JUDGE_H
#define HEDDLE_TESTS_UNIT_ROUTING_CHANNEL_JUDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/routes.h"
#include "sm/base/mem.h"
#include "tests/unit/owned.h"

struct channel_verdict {
	uint64_t lost;	     /* (switch, LID) pairs that do not arrive */
	uint64_t asymmetric; /* pairs of switches with another layer back */
	uint64_t cyclic;     /* channels that are on a cycle, or before one */
	unsigned groups;     /* VL groups in use */
	uint64_t used[16];   /* pairs of switches by layer */
};

struct channel_graph {
	const struct routes *r;
	uint32_t n;	/* channels: index in topo.adj * groups + group */
	uint32_t *from; /* [nadj] the switch that a link leaves */
	size_t *row;	/* [n] where the dependencies of a channel begin */
	bool *dep;	/* for each, channels that leave its switch */
	bool *used;	/* [n] */
	unsigned groups;
};

/* The link by which switch s sends to a LID, UINT32_MAX: none. */
static inline uint32_t
channel_link(const struct routes *r, sw_ix s, uint16_t lid)
{
	const struct topo *t = r->topo;
	uint8_t out = routes_port(r, s, lid);

	for (uint32_t i = t->sw[s].adj; i < t->sw[s].adj + t->sw[s].nadj; i++)
		if (t->adj[i].out == out)
			return i;
	return UINT32_MAX;
}

static inline port_ix
channel_port(const struct topo *t, sw_ix s, unsigned num)
{
	return topo_port_of(t, t->sw[s].node, num);
}

/* Walk from s to the LID of switch d; false: it does not arrive. */
static inline bool
channel_walk(struct channel_graph *x, sw_ix s, sw_ix d, uint16_t lid)
{
	const struct topo *t = x->r->topo;
	const struct vl_map *map = x->r->layers.map;
	unsigned layer = routes_layer(&x->r->layers, s, d), in = 0;
	uint32_t last = UINT32_MAX;

	for (unsigned hops = 0; s != d; hops++) {
		uint32_t i = channel_link(x->r, s, lid), c;

		if (i == UINT32_MAX || hops > t->nsw)
			return false;
		c = i * x->groups +
		    vl_map_group(map, layer, in,
			    vl_map_out(map, channel_port(t, s, t->adj[i].out)));
		x->used[c] = true;
		if (last != UINT32_MAX)
			x->dep[x->row[last] + c -
				(size_t)t->sw[s].adj * x->groups] = true;
		last = c;
		in = vl_map_in(map,
			channel_port(t, t->adj[i].peer, t->adj[i].peer_port));
		s = t->adj[i].peer;
	}
	return true;
}

static inline void
channel_graph_open(struct channel_graph *x, const struct routes *r)
{
	const struct topo *t = r->topo;
	size_t at = 0;

	*x = (struct channel_graph){
		.r = r, .groups = route_layers_groups(&r->layers)};
	x->n = t->nadj * x->groups;
	x->from = mem_zalloc(t->nadj + 1U, sizeof(*x->from));
	x->row = mem_zalloc(x->n + 1U, sizeof(*x->row));
	x->used = mem_zalloc(x->n + 1U, sizeof(*x->used));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			x->from[t->sw[s].adj + i] = s;
	for (uint32_t c = 0; c < x->n; c++) {
		x->row[c] = at;
		at += (size_t)t->sw[t->adj[c / x->groups].peer].nadj *
		      x->groups;
	}
	x->dep = mem_zalloc(at + 1, sizeof(*x->dep));
}

/* The dependencies of channel c: of the channels that leave its switch. */
static inline uint32_t
channel_deps(const struct channel_graph *x, uint32_t c, uint32_t *first)
{
	const struct topo *t = x->r->topo;
	sw_ix to = t->adj[c / x->groups].peer;

	*first = t->sw[to].adj * x->groups;
	return t->sw[to].nadj * x->groups;
}

/* Channels that remain when those on which none depends are taken off. */
static inline uint64_t
channel_cycles(const struct channel_graph *x)
{
	AUTO(mem) uint32_t *waiting = mem_zalloc(x->n + 1U, sizeof(*waiting));
	AUTO(mem) uint32_t *queue = mem_zalloc(x->n + 1U, sizeof(*queue));
	uint32_t head = 0, tail = 0, first, n;

	for (uint32_t c = 0; c < x->n; c++) {
		n = channel_deps(x, c, &first);
		for (uint32_t i = 0; i < n; i++)
			waiting[first + i] += x->dep[x->row[c] + i];
	}
	for (uint32_t c = 0; c < x->n; c++)
		if (waiting[c] == 0)
			queue[tail++] = c;
	while (head < tail) {
		uint32_t c = queue[head++];

		n = channel_deps(x, c, &first);
		for (uint32_t i = 0; i < n; i++)
			if (x->dep[x->row[c] + i] && --waiting[first + i] == 0)
				queue[tail++] = first + i;
	}
	return x->n - tail;
}

static inline void
channel_count_pair(
	const struct routes *r, sw_ix s, sw_ix d, struct channel_verdict *v)
{
	unsigned layer = routes_layer(&r->layers, s, d);

	v->used[layer]++;
	v->asymmetric += s < d && layer != routes_layer(&r->layers, d, s);
}

/* Judge routes of a connected topology. */
static inline struct channel_verdict
channel_judge(const struct routes *r)
{
	const struct topo *t = r->topo;
	struct channel_verdict v = {.groups = route_layers_groups(&r->layers)};
	struct channel_graph x;

	channel_graph_open(&x, r);
	for (sw_ix d = 0; d < t->nsw; d++)
		for (uint32_t e = 0; e < t->sw[d].nend; e++) {
			const struct topo_end *end = &t->end[t->sw[d].end + e];
			uint16_t lid = t->port[end->port].lid;

			for (sw_ix s = 0; s < t->nsw; s++)
				v.lost += !channel_walk(&x, s, d, lid) ||
					  routes_port(r, d, lid) != end->out;
		}
	for (sw_ix s = 0; s < t->nsw; s++)
		for (sw_ix d = 0; d < t->nsw; d++)
			if (s != d)
				channel_count_pair(r, s, d, &v);
	v.cyclic = channel_cycles(&x);
	free(x.from);
	free(x.row);
	free(x.used);
	free(x.dep);
	return v;
}

#endif
