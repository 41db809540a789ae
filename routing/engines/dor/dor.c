#include "routing/engines/dor/dor.h"

#include <inttypes.h>
#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/dimension_orders.h"
#include "routing/graph/dimensions_fit.h"

enum { ODD = 20 };

static const struct schema dor_schema = {
	"routing.dor", &dimension_option, 1, sizeof(struct dimension_options)};

static struct dimensions_given
take_dimensions(const struct route_job *job)
{
	return dimensions_take(
		engine_own_options(job->options, &dor_schema), dor_schema.path);
}

static void
describe_dimensions(const struct dimensions *d, char *out, size_t size)
{
	size_t n = (size_t)snprintf(
		out, size, "one dimension after the other, of %u:", d->n);

	for (unsigned i = 0; i < d->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s %s of %" PRIu32,
			i > 0 ? "," : "",
			d->dim[i].shape == DIMENSION_LINE ? "line"
							  : "full mesh",
			d->dim[i].size);
}

/* A ring has cycles on a single VL. One link in ODD may be in no dimension. */
static int
refuse_others(const struct directions *d, const struct dimensions *m,
	struct reason *why)
{
	if (m->odd * ODD > d->n)
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

/* Whether the places that are remembered still fit the links. */
static bool
fits_links(const struct climb_plan *p, struct dimensions *m)
{
	dimensions_of_links(p->d->g, m);
	return refuse_others(p->d, m, &(struct reason){""}) == 0;
}

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	const struct dimensions_given given = take_dimensions(p->job);
	struct dimensions m;
	struct layer_orders first;
	bool known = climb_engine_fit(p, &first, &m) &&
		     dimensions_are_given(&m, &given) && fits_links(p, &m);

	if (!known && (dimensions_find(p->d->g, &given, &m, why) != 0 ||
			      refuse_others(p->d, &m, why) != 0))
		return -1;
	climb_engine_note(p, &m, known);
	dimension_orders_make(p->d, &m, &first,
		climb_engine_choose_layers(p, DIMENSION_LAYERS), &p->orders);
	describe_dimensions(&m, p->note, sizeof(p->note));
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
