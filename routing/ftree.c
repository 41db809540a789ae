#include "routing/ftree.h"

#include <stdio.h>
#include <string.h>

#include "routing/tree.h"

static void
take_tiers(struct updn *u, const struct tree *tree)
{
	uint32_t placed = 0, kept = 0;

	for (sw_ix s = 0; s < u->nsw; s++) {
		u->rank[s] = u->live[s] ? tree->tier[s] : UINT32_MAX;
		placed += tree->origin[s] != TREE_UNPLACED;
		kept += tree->origin[s] == TREE_REMEMBERED;
	}
	u->order = ROUTE_TIERS;
	u->reranked = 0;
	updn_sticky_join(u);
	(void)snprintf(u->note, sizeof(u->note),
		"%u tiers of %u switches, %u as before", tree->ntiers, placed,
		kept);
}

static enum engine_result
route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	struct updn u = {.job = job, .t = job->topo, .a = arena};
	struct tree *tree;

	*out = NULL;
	if (keep && attempt == 0)
		*out = updn_repair(job, arena, engine_ftree.name);
	if (*out != NULL)
		return ENGINE_OK;
	if (attempt > 0)
		return ENGINE_NO_MORE;
	updn_graph(&u);
	tree = tree_read(job, arena);
	if (tree->count[TREE_NO_TREE] > 0) {
		(void)reason_set(why, "this is no tree");
		return ENGINE_REFUSED;
	}
	take_tiers(&u, tree);
	if (updn_turn(&u) == UINT64_MAX) {
		(void)reason_set(why, "no subtree joins all switches");
		return ENGINE_REFUSED;
	}
	*out = updn_make(&u, keep, engine_ftree.name);
	if (*out == NULL) {
		(void)reason_set(why, "cancelled");
		return ENGINE_REFUSED;
	}
	return ENGINE_OK;
}

const struct engine engine_ftree = {
	.name = "ftree",
	.route = route,
};
