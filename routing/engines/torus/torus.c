#include "routing/engines/torus/torus.h"

#include <inttypes.h>
#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/climb/torus_orders.h"

static void
describe_dimensions(const struct dimensions *d, char *out, size_t size)
{
	static const char *const shape[] = {[DIMENSION_LINE] = "line",
		[DIMENSION_RING] = "ring",
		[DIMENSION_FULL] = "full mesh"};
	size_t n = (size_t)snprintf(
		out, size, "paths by the order of %u dimensions:", d->n);

	for (unsigned i = 0; i < d->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s %s of %" PRIu32,
			i > 0 ? "," : "", shape[d->dim[i].shape],
			d->dim[i].size);
}

static int
make_orders(struct climb_plan *p, struct reason *why)
{
	struct dimensions m;
	struct layer_orders first;

	if (dimensions_read(p->d->g, &m, why) != 0 ||
		torus_orders_check(&m, why) != 0)
		return -1;
	torus_orders_make(p->d, &m, &p->orders);
	first = p->orders;
	first.n = 1;
	p->memory = order_memory_learned(p->d, &first, 1, p->state);
	describe_dimensions(&m, p->note, sizeof(p->note));
	return climb_engine_check_vls(p->job, TORUS_GROUPS, p->orders.n, why);
}

static const struct climb_engine torus = {.name = "torus", .make = make_orders};

static enum engine_result
torus_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	return climb_engine_route(&torus, job, keep, attempt, arena, out, why);
}

static const struct engine_state_ops torus_state = {
	.print = climb_engine_print};

const struct engine engine_torus = {
	.module = {.name = "torus"},
	.caps = ENGINE_OWN_VLS,
	.state = &torus_state,
	.route = torus_route,
};
