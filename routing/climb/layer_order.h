/*
 * layer_order: ranks of link directions, one order for each group of VLs.
 *
 * A path may use a layer if the ranks of its links climb there. Ranks are
 * fixed before any path is made, so all dependencies of a layer lead upwards
 * and no cycle is ever searched for. Layers that are learned have a group of
 * VLs each, by its number. Where the structure of the fabric is known, a map of
 * VLs (vl_map.h) gives layers a group by the class of the link and of the one
 * before; layers that share a group on a link share its rank there, so what
 * they do together climbs too.
 *
 * Without a map the two directions of a link have opposite ranks: reversed, a
 * path that climbs climbs, so that both directions of a pair can have the same
 * layer.
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

#include "routing/core/vl_map.h"
#include "routing/graph/directions.h"

enum { CLIMB_NO_GROUP = UINT32_MAX };

/*
 * Which of two equal ways round a ring is taken, so that both directions of a
 * pair can have the same layer: a link is no first link to switches of this
 * coordinate in its dimension.
 */
struct layer_ties {
	const uint32_t *at; /* [nsw * n] coordinates; NULL: there are no ties */
	const uint8_t *of;  /* [directions.n] dimensions */
	unsigned n;
	uint32_t *avoided; /* [directions.n] UINT32_MAX: none */
};

struct layer_orders {
	unsigned n;	    /* layers, 1 .. ROUTE_LAYERS */
	struct vl_map *map; /* a reference; NULL: layer i has VL group i */
	uint16_t structure; /* layers that are tried before others; 0: all are
			       alike */
	uint16_t first;	    /* of these, tried first, by regular paths */
	bool *last_steps;   /* [nsw] switches that other paths of the structure
			  lead to by a last step, in what is not first; or NULL */
	uint8_t *in, *out;  /* [directions.n] classes of the map */
	struct layer_ties ties;
	int32_t *rank;	 /* [VL groups * directions.n] by VL group and link
			    group; without a map no two of a layer are
			    alike, the opposite's is negative */
	unsigned escape; /* the layer by the order of switches, in which every
			    pair has a path; n: there is none */
	uint32_t *pos;	 /* [nsw] the order of switches: 0 is a top */
	sw_ix *seq; /* [nsw] the live switches from the top; nseq of them */
	uint32_t nseq;
};

/* n orders for the graph, in its arena, learned from shortest paths that are
 * made to a switch before all others: from another one others are learned. The
 * same graph and switch have the same orders. */
void layer_orders_make(const struct directions *d, unsigned n, sw_ix first,
	struct layer_orders *out);

/* Room for n orders in the graph's arena, to be filled. */
void layer_orders_room(
	const struct directions *d, unsigned n, struct layer_orders *out);

/* The ranks [d->n] of one layer: up/down by the places of switches, pos[nsw],
 * or in the order of places [d->n], which become the ranks. */
void layer_orders_by_switches(
	const struct directions *d, const uint32_t *pos, int32_t *rank);
void layer_orders_by_places(
	const struct directions *d, double *place, int32_t *rank);

/* Of orders with a map of VLs. */
struct layer_map_size {
	unsigned layers;
	unsigned groups; /* of VLs */
	unsigned ins;	 /* classes of links by which packets arrive */
};

/*
 * Room for orders with a map, layer 0 as that of `first`. Classes and ranks of
 * the other layers are to be filled, then layer_orders_put_classes gives the
 * ports of the map theirs.
 */
void layer_orders_map_room(const struct directions *d,
	const struct layer_orders *first, const struct layer_map_size *size,
	struct layer_orders *out);
void layer_orders_put_classes(
	const struct directions *d, const struct layer_orders *o);

/* Whether group c is the wrong way round a ring to switch t. */
static inline bool
layer_orders_avoids(const struct layer_orders *o, sw_ix t, uint32_t c)
{
	const struct layer_ties *ties = &o->ties;

	return ties->at != NULL && ties->avoided[c] != UINT32_MAX &&
	       ties->at[(size_t)t * ties->n + ties->of[c]] == ties->avoided[c];
}

/* The map's reference is dropped; the rest is the arena's. */
void layer_orders_free(struct layer_orders *o);

/*
 * Layers in which a dependency climbs, a bit each: [in-classes *
 * directions.dep[n]] by the class of the link that the packet came over before
 * the two, 0: it starts with the first. In arena a.
 */
uint16_t *layer_orders_climbing(const struct directions *d,
	const struct layer_orders *o, struct arena *a);

#endif
