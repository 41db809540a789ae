/*
 * climb_engine: what engines share whose paths climb in the orders of layers.
 * An engine makes the orders; the rest is done here: the graph, what a previous
 * computation or a previous run has remembered, the paths, and what is to be
 * remembered of them.
 *
 *	engine.route -> climb_engine_route -> climb_engine.make: orders
 *					   -> climb_routes: paths in them
 */
#ifndef HEDDLE_ROUTING_CLIMB_CLIMB_ENGINE_H
#define HEDDLE_ROUTING_CLIMB_CLIMB_ENGINE_H

#include "routing/climb/climb_basis.h"
#include "routing/climb/layer_order.h"
#include "routing/climb/order_memory.h"
#include "routing/core/engine.h"
#include "routing/core/layer_links.h"
#include "routing/graph/dimensions_fit.h"

/* Orders that are being made. */
struct climb_plan {
	/* Given. */
	const struct route_job *job;
	const struct directions *d;
	const struct order_memory *was; /* remembered, or NULL */
	struct arena *state;		/* for what is remembered from now on */
	sw_ix first; /* of orders that are learned: see layer_orders_make */

	/* Made. */
	struct layer_orders orders;
	struct order_memory *memory; /* NULL: orders that were learned now */
	struct climb_basis *basis;   /* of the routes */
	bool known;	/* layers mean what they did in the previous routes */
	char note[160]; /* what was found, in words */
};

struct climb_engine {
	const char *name; /* of the engine */
	/* The orders, by job, d and was. -1 and why: the fabric is refused. */
	int (*make)(struct climb_plan *plan, struct reason *why);
	/* Layers that are asked for where the orders are learned. */
	unsigned (*asked)(const struct engine_options *o);
};

/* The function route of struct engine. */
enum engine_result climb_engine_route(const struct climb_engine *e,
	const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why);

/* What is remembered of routes is printed; a job gets it as a text. */
extern const struct engine_state_ops climb_engine_state;

/* The places of switches that are remembered with these routes; NULL: none are.
 */
const struct place_memory *climb_engine_places(const struct routes *r);

/*
 * For an engine with a structure: layer 0 into first, as it was or new, and the
 * memory of it. True: the places of all switches are known, in *places.
 */
bool climb_engine_fit(struct climb_plan *p, struct layer_orders *first,
	struct dimensions *places);

/*
 * The same for a structure of dimensions: the places that are remembered, if
 * they are what is given and all links but a few still lead to a neighbour in
 * them, else as they are read. They are noted. -1 and why: the switches are no
 * such product.
 */
int climb_engine_place(struct climb_plan *p,
	const struct dimensions_given *given, struct layer_orders *first,
	struct dimensions *places, struct reason *why);

/* The places that the orders are made by; known: climb_engine_fit gave
 * them. */
void climb_engine_note(
	struct climb_plan *p, const struct dimensions *places, bool known);

/* As many layers of those asked for as every link between switches has VLs for,
 * and SLs are left for by the QoS levels. */
unsigned climb_engine_count_layers(const struct layer_links *x, unsigned asked);

/* The same for these orders; while there is no link, as in quarantine, nothing
 * that is remembered is forgotten. */
unsigned climb_engine_choose_layers(const struct climb_plan *p, unsigned asked);

/*
 * Whether every link between switches has VLs for orders of this size, and SLs
 * are left for the layers, by each QoS level. -1 and why: a link or a switch
 * lacks them.
 */
int climb_engine_check_vls(const struct route_job *job,
	const struct layer_map_size *size, struct reason *why);

#endif
