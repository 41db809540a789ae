/*
 * Repairs of routes in layers: a lost link changes little but what was behind
 * it, a host that leaves or comes changes nothing but its own LID, a lost
 * switch is got round, a link that comes back is used again; all of it before a
 * judge that shares nothing with them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engines/dragonfly/dragonfly.h"
#include "routing/engines/nue/nue.h"
#include "routing/engines/torus/torus.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

enum { KINDS = 3, SEEDS = FEWER(4) };

static void
open_kind(struct engine_rig *g, unsigned kind, unsigned seed)
{
	const unsigned size[] = {5, 5 + seed};
	struct reason why = {""};

	if (kind == 0)
		rig_open(g, &engine_nue,
			gen_random(24 + 2 * seed, 5, 2, seed, &why), &why);
	else if (kind == 1)
		rig_open(g, &engine_torus, gen_grid(size, 2, true, 2, &why),
			&why);
	else
		rig_open(g, &engine_dragonfly,
			gen_dragonfly(4, 1 + seed % 3, 2, &why), &why);
}

static struct routes *
route_or_fail(
	const struct engine_rig *g, struct topo *t, const struct routes *prev)
{
	struct reason why = {""};
	struct routes *r = rig_route(g, t, prev, NULL, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	(void)rig_check(r);
	return r;
}

/* Entries of prev from which packets come to a port that has no link in t. */
static uint64_t
count_behind(const struct routes *prev, const struct topo *t)
{
	const struct topo *was = prev->topo;
	uint64_t n = 0;

	for (uint32_t lid = 1; lid <= prev->top; lid++)
		for (sw_ix s = 0; s < was->nsw; s++) {
			sw_ix at = s, next, is;

			for (;; at = next) {
				next = routes_next_switch(
					prev, at, (uint16_t)lid);
				if (next == TOPO_NONE)
					break;
				is = topo_switch_in(t, was, at);
				if (is == TOPO_NONE ||
					topo_port_behind(t, is,
						routes_port(prev, at,
							(uint16_t)lid)) ==
						TOPO_NONE) {
					n++;
					break;
				}
			}
		}
	return n;
}

/* The fabric without a cable between switches, with the LIDs of before; NULL:
 * it is a host's, or a switch is cut off without it. */
static struct topo *
lose_cable(const struct engine_rig *g, uint32_t c, const struct topo *before)
{
	bool *drop = mem_zalloc(g->f->ncables, sizeof(*drop));
	struct topo *t;

	drop[c] = true;
	t = frozen_less(g->f, drop, before);
	free(drop);
	if (rig_is_trunk(g->f, c) && t->nsw == g->t->nsw)
		return t;
	topo_unref(t);
	return NULL;
}

LOOP_TEST(links, 0, KINDS *SEEDS)
{
	uint64_t behind = 0, changed = 0;
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	open_kind(&g, (unsigned)_i % KINDS, (unsigned)_i / KINDS);
	r = route_or_fail(&g, g.t, NULL);
	for (uint32_t c = 0; c < g.f->ncables; c++) {
		struct topo *t = lose_cable(&g, c, r->topo);
		struct routes *next;

		if (t == NULL)
			continue;
		next = route_or_fail(&g, t, r);
		routes_count_changes(next, r);
		behind += count_behind(r, t);
		changed += next->entries_changed;
		routes_unref(next);
		topo_unref(t);
	}
	ck_assert_uint_gt(behind, 0);
	ck_assert_uint_le(changed, behind + behind / 4);
}

/*
 * Where the load of fresh tables is known, what went over a lost link does not
 * stay on few others: loads fall, never rise, and pairs change their layers for
 * it only where they would be above the limit in their own.
 */
LOOP_TEST(rebalanced, 0, KINDS *SEEDS)
{
	const uint32_t limit = 1100;
	uint64_t heavy = 0, light = 0;
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	open_kind(&g, (unsigned)_i % KINDS, (unsigned)_i / KINDS);
	r = route_or_fail(&g, g.t, NULL);
	r->fresh_load = rig_load(r);
	for (uint32_t c = 0; c < g.f->ncables; c++) {
		struct topo *t = lose_cable(&g, c, r->topo);
		struct routes *plain, *lighter;

		if (t == NULL)
			continue;
		g.load_limit = 0;
		plain = route_or_fail(&g, t, r);
		g.load_limit = limit;
		lighter = route_or_fail(&g, t, r);
		ck_assert_uint_le(rig_load(lighter), rig_load(plain));
		if (rig_load(plain) * 1000 <= r->fresh_load * limit)
			ck_assert_uint_eq(rig_moved(plain, lighter), 0);
		heavy += rig_load(plain);
		light += rig_load(lighter);
		routes_unref(plain);
		routes_unref(lighter);
		topo_unref(t);
	}
	ck_assert_uint_lt(light, heavy);
}

