/*
 * sets_walk: routes with sets on a small fabric that loses and gets back
 * cables, at random, each after the one before, and whose manager moves from
 * host to host: what tests of sets and of their judges go through.
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
#include "tests/topo/shape.h"
#include "tests/unit/owned.h"

struct sets_walk {
	struct fabric *f;
	bool *drop;    /* [f->ncables] */
	uint64_t host; /* GUID of the manager's; 0: the first one */
	uint64_t seed;
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
		f = shape_of("three:4");
		break;
	case 1:
		f = gen_random(10 + (unsigned)seed % 7 * 2, 4, 2, seed, &why);
		break;
	case 2:
		f = gen_tree_two(&two, &why);
		break;
	default:
		f = gen_edit_fail_links(shape_of("three:6"),
			4 + (unsigned)seed % 12, seed, true, &why);
	}
	return f;
}

/* What a switch can do is its own, whatever its number. */
static inline struct route_choice
sets_walk_choice(const struct sets_walk *x, sw_ix s)
{
	bool is_fixed =
		x->seed % 6 == 5 && x->t->node[x->t->sw[s].node].guid % 5 == 0;

	return (struct route_choice){is_fixed ? ROUTE_FIXED : ROUTE_COMMITS,
		(uint16_t)(x->seed % 7 == 6 ? 3 : 1000)};
}

static inline void
sets_walk_route(struct sets_walk *x)
{
	struct route_account story;
	struct reason why = {""};

	for (sw_ix s = 0; s < x->t->nsw; s++)
		x->can[s] = sets_walk_choice(x, s);
	x->job = (struct route_job){.topo = x->t,
		.pool = x->pool,
		.prev = x->prev,
		.threads = 1,
		.load_limit = x->seed % 8 < 4 ? 1250 : 2000,
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
		.seed = seed,
		.pool = lft_pool_new(),
		.engine = seed % 4 == 1 ? "updn" : "ftree"};
	x->rng = (struct rng){seed};
	x->drop = mem_zalloc(x->f->ncables, sizeof(*x->drop));
	x->first = frozen_topo(x->f, &lids);
	x->t = topo_ref(x->first);
	x->can = mem_zalloc(x->t->nsw, sizeof(*x->can));
	x->adaptive = (struct route_adaptive){
		.can = x->can, .default_first = seed % 2 == 0};
	sets_walk_route(x);
}

static inline bool
sets_walk_is_between_switches(const struct sets_walk *x, uint32_t c)
{
	return x->f->node[x->f->cable[c].node[0]].type == FABRIC_SWITCH &&
	       x->f->node[x->f->cable[c].node[1]].type == FABRIC_SWITCH;
}

/* A switch loses all of its cables, if it has none to a host. */
static inline void
sets_walk_lose_switch(struct sets_walk *x)
{
	uint32_t n = x->f->cable[rng_below(&x->rng, x->f->ncables)].node[0];
	bool has_host = false;

	for (unsigned pass = 0; pass < 2 && !has_host; pass++)
		for (uint32_t c = 0; c < x->f->ncables; c++) {
			if (x->f->cable[c].node[0] != n &&
				x->f->cable[c].node[1] != n)
				continue;
			if (pass == 0)
				has_host |=
					!sets_walk_is_between_switches(x, c);
			else
				x->drop[c] = true;
		}
}

/* Some cables go or come, mostly between switches; now and then a switch goes,
 * or the manager is another host. Then there are new routes. */
static inline void
sets_walk_step(struct sets_walk *x)
{
	bool any = rng_below(&x->rng, 6) == 0;

	for (unsigned n = 1 + (unsigned)rng_below(&x->rng, 2); n > 0;) {
		uint32_t c = (uint32_t)rng_below(&x->rng, x->f->ncables);

		if (!any && !sets_walk_is_between_switches(x, c))
			continue;
		x->drop[c] = !x->drop[c];
		n--;
	}
	if (rng_below(&x->rng, 8) == 0)
		sets_walk_lose_switch(x);
	if (rng_below(&x->rng, 4) == 0) {
		uint32_t n = (uint32_t)rng_below(&x->rng, x->f->nnodes);

		x->host = x->f->node[n].type == FABRIC_SWITCH
				  ? 0
				  : x->f->node[n].guid;
	}
	topo_unref(x->t);
	x->t = frozen_less_from(x->f, x->drop, x->first, x->host);
	routes_unref(x->prev);
	x->prev = x->r;
	sets_walk_route(x);
}

/* The last host loses its cable, as the first step, and there are new routes.
 */
static inline void
sets_walk_lose_host(struct sets_walk *x)
{
	uint32_t c = x->f->ncables - 1;

	while (sets_walk_is_between_switches(x, c))
		c--;
	x->drop[c] = true;
	topo_unref(x->t);
	x->t = frozen_less(x->f, x->drop, x->first);
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
AUTO_VALUE(sets_walk, struct sets_walk, sets_walk_close)

#endif
