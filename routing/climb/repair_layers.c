/*
 * repair_layers: the layers of pairs whose paths a repair changes.
 *
 * Where the structure of a fabric gives layers, those have most paths. A pair
 * may be in another one as well, as long as all links are there; without one of
 * them it would be led a long way round there, as others of that layer are. So
 * a pair that loses paths gets a layer of the structure, if the paths that it
 * keeps climb there, too.
 *
 * Where that makes links too busy, the layer of such a pair is open: it may be
 * any in which the paths that it keeps climb, and each path that it gets leaves
 * fewer. In the end the pair keeps its layer if it can.
 */
#include <string.h>

#include "routing/climb/repair_priv.h"

void
repair_put_layer(struct repair *m, sw_ix u, sw_ix t, unsigned layer)
{
	struct route_layers *l = &m->r->layers;

	if (!m->owned[t]) {
		struct layer_row *row = layer_row_new(l->nsw);

		if (l->row != NULL && l->row[t] != NULL)
			memcpy(row->of, l->row[t]->of, layer_row_bytes(l->nsw));
		route_layers_put(l, t, row, NULL);
		m->owned[t] = true;
	}
	layer_row_put(l->row[t], u, (uint8_t)layer);
}

/* The layers of a structure; 0: there is none. */
static uint16_t
structure_layers(const struct layer_orders *o)
{
	uint16_t all = (uint16_t)((1U << o->n) - 1);

	if (o->structure != 0)
		return o->first != 0 ? o->first : o->structure;
	if (o->map == NULL)
		return 0;
	return (uint16_t)(all & ~(1U << o->escape));
}

/* Layers of these in which all paths of u to t climb that are not lost. */
static uint16_t
layers_left(struct repair *m, sw_ix u, sw_ix t, uint16_t layers)
{
	const struct switch_lids *lids = &m->x->lids;

	for (uint32_t i = lids->first[t]; i < lids->first[t + 1]; i++) {
		repair_begin_lid(m, t, lids->lid[i]);
		repair_know_path(m, u);
		if (m->state[u] == PATH_KNOWN)
			layers &= m->mask[u];
	}
	return layers;
}

void
repair_choose_layers(struct repair *m)
{
	uint16_t layers = structure_layers(m->x->job->orders);

	for (size_t i = 0; i < m->nstuck && layers != 0; i++) {
		sw_ix a = m->stuck[i].high, b = m->stuck[i].low;
		unsigned has = routes_layer(&m->r->layers, a, b), layer;
		uint16_t can;

		if ((layers >> has & 1) != 0)
			continue;
		can = layers_left(m, a, b, layers);
		can = layers_left(m, b, a, can);
		if (can == 0)
			continue;
		layer = (unsigned)__builtin_ctz(can);
		repair_put_layer(m, a, b, layer);
		repair_put_layer(m, b, a, layer);
	}
}

void
repair_open_layers(struct repair *m)
{
	for (size_t i = 0; i < m->nstuck; i++) {
		sw_ix a = m->stuck[i].high, b = m->stuck[i].low;
		uint16_t can;

		if (*repair_open(m, a, b) != 0)
			continue;
		can = layers_left(m, a, b, m->x->all);
		*repair_open(m, a, b) = layers_left(m, b, a, can);
	}
}

void
repair_close_layers(struct repair *m)
{
	const struct route_layers *l = &m->r->layers;

	for (sw_ix a = 0; a < m->x->g->nsw; a++)
		for (sw_ix b = 0; b < a; b++) {
			uint16_t can = *repair_open(m, a, b);
			unsigned layer;

			if (can == 0 || (can >> routes_layer(l, a, b) & 1) != 0)
				continue;
			layer = (unsigned)__builtin_ctz(can);
			repair_put_layer(m, a, b, layer);
			repair_put_layer(m, b, a, layer);
		}
	m->open = NULL;
}
