#include "routing/engines/nue/nue.h"

#include <stdio.h>
#include <string.h>

#include "routing/climb/climb.h"
#include "routing/climb/order_memory.h"
#include "routing/core/layer_links.h"
#include "routing/core/slvl.h"
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

static unsigned
layers_asked(const struct engine_options *options)
{
	const struct nue_options *o = engine_own_options(options, &nue_schema);

	return o != NULL ? o->layers : LAYERS;
}

/* As many layers as are asked for, and every link between switches has VLs
 * for, and SLs are left for by the QoS levels. */
static unsigned
count_layers(const struct layer_links *x, unsigned asked)
{
	unsigned vls = x->least / x->levels, sls = SLVL_SLS / x->levels;
	unsigned most = vls < sls ? vls : sls;

	if (x->ports == 0 || x->unmapped > 0 || most < 1)
		return 1;
	return asked < most ? asked : most;
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

/* ---- orders ---- */

static bool
is_own(const struct routes *r)
{
	return r != NULL && strcmp(r->engine, engine_nue.module.name) == 0;
}

/* Whether the layers of these routes are those that are remembered. */
static bool
knows_layers(const struct routes *r)
{
	return is_own(r) || (r != NULL && r->layers.n > 1);
}

/* What is remembered of the routes in force, or of a previous run; NULL:
 * nothing. */
static const struct order_memory *
find_memory(const struct route_job *job, struct arena *a, struct reason *why)
{
	static const char own[] = "nue ";
	const struct order_memory *m;
	struct buf text = {0};
	const char *line = job->remembered;

	if (is_own(job->prev) && job->prev->state != NULL)
		return job->prev->state->what;
	for (; line != NULL && *line != '\0'; line += *line == '\n') {
		size_t n = strcspn(line, "\n");

		if (strncmp(line, own, sizeof(own) - 1) == 0)
			buf_printf(&text, "%.*s\n", (int)(n - sizeof(own) + 1),
				line + sizeof(own) - 1);
		line += n;
	}
	if (text.n == 0)
		return NULL;
	m = order_memory_parse(text.text, a, why);
	buf_free(&text);
	return m;
}

/* The orders to use: those that are remembered, else new ones. What is
 * remembered of them is in arena a; NULL: they are new. */
static struct order_memory *
find_orders(const struct route_job *job, const struct directions *d,
	struct layer_orders *o, struct arena *a, struct reason *why)
{
	const struct order_memory *m = find_memory(job, d->g->a, why);
	unsigned asked = layers_asked(job->options);
	struct layer_links x =
		layer_links_survey(job->topo, job->options, asked);
	unsigned most = count_layers(&x, asked);
	struct order_memory *fits =
		m != NULL ? order_memory_fit(m, d, asked, most, o, a) : NULL;

	if (fits == NULL)
		layer_orders_make(d, most, o);
	return fits;
}

/* The routes are made: layers that new orders have and no pair needs are not
 * asked for again. */
static void
remember_orders(const struct route_job *job, const struct directions *d,
	struct layer_orders *o, struct order_memory *m, struct routes *r,
	struct arena *a)
{
	if (m == NULL) {
		o->n = r->layers.n;
		m = order_memory_learned(d, o, layers_asked(job->options), a);
	}
	r->layers.n = (uint8_t)o->n;
	routes_set_state(r, a, m);
}

static enum engine_result
nue_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = arena};
	struct arena *state;
	struct reason bad = {""};
	struct layer_orders orders;
	struct order_memory *m;
	struct directions d;
	struct climb_job climb = {.d = &d,
		.orders = &orders,
		.passes = keep ? 1 : PASSES,
		.prev = job->prev,
		.cancel = job->cancel};

	*out = NULL;
	if (attempt > 0)
		return ENGINE_NO_MORE;
	state = arena_new();
	swgraph_build(&g);
	directions_build(&d, &g);
	m = find_orders(job, &d, &orders, state, &bad);
	if (m != NULL && knows_layers(job->prev))
		climb.layers = &job->prev->layers;
	climb.keep = keep && m != NULL && job->prev != NULL;
	*out = climb_routes(&climb);
	if (*out == NULL) {
		arena_free(state);
		(void)reason_set(why, "cancelled");
		return ENGINE_REFUSED;
	}
	(*out)->engine = engine_nue.module.name;
	(void)snprintf((*out)->note, sizeof((*out)->note),
		"paths that climb, in %u of %u layers%s%s", (*out)->layers.n,
		orders.n, bad.text[0] != '\0' ? "; not understood: " : "",
		bad.text);
	remember_orders(job, &d, &orders, m, *out, state);
	give_ranks(*out, &d, &orders);
	/* multicast obeys what the first layer does */
	(*out)->mcast.pos =
		mem_dup(orders.pos, g.nsw * sizeof(*(*out)->mcast.pos));
	return ENGINE_OK;
}

/* ---- state ---- */

static void
nue_print(const struct routes *r, struct buf *out)
{
	struct buf text = {0};

	if (r->state == NULL)
		return;
	order_memory_print(r->state->what, &text);
	for (char *save = NULL, *line = strtok_r(text.text, "\n", &save);
		line != NULL; line = strtok_r(NULL, "\n", &save))
		buf_printf(out, "%s %s\n", engine_nue.module.name, line);
	buf_free(&text);
}

static void
nue_layers_short(const struct routes *r, const struct engine_options *options,
	char *out, size_t size)
{
	unsigned asked = layers_asked(options);
	struct layer_links x = layer_links_survey(r->topo, options, asked);
	unsigned most = count_layers(&x, asked);
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

static const struct engine_state_ops nue_state = {
	.print = nue_print, .layers_short = nue_layers_short};

const struct engine engine_nue = {
	.module = {.name = "nue", .options = &nue_schema},
	.caps = ENGINE_ANY_FABRIC | ENGINE_OWN_VLS,
	.state = &nue_state,
	.route = nue_route,
};
