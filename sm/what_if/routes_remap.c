#include "sm/what_if/routes_remap.h"

#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/mem.h"

/* is[s]: the number in n's topology of switch s of r's. */
static void
layers_onto(const struct routes *r, struct routes *n, const sw_ix *is)
{
	const struct route_layers *l = &r->layers;

	n->layers.n = l->n;
	n->layers.plain = l->plain;
	vl_map_drop(n->layers.map);
	n->layers.map =
		l->map != NULL ? vl_map_for(l->map, r->topo, n->topo) : NULL;
	for (sw_ix d = 0; l->row != NULL && d < r->topo->nsw; d++) {
		struct layer_row *row;

		if (is[d] == TOPO_NONE || l->row[d] == NULL)
			continue;
		row = layer_row_new(n->topo->nsw);
		for (sw_ix s = 0; s < r->topo->nsw; s++)
			if (is[s] != TOPO_NONE)
				layer_row_put(row, is[s],
					layer_row_get(l->row[d], s));
		route_layers_put(&n->layers, is[d], row, NULL);
	}
}

/* The order of multicast; switches that are new to it come last. */
static void
mcast_onto(const struct routes *r, struct routes *n, const sw_ix *is)
{
	uint32_t nsw = n->topo->nsw;

	if (r->mcast.pos == NULL)
		return;
	n->mcast.pos = mem_alloc((nsw + 1U) * sizeof(*n->mcast.pos));
	for (sw_ix s = 0; s < nsw; s++)
		n->mcast.pos[s] = r->topo->nsw + s;
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		if (is[s] != TOPO_NONE)
			n->mcast.pos[is[s]] = r->mcast.pos[s];
}

/* What the engine wants to find again. */
static void
state_onto(const struct routes *r, struct routes *n)
{
	struct buf text = {0};

	registry_print_state(r, &text);
	(void)registry_parse_state(n, r->engine, text.text, NULL);
	buf_free(&text);
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
	}
	layers_onto(r, n, is);
	state_onto(r, n);
	mcast_onto(r, n, is);
	free(is);
	if (misfit != NULL) {
		m.moved = count_moved(r->topo, t);
		*misfit = m;
	}
	return n;
}
