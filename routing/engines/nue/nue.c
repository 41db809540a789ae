#include "routing/engines/nue/nue.h"

#include <stdio.h>

#include "routing/climb/climb.h"
#include "routing/core/layer_links.h"
#include "sm/base/mem.h"

enum { LAYERS = 4, PASSES = 3 };

static const struct schema_option rows[] = {
	{.key = "layers",
		.type = SCHEMA_INT,
		.offset = offsetof(struct nue_options, layers),
		.min = 1,
		.max = 8,
		.def = "4",
		.unit = "layers",
		.reload = SCHEMA_REROUTE,
		.help = "Routing layers that the nue engine may use, each on a "
			"virtual lane (VL) of its own: at most as many as the "
			"narrowest link between switches has VLs for. More "
			"layers make paths shorter and balance them better; "
			"one is enough for any fabric."},
};

static const struct schema nue_schema = {"routing.nue", rows,
	sizeof(rows) / sizeof(*rows), sizeof(struct nue_options)};

/* As many layers as are asked for, and every link between switches has VLs
 * for. */
static unsigned
count_layers(const struct route_job *job)
{
	const struct nue_options *o =
		engine_own_options(job->options, &nue_schema);
	unsigned n = o != NULL ? o->layers : LAYERS;
	struct layer_links x = layer_links_survey(job->topo, job->options, n);
	unsigned most = x.ports == 0	 ? 1
			: x.unmapped > 0 ? 1
					 : x.least / x.levels;

	n = n < most ? n : most;
	return n > 1 ? n : 1;
}

/* With one layer the ranks of links prove the tables. */
static void
give_ranks(struct routes *r, const struct directions *d,
	const struct layer_orders *o)
{
	const struct swgraph *g = d->g;

	if (o->n > 1)
		return;
	r->link_rank = mem_zalloc(g->t->nadj, sizeof(*r->link_rank));
	for (uint32_t c = 0; c < d->n; c++)
		for (unsigned k = 0; k < g->group[c].n; k++)
			r->link_rank[g->group[c].adj + k] =
				(uint32_t)(o->rank[c] + (int32_t)d->n);
}

static enum engine_result
nue_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = arena};
	struct layer_orders orders;
	struct directions d;
	struct climb_job climb = {.d = &d,
		.orders = &orders,
		.passes = keep ? 1 : PASSES,
		.prev = keep ? job->prev : NULL,
		.cancel = job->cancel};

	*out = NULL;
	if (attempt > 0)
		return ENGINE_NO_MORE;
	swgraph_build(&g);
	directions_build(&d, &g);
	layer_orders_make(&d, count_layers(job), &orders);
	*out = climb_routes(&climb);
	if (*out == NULL) {
		(void)reason_set(why, "cancelled");
		return ENGINE_REFUSED;
	}
	(*out)->engine = engine_nue.module.name;
	give_ranks(*out, &d, &orders);
	/* multicast obeys what the first layer does */
	(*out)->mcast.pos =
		mem_dup(orders.pos, g.nsw * sizeof(*(*out)->mcast.pos));
	(void)snprintf((*out)->note, sizeof((*out)->note),
		"paths that climb, in %u of %u layers", (*out)->layers.n,
		orders.n);
	return ENGINE_OK;
}

const struct engine engine_nue = {
	.module = {.name = "nue", .options = &nue_schema},
	.caps = ENGINE_ANY_FABRIC | ENGINE_OWN_VLS,
	.route = nue_route,
};