/*
 * A ring that has lost a link is a line, over which all that comes to it would
 * go the other way round: other layers of a torus have paths beside it, which
 * keep the busiest link within the limit.
 */
TEST(broken_ring)
{
	const unsigned size[] = {8, 8};
	const uint32_t limit = 1250;
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, &engine_torus, gen_grid(size, 2, true, 1, &why), &why);
	r = route_or_fail(&g, g.t, NULL);
	r->fresh_load = rig_load(r);
	g.load_limit = limit;
	for (uint32_t c = 0; c < g.f->ncables; c++) {
		AUTO(topo) struct topo *t = lose_cable(&g, c, r->topo);
		AUTO(routes) struct routes *next = NULL;

		if (t == NULL)
			continue;
		next = route_or_fail(&g, t, r);
		ck_assert_uint_le(rig_load(next) * 1000, r->fresh_load * limit);
		ck_assert_uint_lt(rig_moved(r, next), 64 * 64 / 20);
	}
}

/*
 * Pairs of a dragonfly that lose their path are led round a lost link over many
 * links, not over few, although few of them change their layer.
 */
TEST(detours)
{
	uint64_t moved = 0, pairs = 0, load = 0, before = 0;
	struct reason why = {""};
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, &engine_dragonfly, shape_of("dragonfly:6:3:3"), &why);
	r = route_or_fail(&g, g.t, NULL);
	for (uint32_t c = 0; c < g.f->ncables; c += 23) {
		struct topo *t = lose_cable(&g, c, r->topo);
		struct routes *next;

		if (t == NULL)
			continue;
		next = route_or_fail(&g, t, r);
		moved += rig_moved(r, next);
		pairs += (uint64_t)g.t->nsw * g.t->nsw;
		load += rig_load(next);
		before += rig_load(r);
		routes_unref(next);
		topo_unref(t);
	}
	ck_assert_uint_le(100 * load, 120 * before);
	ck_assert_uint_lt(moved, pairs / 300);
}

/* Links on all paths. */
static uint64_t
count_steps(const struct routes *r)
{
	uint64_t n = 0;

	for (uint32_t lid = 1; lid <= r->top; lid++)
		for (sw_ix s = 0; s < r->topo->nsw; s++)
			for (sw_ix at = s; at != TOPO_NONE; n++)
				at = routes_next_switch(r, at, (uint16_t)lid);
	return n;
}

/* Entries over a cable, both ways. */
static uint64_t
count_over(const struct routes *r, const struct engine_rig *g, uint32_t c)
{
	const struct fabric_cable *cable = &g->f->cable[c];
	const struct topo *t = r->topo;
	uint64_t n = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned k = 0; k < 2; k++)
			for (uint32_t lid = 1; lid <= r->top; lid++)
				n += t->node[t->sw[s].node].guid ==
					     g->f->node[cable->node[k]].guid &&
				     routes_port(r, s, (uint16_t)lid) ==
					     cable->port[k];
	return n;
}

/*
 * A link that comes back is used again: paths are as short as they were, it
 * carries its share, no more entries change than when it was lost, and no pair
 * changes its layer.
 */
LOOP_TEST(returns, 0, KINDS *SEEDS)
{
	uint64_t used = 0, used_again = 0, lost = 0, changed = 0;
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	open_kind(&g, (unsigned)_i % KINDS, (unsigned)_i / KINDS);
	r = route_or_fail(&g, g.t, NULL);
	for (uint32_t c = 0; c < g.f->ncables; c++) {
		struct topo *t = lose_cable(&g, c, r->topo);
		struct routes *less, *again;

		if (t == NULL)
			continue;
		less = route_or_fail(&g, t, r);
		again = route_or_fail(&g, g.t, less);
		ck_assert_uint_eq(rig_moved(less, again), 0);
		ck_assert_uint_le(
			count_steps(again) * 100, count_steps(r) * 101);
		used += count_over(r, &g, c);
		used_again += count_over(again, &g, c);
		routes_count_changes(less, r);
		routes_count_changes(again, less);
		lost += less->entries_changed;
		changed += again->entries_changed;
		routes_unref(less);
		routes_unref(again);
		topo_unref(t);
	}
	ck_assert_uint_gt(used_again * 10, used * 8);
	ck_assert_uint_le(changed, lost + lost / 8);
}

