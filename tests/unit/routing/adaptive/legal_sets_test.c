/*
 * Legal sets: they hold the ports of the shortest paths that obey the order,
 * by a search that knows nothing of words of bits; they verify, on damaged
 * trees and on irregular fabrics; they are the same for any number of threads;
 * what does not change is shared with the routes before, and what is gone on
 * from there is what is made without them, but for ports that wait for a
 * rebalance.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/topo_match.h"
#include "routing/adaptive/legal_sets.h"
#include "routing/driver/compute.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/core/sets_walk.h"
#include "tests/unit/suite.h"

enum {
	GROUPS = 4000,
	FAR = 1 << 20,
	WALKS = FEWER(200),
	STEPS = 6,
	TABLES = 2,
	HOSTS = FEWER(60),
	LEAVES = 6,
};

struct rig {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct route_choice *can;
	unsigned threads;
	uint16_t groups;
	bool default_first;
};

static void
rig_open(struct rig *g, struct fabric *f)
{
	const struct frozen_lids lids = {0};

	ck_assert_ptr_nonnull(f);
	*g = (struct rig){
		.f = f, .pool = lft_pool_new(), .threads = 1, .groups = GROUPS};
	g->t = frozen_topo(f, &lids);
	g->can = mem_zalloc(g->t->nsw, sizeof(*g->can));
}

static void
rig_close(struct rig *g)
{
	ck_assert_uint_eq(g->pool->live, 0);
	free(g->can);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	fabric_free(g->f);
}
AUTO_VALUE(rig, struct rig, rig_close)

/* Routes whose switches all commit, but those of which fixed says so. */
static struct routes *
route_adaptive_fabric(
	struct rig *g, const char *engine, const struct routes *prev)
{
	const struct route_adaptive adaptive = {
		.can = g->can, .default_first = g->default_first};
	struct route_account story;
	struct reason why = {""};
	struct route_job job = {.topo = g->t,
		.pool = g->pool,
		.prev = prev,
		.threads = g->threads,
		.load_limit = 1250,
		.adaptive = &adaptive};
	struct routes *r;

	for (sw_ix s = 0; s < g->t->nsw; s++)
		if (g->can[s].groups == 0)
			g->can[s] =
				(struct route_choice){ROUTE_COMMITS, g->groups};
	r = compute_routes(&job, &engine, 1, &story, &why);
	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert_str_eq(story.engine, engine);
	ck_assert_ptr_nonnull(r->sets);
	return r;
}

/* ---- the rule, searched for one destination switch ---- */

struct search {
	const struct routes *r;
	uint32_t *pos, *down, *path; /* [nsw] */
};

static bool
take_shorter(uint32_t *is, uint32_t via)
{
	if (via + 1 >= *is)
		return false;
	*is = via + 1;
	return true;
}

/* Links of the shortest path down from each switch to `to`, and of the shortest
 * one up and then down; a switch with a path down takes that. */
static void
search_paths(struct search *x, sw_ix to)
{
	const struct topo *t = x->r->topo;
	bool more = true;

	for (sw_ix s = 0; s < t->nsw; s++)
		x->down[s] = x->path[s] = s == to ? 0 : FAR;
	for (unsigned up = 0; up < 2; up++, more = true) {
		while (more) {
			more = false;
			for (uint32_t i = 0; i < t->nsw * 300U; i++) {
				sw_ix s = i / 300, p;
				uint32_t k = i % 300;

				if (k >= t->sw[s].nadj)
					continue;
				p = t->adj[t->sw[s].adj + k].peer;
				if (up == 0 && x->pos[p] > x->pos[s])
					more |= take_shorter(
						&x->down[s], x->down[p]);
				if (up == 1 && x->pos[p] < x->pos[s] &&
					x->down[s] == FAR)
					more |= take_shorter(
						&x->path[s], x->path[p]);
			}
		}
		for (sw_ix s = 0; s < t->nsw && up == 0; s++)
			x->path[s] = x->down[s];
	}
}

/* Ports by the rule. */
static struct route_set
ports_by_rule(const struct search *x, sw_ix s)
{
	const struct topo *t = x->r->topo;
	struct route_set set = {{0}};

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

		if (x->down[s] != FAR
				? x->pos[a->peer] > x->pos[s] &&
					  x->down[a->peer] + 1 == x->down[s]
				: x->pos[a->peer] < x->pos[s] &&
					  x->path[a->peer] + 1 == x->path[s])
			route_set_add(&set, a->out);
	}
	return set;
}

