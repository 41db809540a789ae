#include "routing/verify/dep_graph.h"

#include <stdlib.h>

#include "sm/base/mem.h"

/* The same records again for every further layer. */
static void
copy_layers(struct dep_graph *n)
{
	for (uint32_t v = n->nrec; v < n->nv; v++) {
		n->owner[v] = n->owner[v - n->nrec];
		n->base[v] = n->base[v - n->nrec] + n->nrec;
		n->peer[v] = n->peer[v - n->nrec] + n->nrec;
	}
}

void
dep_graph_new(struct dep_graph *n, uint32_t nsw, uint32_t *off, unsigned layers)
{
	uint32_t nowhere = off[nsw];

	*n = (struct dep_graph){.nsw = nsw,
		.nrec = nowhere + 1,
		.nv = (nowhere + 1) * layers,
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
	copy_layers(n);
}

void
dep_graph_by_topo(struct dep_graph *n, const struct topo *t, unsigned layers)
{
	uint32_t *off = mem_alloc((t->nsw + 1U) * sizeof(*off));

	off[0] = 0;
	for (sw_ix s = 0; s < t->nsw; s++)
		off[s + 1] = off[s] + t->node[t->sw[s].node].nports + 1U;
	dep_graph_new(n, t->nsw, off, layers);
}

void
dep_graph_link(struct dep_graph *n, uint32_t rec, uint32_t peer)
{
	for (uint32_t at = 0; at < n->nv; at += n->nrec)
		n->peer[rec + at] = peer + at;
}

void
dep_graph_free(struct dep_graph *n)
{
	free(n->off);
	free(n->owner);
	free(n->base);
	free(n->peer);
}
