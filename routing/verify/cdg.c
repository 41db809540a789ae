#include "routing/verify/cdg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/link_ranks.h"
#include "routing/core/routes.h"
#include "routing/verify/dep_count.h"
#include "sm/base/mem.h"
#include "sm/base/reason.h"

/* True if packets can use a link: both switches live, both ports nameable. */
static bool
is_usable_link(const struct topo *t, const struct topo_adj *a)
{
	return a->out != LFT_DROP && a->peer_port != LFT_DROP &&
	       topo_sw_live(t, a->peer);
}

/* Number the live switches component by component. */
static void
number_switches(struct cdg *g)
{
	const struct topo *t = g->t;
	uint32_t *of = mem_alloc(t->nsw * sizeof(*of)), *at;

	g->ncomp = topo_pieces(t, of);
	for (sw_ix s = 0, n = 0; s < t->nsw; s++)
		if (of[s] != TOPO_NONE)
			of[s] = of[s] == s ? n++ : of[of[s]];
	g->comp_lo = mem_zalloc(g->ncomp + 2U, sizeof(*g->comp_lo));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (of[s] != TOPO_NONE)
			g->comp_lo[of[s] + 1]++;
	for (uint32_t c = 0; c < g->ncomp; c++)
		g->comp_lo[c + 1] += g->comp_lo[c];
	g->n = g->comp_lo[g->ncomp];
	g->sw = mem_alloc(g->n * sizeof(*g->sw));
	g->comp = mem_alloc(g->n * sizeof(*g->comp));
	g->ix = mem_alloc(t->nsw * sizeof(*g->ix));
	at = mem_dup(g->comp_lo, (g->ncomp + 1U) * sizeof(*at));
	for (sw_ix s = 0; s < t->nsw; s++) {
		g->ix[s] = TOPO_NONE;
		if (of[s] == TOPO_NONE)
			continue;
		g->ix[s] = at[of[s]]++;
		g->sw[g->ix[s]] = s;
		g->comp[g->ix[s]] = of[s];
	}
	free(at);
	free(of);
}

/* Number them as in `like`; false: not the same, or not all connected. */
static bool
number_switches_like(struct cdg *g, const struct verify_state *like)
{
	const struct topo *t = g->t;
	uint32_t live = 0;

	if (like->g->ncomp != 1 || g->ncomp != 1 || like->g->n != g->n)
		return false;
	for (sw_ix s = 0; s < t->nsw; s++)
		g->ix[s] = TOPO_NONE;
	for (uint32_t x = 0; x < g->n; x++) {
		node_ix n = topo_by_node_guid(t, like->guid[x]);
		sw_ix s = n == TOPO_NONE ? TOPO_NONE : t->node[n].sw;

		if (s == TOPO_NONE || !topo_sw_live(t, s) ||
			g->ix[s] != TOPO_NONE)
			return false;
		g->ix[s] = x;
		g->sw[x] = s;
		live++;
	}
	return live == g->n;
}

/* Port records and the port behind each of them. */
static void
connect_ports(struct cdg *g)
{
	const struct topo *t = g->t;
	unsigned widest = 0;

	g->off = mem_alloc((g->n + 1U) * sizeof(*g->off));
	g->top = mem_zalloc(g->n + 1U, sizeof(*g->top));
	for (uint32_t s = 0; s < g->n; s++) {
		unsigned nports = t->node[t->sw[g->sw[s]].node].nports;

		g->off[s] = g->nports;
		g->nports += nports + 1;
		g->top[s] =
			(uint8_t)(nports < LFT_DROP ? nports : LFT_DROP - 1);
		if (nports > widest)
			widest = nports;
	}
	g->off[g->n] = g->nports++;
	g->shift = widest < 64 ? 0 : widest < 128 ? 1 : 2;
	g->peer = mem_alloc(g->nports * sizeof(*g->peer));
	for (uint32_t c = 0; c < g->nports; c++)
		g->peer[c] = cdg_pack(g->n, 0);
	for (uint32_t s = 0; s < g->n; s++) {
		const struct topo_switch *sw = &t->sw[g->sw[s]];

		for (uint32_t i = 0; i < sw->nadj; i++) {
			const struct topo_adj *a = &t->adj[sw->adj + i];

			if (is_usable_link(t, a))
				g->peer[g->off[s] + a->out] =
					cdg_pack(g->ix[a->peer], a->peer_port);
		}
	}
}

/* The rates of links, where they differ. */
static void
find_rates(struct cdg *g)
{
	const struct topo *t = g->t;

	g->rate_max = t->rate_max;
	if (t->rate_min == t->rate_max)
		return;
	g->rate = mem_alloc(g->nports * sizeof(*g->rate));
	for (uint32_t c = 0; c < g->nports; c++)
		g->rate[c] = g->rate_max;
	for (uint32_t s = 0; s < g->n; s++) {
		const struct topo_switch *sw = &t->sw[g->sw[s]];

		for (uint32_t i = 0; i < sw->nadj; i++) {
			const struct topo_adj *a = &t->adj[sw->adj + i];

			g->rate[g->off[s] + a->out] = a->rate;
		}
	}
}

