/*
 * layer_memory: layers outlive the paths of pairs; another number of layers
 * begins anew; too many absent switches are forgotten.
 */
#include <check.h>

#include "routing/core/layer_memory.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* Routes on which every pair of the first n switches has a path, in layer
 * (a + b) % layers. */
static struct routes *
make_routes(struct topo *t, struct lft_pool *pool, uint8_t layers, sw_ix n)
{
	struct routes *r = routes_new(t, pool);

	r->layers.n = layers;
	for (sw_ix b = 0; b < t->nsw; b++) {
		struct layer_row *row = layer_row_new(t->nsw);
		port_ix p = t->node[t->sw[b].node].first_port;

		for (sw_ix a = 0; a < t->nsw; a++) {
			layer_row_put(row, a, (uint8_t)((a + b) % layers));
			if (a < n && b < n)
				routes_put_entry(r, a, t->port[p].lid, 1, NULL);
		}
		route_layers_put(&r->layers, b, row, NULL);
	}
	return r;
}

static uint8_t
recall_layer(
	const struct layer_memory *m, const struct topo *t, sw_ix a, sw_ix b)
{
	uint32_t i, k;

	ck_assert(map_get(&m->by_guid, t->node[t->sw[a].node].guid, &i));
	ck_assert(map_get(&m->by_guid, t->node[t->sw[b].node].guid, &k));
	return *layer_memory_at(m, i, k);
}

TEST(layers_outlive_paths)
{
	AUTO(fabric) struct fabric *f = shape_of("random:8:3:1");
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(routes) struct routes *all = make_routes(t, pool, 3, 8);
	AUTO(routes) struct routes *few = make_routes(t, pool, 3, 4);
	AUTO(routes) struct routes *one = make_routes(t, pool, 1, 8);
	AUTO(routes) struct routes *more = make_routes(t, pool, 5, 4);
	struct layer_memory *m[4];

	m[0] = layer_memory_learn(NULL, few);
	ck_assert_uint_eq(recall_layer(m[0], t, 2, 3), 2);
	ck_assert_uint_eq(recall_layer(m[0], t, 2, 5), LAYER_MEMORY_NONE);
	m[1] = layer_memory_learn(m[0], all);
	ck_assert_uint_eq(recall_layer(m[1], t, 5, 2), 1);
	m[2] = layer_memory_learn(m[1], few);
	ck_assert_uint_eq(recall_layer(m[2], t, 2, 5), 1);
	ck_assert_ptr_eq(layer_memory_learn(m[2], one), m[2]);
	layer_memory_unref(m[2]);
	m[3] = layer_memory_learn(m[2], more);
	ck_assert_uint_eq(m[3]->layers, 5);
	ck_assert_uint_eq(recall_layer(m[3], t, 2, 5), LAYER_MEMORY_NONE);
	for (unsigned i = 0; i < 4; i++)
		layer_memory_unref(m[i]);
}

TEST(absent_switches_are_forgotten)
{
	AUTO(fabric) struct fabric *f = shape_of("random:20:4:1");
	AUTO(fabric) struct fabric *g = shape_of("random:3:2:1");
	struct topo *t = frozen_topo(f, NULL), *small = frozen_topo(g, NULL);
	struct lft_pool *pool = lft_pool_new();
	struct routes *r = make_routes(t, pool, 2, 20);
	struct routes *few = make_routes(small, pool, 2, 3);
	struct layer_memory *m = layer_memory_learn(NULL, r);
	struct layer_memory *is = layer_memory_learn(m, few);

	ck_assert_uint_eq(m->n, 20);
	ck_assert_uint_eq(is->n, 3);
	layer_memory_unref(m);
	layer_memory_unref(is);
	routes_unref(r);
	routes_unref(few);
	lft_pool_free(pool);
	topo_unref(t);
	topo_unref(small);
}