/* Every set is the rule's, or left out; returns how many are left out although
 * there is a choice. */
static unsigned
compare_with_rule(const struct routes *r)
{
	const struct topo *t = r->topo;
	struct search x = {.r = r,
		.pos = mem_zalloc(t->nsw, sizeof(uint32_t)),
		.down = mem_zalloc(t->nsw, sizeof(uint32_t)),
		.path = mem_zalloc(t->nsw, sizeof(uint32_t))};
	unsigned out = 0;

	routes_order(r, x.pos);
	for (sw_ix to = 0; to < t->nsw; to++) {
		search_paths(&x, to);
		for (sw_ix s = 0; s < t->nsw; s++) {
			const struct route_set *set =
				route_sets_get(r->sets, s, to);
			struct route_set want = ports_by_rule(&x, s);

			if (s == to || t->sw[to].nhost == 0)
				ck_assert_ptr_null(set);
			else if (set == NULL)
				out += route_set_count(&want) > 1;
			else
				ck_assert(
					memcmp(set, &want, sizeof(want)) == 0 &&
					route_set_count(set) > 1);
		}
	}
	free(x.pos);
	free(x.down);
	free(x.path);
	return out;
}

TEST(test_tree)
{
	AUTO(rig) struct rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, shape_of("three:8"));
	r = route_adaptive_fabric(&g, "ftree", NULL);
	ck_assert_str_eq(r->sets->why, "");
	ck_assert_uint_eq(compare_with_rule(r), 0);
	ck_assert_uint_eq(r->sets->dropped, 0);
}

/* Trees so damaged that some switches have paths that the order alone would
 * not give them, by their seeds, and random graphs. */
TEST(test_damaged_and_irregular)
{
	static const uint64_t seeds[] = {1, 3, 5, 32, 44, 162, 186, 236};

	for (unsigned i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		AUTO(rig) struct rig g;
		uint64_t seed = seeds[i];
		struct reason why = {""};
		AUTO(routes) struct routes *r = NULL;

		rig_open(&g, seed % 2 == 0
				     ? gen_edit_fail_links(shape_of("three:6"),
					       8 + (unsigned)seed % 24, seed,
					       true, &why)
				     : gen_random(24, 5, 2, seed, &why));
		r = route_adaptive_fabric(
			&g, seed % 2 == 0 ? "ftree" : "updn", NULL);
		ck_assert_msg(r->sets->why[0] == '\0', "seed %lu: %s",
			(unsigned long)seed, r->sets->why);
		(void)compare_with_rule(r);
	}
}

/* Rows of the second computation are those of the first. */
TEST(test_threads_and_sharing)
{
	struct routes *one, *three;
	AUTO(rig) struct rig g;

	rig_open(&g, shape_of("three:6"));
	one = route_adaptive_fabric(&g, "ftree", NULL);
	g.threads = 3;
	three = route_adaptive_fabric(&g, "ftree", NULL);
	for (sw_ix s = 0; s < g.t->nsw; s++)
		ck_assert(route_set_row_equal(
			one->sets->row[s], three->sets->row[s]));
	routes_unref(three);
	three = route_adaptive_fabric(&g, "ftree", one);
	for (sw_ix s = 0; s < g.t->nsw; s++)
		ck_assert_ptr_eq(one->sets->row[s], three->sets->row[s]);
	routes_unref(one);
	routes_unref(three);
}

/* Groups that a row may take. */
static uint32_t
groups_of_row(const struct route_sets *sets, const struct route_set_row *row)
{
	uint32_t n = 0;

	for (uint16_t k = 1; k < row->n; k++)
		n += sets->default_first ? route_set_count(&row->set[k]) : 1;
	return n;
}

/* The legal ports that are defaults of the LIDs of destination number i. */
static void
add_defaults(const struct routes *r, sw_ix s, const struct route_sets *sets,
	uint32_t i, const struct route_set *legal, struct route_set *set)
{
	for (uint16_t lid = 1; lid <= r->top; lid++) {
		uint8_t port = routes_port(r, s, lid);

		for (uint32_t k = sets->dest.first[i];
			k < sets->dest.first[i + 1]; k++)
			if (sets->dest.run[k].block == lid / DEST_BLOCK &&
				(sets->dest.run[k].lids >> lid % DEST_BLOCK &
					1) != 0 &&
				bitset_has(legal->port, port))
				bitset_add(set->port, port);
	}
}

/* What stays of a set that was, of those that are legal, with the defaults;
 * true: not all do. */
