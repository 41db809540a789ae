#include "routing/engines/nue/nue.h"

#include <stdio.h>

#include "routing/climb/climb_engine.h"
#include "routing/core/layer_links.h"
#include "routing/core/slvl.h"

enum { LAYERS = 4 };

static const struct schema_option rows[] = {
	{.key = "layers",
		.type = SCHEMA_INT,
		.offset = offsetof(struct nue_options, layers),
		.min = 1,
		.max = 8,
		.def = "4",
		.unit = "layers",
		.reload = SCHEMA_REROUTE,
		.opensm = "nue_max_num_vls",
		.help = "Routing layers that the nue engine may use, each on a "
			"virtual lane (VL) of its own: at most as many as the "
			"narrowest link between switches has VLs for. More "
			"layers make paths shorter and balance them better; "
			"one is enough for any fabric."},
};

static const struct schema nue_schema = {"routing.nue", rows,
	sizeof(rows) / sizeof(*rows), sizeof(struct nue_options)};

static unsigned
layers_asked(const struct engine_options *options)
{
	const struct nue_options *o = engine_own_options(options, &nue_schema);

	return o != NULL ? o->layers : LAYERS;
}

/* The orders that are remembered, else new ones. */
static int
make_orders(struct climb_plan *p, struct reason *why)
{
	unsigned asked = layers_asked(p->job->options);
	unsigned most = climb_engine_choose_layers(p, asked);

	(void)why;
	(void)snprintf(p->note, sizeof(p->note), "paths that climb");
	if (p->was != NULL)
		p->memory = order_memory_fit(
			p->was, p->d, asked, most, &p->orders, p->state);
	p->known = p->memory != NULL;
	if (!p->known)
		layer_orders_make(p->d, most, p->first, &p->orders);
	return 0;
}

static const struct climb_engine nue = {"nue", make_orders, layers_asked};

static enum engine_result
nue_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	return climb_engine_route(&nue, job, keep, attempt, arena, out, why);
}

/* ---- state ---- */

static void
nue_layers_short(const struct routes *r, const struct engine_options *options,
	char *out, size_t size)
{
	unsigned asked = layers_asked(options);
	struct layer_links x = layer_links_survey(r->topo, options, asked);
	unsigned most = climb_engine_count_layers(&x, asked);
	size_t n;

	*out = '\0';
	if (most >= asked || x.ports == 0)
		return;
	n = (size_t)snprintf(out, size,
		"paths are on %u of the %u layers configured: ", r->layers.n,
		asked);
	if (x.unmapped > 0)
		(void)snprintf(out + n, size - n,
			"%s cannot map SLs to its VLs, one of %u such ports",
			layer_links_name(r->topo, x.first_unmapped).s,
			x.unmapped);
	else
		(void)snprintf(out + n, size - n,
			"%s has %u VL%s for %u QoS level%s, one of %u such "
			"ports",
			layer_links_name(r->topo, x.first).s, x.least,
			x.least == 1 ? "" : "s", x.levels,
			x.levels == 1 ? "" : "s", x.narrow);
}

static const struct engine_layer_ops layers = {.too_few = nue_layers_short};

const struct engine engine_nue = {
	.module = {.name = "nue",
		.options = &nue_schema,
		.opensm = " nue dfsssp sssp lash "},
	.caps = ENGINE_ANY_FABRIC | ENGINE_OWN_VLS,
	.state = &climb_engine_state,
	.layers = &layers,
	.route = nue_route,
};
