#include "routing/engines/ftree/ftree.h"

#include <stdio.h>
#include <string.h>

#include "routing/tiers/topo_class.h"
#include "routing/tiers/tree.h"

static bool
was_mesh(const struct swgraph *g, sw_ix s)
{
	return topo_class_of(g->job, s) == ROUTE_READ_MESH;
}

static bool
has_treeless_switch(const struct swgraph *g, const struct tree *tree)
{
	for (sw_ix s = 0; s < g->t->nsw; s++)
		if (tree->treeless[s])
			return true;
	return false;
}

/*
 * True if the fabric is routed as trees. Switches that are in no tree may be
 * beside the trees, ranked by distance, if they are less than half. Where there
 * is just one path between any two switches of a component, two switches on one
 * link for example, distance is as good as tiers, but for a mesh in the order
 * of another engine that has just become so: it stays a mesh. And a fabric that
 * this engine routes already it goes on routing while there is any tree.
 */
static bool
is_tree(const struct swgraph *g, const struct tree *tree)
{
	const struct topo_class *was = topo_class_previous(g->job);
	bool ours = was != NULL && strcmp(was->engine, FTREE_NAME) == 0;
	uint32_t *size, *ends;
	uint32_t live = 0, none = 0;

	if (!has_treeless_switch(g, tree))
		return true;
	size = arena_array(g->a, g->ncomp, sizeof(*size));
	ends = arena_array(g->a, g->ncomp, sizeof(*ends));
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (!g->live[s])
			continue;
		size[g->comp[s]]++;
		ends[g->comp[s]] += g->first[s + 1] - g->first[s];
	}
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t c = g->comp[s];

		if (!g->live[s])
			continue;
		live++;
		none += tree->treeless[s] &&
			(ends[c] > 2 * (size[c] - 1) ||
				(was != NULL && !ours && was_mesh(g, s)));
	}
	return live == 0 || (ours ? none < live : none * 2 < live);
}

static void
take_tiers(struct updown *u, const struct tree *tree)
{
	uint32_t placed = 0, kept = 0, said = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		u->rank[s] = u->graph.live[s] ? tree->tier[s] : ROUTE_NO_RANK;
		placed += tree->origin[s] != TREE_UNPLACED;
		kept += tree->origin[s] == TREE_REMEMBERED;
		said += tree->origin[s] == TREE_CONFIGURED ||
			tree->origin[s] == TREE_TOLD;
	}
	u->order = ROUTE_TIERS;
	order_sort(u);
	rank_repair(u);
	(void)snprintf(u->note, sizeof(u->note),
		"%u tier%s of %u switch%s, %u by role, %u as before",
		tree->ntiers, tree->ntiers == 1 ? "" : "s", placed,
		placed == 1 ? "" : "es", said, kept);
}

/*
 * Tops that the sFtree subtree does not join are a tier lower now, and with
 * them perhaps switches beside them: count them, and name them in the note.
 */
static void
note_moved(struct updown *u, const struct tree *tree)
{
	size_t n = strlen(u->note);
	uint32_t moved = 0, named = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		moved += u->graph.live[s] && u->rank[s] != tree->tier[s];
	u->moved = moved;
	if (moved == 0)
		return;
	n += (size_t)snprintf(u->note + n, sizeof(u->note) - n,
		"; %u moved down so that all pairs meet on one VL:", moved);
	for (sw_ix s = 0; s < u->graph.nsw && n < sizeof(u->note); s++) {
		if (!u->graph.live[s] || u->rank[s] == tree->tier[s])
			continue;
		n += (size_t)snprintf(u->note + n, sizeof(u->note) - n, "%s %s",
			named++ > 0 ? "," : "",
			topo_desc(u->graph.t, u->graph.t->sw[s].node));
	}
}

/* Start again from the graph, with an order of tiers. */
static void
start_tier_order(struct updown *u, const struct tree *tree)
{
	*u = (struct updown){.graph = {.job = u->graph.job,
				     .t = u->graph.t,
				     .a = u->graph.a,
				     .like = u->graph.like,
				     .plane = u->graph.plane},
		.nplanes = u->nplanes,
		.leaf = u->leaf};
	order_begin(u);
	take_tiers(u, tree);
}

static bool
order_by_multi_tree(struct updown *u, bool keep, const struct tree *tree)
{
	start_tier_order(u, tree);
	return multi_tree_order(u, keep);
}

/* An order of tiers, from the tree. False: there is none. */
static bool
find_order(struct updown *u, bool keep, const struct tree *tree)
{
	*u = (struct updown){.graph = {.job = u->graph.job,
				     .t = u->graph.t,
				     .a = u->graph.a,
				     .like = u->graph.like}};
	order_begin(u);
	if (multi_tree_find(u, tree->leaf) &&
		order_by_multi_tree(u, keep, tree))
		return true;
	u->graph.plane = NULL;
	start_tier_order(u, tree);
	return sftree_root_choose(u, keep) != UINT64_MAX;
}

/* Routes from the tree; NULL and why. */
static struct routes *
route_from_tiers(struct updown *u, bool keep, const struct tree *tree,
	struct reason *why)
{
	struct routes *r;
	unsigned layers;

	if (!keep || !order_restore(u, FTREE_NAME)) {
		if (!find_order(u, keep, tree)) {
			(void)reason_set(why, "no subtree joins all switches");
			return NULL;
		}
		note_moved(u, tree);
	}
	layers = ftree_layers_choose(u);
	r = rows_make_routes(u, keep, FTREE_NAME);
	if (r != NULL)
		ftree_layers_fill(r, layers, u->graph.job->prev);
	else
		(void)reason_set(why, "cancelled");
	return r;
}

/* Route from the graph on. */
static enum engine_result
route_graph(const struct swgraph *g, bool keep, struct routes **out,
	struct reason *why)
{
	struct updown u = {
		.graph = {.job = g->job, .t = g->t, .a = g->a, .like = g}};
	const struct tree *tree = tree_read_graph(g);

	if (!is_tree(g, tree)) {
		(void)reason_set(why, "not a tree");
		return ENGINE_REFUSED;
	}
	if (keep && order_is_of_other_engine(g->job, FTREE_NAME)) {
		(void)reason_set(why, "the routes of another engine are kept");
		return ENGINE_REFUSED;
	}
	*out = route_from_tiers(&u, keep, tree, why);
	if (*out == NULL)
		return ENGINE_REFUSED;
	tree_keep(tree, *out);
	return ENGINE_OK;
}

static enum engine_result
ftree_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = arena};

	*out = NULL;
	if (attempt > 0)
		return ENGINE_NO_MORE;
	swgraph_build(&g);
	return route_graph(&g, keep, out, why);
}

static const struct engine_layer_ops layers = {
	.too_few = ftree_layers_short,
	.shared = ftree_layers_shared,
};

const struct engine engine_ftree = {
	.module = {.name = FTREE_NAME,
		.options = &ftree_schema,
		.preferred = true,
		.tops = "routing.roles.root",
		.layers = ftree_layers_asked},
	.state = &updown_state_ops,
	.layers = &layers,
	.route = ftree_route,
};