static bool
keep_by_rule(const struct routes *r, sw_ix s, const struct route_sets *sets,
	uint32_t i, const struct route_set *was, struct route_set *set)
{
	struct route_set kept = *set;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		kept.port[w] &= was->port[w];
	add_defaults(r, s, sets, i, set, &kept);
	if (route_set_count(&kept) < 2 ||
		route_set_count(&kept) == route_set_count(set) ||
		route_set_count(&kept) * sets->limit <
			route_set_count(set) * 1000)
		return false;
	*set = kept;
	return true;
}

/* Each set of the row of s is the fresh one, less what it never had where the
 * rule has that wait and the switch has room for it; how many are less. */
static uint32_t
compare_kept(const struct routes *r, const struct route_sets *sets, sw_ix s,
	const struct route_set_row *fresh, const struct topo_match *before,
	const struct route_sets *was)
{
	const struct route_set_row *row = sets->row[s];
	struct route_set_row *want = route_set_row_new(sets->dest.n);
	uint32_t narrow;

	for (uint32_t i = 0; i < sets->dest.n; i++) {
		sw_ix to = before->sw[sets->dest.sw[i]];
		const struct route_set *old =
			to == TOPO_NONE
				? NULL
				: route_sets_get(was, before->sw[s], to);
		struct route_set set = fresh->set[fresh->of[i]];

		if (old != NULL && keep_by_rule(r, s, sets, i, old, &set))
			bitset_add(want->narrow, i);
		want->of[i] = route_set_row_number(want, &set);
	}
	narrow = route_set_row_narrow(want);
	if (groups_of_row(sets, want) > sets->can[s].groups) {
		ck_assert(route_set_row_equal(fresh, row));
		narrow = 0;
	}
	for (uint32_t i = 0; narrow > 0 && i < sets->dest.n; i++) {
		ck_assert_mem_eq(&want->set[want->of[i]], &row->set[row->of[i]],
			sizeof(*want->set));
		ck_assert(bitset_has(want->narrow, i) ==
			  bitset_has(row->narrow, i));
	}
	ck_assert(narrow > 0 || route_set_row_equal(fresh, row));
	route_set_row_drop(want);
	return narrow;
}

/* Sets for r, gone on from those of prev, are those made without them, or what
 * is kept of those; returns how many are. */
static uint32_t
compare_with_fresh(const struct sets_walk *x, const struct routes *r,
	const struct routes *prev)
{
	struct route_job job = x->job;
	struct topo_match before;
	struct route_sets *fresh, *sets;
	uint32_t narrow = 0;

	topo_match_open(&before, r->topo, prev->topo);
	job.prev = prev;
	sets = legal_sets_make(&job, r);
	job.prev = NULL;
	fresh = legal_sets_make(&job, r);
	ck_assert_str_eq(fresh->why, sets->why);
	for (sw_ix s = 0; s < x->t->nsw; s++) {
		const struct route_set_row *f = fresh->row[s],
					   *row = sets->row[s], *was;
		sw_ix o = before.sw[s];

		was = o == TOPO_NONE || prev->sets == NULL ? NULL
							   : prev->sets->row[o];
		if (was == NULL || !before.links[s] || was->dropped > 0 ||
			(route_set_row_narrow(was) > 0 &&
				groups_of_row(sets, was) >
					sets->can[s].groups / 2))
			ck_assert(route_set_row_equal(f, row));
		else if (f != NULL && row != NULL && f->dropped == 0 &&
			 row->dropped == 0)
			narrow += compare_kept(
				r, sets, s, f, &before, prev->sets);
	}
	topo_match_close(&before);
	route_sets_unref(fresh);
	route_sets_unref(sets);
	return narrow;
}

/* r with other entries at one switch, some of which lead up from where they
 * should lead down: then fewer options lead there. */
static struct routes *
change_entries(struct sets_walk *x, const struct routes *r)
{
	struct routes *other = routes_for(r, x->t);
	sw_ix s = (sw_ix)rng_below(&x->rng, x->t->nsw);

	for (uint16_t lid = 1; lid <= other->top; lid++)
		if (rng_below(&x->rng, 4) == 0)
			routes_put_entry(other, s, lid,
				(uint8_t)(1 + rng_below(&x->rng, 6)), NULL);
	return other;
}

/* The same with other entries, and with yet others: then most of those that
 * lead up did so before. */
