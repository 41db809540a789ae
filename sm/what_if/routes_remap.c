#include "sm/what_if/routes_remap.h"

#include <stdlib.h>

#include "sm/base/mem.h"

static int
by_pair(const void *pa, const void *pb)
{
	const struct route_layer_pair *a = pa, *b = pb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

/* is[s]: the number in n's topology of switch s of r's. */
static void
layers_onto(const struct routes *r, struct routes *n, const sw_ix *is)
{
	const struct route_layers *l = &r->layers;

	n->layers.n = l->n;
	n->layers.spread = l->spread;
	n->layers.plain = l->plain;
	if (l->cls != NULL) {
		n->layers.cls =
			mem_alloc(((size_t)n->topo->nsw + 1) * sizeof(*l->cls));
		for (sw_ix s = 0; s < n->topo->nsw; s++)
			n->layers.cls[s] = ROUTE_NO_LEAF;
		for (sw_ix s = 0; s < r->topo->nsw; s++)
			if (is[s] != TOPO_NONE)
				n->layers.cls[is[s]] = l->cls[s];
	}
	if (l->npairs == 0)
		return;
	n->layers.pair = mem_zalloc(l->npairs, sizeof(*l->pair));
	for (size_t i = 0; i < l->npairs; i++) {
		sw_ix src = is[l->pair[i].src], dst = is[l->pair[i].dst];

		if (src != TOPO_NONE && dst != TOPO_NONE)
			n->layers.pair[n->layers.npairs++] =
				(struct route_layer_pair){
					src, dst, l->pair[i].layer};
	}
	qsort(n->layers.pair, n->layers.npairs, sizeof(*n->layers.pair),
		by_pair);
}

static size_t
count_moved(const struct topo *was, const struct topo *t)
{
	size_t moved = 0;

	for (port_ix p = 0; p < t->nports; p++) {
		port_ix q = t->port[p].lid == 0
				    ? TOPO_NONE
				    : topo_by_port_guid(was, t->port[p].guid);

		moved += q != TOPO_NONE && was->port[q].lid != 0 &&
			 was->port[q].lid != t->port[p].lid;
	}
	return moved;
}

struct routes *
routes_remap(const struct routes *r, struct topo *t, struct fts_misfit *misfit)
{
	struct routes *n = routes_new(t, r->pool);
	sw_ix *is = mem_alloc(((size_t)r->topo->nsw + 1) * sizeof(*is));
	struct fts_misfit m = {.strange = r->topo->nsw};

	for (sw_ix s = 0; s < r->topo->nsw; s++)
		is[s] = TOPO_NONE;
	n->engine = r->engine;
	n->order = r->order;
	for (sw_ix s = 0; s < t->nsw; s++) {
		sw_ix was = topo_switch_in(r->topo, t, s);

		if (was == TOPO_NONE) {
			m.missing++;
			continue;
		}
		m.strange--;
		is[was] = s;
		n->rank[s] = r->rank[was];
		routes_put_same(n, s, r, was);
		if (was == r->sftree_root)
			n->sftree_root = s;
	}
	layers_onto(r, n, is);
	free(is);
	if (misfit != NULL) {
		m.moved = count_moved(r->topo, t);
		*misfit = m;
	}
	return n;
}
