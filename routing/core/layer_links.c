#include "routing/core/layer_links.h"

#include <stdio.h>

#include "routing/core/slvl.h"

unsigned
layer_links_levels(const struct engine_options *o)
{
	return o != NULL && o->levels > 1 ? o->levels : 1;
}

/*
 * True if the node has several VLs at p and cannot map SLs to them, as it has
 * to.
 */
static bool
cannot_map_sls(const struct topo *t, port_ix p)
{
	return t->port[p].vl_cap > 1 && !slvl_maps(t, p);
}

static void
count_port(const struct topo *t, port_ix p, const struct engine_options *o,
	unsigned layers, struct layer_links *x)
{
	unsigned vls = o != NULL ? slvl_weighted(t, p, o->max_vls, o->lists)
				 : slvl_link(t, p, 0);

	if (vls == 0)
		return; /* unknown */
	if (cannot_map_sls(t, p)) {
		x->first_unmapped = x->unmapped > 0 ? x->first_unmapped : p;
		x->unmapped++;
	}
	if (x->first == TOPO_NONE || vls < x->least) {
		x->least = vls;
		x->first = p;
		x->narrow = 0;
	}
	x->narrow += vls == x->least;
	x->most = vls > x->most ? vls : x->most;
	x->sharing += vls / x->levels < layers;
	x->ports++;
}

struct layer_links
layer_links_survey(
	const struct topo *t, const struct engine_options *o, unsigned layers)
{
	struct layer_links x = {.levels = layer_links_levels(o),
		.first = TOPO_NONE,
		.first_unmapped = TOPO_NONE};

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; topo_sw_live(t, s) && i < t->sw[s].nadj;
			i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (topo_sw_live(t, a->peer))
				count_port(t,
					topo_port_of(t, t->sw[s].node, a->out),
					o, layers, &x);
		}
	return x;
}

struct layer_links_name
layer_links_name(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	const char *desc = topo_desc(t, port->node);
	struct layer_links_name n;

	(void)snprintf(n.s, sizeof(n.s), "port %u of 0x%016llx%s%.64s",
		port->num, (unsigned long long)t->node[port->node].guid,
		*desc != '\0' ? " " : "", desc);
	return n;
}

static const char *
plural_s(uint32_t n)
{
	return n == 1 ? "" : "s";
}

int
layer_links_fit(const struct routes *r, const struct engine_options *o,
	struct reason *why)
{
	struct engine_options no_levels = {0};
	struct layer_links x;

	if (r->layers.plain)
		return 0;
	no_levels.max_vls = o != NULL ? o->max_vls : 0;
	no_levels.lists = o != NULL ? o->lists : SLVL_NO_LIST;
	x = layer_links_survey(
		r->topo, &no_levels, route_layers_groups(&r->layers));
	if (x.unmapped > 0)
		return reason_set(why,
			"%u layers need a VL each to have no cycle: %u port%s "
			"between switches cannot map SLs to VLs, first %s",
			r->layers.n, x.unmapped, plural_s(x.unmapped),
			layer_links_name(r->topo, x.first_unmapped).s);
	if (x.sharing == 0)
		return 0;
	return reason_set(why,
		"%u layers need a VL each to have no cycle: %u port%s "
		"between switches ha%s %u VL%s, first %s",
		r->layers.n, x.narrow, plural_s(x.narrow),
		x.narrow == 1 ? "s" : "ve", x.least, plural_s(x.least),
		layer_links_name(r->topo, x.first).s);
}
