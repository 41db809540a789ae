#include "routing/engines/torus/torus.h"

#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/torus_orders.h"
#include "routing/graph/dimensions_fit.h"

static const struct schema torus_schema = {"routing.torus", &dimension_option,
	1, sizeof(struct dimension_options)};

static struct dimensions_given
take_dimensions(const struct route_job *job)
{
	return dimensions_take(engine_own_options(job->options, &torus_schema),
		torus_schema.path);
}

/* The most layers that there are VLs and SLs for. */
static int
choose_size(const struct route_job *job, const struct dimensions *m,
	struct layer_map_size *size, struct reason *why)
{
	for (int i = 0; i < TORUS_LAYERS_CHOICES; i++) {
		*size = torus_orders_size(m, (enum torus_layers)i);
		if (climb_engine_check_vls(job, size, why) == 0)
			return 0;
	}
	return -1;
}

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	const struct dimensions_given given = take_dimensions(p->job);
	struct dimensions m;
	struct layer_orders first;
	struct layer_map_size size;

	if (climb_engine_place(p, &given, &first, &m, why) != 0 ||
		torus_orders_check(p->d->g, &m, why) != 0 ||
		choose_size(p->job, &m, &size, why) != 0)
		return -1;
	torus_orders_make(p->d, &m, &first, &size, &p->orders);
	(void)snprintf(p->note, sizeof(p->note),
		"paths by the order of %u dimensions:", m.n);
	dimensions_print(&m, p->note, sizeof(p->note));
	return 0;
}

static const struct climb_engine torus = {.name = "torus", .make = make_orders};

static enum engine_result
torus_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	return climb_engine_route(&torus, job, keep, attempt, arena, out, why);
}

const struct engine engine_torus = {
	.module = {.name = "torus",
		.options = &torus_schema,
		.opensm = " torus-2QoS "},
	.caps = ENGINE_OWN_VLS,
	.state = &climb_engine_state,
	.route = torus_route,
};