sw_ix
cdg_dest_switch(const struct topo *t, port_ix p, uint8_t *eject)
{
	const struct topo_port *port = &t->port[p];

	*eject = 0;
	if (t->node[port->node].type == TOPO_SWITCH)
		return t->node[port->node].sw;
	if (port->peer == TOPO_NONE)
		return TOPO_NONE;
	port = &t->port[port->peer];
	*eject = port->num;
	return t->node[port->node].sw;
}

static void
count_hosts(struct cdg *g)
{
	const struct topo *t = g->t;
	uint8_t eject;

	g->hosts = mem_zalloc(g->n + 1U, sizeof(*g->hosts));
	for (node_ix n = 0; n < t->nnodes; n++) {
		const struct topo_node *node = &t->node[n];

		if (node->type == TOPO_SWITCH)
			continue;
		for (unsigned i = 0; i <= node->nports; i++) {
			port_ix p = node->first_port + i;
			sw_ix s;

			if (!topo_is_host(t, p))
				continue;
			s = cdg_dest_switch(t, p, &eject);
			if (s != TOPO_NONE && g->ix[s] != TOPO_NONE)
				g->hosts[g->ix[s]]++;
		}
	}
}

static void
set_layers(struct cdg *g, const struct route_layers *l)
{
	g->nlayers = l == NULL || l->n < 2 ? 1 : l->n;
	if (g->nlayers == 1)
		return;
	g->layer_row = mem_zalloc(g->n + 1U, sizeof(struct layer_row *));
	for (uint32_t s = 0; l->row != NULL && s < g->n; s++)
		g->layer_row[s] = layer_row_share(l->row[g->sw[s]]);
}

/* The map of VLs, and the classes of ports by their records. */
static void
set_map(struct cdg *g, const struct route_layers *l)
{
	const struct topo *t = g->t;

	g->nplanes = g->nlayers;
	if (g->nlayers == 1 || l->map == NULL)
		return;
	g->map = vl_map_share(l->map);
	g->nplanes *= g->map->in;
	g->port_class = mem_zalloc(g->nports, 1);
	for (uint32_t s = 0; s < g->n; s++)
		memcpy(g->port_class + g->off[s],
			g->map->port + t->node[t->sw[g->sw[s]].node].first_port,
			g->off[s + 1] - g->off[s]);
}

/* The dependencies of some layers, as they are counted. */
static uint64_t *
rows_counted(const struct cdg *g, uint16_t layers)
{
	uint64_t *dep = mem_zalloc(g->plane, sizeof(*dep));

	dep_count_rows(g->count, g, layers, dep);
	return dep;
}

uint64_t *
cdg_one_layer(const struct cdg *g)
{
	uint64_t *all;

	if (g->nplanes == 1)
		return NULL;
	if (g->count != NULL)
		return rows_counted(g, UINT16_MAX);
	all = mem_dup(g->dep, g->plane * sizeof(*all));
	for (unsigned q = 1; q < g->nplanes; q++)
		for (size_t i = 0; i < g->plane; i++)
			all[i] |= g->dep[q * g->plane + i];
	return all;
}

uint64_t *
cdg_layer_dependencies(const struct cdg *g, unsigned layer)
{
	uint64_t *all;

	if (g->count != NULL)
		return rows_counted(g, (uint16_t)(1U << layer));
	all = mem_dup(g->dep + layer * g->plane, g->plane * sizeof(*all));
	for (unsigned q = layer + g->nlayers; q < g->nplanes; q += g->nlayers)
		for (size_t i = 0; i < g->plane; i++)
			all[i] |= g->dep[q * g->plane + i];
	return all;
}

static void
make_room(struct cdg *g)
{
	if (g->count != NULL)
		g->count = dep_count_new(g);
	else
		g->dep = mem_zalloc(g->nplanes * g->plane, sizeof(*g->dep));
	g->load = mem_zalloc(g->nports, sizeof(*g->load));
	g->hops = mem_zalloc(g->n + 1U, sizeof(*g->hops));
}

struct cdg *
cdg_new(const struct verify_tables *in, const struct verify_state *like,
	struct reason *why)
{
	const struct topo *t = in->topo;
	struct cdg *g;

	if (t->nsw > TOPO_LID_MAX) {
		(void)reason_set(why,
			"%" PRIu32 " switches are more than there are LIDs",
			t->nsw);
		return NULL;
	}
	g = mem_zalloc(1, sizeof(*g));
	g->t = t;
	number_switches(g);
	if (like != NULL && !number_switches_like(g, like)) {
		cdg_free(g);
		return NULL;
	}
	connect_ports(g);
	find_rates(g);
	count_hosts(g);
	set_layers(g, in->layers);
	set_map(g, in->layers);
	g->plane = (size_t)g->nports << g->shift;
	make_room(g);
	return g;
}

