/*
 * layers_fixture: layers of single pairs of switches, alike both ways.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_LAYERS_FIXTURE_H
#define HEDDLE_TESTS_UNIT_ROUTING_LAYERS_FIXTURE_H

#include "routing/core/route_layers.h"

/* The packets from src to dst travel in this layer; back in the one they do. */
static inline void
layers_put_one_way(struct route_layers *l, sw_ix src, sw_ix dst, uint8_t layer)
{
	struct layer_row *row = layer_row_new(l->nsw);

	for (sw_ix s = 0; s < l->nsw; s++)
		layer_row_put(row, s, routes_layer(l, s, dst));
	layer_row_put(row, src, layer);
	route_layers_put(l, dst, row, NULL);
}

static inline void
layers_put(struct route_layers *l, sw_ix a, sw_ix b, uint8_t layer)
{
	layers_put_one_way(l, a, b, layer);
	layers_put_one_way(l, b, a, layer);
}

/* Spread all pairs over n layers, by numbers of the switches: they go round
 * them. */
static inline void
layers_spread(struct route_layers *l, uint8_t n, const uint16_t *number)
{
	l->n = n;
	for (sw_ix a = 0; a < l->nsw; a++)
		for (sw_ix b = 0; b < a; b++) {
			unsigned i = number[a], j = number[b];

			layers_put(l, a, b,
				(uint8_t)(i == j ? 0 : (i + j - 1) % n));
		}
}

/* The same with the numbers of the topology. */
static inline void
layers_spread_all(struct route_layers *l, uint8_t n)
{
	uint16_t number[1024];

	for (sw_ix s = 0; s < l->nsw && s < 1024; s++)
		number[s] = (uint16_t)s;
	layers_spread(l, n, number);
}

#endif
