#include "routing/engines/dor/dor.h"

#include <inttypes.h>
#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/dimension_orders.h"
#include "routing/graph/dimensions_fit.h"

static const struct schema dor_schema = {
	"routing.dor", &dimension_option, 1, sizeof(struct dimension_options)};

static struct dimensions_given
take_dimensions(const struct route_job *job)
{
	return dimensions_take(
		engine_own_options(job->options, &dor_schema), dor_schema.path);
}

/* A ring has cycles on a single VL. A few links may be in no dimension. */
static int
refuse_others(const struct directions *d, const struct dimensions *m,
	struct reason *why)
{
	if (!dimensions_has_few_odd(m, d->n))
		return reason_set(why,
			"no mesh, hypercube or HyperX: links lead to no "
			"neighbour in any dimension: %" PRIu32,
			m->odd / 2);
	for (unsigned i = 0; i < m->n; i++)
		if (m->dim[i].shape == DIMENSION_RING)
			return reason_set(why,
				"dimension %u of %u is a ring of %" PRIu32
				" switches: a torus needs more than one VL",
				i + 1, m->n, m->dim[i].size);
	return 0;
}

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	const struct dimensions_given given = take_dimensions(p->job);
	struct dimensions m;
	struct layer_orders first;

	if (climb_engine_place(p, &given, &first, &m, why) != 0 ||
		refuse_others(p->d, &m, why) != 0)
		return -1;
	dimension_orders_make(p->d, &m, &first,
		climb_engine_choose_layers(p, DIMENSION_LAYERS), &p->orders);
	(void)snprintf(p->note, sizeof(p->note),
		"one dimension after the other, of %u:", m.n);
	dimensions_print(&m, p->note, sizeof(p->note));
	return 0;
}

static const struct climb_engine dor = {.name = "dor", .make = make_orders};

static enum engine_result
dor_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	return climb_engine_route(&dor, job, keep, attempt, arena, out, why);
}

const struct engine engine_dor = {
	.module = {.name = "dor", .options = &dor_schema},
	.caps = ENGINE_OWN_VLS,
	.state = &climb_engine_state,
	.route = dor_route,
};