struct cdg *
cdg_copy(const struct cdg *g)
{
	struct cdg *f = mem_dup(g, sizeof(*g));

	make_room(f);
	return f;
}

void
cdg_count(struct cdg *g)
{
	free(g->dep);
	g->dep = NULL;
	g->count = dep_count_new(g);
}

void
cdg_count_as(struct cdg *g, const struct cdg *was)
{
	free(g->dep);
	g->dep = NULL;
	g->count = dep_count_follow(was->count, was, g);
}

void
cdg_count_end(struct cdg *g)
{
	g->dep = mem_zalloc(g->nplanes * g->plane, sizeof(*g->dep));
	dep_count_planes(g->count, g, g->dep);
	dep_count_free(g->count);
	g->count = NULL;
}

static void
free_findings(struct cdg *g)
{
	dep_count_free(g->count);
	free(g->dep);
	free(g->load);
	free(g->hops);
}

void
cdg_join(struct cdg *g, struct cdg *fork)
{
	if (g->count != NULL)
		dep_count_add(g->count, fork->count);
	for (size_t i = 0; g->dep != NULL && i < g->nplanes * g->plane; i++)
		g->dep[i] |= fork->dep[i];
	for (uint32_t c = 0; c < g->nports; c++)
		g->load[c] += fork->load[c];
	for (uint32_t h = 0; h <= g->n; h++)
		g->hops[h] += fork->hops[h];
	free_findings(fork);
	free(fork);
}

void
cdg_free(struct cdg *g)
{
	if (g == NULL)
		return;
	free(g->sw);
	free(g->ix);
	free(g->comp_lo);
	free(g->comp);
	free(g->off);
	free(g->top);
	free(g->peer);
	free(g->hosts);
	free(g->rate);
	for (uint32_t s = 0; g->layer_row != NULL && s < g->n; s++)
		layer_row_drop(g->layer_row[s]);
	free(g->layer_row);
	vl_map_drop(g->map);
	free(g->port_class);
	free_findings(g);
	free(g);
}

uint8_t
cdg_entry(const struct cdg *g, const struct verify_tables *in, uint32_t s,
	uint32_t lid)
{
	return lft_row_entry(in->pool, in->row[g->sw[s]], in->nblocks, lid);
}

bool
cdg_layers_ranked(const struct verify_tables *in)
{
	const struct route_layers *l = in->layers;

	return in->ranks != NULL && l != NULL && l->n > 1 &&
	       l->n <= ROUTE_LAYERS &&
	       l->n * vl_map_ins(l->map) <= VL_MAP_PLANES &&
	       in->ranks->groups > 1 &&
	       in->ranks->groups == route_layers_groups(l) &&
	       in->ranks->nadj == in->topo->nadj;
}

uint32_t *
cdg_ranks(const struct cdg *g, const struct verify_tables *in)
{
	const struct link_ranks *ranks = in->ranks;
	const struct topo *t = in->topo;
	uint32_t *rank =
		mem_zalloc((size_t)ranks->groups * g->nports, sizeof(*rank));

	for (uint32_t s = 0; s < g->n; s++) {
		const struct topo_switch *sw = &t->sw[g->sw[s]];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			uint32_t p = g->off[s] + t->adj[i].out;

			if (t->adj[i].out > g->top[s] || !cdg_has_link(g, p))
				continue;
			for (unsigned q = 0; q < ranks->groups; q++)
				rank[(size_t)q * g->nports +
					cdg_far_end(g, p)] =
					ranks->of[(size_t)q * ranks->nadj + i];
		}
	}
	return rank;
}

/* The ports of a switch whose links have one rank. */
struct ranked_ports {
	uint32_t rank;
	uint64_t port[4];
};

/* The links that leave switch s, by rank; how many ranks. */
static unsigned
sort_links(const struct cdg *g, const uint32_t *rank, uint32_t s,
	struct ranked_ports *x)
{
	unsigned n = 0, i;

	for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++) {
		uint32_t out = p - g->off[s], r;

		if (!cdg_has_link(g, p))
			continue;
		r = rank[cdg_far_end(g, p)];
		for (i = 0; i < n && x[i].rank != r; i++)
			;
		if (i == n)
			x[n++] = (struct ranked_ports){.rank = r};
		x[i].port[out / 64] |= UINT64_C(1) << out % 64;
	}
	return n;
}

bool
cdg_climbs(const struct cdg *g, const uint32_t *rank)
{
	struct ranked_ports of[256];
	uint64_t bad = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		unsigned n = sort_links(g, rank, s, of);

		for (uint32_t in = g->off[s]; in < g->off[s + 1]; in++) {
			const uint64_t *row = g->dep + ((size_t)in << g->shift);

			for (unsigned i = 0; i < n; i++)
				for (unsigned k = 0; k < 1U << g->shift; k++)
					bad |= of[i].rank <= rank[in]
						       ? row[k] & of[i].port[k]
						       : 0;
		}
	}
	return bad == 0;
}
