/*
 * Sets proven by the order of switches: what is proven stands the judge that
 * follows all dependencies; the proof of a change says what the proof of all
 * says; options, entries and orders that are tampered with are refused or
 * harmless.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/sets_order.h"
#include "routing/verify/verify.h"
#include "tests/unit/routing/core/sets_walk.h"
#include "tests/unit/suite.h"

enum { WALKS = 96, STEPS = 4, DAMAGES = 8 };

/* What is said of routes, beside which some of it may be replaced. */
struct claim {
	const struct routes *r;
	struct verify_sets_side side;
	struct sets_order_claim is;
	uint32_t *pos;
	struct verify_dependencies *deps;
};

struct count {
	unsigned proven, refused, harmless, caught;
};

static void
claim_open(struct claim *c, const struct routes *r)
{
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct verify_report report;
	struct reason why = {""};

	*c = (struct claim){.r = r,
		.side = {r->pool, r->row, r->nblocks, r->sets},
		.pos = mem_zalloc(r->topo->nsw, sizeof(uint32_t))};
	if (r->order != ROUTE_NO_ORDER)
		routes_order(r, c->pos);
	ck_assert_int_eq(
		verify_tables_dependencies(&in, &report, &c->deps, &why), 0);
	c->is = (struct sets_order_claim){r->topo, &c->side, c->pos};
}

static void
claim_close(struct claim *c)
{
	free(c->pos);
	free(c->deps);
}
AUTO_VALUE(claim, struct claim, claim_close)

/* The verdict on a claim, after one that was proven or NULL. */
static bool
prove_claim(struct claim *c, struct claim *was)
{
	const struct verify_sets_job job = {.topo = c->r->topo,
		.side = {c->side},
		.nsides = 1,
		.deps = c->deps,
		.threads = 1};
	struct verify_sets_report found;
	struct reason why = {""};
	bool all = sets_order_proves(&c->is, c->deps, NULL, 3);

	if (was != NULL)
		ck_assert_int_eq(
			sets_order_proves(&c->is, c->deps, &was->is, 1), all);
	if (all)
		ck_assert_msg(
			verify_sets(&job, &found, &why) == 0, "%s", why.text);
	return all;
}

/* ---- damage ---- */

/* Sets of which one differs in a port. */
static struct route_sets *
damage_set(struct sets_walk *x, const struct route_sets *from)
{
	struct route_sets *sets =
		route_sets_new(x->t, from->can, from->default_first);
	sw_ix s = (sw_ix)rng_below(&x->rng, from->nsw);
	uint32_t t = rng_below(&x->rng, from->dest.n);
	struct route_set_row *row = route_set_row_new(from->dest.n);
	struct route_set set;
	unsigned p = 1 + (unsigned)rng_below(&x->rng, 6);

	for (sw_ix i = 0; i < from->nsw; i++) {
		sets->row[i] = from->row[i];
		if (i != s && sets->row[i] != NULL)
			sets->row[i]->refs++;
	}
	for (uint32_t d = 0; d < from->dest.n && from->row[s] != NULL; d++)
		row->of[d] = route_set_row_number(
			row, &from->row[s]->set[from->row[s]->of[d]]);
	set = row->set[row->of[t]];
	set.port[0] ^= UINT64_C(1) << p;
	row->of[t] = route_set_row_number(row, &set);
	sets->row[s] = row;
	return sets;
}

static void
damage_sets(struct sets_walk *x, struct claim *c, struct claim *was,
	struct count *n)
{
	for (unsigned i = 0; i < DAMAGES; i++) {
		struct route_sets *sets = damage_set(x, x->r->sets);

		c->side.sets = sets;
		if (prove_claim(c, was))
			n->harmless++;
		else
			n->caught++;
		route_sets_unref(sets);
	}
	c->side.sets = x->r->sets;
}

/* Two switches change places in the order. */
static void
damage_order(struct sets_walk *x, struct claim *c, struct claim *was,
	struct count *n)
{
	for (unsigned i = 0; i < DAMAGES; i++) {
		sw_ix s = (sw_ix)rng_below(&x->rng, x->t->nsw),
		      t = (sw_ix)rng_below(&x->rng, x->t->nsw);
		uint32_t pos = c->pos[s];

		c->pos[s] = c->pos[t];
		c->pos[t] = pos;
		if (prove_claim(c, was))
			n->harmless++;
		else
			n->caught++;
		c->pos[t] = c->pos[s];
		c->pos[s] = pos;
	}
}

