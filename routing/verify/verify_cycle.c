/*
 * verify_cycle: whether the dependencies that a walk found have a cycle, layer
 * by layer, or with a map of VLs in all planes together, and a short one in
 * words.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "routing/verify/dep_cycle.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"

enum { SHOWN = 6 };

struct cycle {
	const struct cdg *g;
	struct dep_graph frame; /* of one layer, or of all planes */
	struct dep_matrix m;
	struct dep_channels channels;
	bool *left; /* [frame.nv] not removed yet */
};

/* A LID that makes the dependency of port `out` on channel c; 0: none. */
static uint32_t
find_witness_lid(const struct cycle *cy, const struct verify_tables *in,
	uint32_t c, uint32_t out)
{
	const struct cdg *g = cy->g;
	uint32_t s = cy->frame.owner[c], e = g->peer[c % g->nports];

	for (uint32_t lid = 1; lid < in->nblocks * LFT_BLOCK; lid++)
		if (cdg_entry(g, in, s, lid) == out &&
			cdg_entry(g, in, e >> 8, lid) == (e & 255))
			return lid;
	return 0;
}

/* The switch at which a channel ends. */
static struct topo_name
switch_name(const struct cycle *cy, uint32_t c)
{
	const struct cdg *g = cy->g;

	return topo_name(g->t, g->t->sw[g->sw[cy->frame.owner[c]]].node);
}

static void
describe_cycle(const struct cycle *cy, const struct verify_tables *in,
	const uint32_t *path, uint32_t n, struct buf *b)
{
	const struct cdg *g = cy->g;

	buf_printf(b, "credit loop of %u links", n);
	if (cy->frame.node != NULL)
		buf_printf(b, " on VLs that layers share");
	else if (g->nlayers > 1)
		buf_printf(b, " in layer %u",
			(unsigned)((size_t)(cy->m.dep - g->dep) / g->plane));
	buf_printf(b, ": ");
	for (uint32_t i = 0; i < n && i < SHOWN; i++) {
		/* the port by which the cycle leaves the switch */
		uint32_t out = g->peer[path[(i + 1) % n] % g->nports] & 255;
		/* with layers a LID alone makes no dependency: the source
		 * matters, too */
		uint32_t lid = g->nlayers > 1
				       ? 0
				       : find_witness_lid(cy, in, path[i], out);

		buf_printf(b, "%s port %u", switch_name(cy, path[i]).s, out);
		if (lid > 0)
			buf_printf(b, " (LID %u)", lid);
		buf_printf(b, " -> ");
	}
	if (n > SHOWN)
		buf_printf(b, "... %u more -> ", n - SHOWN);
	buf_printf(b, "%s", switch_name(cy, path[0]).s);
}

static void
cycle_new(struct cycle *cy, const struct cdg *g, const uint64_t *dep,
	const struct vl_map *map)
{
	struct dep_graph *n = &cy->frame;

	dep_graph_new(n, g->n, mem_dup(g->off, (g->n + 1U) * sizeof(*g->off)),
		map != NULL ? g->nplanes : 1);
	cy->g = g;
	cy->m = (struct dep_matrix){n, dep};
	for (uint32_t c = 0; c < g->nports; c++) {
		uint32_t e = g->peer[c];

		if (e >> 8 != g->n)
			dep_graph_link(n, c, g->off[e >> 8] + (e & 255));
	}
	if (map != NULL)
		dep_graph_use_map(n, map, g->nlayers, g->port_class);
	cy->channels = dep_cycle_matrix(&cy->m);
	cy->left = mem_zalloc(n->nv, sizeof(*cy->left));
	for (uint32_t v = 0; v < n->nv; v++)
		cy->left[v] = g->peer[v % g->nports] >> 8 != g->n &&
			      dep_graph_node(n, v) == v;
}

static void
cycle_end(struct cycle *cy)
{
	dep_graph_free(&cy->frame);
	free(cy->left);
}

/* A short cycle of what dep_cycle_trim has left, in words. */
static void
report_cycle(struct cycle *cy, const struct verify_tables *in,
	struct verify_report *out)
{
	uint32_t *path = mem_alloc(cy->frame.nv * sizeof(*path)), n;
	struct buf b = {0};

	(void)dep_cycle_trim(&cy->channels, true, cy->left);
	n = dep_cycle_shortest(&cy->channels, cy->left, path);
	describe_cycle(cy, in, path, n, &b);
	strncpy(out->cycle, b.text, sizeof(out->cycle) - 1);
	if (out->first[0] == '\0')
		memcpy(out->first, out->cycle, sizeof(out->first));
	buf_free(&b);
	free(path);
}

bool
verify_cycle_is_plain(const struct cdg *g)
{
	uint64_t *all = cdg_one_layer(g);
	struct cycle cy;
	bool none;

	if (all == NULL)
		return false;
	cycle_new(&cy, g, all, NULL);
	none = dep_cycle_trim(&cy.channels, false, cy.left) == 0;
	cycle_end(&cy);
	free(all);
	return none;
}

/* Look for a cycle among dependencies of a layer, or with the map of all. */
static void
search_cycle(const struct cdg *g, const struct verify_tables *in,
	const uint64_t *dep, const struct vl_map *map,
	struct verify_report *out)
{
	struct cycle cy;
	uint32_t stay;

	cycle_new(&cy, g, dep, map);
	stay = dep_cycle_trim(&cy.channels, false, cy.left);
	out->cyclic_channels += stay;
	if (stay > 0 && out->cycle[0] == '\0')
		report_cycle(&cy, in, out);
	cycle_end(&cy);
}

void
verify_cycle_find(const struct cdg *g, const struct verify_tables *in,
	struct verify_report *out)
{
	out->plain = verify_cycle_is_plain(g);
	if (!out->plain && g->map != NULL) {
		search_cycle(g, in, g->dep, g->map, out);
		return;
	}
	for (unsigned layer = 0; layer < g->nlayers && !out->plain; layer++)
		search_cycle(g, in, g->dep + layer * g->plane, NULL, out);
	out->plain |= g->nlayers == 1 && out->cyclic_channels == 0;
}
