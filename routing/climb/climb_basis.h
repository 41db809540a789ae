/*
 * climb_basis: what a repair of routes goes on from: the links that they were
 * made for, in which layers the dependencies between them climb, and the load
 * of each. It is kept with the routes in force (routes.state).
 *
 * All paths of routes climb by the dependencies of their basis. So they climb
 * by new orders too, if each dependency that is left climbs in all layers in
 * which it did: then a repair need not look at them.
 */
#ifndef HEDDLE_ROUTING_CLIMB_CLIMB_BASIS_H
#define HEDDLE_ROUTING_CLIMB_CLIMB_BASIS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/climb/layer_order.h"
#include "sm/base/arena.h"

struct climb_basis {
	uint32_t nsw;
	uint32_t *first;   /* [nsw + 1] groups of a switch, as in struct swgraph
			    */
	uint16_t *peer;	   /* [groups] where a group leads */
	uint8_t *in, *out; /* [groups] classes of the map of VLs */
	uint32_t *next;	   /* [groups + 1] as directions.dep */
	unsigned ins;	   /* in-classes */
	const uint16_t *dep; /* [ins * dependencies] layers in which one climbs,
			      as layer_orders_climbing gives them */
	uint64_t *load;	     /* [topo.nadj] pairs of hosts */
};

/* The basis of routes for a graph, by orders of which dep are the climbing
 * dependencies, in arena a; load: see above. All of it in that arena. */
struct climb_basis *climb_basis_new(const struct directions *d,
	const struct layer_orders *o, const uint16_t *dep, const uint64_t *load,
	struct arena *a);

/*
 * Whether in a graph, whose switches are was[nsw] in b, all dependencies of
 * links that b has climb by its orders in all layers in which they do by b,
 * over links of the same classes.
 */
bool climb_basis_holds(const struct climb_basis *b, const sw_ix *was,
	const struct directions *d, const struct layer_orders *o,
	const uint16_t *dep);

#endif