/* Entries that differ, but for LIDs that only one of the two delivers. */
static uint64_t
count_others(const struct routes *a, const struct routes *b)
{
	uint64_t n = 0;

	for (uint32_t lid = 1; lid <= a->top && lid <= b->top; lid++) {
		if (topo_by_lid(a->topo, (uint16_t)lid, NULL) == TOPO_NONE ||
			topo_by_lid(b->topo, (uint16_t)lid, NULL) == TOPO_NONE)
			continue;
		for (sw_ix s = 0; s < b->topo->nsw; s++)
			n += routes_port(a, topo_switch_in(a->topo, b->topo, s),
				     (uint16_t)lid) !=
			     routes_port(b, s, (uint16_t)lid);
	}
	return n;
}

LOOP_TEST(hosts, 0, KINDS *SEEDS)
{
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL, *less = NULL, *more = NULL;
	AUTO(topo) struct topo *t = NULL, *u = NULL;
	AUTO(mem) bool *drop = NULL;

	open_kind(&g, (unsigned)_i % KINDS, (unsigned)_i / KINDS);
	r = route_or_fail(&g, g.t, NULL);
	drop = mem_zalloc(g.f->ncables, sizeof(*drop));
	for (uint32_t c = g.f->ncables; c-- > 0;)
		if (!rig_is_trunk(g.f, c)) {
			drop[c] = true; /* the last host */
			break;
		}
	t = frozen_less(g.f, drop, g.t);
	less = route_or_fail(&g, t, r);
	ck_assert_uint_eq(count_others(r, less), 0);
	for (uint32_t lid = less->top + 1U; lid < less->nblocks * LFT_BLOCK;
		lid++)
		ck_assert_uint_eq(
			routes_block(less, 0, lid / LFT_BLOCK)[lid % LFT_BLOCK],
			LFT_DROP);
	u = frozen_again(g.f, t, 0);
	more = route_or_fail(&g, u, less);
	ck_assert_uint_eq(count_others(less, more), 0);
}

/* Two cables of any kind at once. */
LOOP_TEST(pairs_of_cables, 0, KINDS *SEEDS)
{
	struct rng rng = {(uint64_t)_i + 1};
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	open_kind(&g, (unsigned)_i % KINDS, (unsigned)_i / KINDS);
	r = route_or_fail(&g, g.t, NULL);
	for (unsigned n = 0; n < 60; n++) {
		AUTO(mem) bool *drop = mem_zalloc(g.f->ncables, sizeof(*drop));
		struct reason why = {""};
		AUTO(routes) struct routes *next = NULL;
		AUTO(topo) struct topo *t = NULL;

		for (unsigned k = 0; k < 2; k++)
			drop[rng_below(&rng, g.f->ncables)] = true;
		t = frozen_less(g.f, drop, r->topo);
		next = rig_route(&g, t, r, NULL, &why);
		if (next != NULL)
			(void)rig_check(next);
	}
}

LOOP_TEST(switches, 0, KINDS *SEEDS)
{
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	open_kind(&g, (unsigned)_i % KINDS, (unsigned)_i / KINDS);
	r = route_or_fail(&g, g.t, NULL);
	for (uint32_t n = 1; n < g.f->nnodes; n++) {
		struct fabric *f;
		struct routes *next;
		struct topo *t;
		bool *drop;

		if (g.f->node[n].type != FABRIC_SWITCH || n % 5 != 0 ||
			!fabric_connected(g.f, FABRIC_NONE, n))
			continue;
		drop = mem_zalloc(g.f->nnodes, sizeof(*drop));
		drop[n] = true;
		f = fabric_rebuild(
			g.f, &(struct fabric_edit){.drop_node = drop});
		t = frozen_again(f, r->topo, 0);
		next = route_or_fail(&g, t, r);
		routes_unref(next);
		topo_unref(t);
		fabric_free(f);
		free(drop);
	}
}
