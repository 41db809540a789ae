#include "routing/engines/updn/updn.h"

#include "routing/updown/updown_state.h"

/* Where the order of an attempt comes from. */
enum source { KEPT, FRESH, ONE_TOP };

static const struct schema_option rows[] = {
	{.key = "roots",
		.type = SCHEMA_GUIDS,
		.offset = offsetof(struct updn_options, roots),
		.def = "[]",
		.reload = SCHEMA_REROUTE,
		.reading = true,
		.opensm = "root_guid_file",
		.help = "GUIDs of the switches at the top of the up*/down* "
			"order of the updn engine. Empty: they are computed "
			"from the fabric. For the ftree engine, use "
			"routing.roles.root."},
};

static const struct schema updn_schema = {"routing.updn", rows,
	sizeof(rows) / sizeof(*rows), sizeof(struct updn_options)};

/*
 * Tiers are worth it while the subtree that joins tops is not loaded more than
 * a full link would be; otherwise this is no tree. Configured roots are not put
 * in question.
 */
static void
order_fresh(struct updown *u)
{
	uint64_t burden;

	u->reranked = 0;
	order_make_fresh(u, false);
	burden = sftree_root_choose(u, false);
	if (burden == UINT64_MAX ||
		(u->order == ROUTE_TIERS &&
			(u->treeless || burden > u->graph.nhosts)))
		updn_order_search(u);
	u->reranked = 0;
}

static void
make_order(struct updown *u, bool keep, enum source source)
{
	if (source == ONE_TOP) {
		order_make_fresh(u, true);
		return;
	}
	if (source == FRESH) {
		order_fresh(u);
		return;
	}
	/* A kept order is replaced only if no subtree can complete it. */
	if (sftree_root_choose(u, keep) == UINT64_MAX)
		order_fresh(u);
}

/* Attempts: the kept order if there is one, a fresh one, a single top. */
static enum engine_result
pick_source(struct updown *u, unsigned attempt, enum source *source)
{
	bool kept = rank_keep(u);
	unsigned n = attempt + (kept ? 0 : 1);

	if (n > ONE_TOP)
		return ENGINE_NO_MORE;
	*source = (enum source)n;
	return ENGINE_OK;
}

static void
take_roots(struct updown *u)
{
	const struct updn_options *o =
		engine_own_options(u->graph.job->options, &updn_schema);

	u->roots = o != NULL ? o->roots.guid : NULL;
	u->nroots = o != NULL ? o->roots.n : 0;
}

/* The order of an attempt; false: there are no more attempts. */
static bool
find_order(struct updown *u, bool keep, unsigned attempt)
{
	enum source source;

	*u = (struct updown){.graph = {.job = u->graph.job,
				     .t = u->graph.t,
				     .a = u->graph.a,
				     .like = u->graph.like}};
	take_roots(u);
	order_begin(u);
	if (pick_source(u, attempt, &source) != ENGINE_OK)
		return false;
	u->reranked = source == KEPT ? u->reranked : 0;
	make_order(u, keep, source);
	return true;
}

static enum engine_result
updn_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = arena};
	struct updown u = {
		.graph = {.job = job, .t = job->topo, .a = arena, .like = &g}};

	*out = NULL;
	swgraph_build(&g);
	if (!(keep && attempt == 0 &&
		    order_restore(&u, engine_updn.module.name)) &&
		!find_order(&u, keep, attempt))
		return ENGINE_NO_MORE;
	*out = rows_make_routes(&u, keep, engine_updn.module.name);
	if (*out == NULL) {
		(void)reason_set(why, "cancelled");
		return ENGINE_REFUSED;
	}
	return ENGINE_OK;
}

const struct engine engine_updn = {
	.module = {.name = "updn",
		.options = &updn_schema,
		.preferred = true,
		.tops = "routing.updn.roots"},
	.caps = ENGINE_ANY_FABRIC,
	.state = &updown_state_ops,
	.route = updn_route,
};
