/*
 * tables_found: the forwarding tables that switches hold, as far as is known,
 * as routes: what a standby judges, what a restart goes on from, and what new
 * tables mix with.
 */
#ifndef HEDDLE_DISTRIBUTION_PLAN_TABLES_FOUND_H
#define HEDDLE_DISTRIBUTION_PLAN_TABLES_FOUND_H

#include "distribution/device/device_store.h"
#include "routing/core/routes.h"

/* Routes of the switches of t without an order; blocks that are not known drop
 * everything. One reference, the caller's. */
struct routes *tables_found(
	const struct device_store *hw, struct topo *t, struct lft_pool *pool);

#endif