/* Tables with another entry, if they are good tables still. */
static void
damage_tables(struct sets_walk *x, struct claim *was, struct count *n)
{
	for (unsigned i = 0; i < DAMAGES; i++) {
		AUTO(routes) struct routes *other = routes_for(x->r, x->t);
		uint16_t lid = (uint16_t)(1 + rng_below(&x->rng, other->top));
		sw_ix s = (sw_ix)rng_below(&x->rng, x->t->nsw);
		uint8_t out = (uint8_t)(1 + rng_below(&x->rng, 6));
		struct verify_report report;
		struct verify_tables in;
		struct claim c;

		routes_put_entry(other, s, lid, out, NULL);
		in = (struct verify_tables){other->topo, other->pool,
			other->row, other->nblocks, &other->layers, NULL};
		if (verify_tables(&in, &report, NULL) == 0) {
			claim_open(&c, other);
			if (prove_claim(&c, was))
				n->harmless++;
			else
				n->caught++;
			claim_close(&c);
		}
	}
}

/* ---- changes ---- */

static void
judge_step(struct sets_walk *x, struct count *n)
{
	AUTO(claim) struct claim is, was;
	bool before;

	claim_open(&is, x->r);
	claim_open(&was, x->prev);
	before = x->prev->sets->why[0] == '\0' && prove_claim(&was, NULL);
	if (prove_claim(&is, before ? &was : NULL))
		n->proven++;
	else
		n->refused++;
	if (before && x->r->sets->why[0] == '\0') {
		damage_sets(x, &is, &was, n);
		damage_order(x, &is, &was, n);
		damage_tables(x, &was, n);
	}
}

TEST(test_changes_and_damage)
{
	struct count n = {0};

	for (uint64_t seed = 1; seed <= WALKS; seed++) {
		AUTO(sets_walk) struct sets_walk x;

		sets_walk_open(&x, seed);
		for (unsigned i = 0; i < STEPS; i++) {
			sets_walk_step(&x);
			judge_step(&x, &n);
		}
	}
	ck_assert_uint_gt(n.proven, WALKS * STEPS * 9 / 10);
	ck_assert_uint_gt(n.harmless, 1000);
	ck_assert_uint_gt(n.caught, 1000);
}

/* A host comes back to which the tables, the same as before, have no entries:
 * all that differs is the LIDs of a destination. */
TEST(test_host_without_entries)
{
	struct verify_sets_side side;
	struct sets_order_claim is;
	struct sets_walk x;
	struct claim was;
	struct route_sets *sets;

	sets_walk_open(&x, 4);
	sets_walk_lose_host(&x);
	claim_open(&was, x.r);
	ck_assert(prove_claim(&was, NULL));
	ck_assert(topo_same_switches(x.first, x.t));
	sets = route_sets_new(x.first, x.can, x.adaptive.default_first);
	for (sw_ix s = 0; s < x.t->nsw; s++)
		sets->row[s] = route_set_row_share(x.r->sets->row[s]);
	side = was.side;
	side.sets = sets;
	is = (struct sets_order_claim){x.first, &side, was.pos};
	ck_assert(!sets_order_proves(&is, was.deps, NULL, 1));
	ck_assert(!sets_order_proves(&is, was.deps, &was.is, 1));
	route_sets_unref(sets);
	claim_close(&was);
	sets_walk_close(&x);
}

/* What the driver makes is proven, from the routes before too. */
TEST(test_driver_proves)
{
	AUTO(sets_walk) struct sets_walk x;

	sets_walk_open(&x, 4);
	ck_assert(x.r->sets->by_order);
	sets_walk_step(&x);
	ck_assert(x.r->sets->by_order);
}

/* A switch with options for hosts of which its table knows nothing. */
static bool
prove_without_entries(struct sets_walk *x, struct claim *c, sw_ix s, sw_ix t)
{
	AUTO(routes) struct routes *other = routes_for(x->r, x->t);
	bool proven;

	for (uint16_t lid = 1; lid <= x->t->max_lid; lid++) {
		port_ix p = x->t->by_lid[lid];

		if (p != TOPO_NONE && topo_switch_of(x->t, p) == t)
			routes_put_entry(other, s, lid, LFT_DROP, NULL);
	}
	c->side.row = other->row;
	proven = sets_order_proves(&c->is, c->deps, NULL, 1);
	c->side.row = x->r->row;
	return proven;
}

TEST(test_no_entries)
{
	AUTO(sets_walk) struct sets_walk x;
	unsigned n = 0;
	AUTO(claim) struct claim c;

	sets_walk_open(&x, 14);
	claim_open(&c, x.r);
	ck_assert(prove_claim(&c, NULL));
	for (sw_ix s = 0; s < x.t->nsw; s++)
		for (sw_ix t = 0; t < x.t->nsw; t++)
			if (route_sets_get(x.r->sets, s, t) != NULL) {
				ck_assert(!prove_without_entries(&x, &c, s, t));
				n++;
			}
	ck_assert_uint_gt(n, 10);
}
