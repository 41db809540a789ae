/*
 * engine_rig: a fabric, its topology, and an engine of layers with a map of VLs
 * run on it; the result is judged by channel_judge.h.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_ENGINE_RIG_H
#define HEDDLE_TESTS_UNIT_ROUTING_ENGINE_RIG_H

#include <check.h>

#include "routing/core/engine.h"
#include "routing/verify/verify.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/routing/channel_judge.h"
#include "tests/unit/routing/same_routes.h"

struct engine_rig {
	const struct engine *e;
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	unsigned levels; /* of QoS */
	const void *own; /* options of the engine, or NULL: defaults */
	uint32_t load_limit;
};

/* f (NULL allowed: why says it) without `out` random links, still connected. */
static inline struct fabric *
rig_fail_links(
	struct fabric *f, unsigned out, uint64_t seed, struct reason *why)
{
	return f == NULL || out == 0
		       ? f
		       : gen_edit_fail_links(f, out, seed, true, why);
}

/* f is taken over. */
static inline void
rig_open(struct engine_rig *g, const struct engine *e, struct fabric *f,
	const struct reason *why)
{
	const struct frozen_lids lids = {.shuffle = 5};

	ck_assert_msg(f != NULL, "%s", why->text);
	*g = (struct engine_rig){
		e, f, frozen_topo(f, &lids), lft_pool_new(), 1, NULL, 0};
}

/* QoS levels, on 8 VLs where there are several. */
static inline void
rig_set_levels(struct engine_rig *g, unsigned levels)
{
	enum { EIGHT = 4 };

	g->levels = levels;
	for (port_ix p = 0; levels > 1 && p < g->t->nports; p++)
		g->t->port[p].vl_cap = g->t->port[p].op_vls = EIGHT;
}

static inline void
rig_close(struct engine_rig *g)
{
	ck_assert_uint_eq(g->pool->live, 0);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	fabric_free(g->f);
}
AUTO_VALUE(engine_rig, struct engine_rig, rig_close)

/* The result for a topology, which keeps entries of prev or none; NULL and why.
 * prev, remembered: NULL allowed. */
static inline struct routes *
rig_route_as(const struct engine_rig *g, struct topo *t,
	const struct routes *prev, bool keep, const char *remembered,
	struct reason *why)
{
	const struct schema_values own = {g->e->module.options, g->own};
	const struct engine_options options = {.own = &own,
		.nown = g->own != NULL,
		.levels = (uint8_t)g->levels};
	struct route_job job = {.topo = t,
		.pool = g->pool,
		.prev = prev,
		.remembered = remembered,
		.options = &options,
		.load_limit = g->load_limit};
	struct arena *a = arena_new();
	struct routes *r = NULL;
	enum engine_result result = g->e->route(&job, keep, 0, a, &r, why);

	arena_free(a);
	ck_assert_int_eq(result == ENGINE_OK, r != NULL);
	return r;
}

/* The same, which keeps entries. */
static inline struct routes *
rig_route(const struct engine_rig *g, struct topo *t, const struct routes *prev,
	const char *remembered, struct reason *why)
{
	return rig_route_as(g, t, prev, prev != NULL, remembered, why);
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

/* ---- links that fail ---- */

static inline bool
rig_is_trunk(const struct fabric *f, uint32_t c)
{
	return f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
	       f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;
}

/* One more cable between switches that the fabric stays connected without. */
static inline void
rig_drop_cable(const struct fabric *f, bool *drop, struct rng *rng)
{
	for (;;) {
		uint32_t c = rng_below(rng, f->ncables);
		const struct fabric_edit e = {.drop_cable = drop};
		struct fabric *less;
		bool whole;

		if (drop[c] || !rig_is_trunk(f, c))
			continue;
		drop[c] = true;
		less = fabric_rebuild(f, &e);
		whole = fabric_connected(less, FABRIC_NONE, FABRIC_NONE);
		fabric_free(less);
		if (whole)
			return;
		drop[c] = false;
	}
}

/* The VLs of links that are still there are what they were. */
static inline void
rig_check_map(const struct routes *was, const struct routes *is)
{
	struct vl_map *old = vl_map_for(was->layers.map, was->topo, is->topo);
	const struct topo *t = is->topo;

	ck_assert_uint_eq(was->layers.n, is->layers.n);
	ck_assert((old == NULL) == (is->layers.map == NULL));
	if (old == NULL)
		return;
	ck_assert_mem_eq(old->group, is->layers.map->group, sizeof(old->group));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			port_ix p = channel_port(
				t, s, t->adj[t->sw[s].adj + i].out);

			ck_assert_uint_eq(
				old->port[p], is->layers.map->port[p]);
		}
	vl_map_drop(old);
}

static inline uint64_t
rig_moved(const struct routes *was, const struct routes *is)
{
	uint64_t moved = 0;

	for (sw_ix s = 0; s < is->topo->nsw; s++)
		for (sw_ix d = 0; d < is->topo->nsw; d++)
			moved += routes_layer(&was->layers,
					 topo_switch_in(was->topo, is->topo, s),
					 topo_switch_in(
						 was->topo, is->topo, d)) !=
				 routes_layer(&is->layers, s, d);
	return moved;
}

/* After a restart that has read tables from the switches, and what had been
 * printed, tables are the same. */
static inline void
rig_check_restart(const struct engine_rig *g, struct routes *next)
{
	const char *engine = next->engine;
	struct reason why = {""};
	AUTO(buf) struct buf text = {0};
	AUTO(routes) struct routes *again = NULL;

	g->e->state->print(next, &text);
	next->engine = "found";
	again = rig_route(g, next->topo, next, text.text, &why);
	next->engine = engine;
	ck_assert_msg(again != NULL, "%s", why.text);
	check_same_routes(next, again);
}

/*
 * n cables fail, one after the other: all holds, VLs of links stay, a restart
 * changes nothing. Returns pairs that got another layer, per mille of all.
 */
static inline double
rig_lose_links(const struct engine_rig *g, unsigned n, uint64_t seed)
{
	AUTO(mem) bool *drop = mem_zalloc(g->f->ncables, sizeof(*drop));
	struct reason why = {""};
	struct routes *r = rig_route(g, g->t, NULL, NULL, &why);
	struct rng rng = {seed};
	uint64_t moved = 0;

	ck_assert_msg(r != NULL, "%s", why.text);
	for (unsigned k = 0; k < n; k++) {
		struct routes *next;
		struct topo *t;

		rig_drop_cable(g->f, drop, &rng);
		t = frozen_less(g->f, drop, r->topo);
		next = rig_route(g, t, r, NULL, &why);
		ck_assert_msg(next != NULL, "%s", why.text);
		(void)rig_check(next);
		rig_check_map(r, next);
		rig_check_restart(g, next);
		moved += rig_moved(r, next);
		routes_unref(r);
		topo_unref(t);
		r = next;
	}
	routes_unref(r);
	return 1000.0 * (double)moved / n / g->t->nsw / g->t->nsw;
}

#endif
