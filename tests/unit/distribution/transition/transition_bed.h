/*
 * bed: a fabric, its routes in force, and others to come where links failed,
 * for the tests of transitions.
 */
#ifndef HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_TRANSITION_BED_H
#define HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_TRANSITION_BED_H

#include "tests/topo/gen.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/owned.h"

struct bed {
	struct fabric *f, *f1;
	struct lft_pool *pool;
	struct device_store *hw;
	struct topo *t, *t1;
	struct routes *from, *to;
	struct world w;
	struct rng r;
};

static inline void
bed_new(struct bed *b, struct fabric *f, sw_ix root, uint64_t seed)
{
	*b = (struct bed){.f = f, .r = {seed}};
	b->pool = lft_pool_new();
	b->hw = device_new(b->pool);
	b->t = frozen_topo(f, NULL);
	world_capable(b->t, true);
	b->from = world_routes(b->t, b->pool, NULL, root);
	world_new(&b->w, b->t, b->t->max_lid + 1U);
	world_install(&b->w, b->hw, b->from);
}

static inline void
bed_free(struct bed *b)
{
	routes_unref(b->to);
	routes_unref(b->from);
	device_free(b->hw);
	ck_assert_uint_eq(b->pool->live, 0);
	lft_pool_free(b->pool);
	topo_unref(b->t1);
	topo_unref(b->t);
	world_free(&b->w);
	fabric_free(b->f1);
	fabric_free(b->f);
}
AUTO_VALUE(bed, struct bed, bed_free)

/* Links fail; keep: the switch order is kept, else there is another root. */
static inline void
bed_fail_links(struct bed *b, unsigned n, bool keep, sw_ix root)
{
	struct reason why = {""};
	struct fabric *g = gen_edit_fail_links(
		world_copy(b->f), n, rng_next(&b->r), true, &why);
	struct world w;

	ck_assert_msg(g != NULL, "%s", why.text);
	b->t1 = frozen_again(g, b->t, 0);
	world_capable(b->t1, true);
	b->to = world_routes(b->t1, b->pool, keep ? b->from : NULL, root);
	world_new(&w, b->t1, b->w.nlids);
	world_move(&w, &b->w);
	world_free(&b->w);
	b->w = w;
	b->f1 = g;
}

/* The new routes are in force. */
static inline void
bed_settle(struct bed *b)
{
	fabric_free(b->f);
	topo_unref(b->t);
	routes_unref(b->from);
	b->f = b->f1;
	b->t = b->t1;
	b->from = b->to;
	b->f1 = NULL;
	b->t1 = NULL;
	b->to = NULL;
	world_install(&b->w, b->hw, b->from);
}

static inline void
bed_fail(struct bed *b, bool keep, sw_ix root)
{
	bed_fail_links(b, 1, keep, root);
}

static inline struct transition_result *
bed_plan(const struct bed *b, enum transition_method_kind method,
	unsigned stages)
{
	struct transition_job job = {.to = b->to,
		.from = b->from,
		.hw = b->hw,
		.method = method,
		.max_stages = stages};

	return transition_find(&job);
}

/* True if the mixed dependency graph without what the transition blocks has no
 * cycle. */
static inline bool
bed_safe(struct bed *b, const struct transition_result *x)
{
	struct world *w = &b->w;
	size_t n = (size_t)w->t->nsw * w->nlids;
	AUTO(mem) uint64_t *all = mem_dup(w->met, n * sizeof(*all));
	bool cyclic;

	for (sw_ix s = 0; s < w->t->nsw; s++)
		for (uint32_t l = 0; l < w->nlids; l++)
			all[(size_t)s * w->nlids + l] |=
				world_bit(routes_port(b->to, s, (uint16_t)l));
	w->blocked = x->dep;
	w->ndeps = x->ndeps;
	cyclic = world_cyclic(w, all);
	w->ndeps = 0;
	return !cyclic;
}

#endif
