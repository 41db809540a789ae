/*
 * sets_walk: routes with sets on a small fabric that loses and gets back
 * cables, at random, each after the one before: what tests of sets and of their
 * judges go through.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_CORE_SETS_WALK_H
#define HEDDLE_TESTS_UNIT_ROUTING_CORE_SETS_WALK_H

#include <check.h>
#include <stdlib.h>

#include "routing/driver/compute.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"

struct sets_walk {
	struct fabric *f;
	bool *drop; /* [f->ncables] */
	struct topo *first, *t;
	struct lft_pool *pool;
	struct route_choice *can;
	struct route_adaptive adaptive;
	struct route_job job; /* that made r */
	struct routes *r, *prev;
	const char *engine;
	struct rng rng;
};

/* A tree, perhaps with cables missing, or a random graph. */
static inline struct fabric *
sets_walk_fabric(uint64_t seed)
{
	const struct gen_fattree2 two = {
		3, 6, 1 + (unsigned)seed / 4 % 2, 3, 2};
	struct reason why = {""};
	struct fabric *f;

	switch (seed % 4) {
	case 0:
		f = gen_tree_three(4, &why);
		break;
	case 1:
		f = gen_random(10 + (unsigned)seed % 7 * 2, 4, 2, seed, &why);
		break;
	case 2:
		f = gen_tree_two(&two, &why);
		break;
	default:
		f = gen_edit_fail_links(gen_tree_three(6, &why),
			4 + (unsigned)seed % 12, seed, true, &why);
	}
	ck_assert_msg(f != NULL, "%s", why.text);
	return f;
}

static inline void
sets_walk_route(struct sets_walk *x)
{
	struct route_account story;
	struct reason why = {""};

	x->job = (struct route_job){.topo = x->t,
		.pool = x->pool,
		.prev = x->prev,
		.threads = 1,
		.load_limit = 1250,
		.adaptive = &x->adaptive};
	x->r = compute_routes(&x->job, &x->engine, 1, &story, &why);
	ck_assert_msg(x->r != NULL, "%s", why.text);
	ck_assert_ptr_nonnull(x->r->sets);
}

static inline void
sets_walk_open(struct sets_walk *x, uint64_t seed)
{
	const struct frozen_lids lids = {
		.shuffle = seed % 3 == 0 ? seed : 0, .lmc = seed % 5 == 0};

	*x = (struct sets_walk){.f = sets_walk_fabric(seed),
		.pool = lft_pool_new(),
		.engine = seed % 4 == 1 ? "updn" : "ftree"};
	x->rng = (struct rng){seed};
	x->drop = mem_zalloc(x->f->ncables, sizeof(*x->drop));
	x->first = frozen_topo(x->f, &lids);
	x->t = topo_ref(x->first);
	x->can = mem_zalloc(x->t->nsw, sizeof(*x->can));
	for (sw_ix s = 0; s < x->t->nsw; s++)
		x->can[s] = (struct route_choice){seed % 6 == 5 && s % 5 == 0
							  ? ROUTE_FIXED
							  : ROUTE_COMMITS,
			(uint16_t)(seed % 7 == 6 ? 3 : 1000)};
	x->adaptive = (struct route_adaptive){x->can, seed % 2 == 0};
	sets_walk_route(x);
}

/* Some cables between switches go or come, and there are new routes. */
static inline void
sets_walk_step(struct sets_walk *x)
{
	for (unsigned n = 1 + (unsigned)rng_below(&x->rng, 2); n > 0;) {
		uint32_t c = (uint32_t)rng_below(&x->rng, x->f->ncables);

		if (x->f->node[x->f->cable[c].node[0]].type != FABRIC_SWITCH ||
			x->f->node[x->f->cable[c].node[1]].type !=
				FABRIC_SWITCH)
			continue;
		x->drop[c] = !x->drop[c];
		n--;
	}
	topo_unref(x->t);
	x->t = frozen_less(x->f, x->drop, x->first);
	routes_unref(x->prev);
	x->prev = x->r;
	sets_walk_route(x);
}

static inline void
sets_walk_close(struct sets_walk *x)
{
	routes_unref(x->prev);
	routes_unref(x->r);
	ck_assert_uint_eq(x->pool->live, 0);
	topo_unref(x->t);
	topo_unref(x->first);
	lft_pool_free(x->pool);
	free(x->can);
	free(x->drop);
	fabric_free(x->f);
}

#endif
