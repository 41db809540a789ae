/*
 * graph_fixture: the fabric_graph of a generated fabric, without a daemon, as
 * the formatters of sm/report want it.
 */
#ifndef HEDDLE_TESTS_UNIT_GRAPH_FIXTURE_H
#define HEDDLE_TESTS_UNIT_GRAPH_FIXTURE_H

#include "routing/core/lft.h"
#include "routing/tiers/tree.h"
#include "sm/report/fabric_graph.h"
#include "tests/topo/frozen.h"
#include "tests/unit/suite.h"

struct graph_fixture {
	struct arena *arena;
	struct lft_pool *pool;
	struct view view;
	struct fabric_graph *graph;
};

/* Another graph of the same view: what is missing is in the log. */
static inline struct fabric_graph *
graph_fixture_with(struct graph_fixture *x, const struct event_log *log)
{
	return fabric_graph_make(&x->view, log, x->arena);
}

/* Takes t over. */
static inline void
graph_fixture_take(struct graph_fixture *x, struct topo *t)
{
	const struct engine_options options = {0};

	x->arena = arena_new();
	x->pool = lft_pool_new();
	x->view = (struct view){.topo = t, .routes = routes_new(t, x->pool)};
	tree_keep(tree_read(&(struct route_job){.topo = t,
				    .pool = x->pool,
				    .options = &options},
			  x->arena),
		x->view.routes);
	x->graph = graph_fixture_with(x, NULL);
}

/* Takes f over. */
static inline void
graph_fixture_open(struct graph_fixture *x, struct fabric *f)
{
	const struct frozen_lids lids = {0};
	struct topo *t;

	ck_assert_ptr_nonnull(f);
	t = frozen_topo(f, &lids);
	fabric_free(f);
	graph_fixture_take(x, t);
}

static inline void
graph_fixture_close(struct graph_fixture *x)
{
	routes_unref(x->view.routes);
	topo_unref(x->view.topo);
	lft_pool_free(x->pool);
	arena_free(x->arena);
}
AUTO_VALUE(graph_fixture, struct graph_fixture, graph_fixture_close)

#endif