static void
compare_other_tables(struct sets_walk *x)
{
	for (unsigned i = 0; i < TABLES; i++) {
		AUTO(routes) struct routes *other = change_entries(x, x->r);
		AUTO(routes) struct routes *next = change_entries(x, other);
		struct route_job job = x->job;

		(void)compare_with_fresh(x, other, x->r);
		(void)compare_with_fresh(x, x->r, other);
		job.prev = NULL;
		route_sets_unref(other->sets);
		other->sets = legal_sets_make(&job, other);
		(void)compare_with_fresh(x, next, other);
	}
}

/* Rows that are those of before, by GUID; of them those of switches that have
 * another number. */
struct shared {
	unsigned rows, renumbered;
};

static void
count_shared(const struct sets_walk *x, struct shared *n)
{
	for (sw_ix s = 0; s < x->t->nsw; s++) {
		sw_ix o = topo_switch_in(x->prev->topo, x->t, s);

		if (o == TOPO_NONE || x->r->sets->row[s] == NULL ||
			x->r->sets->row[s] != x->prev->sets->row[o])
			continue;
		n->rows++;
		n->renumbered += o != s;
	}
}

/* Lost cables and cables that come back, and another manager, hundreds of
 * times. */
TEST(test_changes)
{
	struct shared n = {0};
	uint32_t narrow = 0;

	for (uint64_t seed = 1; seed <= WALKS; seed++) {
		AUTO(sets_walk) struct sets_walk x;

		sets_walk_open(&x, seed);
		for (unsigned i = 0; i < STEPS; i++) {
			sets_walk_step(&x);
			narrow += compare_with_fresh(&x, x.r, x.prev);
			compare_other_tables(&x);
			count_shared(&x, &n);
		}
	}
	ck_assert_uint_gt(n.rows, WALKS * STEPS);
	ck_assert_uint_gt(n.renumbered, WALKS * STEPS / 2);
	ck_assert_uint_gt(narrow, WALKS);
}

/* t with the LIDs of the hosts of two switches exchanged. */
static struct topo *
exchange_hosts(const struct topo *t, sw_ix a, sw_ix b)
{
	struct topo_lids lids;
	uint16_t *lid = mem_zalloc(t->nports, sizeof(*lid));
	uint8_t *lmc = mem_zalloc(t->nports, sizeof(*lmc));
	struct topo *out;

	for (port_ix p = 0; p < t->nports; p++)
		lid[p] = t->port[p].lid;
	for (uint32_t i = 1; i < t->sw[a].nend; i++) {
		port_ix p = t->end[t->sw[a].end + i].port;
		port_ix q = t->end[t->sw[b].end + i].port;

		lid[p] = t->port[q].lid;
		lid[q] = t->port[p].lid;
	}
	lids = (struct topo_lids){lid, lmc};
	out = topo_with_lids(t, &lids);
	free(lid);
	free(lmc);
	return out;
}

/* Hosts that change places are reached by the ports of their new places, at the
 * same distance. */
TEST(test_hosts_exchanged)
{
	struct sets_walk x;
	sw_ix a = 0, b;

	sets_walk_open(&x, 6);
	while (x.t->sw[a].nhost == 0)
		a++;
	for (b = a + 1; x.t->sw[b].nhost == 0;)
		b++;
	topo_unref(x.t);
	x.t = exchange_hosts(x.first, a, b);
	x.prev = x.r;
	sets_walk_route(&x);
	(void)compare_with_fresh(&x, x.r, x.prev);
	sets_walk_close(&x);
}

/* Entries of r for a LID lead from each switch to the first one above it. */
static void
lead_up(struct routes *r, uint16_t lid)
{
	const struct topo *t = r->topo;
	uint32_t *pos = mem_zalloc(t->nsw, sizeof(*pos));

	routes_order(r, pos);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++)
			if (pos[t->adj[i].peer] < pos[s]) {
				routes_put_entry(
					r, s, lid, t->adj[i].out, NULL);
				break;
			}
	free(pos);
}

/* A host comes back, and the tables, the same as before, have entries for it
 * that lead up: all that differs is the LIDs of a destination, to which there
 * are fewer options. */
