#include "routing/verify/dep_graph.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { PORT_BITS = 9, IN_BITS = 12 }; /* of what iterators count */

/* The same records again for every further plane. */
static void
copy_planes(struct dep_graph *n)
{
	for (uint32_t v = n->nrec; v < n->nv; v++) {
		n->owner[v] = n->owner[v - n->nrec];
		n->base[v] = n->base[v - n->nrec] + n->nrec;
		n->peer[v] = n->peer[v - n->nrec] + n->nrec;
	}
}

void
dep_graph_new(struct dep_graph *n, uint32_t nsw, uint32_t *off, unsigned planes)
{
	uint32_t nowhere = off[nsw];

	*n = (struct dep_graph){.nsw = nsw,
		.nrec = nowhere + 1,
		.nv = (nowhere + 1) * planes,
		.off = off};
	n->owner = mem_alloc(n->nv * sizeof(*n->owner));
	n->base = mem_alloc(n->nv * sizeof(*n->base));
	n->peer = mem_alloc(n->nv * sizeof(*n->peer));
	for (uint32_t s = 0; s < nsw; s++) {
		for (uint32_t r = off[s]; r < off[s + 1]; r++) {
			n->owner[r] = s;
			n->base[r] = off[s];
			n->peer[r] = nowhere;
		}
		while (off[s + 1] - off[s] > 64U << n->shift)
			n->shift++;
	}
	n->owner[nowhere] = nsw;
	n->base[nowhere] = n->peer[nowhere] = nowhere;
	copy_planes(n);
}

void
dep_graph_by_topo(struct dep_graph *n, const struct topo *t, unsigned planes)
{
	uint32_t *off = mem_alloc((t->nsw + 1U) * sizeof(*off));

	off[0] = 0;
	for (sw_ix s = 0; s < t->nsw; s++)
		off[s + 1] = off[s] + t->node[t->sw[s].node].nports + 1U;
	dep_graph_new(n, t->nsw, off, planes);
}

void
dep_graph_link(struct dep_graph *n, uint32_t rec, uint32_t peer)
{
	for (uint32_t at = 0; at < n->nv; at += n->nrec)
		n->peer[rec + at] = peer + at;
}

/* Vertices of channel c with the same group of VLs become one node. */
static void
join_vertices(
	struct dep_graph *n, const struct vl_map *map, uint32_t c, unsigned out)
{
	uint32_t first[16], last[16];

	memset(first, 0xff, sizeof(first));
	for (unsigned k = 0; k < n->ins; k++)
		for (unsigned l = 0; l < n->layers; l++) {
			uint32_t v = (k * n->layers + l) * n->nrec + c;
			unsigned g = vl_map_group(map, l, k, out);

			if (first[g] == TOPO_NONE)
				first[g] = last[g] = v;
			n->node[v] = first[g];
			n->mate[last[g]] = v;
			n->mate[v] = first[g];
			last[g] = v;
		}
}

void
dep_graph_use_map(struct dep_graph *n, const struct vl_map *map,
	unsigned layers, const uint8_t *port)
{
	n->layers = layers;
	n->ins = map->in;
	n->in = mem_alloc(n->nrec);
	n->lead = mem_alloc(n->nv * sizeof(*n->lead));
	n->node = mem_alloc(n->nv * sizeof(*n->node));
	n->mate = mem_alloc(n->nv * sizeof(*n->mate));
	for (uint32_t c = 0; c < n->nrec; c++) {
		n->in[c] = port[c] & 15;
		join_vertices(n, map, c, port[n->peer[c]] >> 4);
	}
	for (uint32_t v = 0; v < n->nv; v++) {
		uint32_t c = v % n->nrec, layer = v / n->nrec % layers;

		n->lead[v] = n->base[c] + (n->in[c] * layers + layer) * n->nrec;
	}
}

bool
dep_graph_prev_plane(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *in, uint32_t *prev)
{
	uint32_t plane = v / n->nrec, layer = plane % n->layers;
	uint32_t e = n->peer[v % n->nrec], s = n->owner[e], lo = n->base[e];
	uint32_t ports = s != n->nsw ? n->off[s + 1] - n->off[s] : 0;

	while (*in < ports * n->ins) {
		uint32_t c = lo + *in % ports, k = *in / ports;

		(*in)++;
		if (n->in[c] != plane / n->layers)
			continue;
		*prev = (k * n->layers + layer) * n->nrec + c;
		if (dep_graph_has(n, dep, *prev, e - lo))
			return true;
	}
	return false;
}

/* The vertex of v's node that is i vertices behind v. */
static uint32_t
vertex_of_node(const struct dep_graph *n, uint32_t v, unsigned i)
{
	while (i-- > 0)
		v = n->mate[v];
	return v;
}

uint32_t
dep_graph_after_node(const struct dep_graph *n, const uint64_t *dep, uint32_t v,
	unsigned *at)
{
	unsigned i = *at >> PORT_BITS, port = *at & ((1U << PORT_BITS) - 1);
	uint32_t w = vertex_of_node(n, v, i);

	while (!dep_graph_next(n, dep, w, &port)) {
		w = n->mate[w];
		if (w == v)
			return TOPO_NONE;
		i++;
		port = 0;
	}
	*at = i << PORT_BITS | (port + 1);
	return n->node[dep_graph_head(n, w, port)];
}

uint32_t
dep_graph_before_node(const struct dep_graph *n, const uint64_t *dep,
	uint32_t v, unsigned *at)
{
	unsigned i = *at >> IN_BITS, in = *at & ((1U << IN_BITS) - 1);
	uint32_t w = vertex_of_node(n, v, i), prev;

	while (!dep_graph_prev_plane(n, dep, w, &in, &prev)) {
		w = n->mate[w];
		if (w == v)
			return TOPO_NONE;
		i++;
		in = 0;
	}
	*at = i << IN_BITS | in;
	return n->node[prev];
}

void
dep_graph_free(struct dep_graph *n)
{
	free(n->off);
	free(n->owner);
	free(n->base);
	free(n->peer);
	free(n->in);
	free(n->lead);
	free(n->node);
	free(n->mate);
}
