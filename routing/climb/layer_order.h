/*
 * layer_order: ranks of link directions, one order for each layer.
 *
 * A path may use a layer if the ranks of its links climb there. Ranks are
 * fixed before any path is made, so all dependencies of a layer lead upwards
 * and no cycle is ever searched for. The two directions of a link have opposite
 * ranks: reversed, a path that climbs climbs, so that both directions of a pair
 * can have the same layer.
 *
 * Layer 0 is up/down by an order of switches, each of which has a neighbour
 * above it but for one top in each component: it has a path for every pair.
 * The other layers are learned. Shortest paths are made, and the directions of
 * a layer are moved to the places where most dependencies of such paths climb
 * that no layer before has, in some rounds; a dependency counts the less the
 * more other dependencies of its paths do not climb.
 *
 * Folder routing/climb: a graph of switches -> orders, and paths that climb in
 * them, for any topology. Callers: routing/engines. Read next: climb.h.
 */
#ifndef HEDDLE_ROUTING_CLIMB_LAYER_ORDER_H
#define HEDDLE_ROUTING_CLIMB_LAYER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/graph/directions.h"

enum { CLIMB_NO_GROUP = UINT32_MAX };

struct layer_orders {
	unsigned n;    /* layers, 1 .. ROUTE_LAYERS */
	int32_t *rank; /* [n * directions.n] by layer and group: no two of a
			  layer are alike, the opposite's is negative */
	uint32_t *pos; /* [nsw] the order of switches of layer 0: 0 is a top */
	sw_ix *seq;    /* [nsw] the live switches from the top; nseq of them */
	uint32_t nseq;
};

/* n orders for the graph, in its arena. The same graph has the same orders. */
void layer_orders_make(
	const struct directions *d, unsigned n, struct layer_orders *out);

/* Room for n orders in the graph's arena, to be filled. */
void layer_orders_room(
	const struct directions *d, unsigned n, struct layer_orders *out);

/* The ranks [d->n] of one layer: up/down by the places of switches, pos[nsw],
 * or in the order of places [d->n], which become the ranks. */
void layer_orders_by_switches(
	const struct directions *d, const uint32_t *pos, int32_t *rank);
void layer_orders_by_places(
	const struct directions *d, double *place, int32_t *rank);

/* Layers in which a dependency climbs, a bit each: [directions.dep[n]], in the
 * graph's arena. */
uint16_t *layer_orders_climbing(
	const struct directions *d, const struct layer_orders *o);

#endif
