/*
 * route_layers: which layer the packets of a pair of switches travel in.
 *
 * The packets from the ports of one switch to those of another have a layer,
 * which they keep on their whole path, so that the dependencies of each layer
 * are a graph of their own. Which SLs and VLs a layer gets is decided by
 * routing/core/slvl.h. The layer of (a, b) is that of (b, a): a connection
 * answers on the SL that it was called on. Engines see to that, the verifier
 * demands it.
 *
 * There is a row for each destination switch, four bits a source, shared by
 * reference as rows of forwarding tables are. A formula may fill rows. Layers
 * have VLs of their own on every link, unless a map of VLs (vl_map.h) says
 * otherwise.
 */
#ifndef HEDDLE_ROUTING_CORE_ROUTE_LAYERS_H
#define HEDDLE_ROUTING_CORE_ROUTE_LAYERS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/topo.h"
#include "routing/core/vl_map.h"
#include "sm/base/mem.h"

enum { ROUTE_LAYERS = 16 }; /* as many as there are SLs */

/* The layers of packets to one switch: two sources a byte, even ones low. */
struct layer_row {
	unsigned refs;
	uint32_t n; /* switches */
	uint8_t of[];
};

struct route_layers {
	uint8_t n;  /* layers in use, 1..ROUTE_LAYERS */
	bool plain; /* the verifier finds no cycle either when all layers are
		       one: they may share VLs */
	uint32_t nsw;
	struct layer_row **row; /* [nsw] by destination; NULL: layer 0, in a
				   row or for all */
	struct vl_map *map;	/* a reference; NULL: layer i has group i */
};

/* Bytes of a row of n switches. */
static inline size_t
layer_row_bytes(uint32_t n)
{
	return (n + (size_t)1) / 2;
}

/* A row of n switches, all on layer 0, with one reference. */
static inline struct layer_row *
layer_row_new(uint32_t n)
{
	struct layer_row *r = mem_zalloc(1, sizeof(*r) + layer_row_bytes(n));

	r->refs = 1;
	r->n = n;
	return r;
}

/* One reference more, and one less; NULL allowed. */
static inline struct layer_row *
layer_row_share(struct layer_row *r)
{
	if (r != NULL)
		r->refs++;
	return r;
}

static inline void
layer_row_drop(struct layer_row *r)
{
	if (r != NULL && --r->refs == 0)
		free(r);
}

static inline uint8_t
layer_row_get(const struct layer_row *r, sw_ix src)
{
	if (r == NULL)
		return 0;
	return (uint8_t)(r->of[src / 2] >> src % 2 * 4 & 15);
}

/* Of a row with one reference. */
static inline void
layer_row_put(struct layer_row *r, sw_ix src, uint8_t layer)
{
	r->of[src / 2] =
		(uint8_t)((r->of[src / 2] & (src % 2 == 0 ? 0xf0 : 0x0f)) |
			  layer << src % 2 * 4);
}

/* True if the same sources have the same layers in both; NULL is layer 0. */
static inline bool
layer_row_same(const struct layer_row *a, const struct layer_row *b)
{
	const struct layer_row *some = a != NULL ? a : b;

	if (a == b)
		return true;
	if (a != NULL && b != NULL)
		return a->n == b->n &&
		       memcmp(a->of, b->of, layer_row_bytes(a->n)) == 0;
	for (size_t i = 0; i < layer_row_bytes(some->n); i++)
		if (some->of[i] != 0)
			return false;
	return true;
}

/*
 * The packets to dst have the layers of this row, which is taken over; where
 * `like` (NULL allowed) has the same bytes it is shared instead. l->nsw is set.
 */
static inline void
route_layers_put(struct route_layers *l, sw_ix dst, struct layer_row *row,
	struct layer_row *like)
{
	assert(dst < l->nsw && row->n == l->nsw);
	if (like != NULL && layer_row_same(row, like)) {
		layer_row_drop(row);
		row = layer_row_share(like);
	}
	if (l->row == NULL)
		l->row = mem_zalloc(l->nsw, sizeof(struct layer_row *));
	layer_row_drop(l->row[dst]);
	l->row[dst] = row;
}

/* A copy that shares the rows, and the end of one. */
static inline struct route_layers
route_layers_copy(const struct route_layers *l)
{
	struct route_layers c = *l;

	(void)vl_map_share(c.map);
	if (l->row == NULL)
		return c;
	c.row = mem_dup(l->row, l->nsw * sizeof(struct layer_row *));
	for (uint32_t s = 0; s < l->nsw; s++)
		(void)layer_row_share(c.row[s]);
	return c;
}

static inline void
route_layers_free(struct route_layers *l)
{
	for (uint32_t s = 0; l->row != NULL && s < l->nsw; s++)
		layer_row_drop(l->row[s]);
	free(l->row);
	l->row = NULL;
	vl_map_drop(l->map);
	l->map = NULL;
}

/* Groups of VLs that a link between switches needs. */
static inline unsigned
route_layers_groups(const struct route_layers *l)
{
	return l->map != NULL ? l->map->groups : l->n;
}

/*
 * Layers that multicast trees may travel in, a bit each: any where layers may
 * share VLs, else the first alone, which leaves them room in every fabric.
 */
static inline uint16_t
route_layers_trees(const struct route_layers *l)
{
	return l->n > 1 && !l->plain ? 1 : UINT16_MAX;
}

/* The layer of packets from ports of switch src to ports of dst. */
static inline uint8_t
routes_layer(const struct route_layers *l, sw_ix src, sw_ix dst)
{
	return l->row == NULL ? 0 : layer_row_get(l->row[dst], src);
}

#endif
