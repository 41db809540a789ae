/* same_routes: two computations, as before and after a restart, agree. */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_SAME_ROUTES_H
#define HEDDLE_TESTS_UNIT_ROUTING_SAME_ROUTES_H

#include <check.h>

#include "routing/core/routes.h"
#include "routing/core/vl_map.h"

/* Fails unless all entries, layers and the map of VLs are the same. */
static inline void
check_same_routes(const struct routes *a, const struct routes *b)
{
	const struct topo *t = a->topo;

	ck_assert_uint_eq(a->layers.n, b->layers.n);
	ck_assert(vl_map_same(a->layers.map, b->layers.map));
	for (sw_ix s = 0; s < t->nsw; s++) {
		for (uint32_t lid = 0; lid <= t->max_lid; lid++)
			ck_assert_uint_eq(routes_port(a, s, (uint16_t)lid),
				routes_port(b, s, (uint16_t)lid));
		for (sw_ix d = 0; d < t->nsw; d++)
			ck_assert_uint_eq(routes_layer(&a->layers, s, d),
				routes_layer(&b->layers, s, d));
	}
}

#endif
