/*
 * Kept tables: what is looked at because it differs, against a look at
 * everything. Links and switches are lost and return in trees, racks, planes,
 * tori, dragonflies and random graphs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/engine.h"
#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { STEPS = 40, MOST = 4 };

static const struct {
	const char *fabric;
	const struct engine *engine;
} fabric_of[] = {
	{"two:6:12:6:3", &engine_ftree},
	{"two:3:10:9:9:4", &engine_ftree},
	{"three:8", &engine_ftree},
	{"racks:12:12", &engine_ftree},
	{"planes:2:6:4:2:2", &engine_ftree},
	{"torus:4x4x4", &engine_updn},
	{"dragonfly:4:2:2", &engine_updn},
	{"random:40:4:2:7", &engine_updn},
	{"three:8", &engine_updn},
};

static struct routes *
route_topo(const struct engine *e, struct topo *t, struct lft_pool *pool,
	const struct routes *prev)
{
	struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .threads = 1};
	AUTO(arena) struct arena *a = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	(void)e->route(&job, prev != NULL, 0, a, &r, &why);
	return r;
}

static void
expect_same_tables(
	const struct routes *a, const struct routes *b, const char *what)
{
	for (sw_ix s = 0; s < a->topo->nsw; s++)
		for (uint32_t lid = 1; lid <= a->top; lid++)
			ck_assert_msg(routes_port(a, s, (uint16_t)lid) ==
					      routes_port(b, s, (uint16_t)lid),
				"%s: switch %u, LID %u: %u, of all %u", what, s,
				lid, routes_port(a, s, (uint16_t)lid),
				routes_port(b, s, (uint16_t)lid));
}

/* ---- losses and returns ---- */

struct losses {
	struct fabric *whole;
	bool *cable, *node;
	struct rng rng;
	bool switches; /* they are lost, too */
};

static bool
is_switch(const struct fabric *f, uint32_t n)
{
	return f->node[n].type == FABRIC_SWITCH;
}

/* One to four links, now and then a switch, are lost or return. */
static void
toggle_some(struct losses *l)
{
	const struct fabric *f = l->whole;

	for (uint32_t n = rng_below(&l->rng, MOST) + 1; n > 0;) {
		uint32_t c = rng_below(&l->rng, f->ncables);
		uint32_t x = f->cable[c].node[0];

		if (!is_switch(f, x) || !is_switch(f, f->cable[c].node[1]))
			continue;
		if (l->switches && rng_below(&l->rng, 6) == 0 &&
			x != fabric_find(f, f->node[0].name))
			l->node[x] = !l->node[x];
		else
			l->cable[c] = !l->cable[c];
		n--;
	}
}

static struct fabric *
remaining_fabric(const struct losses *l)
{
	const struct fabric_edit edit = {.drop_cable = l->cable,
		.drop_node = l->node,
		.drop_orphans = true};

	return fabric_rebuild(l->whole, &edit);
}

static void
run_losses(unsigned kind, uint64_t seed, bool switches)
{
	const struct engine *e = fabric_of[kind].engine;
	struct losses l = {.whole = shape_of("%s", fabric_of[kind].fabric),
		.rng = {seed},
		.switches = switches};
	struct topo *t = frozen_topo(l.whole, &(struct frozen_lids){0});
	struct lft_pool *pool = lft_pool_new();
	struct routes *r = route_topo(e, t, pool, NULL);
	unsigned kept = 0;

	l.cable = mem_zalloc(l.whole->ncables, sizeof(*l.cable));
	l.node = mem_zalloc(l.whole->nnodes, sizeof(*l.node));
	for (unsigned i = 0; i < STEPS; i++) {
		AUTO(fabric) struct fabric *f = NULL;
		AUTO(topo) struct topo *now = NULL;
		struct routes *is, *all;
		char what[96];

		(void)snprintf(what, sizeof(what), "%s, seed %u, step %u",
			fabric_of[kind].fabric, (unsigned)seed, i);
		toggle_some(&l);
		f = remaining_fabric(&l);
		now = frozen_again(f, t, 0);
		is = route_topo(e, now, pool, r);
		if (is != NULL) { /* or ftree finds that this is no tree */
			r->engine = "found";
			all = route_topo(e, now, pool, r);
			expect_same_tables(is, all, what);
			ck_assert_uint_eq(
				is->entries_changed, all->entries_changed);
			kept += is->entries_changed < is->entries_kept;
			routes_unref(all);
			routes_unref(r);
			r = is;
		} else {
			routes_unref(r);
			r = route_topo(e, t, pool, NULL);
		}
		if (is != NULL) {
			topo_unref(t);
			t = topo_ref(now);
		}
	}
	ck_assert_uint_gt(kept, STEPS / 2);
	routes_unref(r);
	ck_assert_uint_eq(pool->live, 0);
	lft_pool_free(pool);
	topo_unref(t);
	fabric_free(l.whole);
	free(l.cable);
	free(l.node);
}

enum { KINDS = (int)(sizeof(fabric_of) / sizeof(*fabric_of)) };

LOOP_TEST(links, 0, FEWER(3) * KINDS)
{
	run_losses((unsigned)_i % KINDS, (uint64_t)_i + 1, false);
}

LOOP_TEST(switches, 0, FEWER(3) * KINDS)
{
	run_losses((unsigned)_i % KINDS, (uint64_t)_i + 1, true);
}

/* ---- tables that another program made ---- */

/* Entries for LIDs without an owner, and wrong ones for a switch's own LIDs,
 * are not kept. */
TEST(wrong_entries)
{
	AUTO(fabric) struct fabric *f = shape_of("three:8");
	AUTO(topo) struct topo *t = frozen_topo(f, &(struct frozen_lids){0});
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct routes *r = route_topo(&engine_ftree, t, pool, NULL);
	struct routes *found = routes_for(r, t), *is;
	uint16_t own = 0, none = (uint16_t)(r->nblocks * LFT_BLOCK - 1);

	for (uint16_t lid = 1; own == 0 && lid <= t->max_lid; lid++)
		if (topo_switch_of(t, topo_by_lid(t, lid, NULL)) == 0)
			own = lid;
	ck_assert_uint_gt(none, t->max_lid);
	routes_put_entry(found, 0, own, 7, NULL);
	routes_put_entry(found, 0, none, 3, NULL);
	found->engine = "found";
	is = route_topo(&engine_ftree, t, pool, found);
	expect_same_tables(is, r, "found");
	ck_assert_uint_eq(routes_port(is, 0, none), LFT_DROP);
	ck_assert_uint_eq(
		routes_block(is, 0, none / LFT_BLOCK)[LFT_BLOCK - 1], LFT_DROP);
	ck_assert_uint_eq(is->entries_changed, 2);
	routes_unref(is);
	routes_unref(found);
	routes_unref(r);
	ck_assert_uint_eq(pool->live, 0);
}
