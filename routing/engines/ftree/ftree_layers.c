#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/layer_links.h"
#include "routing/core/slvl.h"
#include "routing/engines/ftree/ftree.h"
#include "sm/base/mem.h"

static const struct schema_option rows[] = {
	{.key = "layers",
		.type = SCHEMA_INT,
		.offset = offsetof(struct ftree_options, layers),
		.min = 1,
		.max = 8,
		.def = "1",
		.unit = "layers",
		.reload = SCHEMA_REROUTE,
		.help = "Routing layers that pairs of leaf switches are spread "
			"over, each on a virtual lane (VL) of its own, as far "
			"as the widest link between switches has VLs, so that "
			"traffic held up by a busy host holds up less of the "
			"rest. Hosts learn the service level (SL) of their "
			"layer with their paths; a host that does not ask for "
			"paths stays on the first layer. On links with fewer "
			"VLs, and only there, layers share them; no pair "
			"changes its layer for that, nor when such links come "
			"and go. Where a switch cannot map SLs to VLs, all "
			"traffic is on one layer. The log, heddlectl status "
			"and plan say so, and name the first such port."},
};

const struct schema ftree_schema = {"routing.ftree", rows,
	sizeof(rows) / sizeof(*rows), sizeof(struct ftree_options)};

/*
 * True if the VLs that any link may have allow fewer layers than there are SLs
 * for.
 */
static bool
is_limited_by_max_vls(const struct engine_options *o)
{
	unsigned levels = layer_links_levels(o);

	return o->max_vls > 0 &&
	       slvl_vls(o->max_vls) / levels < SLVL_SLS / levels;
}

unsigned
ftree_layers_asked(const void *options)
{
	const struct ftree_options *o = options;

	return o != NULL && o->layers > 1 ? o->layers : 1;
}

static unsigned
count_asked(const struct engine_options *o)
{
	return ftree_layers_asked(engine_own_options(o, &ftree_schema));
}

/* Of the layers that the configuration asks for, as many as it alone allows. */
static unsigned
layers_allowed_by_config(const struct engine_options *o)
{
	unsigned n = is_limited_by_max_vls(o) ? slvl_vls(o->max_vls) : SLVL_SLS;

	n /= layer_links_levels(o);
	n = n < SLVL_LAYERS ? n : SLVL_LAYERS;
	n = n < count_asked(o) ? n : count_asked(o);
	return n > 1 ? n : 1;
}

/* As many layers as the widest link has VLs for. */
static unsigned
layers_allowed_by_links(const struct layer_links *x)
{
	if (x->unmapped > 0)
		return 1;
	return x->ports > 0 ? x->most / x->levels : SLVL_LAYERS;
}

/* The number that s had in the previous routes, or UPDN_NO_NUMBER. */
static uint16_t
previous_leaf_number(const struct routes *prev, const struct topo *t, sw_ix s)
{
	const struct updown_state *was = updown_state_of(prev);
	node_ix n;

	if (was == NULL || was->leaf_number == NULL)
		return UPDN_NO_NUMBER;
	n = topo_by_node_guid(prev->topo, t->node[t->sw[s].node].guid);
	if (n == TOPO_NONE || prev->topo->node[n].sw == TOPO_NONE)
		return UPDN_NO_NUMBER;
	return was->leaf_number[prev->topo->node[n].sw];
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
				    : UPDN_NO_NUMBER;
		if (number[s] != UPDN_NO_NUMBER && taken[number[s]])
			number[s] = UPDN_NO_NUMBER; /* a duplicate GUID */
		taken[number[s]] = true;
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (number[s] != UPDN_NO_NUMBER || t->sw[s].nhost == 0)
			continue;
		while (taken[next] && next < UPDN_NO_NUMBER)
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
void
ftree_layers_fill(struct routes *r, unsigned n, const struct routes *prev)
{
	const struct topo *t = r->topo;
	const uint16_t *number = updown_state_of(r)->leaf_number;
	bool same = prev != NULL && prev->layers.row != NULL &&
		    prev->layers.nsw == t->nsw;
	uint8_t *first; /* of a leaf's pairs */

	if (n < 2)
		return;
	r->layers.n = (uint8_t)n;
	first = mem_zalloc(t->nsw, 1);
	for (sw_ix s = 0; s < t->nsw; s++)
		first[s] =
			(uint8_t)((number[s] + 2U * number[s] / n % 2 + n - 1) %
				  n);
	for (sw_ix d = 0; d < t->nsw; d++) {
		struct layer_row *row;

		if (number[d] == UPDN_NO_NUMBER)
			continue;
		row = layer_row_new(t->nsw);
		for (sw_ix s = 0; s < t->nsw; s++) {
			uint16_t i = number[s], j = number[d];

			if (i == UPDN_NO_NUMBER || i == j)
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

unsigned
ftree_layers_choose(struct updown *u)
{
	const struct route_job *job = u->graph.job;
	const struct topo *t = u->graph.t;
	unsigned n = job->options != NULL
			     ? layers_allowed_by_config(job->options)
			     : 1,
		 most;
	struct layer_links x;

	if (n < 2)
		return 1;
	x = layer_links_survey(t, job->options, n);
	most = layers_allowed_by_links(&x);
	n = n < most ? n : most;
	if (n < 2)
		return 1;
	u->leaf_number =
		arena_array(u->graph.a, t->nsw, sizeof(*u->leaf_number));
	number_leaves(t, job->prev, u->leaf_number);
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
	struct layer_links x = layer_links_survey(r->topo, o, most);

	*out = '\0';
	if (most > 1 && x.unmapped > 0)
		(void)snprintf(out, size,
			"%u port%s between switches cannot map SLs to VLs, "
			"first %s",
			x.unmapped, plural_s(x.unmapped),
			layer_links_name(r->topo, x.first_unmapped).s);
	else if (x.ports > 0 && x.most / x.levels < most)
		(void)snprintf(out, size,
			"no port between switches has more than %u VL%s",
			x.most, plural_s(x.most));
	else if (most < count_asked(o) && is_limited_by_max_vls(o))
		(void)snprintf(out, size, "no link may have more than %u VL%s",
			slvl_vls(o->max_vls), plural_s(slvl_vls(o->max_vls)));
	else if (most < count_asked(o))
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
	if (n >= count_asked(o))
		return;
	explain_few_layers(r, o, why, sizeof(why));
	if (*why == '\0')
		return;
	(void)snprintf(out, size,
		"leaf pairs are spread over %u of the %u layers configured: %s",
		n, count_asked(o), why);
	append_qos_levels(o->levels, out, size);
}

uint32_t
ftree_layers_shared(const struct routes *r, const struct engine_options *o,
	char *out, size_t size)
{
	unsigned n = r->layers.n;
	struct layer_links x;

	*out = '\0';
	if (n < 2)
		return 0;
	x = layer_links_survey(r->topo, o, n);
	if (x.sharing == 0)
		return 0;
	(void)snprintf(out, size,
		"%u layers share VLs at %u of %u ports between switches: %u "
		"ha%s %u VL%s, first %s",
		n, x.sharing, x.ports, x.narrow, x.narrow == 1 ? "s" : "ve",
		x.least, plural_s(x.least),
		layer_links_name(r->topo, x.first).s);
	append_qos_levels(o->levels, out, size);
	return x.sharing;
}