static void
compare_host_against_rule(uint64_t seed)
{
	struct routes *was, *is;
	struct sets_walk x;
	uint16_t lid = 0;

	sets_walk_open(&x, seed);
	sets_walk_lose_host(&x);
	was = routes_for(x.r, x.t);
	for (uint16_t l = 1; l <= x.first->max_lid; l++)
		if (topo_by_lid(x.t, l, NULL) == TOPO_NONE)
			lid = l;
	ck_assert_uint_gt(lid, 0);
	lead_up(was, lid);
	is = routes_for(x.prev, x.first);
	ck_assert_uint_eq(is->nblocks, was->nblocks);
	for (sw_ix s = 0; s < x.t->nsw; s++) {
		lft_row_drop(x.pool, is->row[s]);
		is->row[s] = lft_row_share(was->row[s]);
	}
	(void)compare_with_fresh(&x, is, was);
	routes_unref(is);
	routes_unref(was);
	sets_walk_close(&x);
}

TEST(test_host_against_rule)
{
	for (uint64_t seed = 1; seed <= HOSTS; seed++)
		compare_host_against_rule(seed);
}

/* Sets for r, of which the switches were found with those of r, or which are to
 * be made as if there were none. */
static struct route_sets *
make_again(const struct rig *g, struct routes *r, bool rebalance)
{
	const struct route_adaptive adaptive = {.can = g->can,
		.default_first = g->default_first,
		.found = r->sets};
	const struct route_job job = {.topo = g->t,
		.pool = g->pool,
		.load_limit = 1250,
		.rebalance = rebalance,
		.adaptive = &adaptive};

	return legal_sets_make(&job, r);
}

/* A cable of a leaf is lost, and comes back: all other leaves wait for a
 * rebalance, the leaf itself does not. A restart changes nothing. */
TEST(test_returned_cable)
{
	const struct gen_fattree2 two = {6, LEAVES, 1, 3, 3};
	struct reason why = {""};
	AUTO(rig) struct rig g;
	AUTO(topo) struct topo *first = NULL;
	AUTO(routes) struct routes *was = NULL;
	AUTO(routes) struct routes *r = NULL;
	struct route_sets *again;
	bool *drop;
	uint32_t c = 0;

	rig_open(&g, gen_tree_two(&two, &why));
	first = topo_ref(g.t);
	drop = mem_zalloc(g.f->ncables, sizeof(*drop));
	while (g.f->node[g.f->cable[c].node[0]].type != FABRIC_SWITCH ||
		g.f->node[g.f->cable[c].node[1]].type != FABRIC_SWITCH)
		c++;
	r = route_adaptive_fabric(&g, "ftree", NULL);
	for (unsigned up = 0; up < 2; up++) {
		drop[c] = up == 0;
		topo_unref(g.t);
		g.t = frozen_less(g.f, drop, first);
		routes_unref(was);
		was = r;
		r = route_adaptive_fabric(&g, "ftree", was);
		ck_assert_uint_eq(r->sets->narrow, up == 0 ? 0 : LEAVES - 1);
	}
	again = make_again(&g, r, false);
	ck_assert_uint_eq(again->narrow, LEAVES - 1);
	for (sw_ix s = 0; s < g.t->nsw; s++)
		ck_assert(route_set_row_equal(again->row[s], r->sets->row[s]));
	route_sets_unref(again);
	again = make_again(&g, r, true);
	ck_assert_uint_eq(again->narrow, 0);
	route_sets_unref(again);
	free(drop);
}

static uint32_t
groups_needed(const struct routes *r, sw_ix s)
{
	const struct route_set_row *row = r->sets->row[s];
	uint32_t n = 0;

	for (uint16_t k = 1; row != NULL && k < row->n; k++) {
		bool used = false;

		for (uint32_t i = 0; i < row->ndest; i++)
			used |= row->of[i] == k;
		if (used)
			n += r->sets->default_first
				     ? route_set_count(&row->set[k])
				     : 1;
	}
	return n;
}

TEST(test_too_few_groups)
{
	AUTO(rig) struct rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, shape_of("three:8"));
	g.groups = 3;
	g.default_first = true;
	g.can[1] = (struct route_choice){ROUTE_FIXED, 1};
	r = route_adaptive_fabric(&g, "ftree", NULL);
	ck_assert_uint_gt(r->sets->dropped, 0);
	ck_assert_ptr_null(r->sets->row[1]);
	for (sw_ix s = 0; s < g.t->nsw; s++)
		ck_assert_uint_le(groups_needed(r, s), g.groups);
}

TEST(test_no_order)
{
	AUTO(rig) struct rig g;
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, shape_of("mesh:4x4"));
	r = route_adaptive_fabric(&g, "dor", NULL);
	ck_assert_ptr_nonnull(strstr(r->sets->why, "no order of switches"));
	for (sw_ix s = 0; s < g.t->nsw; s++)
		ck_assert_ptr_null(r->sets->row[s]);
}
