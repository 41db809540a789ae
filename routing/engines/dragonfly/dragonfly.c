#include "routing/engines/dragonfly/dragonfly.h"

#include <inttypes.h>
#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/dragonfly_orders.h"

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	struct switch_groups m;
	struct layer_orders first;

	if (switch_groups_read(p->d->g, &m, why) != 0)
		return -1;
	dragonfly_orders_make(p->d, &m, &p->orders);
	first = p->orders;
	first.n = 1;
	p->memory = order_memory_learned(p->d, &first, 1, p->state);
	(void)snprintf(p->note, sizeof(p->note),
		"paths by the %" PRIu32 " groups of a dragonfly", m.n);
	return climb_engine_check_vls(
		p->job, p->orders.map->groups, p->orders.n, why);
}

static const struct climb_engine dragonfly = {
	.name = "dragonfly", .make = make_orders};

static enum engine_result
dragonfly_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	return climb_engine_route(
		&dragonfly, job, keep, attempt, arena, out, why);
}

static const struct engine_state_ops dragonfly_state = {
	.print = climb_engine_print};

const struct engine engine_dragonfly = {
	.module = {.name = "dragonfly"},
	.caps = ENGINE_OWN_VLS,
	.state = &dragonfly_state,
	.route = dragonfly_route,
};
