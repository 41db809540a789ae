/*
 * channel_order: an order of channels that is kept while dependencies are
 * added: the channels behind new ones are raised, which is nearly always a few;
 * else all are ordered anew. Private to the verifier.
 */
#ifndef HEDDLE_ROUTING_VERIFY_CHANNEL_ORDER_H
#define HEDDLE_ROUTING_VERIFY_CHANNEL_ORDER_H

#include "routing/verify/cdg.h"

/* A dependency that was not known; by its layer. */
struct channel_order_dep {
	uint32_t sw;
	uint8_t in, out, layer;
};

/*
 * The order, or orders of layers, [orders * nports], raised for ndep new
 * dependencies, which g has already; to be freed. NULL: there may be a cycle.
 */
uint32_t *channel_order_raise(const struct cdg *g, const uint32_t *order,
	unsigned orders, const struct channel_order_dep *dep, size_t ndep);

#endif
