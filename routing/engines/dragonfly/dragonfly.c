#include "routing/engines/dragonfly/dragonfly.h"

#include <inttypes.h>
#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/dragonfly_orders.h"

static const struct schema_option rows[] = {
	{.key = "groups",
		.type = SCHEMA_SWITCHES,
		.offset = offsetof(struct dragonfly_options, groups),
		.max = 64,
		.def = "[]",
		.reload = SCHEMA_REROUTE,
		.help = "The groups of a dragonfly: each entry is one, by a "
			"pattern of the names of its switches, such as "
			"\"g1-*\". Every switch has to be in one. Empty: "
			"groups are read from the links."},
};

static const struct schema dragonfly_schema = {"routing.dragonfly", rows,
	sizeof(rows) / sizeof(*rows), sizeof(struct dragonfly_options)};

/* The groups that are given; they are none where n is 0. */
static struct schema_names
take_groups(const struct route_job *job)
{
	const struct dragonfly_options *o =
		engine_own_options(job->options, &dragonfly_schema);

	return o != NULL ? o->groups : (struct schema_names){NULL, 0};
}

/* Whether what is remembered are these groups, which are given. */
static bool
are_given(const struct climb_plan *p, const struct dimensions *places,
	const struct switch_groups *m)
{
	if (places->n != 1 || places->dim[0].shape != DIMENSION_GROUPS ||
		places->dim[0].size != m->n)
		return false;
	for (sw_ix s = 0; s < p->d->g->nsw; s++)
		if (p->d->g->live[s] && places->at[s] != m->of[s])
			return false;
	return true;
}

/* Whether what is remembered are the groups of a dragonfly with these links. */
static bool
fits_links(const struct climb_plan *p, const struct dimensions *places,
	struct switch_groups *m)
{
	if (places->n != 1 || places->dim[0].shape != DIMENSION_GROUPS)
		return false;
	*m = (struct switch_groups){places->dim[0].size, places->at};
	return switch_groups_check(p->d->g, m, true, &(struct reason){""}) == 0;
}

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	const struct schema_names given = take_groups(p->job);
	struct switch_groups m = {0};
	struct layer_orders first;
	struct dimensions places;
	const struct layer_map_size size = dragonfly_orders_size();
	bool known = climb_engine_fit(p, &first, &places);

	if (given.n > 0) {
		if (switch_groups_take(p->d->g, &given, &m, why) != 0)
			return -1;
		known = known && are_given(p, &places, &m);
	} else {
		known = known && fits_links(p, &places, &m);
		if (!known && switch_groups_read(p->d->g, &m, why) != 0)
			return -1;
	}
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
	.module = {.name = "dragonfly", .options = &dragonfly_schema},
	.caps = ENGINE_OWN_VLS,
	.state = &climb_engine_state,
	.route = dragonfly_route,
};
