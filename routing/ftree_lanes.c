#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/ftree.h"
#include "routing/levels.h"
#include "sm/base/mem.h"

/* The ports between live switches that have the fewest VLs. */
struct narrow {
	unsigned vls;
	uint32_t ports;
	port_ix first; /* TOPO_NONE: there are none */
};

static struct narrow
narrowest(const struct topo *t, uint8_t max)
{
	struct narrow x = {.vls = LEVELS_SLS, .first = TOPO_NONE};

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; topo_sw_live(t, s) && i < t->sw[s].nadj;
			i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];
			port_ix p = topo_port_of(t, t->sw[s].node, a->out);
			unsigned n = levels_link(t, p, max);

			if (!topo_sw_live(t, a->peer))
				continue;
			n = levels_maps(t, p) ? n : 1;
			if (n < x.vls)
				x = (struct narrow){.vls = n, .first = p};
			x.ports += n == x.vls;
		}
	return x;
}

static unsigned
levels_of(const struct engine_options *o)
{
	return o->levels > 1 ? o->levels : 1;
}

/* Levels of service come first: who spreads takes what they leave. */
static unsigned
lanes_left(const struct topo *t, const struct engine_options *o)
{
	unsigned levels = levels_of(o);
	unsigned n = narrowest(t, o->max_vls).vls / levels;

	n = n < LEVELS_SLS / levels ? n : LEVELS_SLS / levels;
	n = n < LEVELS_LANES ? n : LEVELS_LANES;
	return n < o->lanes ? n : o->lanes;
}

/* The number that s had, or none. */
static uint16_t
former(const struct routes *prev, const struct topo *t, sw_ix s)
{
	node_ix n;

	if (prev == NULL || prev->lanes.cls == NULL)
		return ROUTE_NO_LEAF;
	n = topo_by_node_guid(prev->topo, t->node[t->sw[s].node].guid);
	if (n == TOPO_NONE || prev->topo->node[n].sw == TOPO_NONE)
		return ROUTE_NO_LEAF;
	return prev->lanes.cls[prev->topo->node[n].sw];
}

/* Numbers in the order of switches; who is new takes the free ones. */
static void
number(const struct topo *t, const struct routes *prev, uint16_t *cls)
{
	bool *taken = mem_zalloc(UINT16_MAX + 1U, sizeof(*taken));
	uint16_t next = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		cls[s] =
			t->sw[s].nhost > 0 ? former(prev, t, s) : ROUTE_NO_LEAF;
		if (cls[s] != ROUTE_NO_LEAF && taken[cls[s]])
			cls[s] = ROUTE_NO_LEAF; /* a duplicate GUID */
		taken[cls[s]] = true;
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (cls[s] != ROUTE_NO_LEAF || t->sw[s].nhost == 0)
			continue;
		while (taken[next] && next < ROUTE_NO_LEAF)
			next++;
		cls[s] = next;
		taken[next] = true;
	}
	free(taken);
}

void
ftree_lanes(const struct route_job *job, struct routes *r)
{
	const struct topo *t = r->topo;
	unsigned n = job->options != NULL && job->options->lanes > 1
			     ? lanes_left(t, job->options)
			     : 1;

	if (n < 2)
		return;
	r->lanes.n = r->lanes.spread = (uint8_t)n;
	r->lanes.cls = mem_zalloc(t->nsw, sizeof(*r->lanes.cls));
	number(t, job->prev, r->lanes.cls);
}

/* What makes it so few: ports, by the first one's name. */
static void
tell_ports(const struct topo *t, const struct narrow *x, char *out, size_t size)
{
	const struct topo_port *port = &t->port[x->first];
	const char *name = topo_desc(t, port->node);
	char has[32] = "cannot map SLs to VLs";

	if (levels_maps(t, x->first))
		(void)snprintf(has, sizeof(has), "ha%s %u VL%s",
			x->ports == 1 ? "s" : "ve", x->vls,
			x->vls == 1 ? "" : "s");
	(void)snprintf(out, size,
		"%u port%s between switches %s, first port %u of 0x%016llx"
		"%s%.64s",
		x->ports, x->ports == 1 ? "" : "s", has, port->num,
		(unsigned long long)t->node[port->node].guid,
		*name != '\0' ? " " : "", name);
}

void
ftree_lanes_short(const struct routes *r, const struct engine_options *o,
	char *out, size_t size)
{
	unsigned levels = levels_of(o), n = r->lanes.spread;
	struct narrow x;
	char why[160];

	*out = '\0';
	if (strcmp(r->engine, engine_ftree.name) != 0 || n >= o->lanes)
		return;
	x = narrowest(r->topo, o->max_vls);
	if (x.first != TOPO_NONE && x.vls / levels < LEVELS_SLS / levels &&
		x.vls / levels < o->lanes)
		tell_ports(r->topo, &x, why, sizeof(why));
	else if (LEVELS_SLS / levels < o->lanes)
		(void)snprintf(why, sizeof(why), "there are %u SLs",
			(unsigned)LEVELS_SLS);
	else
		return; /* routes of other times */
	(void)snprintf(out, size,
		"leaf pairs are spread over %u of the %u lanes asked for: %s",
		n, o->lanes, why);
	n = (unsigned)strlen(out);
	if (levels > 1 && n < size)
		(void)snprintf(out + n, size - n,
			", and %u levels of service share them", levels);
}
