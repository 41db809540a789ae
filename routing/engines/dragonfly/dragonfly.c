#include "routing/engines/dragonfly/dragonfly.h"

#include <inttypes.h>
#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/dragonfly_orders.h"

/* Whether what is remembered are the groups of a dragonfly with these links. */
static bool
fits_links(const struct climb_plan *p, const struct dimensions *places,
	struct switch_groups *m)
{
	if (places->n != 1 || places->dim[0].shape != DIMENSION_GROUPS)
		return false;
	*m = (struct switch_groups){places->dim[0].size, places->at};
	return switch_groups_check(p->d->g, m, &(struct reason){""}) == 0;
}

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	struct switch_groups m = {0};
	struct layer_orders first;
	struct dimensions places;
	const struct layer_map_size size = dragonfly_orders_size();
	bool known = climb_engine_fit(p, &first, &places) &&
		     fits_links(p, &places, &m);

	if (!known && switch_groups_read(p->d->g, &m, why) != 0)
		return -1;
	if (!known)
		places = (struct dimensions){
			.n = 1, .dim = {{m.n, DIMENSION_GROUPS}}, .at = m.of};
	climb_engine_note(p, &places, known);
	dragonfly_orders_make(p->d, &m, &first, &p->orders);
	(void)snprintf(p->note, sizeof(p->note),
		"paths by the %" PRIu32 " groups of a dragonfly", m.n);
	return climb_engine_check_vls(p->job, &size, why);
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

const struct engine engine_dragonfly = {
	.module = {.name = "dragonfly"},
	.caps = ENGINE_OWN_VLS,
	.state = &climb_engine_state,
	.route = dragonfly_route,
};
