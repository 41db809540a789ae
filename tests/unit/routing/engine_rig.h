/*
 * engine_rig: a fabric, its topology, and an engine of layers with a map of VLs
 * run on it; the result is judged by channel_judge.h.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_ENGINE_RIG_H
#define HEDDLE_TESTS_UNIT_ROUTING_ENGINE_RIG_H

#include <check.h>

#include "routing/core/engine.h"
#include "routing/verify/verify.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/routing/channel_judge.h"

struct engine_rig {
	const struct engine *e;
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	unsigned levels; /* of QoS */
};

/* f is taken over. */
static inline void
rig_open(struct engine_rig *g, const struct engine *e, struct fabric *f,
	const struct reason *why)
{
	const struct frozen_lids lids = {.shuffle = 5};

	ck_assert_msg(f != NULL, "%s", why->text);
	*g = (struct engine_rig){
		e, f, frozen_topo(f, &lids), lft_pool_new(), 1};
}

static inline void
rig_close(struct engine_rig *g)
{
	ck_assert_uint_eq(g->pool->live, 0);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	fabric_free(g->f);
}

/* The result for a topology; NULL and why. prev, remembered: NULL allowed. */
static inline struct routes *
rig_route(const struct engine_rig *g, struct topo *t, const struct routes *prev,
	const char *remembered, struct reason *why)
{
	const struct engine_options options = {.levels = (uint8_t)g->levels};
	struct route_job job = {.topo = t,
		.pool = g->pool,
		.prev = prev,
		.remembered = remembered,
		.options = &options};
	struct arena *a = arena_new();
	struct routes *r = NULL;
	enum engine_result result =
		g->e->route(&job, prev != NULL, 0, a, &r, why);

	arena_free(a);
	ck_assert_int_eq(result == ENGINE_OK, r != NULL);
	return r;
}

/* All arrive, no cycle, layers alike both ways, a map that may be used. */
static inline struct channel_verdict
rig_check(const struct routes *r)
{
	struct channel_verdict v = channel_judge(r);
	struct reason why = {""};

	ck_assert_uint_eq(v.lost, 0);
	ck_assert_uint_eq(v.cyclic, 0);
	ck_assert_uint_eq(v.asymmetric, 0);
	ck_assert_msg(
		vl_map_check(r->layers.map, r->topo, r->layers.n, &why) == 0,
		"%s", why.text);
	return v;
}

/* The load of the busiest link. */
static inline uint64_t
rig_load(const struct routes *r)
{
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	uint64_t load = 0;

	ck_assert(verify_load(&in, 1, &load));
	return load;
}

#endif
