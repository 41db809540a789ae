#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/slvl.h"
#include "routing/engines/ftree/ftree.h"
#include "sm/base/mem.h"

/* What ports between live switches have for layers to use. */
struct links {
	unsigned levels;   /* service level groups, which come first */
	uint32_t ports;	   /* all of them */
	uint32_t sharing;  /* of these, have VLs for fewer layers than asked */
	unsigned least;	   /* VLs of the narrowest ones */
	uint32_t narrow;   /* how many these are */
	port_ix first;	   /* the first of them, or TOPO_NONE */
	unsigned most;	   /* VLs of the widest ones */
	uint32_t unmapped; /* have several VLs and cannot map SLs to them */
	port_ix first_unmapped;
};

/* The number of service level groups: they come first. */
static unsigned
qos_level_count(const struct engine_options *o)
{
	return o->levels > 1 ? o->levels : 1;
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
	unsigned layers, struct links *x)
{
	unsigned vls = slvl_link(t, p, o->max_vls);

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

/* lanes: the number of layers that shall have VLs of their own. */
static struct links
survey_links(
	const struct topo *t, const struct engine_options *o, unsigned layers)
{
	struct links x = {.levels = qos_level_count(o),
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

/*
 * True if the VLs that any link may have allow fewer layers than there are SLs
 * for.
 */
static bool
is_limited_by_max_vls(const struct engine_options *o)
{
	unsigned levels = qos_level_count(o);

	return o->max_vls > 0 &&
	       slvl_vls(o->max_vls) / levels < SLVL_SLS / levels;
}

/* Of the layers that the configuration asks for, as many as it alone allows. */
static unsigned
layers_allowed_by_config(const struct engine_options *o)
{
	unsigned n = is_limited_by_max_vls(o) ? slvl_vls(o->max_vls) : SLVL_SLS;

	n /= qos_level_count(o);
	n = n < SLVL_LAYERS ? n : SLVL_LAYERS;
	n = n < o->layers ? n : o->layers;
	return n > 1 ? n : 1;
}

/* As many layers as the widest link has VLs for. */
static unsigned
layers_allowed_by_links(const struct links *x)
{
	if (x->unmapped > 0)
		return 1;
	return x->ports > 0 ? x->most / x->levels : SLVL_LAYERS;
}

/* The number that s had in the previous routes, or ROUTE_NO_NUMBER. */
static uint16_t
previous_leaf_number(const struct routes *prev, const struct topo *t, sw_ix s)
{
	node_ix n;

	if (prev == NULL || prev->number == NULL)
		return ROUTE_NO_NUMBER;
	n = topo_by_node_guid(prev->topo, t->node[t->sw[s].node].guid);
	if (n == TOPO_NONE || prev->topo->node[n].sw == TOPO_NONE)
		return ROUTE_NO_NUMBER;
	return prev->number[prev->topo->node[n].sw];
}

/* Numbers in the order of switches; a new leaf takes a free one. */
static void
number_leaves(const struct topo *t, const struct routes *prev, uint16_t *number)
{
	bool *taken = mem_zalloc(UINT16_MAX + 1U, sizeof(*taken));
	uint16_t next = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		number[s] = t->sw[s].nhost > 0
				    ? previous_leaf_number(prev, t, s)
				    : ROUTE_NO_NUMBER;
		if (number[s] != ROUTE_NO_NUMBER && taken[number[s]])
			number[s] = ROUTE_NO_NUMBER; /* a duplicate GUID */
		taken[number[s]] = true;
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (number[s] != ROUTE_NO_NUMBER || t->sw[s].nhost == 0)
			continue;
		while (taken[next] && next < ROUTE_NO_NUMBER)
			next++;
		number[s] = next;
		taken[next] = true;
	}
	free(taken);
}

/*
 * The layers of pairs of leaves: Guay et al., vFtree (IPDPS 2011), algorithm 1.
 * The pairs of leaf i begin with layer 2i mod n, one more where 2i / n is odd,
 * and go round the layers with the leaves behind i; a pair has the same layer
 * in both directions; inside a leaf it is layer 0, and so it is where there is
 * no leaf. In closed form it is i + j - 1 (+ 1) mod n with i < j.
 */
static void
fill_layers(struct routes *r, const struct routes *prev)
{
	const struct topo *t = r->topo;
	unsigned n = r->layers.n;
	uint8_t *first = mem_zalloc(t->nsw, 1); /* of a leaf's pairs */
	bool same = prev != NULL && prev->layers.row != NULL &&
		    prev->layers.nsw == t->nsw;

	for (sw_ix s = 0; s < t->nsw; s++)
		first[s] = (uint8_t)((r->number[s] + 2U * r->number[s] / n % 2 +
					     n - 1) %
				     n);
	for (sw_ix d = 0; d < t->nsw; d++) {
		struct layer_row *row;

		if (r->number[d] == ROUTE_NO_NUMBER)
			continue;
		row = layer_row_new(t->nsw);
		for (sw_ix s = 0; s < t->nsw; s++) {
			uint16_t i = r->number[s], j = r->number[d];

			if (i == ROUTE_NO_NUMBER || i == j)
				continue;
			layer_row_put(row, s,
				(uint8_t)((i < j ? first[s] + j
						 : first[d] + i) %
					  n));
		}
		route_layers_put(
			&r->layers, d, row, same ? prev->layers.row[d] : NULL);
	}
	free(first);
}

void
ftree_layers_assign(const struct route_job *job, struct routes *r)
{
	const struct topo *t = r->topo;
	unsigned n = job->options != NULL
			     ? layers_allowed_by_config(job->options)
			     : 1,
		 most;
	struct links x;

	if (n < 2)
		return;
	x = survey_links(t, job->options, n);
	most = layers_allowed_by_links(&x);
	n = n < most ? n : most;
	if (n < 2)
		return;
	r->layers.n = (uint8_t)n;
	r->number = mem_zalloc(t->nsw, sizeof(*r->number));
	number_leaves(t, job->prev, r->number);
	fill_layers(r, job->prev);
}

/* "port 2 of 0x1234 spine1" */
struct port_name {
	char s[112];
};

static struct port_name
name_of(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	const char *desc = topo_desc(t, port->node);
	struct port_name n;

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

/*
 * Why there are so few layers. "": nothing in these options and links explains
 * it, the routes are older.
 */
static void
explain_few_layers(const struct routes *r, const struct engine_options *o,
	char *out, size_t size)
{
	unsigned most = layers_allowed_by_config(o);
	struct links x = survey_links(r->topo, o, most);

	*out = '\0';
	if (most > 1 && x.unmapped > 0)
		(void)snprintf(out, size,
			"%u port%s between switches cannot map SLs to VLs, "
			"first %s",
			x.unmapped, plural_s(x.unmapped),
			name_of(r->topo, x.first_unmapped).s);
	else if (x.ports > 0 && x.most / x.levels < most)
		(void)snprintf(out, size,
			"no port between switches has more than %u VL%s",
			x.most, plural_s(x.most));
	else if (most < o->layers && is_limited_by_max_vls(o))
		(void)snprintf(out, size, "no link may have more than %u VL%s",
			slvl_vls(o->max_vls), plural_s(slvl_vls(o->max_vls)));
	else if (most < o->layers)
		(void)snprintf(
			out, size, "there are %u SLs", (unsigned)SLVL_SLS);
}

/* Add that service level groups share what is short. */
static void
append_qos_levels(unsigned levels, char *out, size_t size)
{
	size_t n = strlen(out);

	if (levels > 1 && n < size)
		(void)snprintf(out + n, size - n, ", which %u QoS levels share",
			levels);
}

void
ftree_layers_short(const struct routes *r, const struct engine_options *o,
	char *out, size_t size)
{
	unsigned n = r->layers.n;
	char why[192];

	*out = '\0';
	if (n >= o->layers)
		return;
	explain_few_layers(r, o, why, sizeof(why));
	if (*why == '\0')
		return;
	(void)snprintf(out, size,
		"leaf pairs are spread over %u of the %u layers configured: %s",
		n, o->layers, why);
	append_qos_levels(o->levels, out, size);
}

uint32_t
ftree_layers_shared(const struct routes *r, const struct engine_options *o,
	char *out, size_t size)
{
	unsigned n = r->layers.n;
	struct links x;

	*out = '\0';
	if (n < 2)
		return 0;
	x = survey_links(r->topo, o, n);
	if (x.sharing == 0)
		return 0;
	(void)snprintf(out, size,
		"%u layers share VLs at %u of %u ports between switches: %u "
		"ha%s %u VL%s, first %s",
		n, x.sharing, x.ports, x.narrow, x.narrow == 1 ? "s" : "ve",
		x.least, plural_s(x.least), name_of(r->topo, x.first).s);
	append_qos_levels(o->levels, out, size);
	return x.sharing;
}

int
ftree_layers_fit(const struct routes *r, const struct engine_options *o,
	struct reason *why)
{
	struct engine_options no_levels = {0};
	struct links x;

	if (r->layers.plain)
		return 0;
	no_levels.max_vls = o != NULL ? o->max_vls : 0;
	x = survey_links(r->topo, &no_levels, r->layers.n);
	if (x.sharing == 0)
		return 0;
	return reason_set(why,
		"%u layers need a VL each to have no cycle: %u port%s "
		"between switches ha%s %u VL%s, first %s",
		r->layers.n, x.narrow, plural_s(x.narrow),
		x.narrow == 1 ? "s" : "ve", x.least, plural_s(x.least),
		name_of(r->topo, x.first).s);
}
