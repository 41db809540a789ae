/*
 * mcast_order: room for multicast beside tables that obey no order of switches.
 *
 * Trees need an order of their own then: one whose dependencies, together with
 * those of the unicast tables in every layer that groups may travel in, have no
 * cycle. It is found by the dependency graph alone, whatever engine made the
 * tables: switches are placed one after another, each below one that has a
 * place, over a link that closes no cycle; the links of all of them are a
 * spanning tree. Then every further link that closes no cycle is added, so that
 * groups can spread. What is proven is the whole set: any tree over these links
 * that climbs and then descends adds nothing to it.
 *
 * The previous order is kept where that is possible: trees stay in place. Where
 * the unicast tables of these layers are up/down by an order that is given, all
 * links have room at once, and one look at all dependencies together says so:
 * such an order is taken before one in which links have to be tried singly.
 */
#ifndef HEDDLE_ROUTING_MCAST_MCAST_ORDER_H
#define HEDDLE_ROUTING_MCAST_MCAST_ORDER_H

#include <stdbool.h>

#include "discovery/topo.h"
#include "routing/core/routes.h"
#include "routing/core/verdict.h"
#include "routing/verify/dep_graph.h"

/* An order, and the topology whose switches it places. */
struct mcast_order_try {
	const struct topo *topo;
	const struct route_mcast *order;
};

/*
 * Find an order for t, whose unicast tables make the dependencies deps (without
 * a cycle), in the layers of the mask. Before others the two orders of first
 * are tried: each with all links, then each with those that close no cycle; one
 * that is NULL or has no places is left out. *out: to be freed with
 * routes_mcast_free. False: nothing was found, and *out is empty. Pure.
 */
bool mcast_order_find(struct topo *t, const struct verify_dependencies *deps,
	uint16_t layers, const struct mcast_order_try first[2],
	struct route_mcast *out);

/*
 * Add the dependencies that trees of this order may make, in all planes of its
 * layers, to dep: a matrix over n, the frame of t's records, which has one
 * record more per plane than t has ports.
 */
void mcast_order_add(const struct topo *t, const struct route_mcast *m,
	const struct dep_graph *n, uint64_t *dep);

/* Whether they have no cycle together with dep, as above. */
bool mcast_order_fits(const struct topo *t, const struct route_mcast *m,
	const struct dep_graph *n, const uint64_t *dep);

#endif
