/* Transitions: what each method and each kind of switch leads to. */
#include <check.h>

#include "routing/updown/updown_state.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/transition_bed.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/suite.h"

TEST(nothing_to_do)
{
	AUTO(bed) struct bed b;
	struct transition_result *x;
	struct rng r = {1};

	bed_new(&b, world_fabric(4, &r), TOPO_NONE, 1);
	b.to = routes_ref(b.from);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_int_eq(x->kind, TRANSITION_NOTHING);
	ck_assert_uint_eq(x->nwrites + x->ndeps + x->entries + x->blocks, 0);
	ck_assert_uint_eq(x->kept, (uint64_t)b.t->nsw * b.from->nblocks);
	transition_free(x);
	transition_free(NULL);
	ck_assert_str_eq(transition_kind_name(TRANSITION_BLOCKED), "blocked");
	ck_assert_str_eq(
		transition_method_name(TRANSITION_BREAK_PORTS), "break-ports");
}

/*
 * If the switch order is kept, stages are enough and nothing is blocked. links
 * 1: one link fails; more: up to that number fail at once, in a fabric that has
 * lost no link, one or two before.
 */
static void
kept_order(struct fabric *fabric(unsigned, struct rng *), unsigned kind,
	unsigned seeds, unsigned links)
{
	unsigned kept = 0, staged = 0, blocked = 0;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		AUTO(bed) struct bed b;
		struct rng r = {seed * 100 + kind};
		AUTO(transition) struct transition_result *x = NULL;
		bool same;

		bed_new(&b, fabric(kind, &r), TOPO_NONE, seed);
		for (uint64_t i = 0; links > 1 && i < seed % 3; i++) {
			bed_fail(&b, true, TOPO_NONE);
			bed_settle(&b);
		}
		bed_fail_links(&b, links > 1 ? 1 + rng_below(&b.r, links) : 1,
			true, TOPO_NONE);
		x = bed_plan(&b, TRANSITION_AUTO, 32);
		same = world_reversed(b.from, b.to) == 0;
		kept += same;
		staged += same && x->kind == TRANSITION_STAGED;
		blocked += !same && x->kind == TRANSITION_BLOCKED;
		ck_assert_msg(!same || x->kind != TRANSITION_BLOCKED,
			"kind %u seed %llu: %s", kind, (unsigned long long)seed,
			x->cause);
	}
	(void)printf("kind %u: %u with the order kept, %u staged; %u of the "
		     "others blocked\n",
		kind, kept, staged, blocked);
	ck_assert_uint_gt(kept, 0);
}

LOOP_TEST(kept_order_never_blocks, 0, 6)
{
	kept_order(world_fabric, (unsigned)_i, 60, 1);
}

/* The same for several failures at once, in trees, planes and tori. */
LOOP_TEST(kept_order_and_several_failures, 0, 6)
{
	kept_order(world_tiers, (unsigned)_i, 48, 4);
}

/* f without the link between two nodes of these names; f is freed. */
static struct fabric *
remove_link(struct fabric *f, const char *const end[2])
{
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	unsigned found = 0;
	struct fabric *g;

	for (uint32_t c = 0; c < f->ncables; c++) {
		const char *a = f->node[f->cable[c].node[0]].name;
		const char *b = f->node[f->cable[c].node[1]].name;

		drop[c] = (strcmp(a, end[0]) == 0 && strcmp(b, end[1]) == 0) ||
			  (strcmp(a, end[1]) == 0 && strcmp(b, end[0]) == 0);
		found += drop[c];
	}
	ck_assert_uint_eq(found, 1);
	g = fabric_rebuild(f, &edit);
	fabric_free(f);
	return g;
}

/*
 * The sFtree subtree, above pod4.leaf2, loses a link, and another switch joins
 * it for what it served; then another link fails. The joined switch stays,
 * though others could serve more: only what it cannot serve is reversed.
 */
LOOP_TEST(extra_subtree_members_stay, 0, 4)
{
	static const struct {
		const char *cable[2][2];
		unsigned reversed;
	} row[] = {
		{{{"pod4.leaf2", "pod4.mid1"}, {"pod4.mid1", "top1"}}, 1},
		{{{"pod4.leaf2", "pod4.mid2"}, {"pod4.mid2", "top4"}}, 1},
		{{{"pod4.mid1", "top1"}, {"pod2.mid1", "top2"}}, 0},
		{{{"pod4.mid1", "top2"}, {"pod3.mid1", "top1"}}, 0},
	};
	AUTO(fabric) struct fabric *f = shape_of("three:4");
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct topo *t[3];
	struct routes *r[3];

	t[0] = frozen_topo(f, NULL);
	r[0] = world_routes(t[0], pool, NULL, TOPO_NONE);
	for (unsigned k = 0; k < 2; k++) {
		f = remove_link(f, row[_i].cable[k]);
		t[k + 1] = frozen_again(f, t[k], 0);
		r[k + 1] = world_routes(t[k + 1], pool, r[k], TOPO_NONE);
		ck_assert_uint_eq(updown_state_of(r[k + 1])->reranked, 0);
	}
	ck_assert_uint_gt(world_reversed(r[0], r[1]), 0);
	ck_assert_uint_eq(world_reversed(r[1], r[2]), row[_i].reversed);
	for (unsigned k = 0; k < 3; k++) {
		routes_unref(r[k]);
		topo_unref(t[k]);
	}
}

/* Writes the first stage with nothing blocked: any mixture of it is free of
 * cycles. True if it has urgent writes. */
static bool
first_stage(struct bed *b, const struct transition_result *x)
{
	bool urgent = false;

	for (size_t i = 0; i < x->nwrites && x->write[i].stage == 0; i++) {
		const struct lft_write *w = &x->write[i];

		urgent |= w->urgent;
		world_may(&b->w, w->sw, w->block, lft_bytes(b->pool, w->image),
			true);
	}
	ck_assert(!world_cyclic(&b->w, b->w.met));
	return urgent;
}

/* Lost entries are repaired before any dependency is blocked, where that is
 * safe. */
TEST(repairs_before_blocks)
{
	unsigned blocked = 0, repaired = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		AUTO(bed) struct bed b;
		struct rng r = {seed};
		AUTO(transition) struct transition_result *x = NULL;

		bed_new(&b, world_fabric(0, &r), 0, seed);
		bed_fail(&b, false, b.t->nsw - 1);
		x = bed_plan(&b, TRANSITION_AUTO, 2);
		if (x->kind == TRANSITION_BLOCKED) {
			blocked++;
			repaired += x->nstages > 1 && first_stage(&b, x);
		}
	}
	(void)printf(
		"%u blocked, %u of them repair first\n", blocked, repaired);
	ck_assert_uint_gt(repaired * 2, blocked);
}

/* Neighbours of the change, blocks by stage, urgent ones first. */
static void
check_order(const struct transition_result *x)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < x->nwrites; i++) {
		const struct lft_write *a = &x->write[i], *b = a + 1;

		blocks += a->last;
		ck_assert_uint_lt(a->stage, x->nstages);
		if (i + 1 == x->nwrites)
			continue;
		ck_assert_uint_le(a->stage, b->stage);
		ck_assert(a->stage != b->stage || a->urgent || !b->urgent);
	}
	ck_assert_uint_eq(blocks, x->blocks);
}

LOOP_TEST(methods, 1, 9)
{
	static const enum transition_method_kind all[] = {TRANSITION_AUTO,
		TRANSITION_STATIC, TRANSITION_BREAK_PORTS,
		TRANSITION_BREAK_DEPENDENCIES, TRANSITION_DYNAMIC};
	struct rng r = {(uint64_t)_i};
	AUTO(bed) struct bed b;
	uint64_t cut[5];

	bed_new(&b, world_fabric(0, &r), 0, (uint64_t)_i);
	bed_fail(&b, false, b.t->nsw - 1);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct transition_result *x = bed_plan(&b, all[i], 1);

		ck_assert_int_eq(x->method, all[i]);
		check_order(x);
		cut[i] = x->cut_pairs;
		if (all[i] == TRANSITION_DYNAMIC) {
			ck_assert_uint_eq(x->ndeps, 0);
			ck_assert_int_eq(bed_safe(&b, x), x->cyclic == 0);
		} else {
			ck_assert(bed_safe(&b, x));
		}
		ck_assert_int_eq(transition_ends_connections(x),
			all[i] == TRANSITION_STATIC);
		if (all[i] == TRANSITION_STATIC)
			ck_assert_uint_gt(x->ndeps, b.t1->nadj / 2);
		if (all[i] == TRANSITION_STATIC ||
			all[i] == TRANSITION_BREAK_PORTS)
			for (size_t k = 0; k < x->ndeps; k++)
				ck_assert(x->dep[k].by_port);
		transition_free(x);
	}
	ck_assert_uint_le(cut[0], cut[3]);
	ck_assert_uint_le(cut[3], cut[2]);
	ck_assert_uint_le(cut[2], cut[1]);
	ck_assert_uint_eq(cut[4], 0);
}

/* Switches that cannot map a dependency to VL 15 take the port down instead. */
LOOP_TEST(by_port, 0, 3)
{
	unsigned blocked = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		AUTO(bed) struct bed b;
		struct rng r = {seed};
		AUTO(transition) struct transition_result *x = NULL;

		bed_new(&b, world_fabric(0, &r), 0, seed);
		bed_fail(&b, false, b.t->nsw - 1);
		world_capable(b.t1, _i != 0);
		for (port_ix p = 0; _i == 1 && p < b.t1->nports; p++)
			b.t1->port[p].vl_cap = 1;
		for (sw_ix s = 0; _i == 2 && s < b.t1->nsw; s++)
			device_mark(b.hw,
				device_at_switch(
					b.t1->node[b.t1->sw[s].node].guid,
					DEVICE_SL2VL),
				DEVICE_REFUSES);
		x = bed_plan(&b, TRANSITION_AUTO, 1);
		ck_assert(bed_safe(&b, x));
		for (size_t i = 0; i < x->ndeps; i++)
			ck_assert(x->dep[i].by_port && x->dep[i].out == 0);
		blocked += x->ndeps > 0;
	}
	ck_assert_uint_gt(blocked, 0);
}

/* Some dependency with its in-link and out-link leading up (by pos), or not. */
static struct transition_mcast
find_dependency(
	const struct bed *b, const uint32_t *pos, bool from_above, bool up)
{
	const struct topo *t = b->t1;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj];

		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			for (uint32_t o = 0; o < t->sw[s].nadj; o++)
				if (i != o &&
					(pos[a[i].peer] < pos[s]) ==
						from_above &&
					(pos[a[o].peer] < pos[s]) == up)
					return (struct transition_mcast){
						s, a[i].out, a[o].out};
	}
	ck_abort_msg("no such turn");
}

/* The switch to which a dependency leads. */
static sw_ix
dependency_end(const struct bed *b, const struct transition_mcast *g)
{
	sw_ix peer = TOPO_NONE;

	(void)world_behind(&b->w, g->sw, g->out, &peer);
	return peer;
}

/*
 * Multicast trees that may stay while tables are written: those that obey the
 * new order, because new entries in it will meet them, and that feed no switch
 * with unknown tables.
 */
TEST(multicast_trees)
{
	struct rng r = {7};
	struct transition_result *x;
	AUTO(bed) struct bed b;
	struct transition_mcast valley, peak, slope;
	struct transition_job job;
	AUTO(mem) uint32_t *pos = NULL;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, true, TOPO_NONE);
	pos = mem_zalloc(b.t1->nsw, sizeof(*pos));
	routes_order(b.to, pos);
	valley = find_dependency(&b, pos, true, true);
	peak = find_dependency(&b, pos, false, false);
	slope = find_dependency(&b, pos, true, false);
	job = (struct transition_job){.to = b.to,
		.from = b.from,
		.hw = b.hw,
		.max_stages = 8,
		.guests = true,
		.unsettled = true};
	/* only one block differs, and in one entry: it is direct */
	for (sw_ix s = 0; s < b.t1->nsw; s++)
		device_set_block(b.hw, b.t1->node[b.t1->sw[s].node].guid, 0,
			routes_ref_of(b.to, s, 0));
	device_drained(b.hw);
	device_set_block(
		b.hw, b.t1->node[b.t1->sw[slope.sw].node].guid, 0, LFT_EMPTY);
	device_drained(b.hw);
	x = transition_find(&job);
	ck_assert_int_eq(x->kind, TRANSITION_DIRECT);
	ck_assert(transition_mcast_must_ask(x));
	ck_assert(!transition_mcast_admit(x, &valley, 1));
	ck_assert(transition_mcast_admit(x, &peak, 1));
	ck_assert(transition_mcast_admit(x, &slope, 1));
	transition_free(x);
	/* now the tables beyond are unknown */
	b.t1->node[b.t1->sw[dependency_end(&b, &slope)].node].flags =
		TN_QUARANTINED;
	device_forget_node(b.hw,
		b.t1->node[b.t1->sw[dependency_end(&b, &slope)].node].guid);
	x = transition_find(&job);
	ck_assert_int_eq(x->kind, TRANSITION_DIRECT);
	ck_assert(!transition_mcast_admit(x, &slope, 1));
	transition_free(x);
}

/* A link that is down carries nothing; one in Init does when it will rise. */
TEST(port_states)
{
	struct rng r = {7};
	struct transition_result *x;
	const struct topo_adj *a;
	port_ix p;
	uint64_t edges;
	AUTO(bed) struct bed b;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	a = &b.t1->adj[b.t1->sw[0].adj];
	p = topo_port_of(b.t1, b.t1->sw[0].node, a->out);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	edges = x->mixed_edges;
	transition_free(x);
	b.t1->port[p].state = 2;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->mixed_edges, edges);
	transition_free(x);
	b.t1->port[p].flags |= TP_UNREAD;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_lt(x->mixed_edges, edges);
	transition_free(x);
	b.t1->port[p].flags = 0;
	b.t1->port[p].state = 1;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_lt(x->mixed_edges, edges);
	transition_free(x);
}

/* From what the verifier noted or from the tables, the mixture is the same. */
LOOP_TEST(noted_dependencies, 0, 2)
{
	AUTO(bed) struct bed b;
	struct reason why = {""};
	AUTO(transition) struct transition_result *x = NULL, *y = NULL;

	bed_new(&b, gen_tree_three(_i ? 8 : 6, &why), TOPO_NONE, 3);
	bed_fail(&b, true, TOPO_NONE);
	ck_assert_ptr_ne(b.to->deps, NULL);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	free(b.to->deps);
	b.to->deps = NULL;
	y = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_gt(x->nwrites, 0);
	ck_assert_uint_eq(x->mixed_edges, y->mixed_edges);
	ck_assert_uint_eq(x->cyclic, y->cyclic);
	ck_assert_uint_eq(x->nwrites, y->nwrites);
	ck_assert_int_eq(x->kind, y->kind);
}

/* Two layers, by random classes of switches. */
static void
two_lanes(struct routes *r, struct rng *g)
{
	AUTO(mem) uint16_t *number = mem_alloc(r->topo->nsw * sizeof(*number));

	for (sw_ix s = 0; s < r->topo->nsw; s++)
		number[s] = (uint16_t)rng_below(g, 2);
	layers_spread(&r->layers, 2, number);
}

static sw_ix
home_switch(const struct topo *t, uint32_t lid)
{
	port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);

	return p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);
}

/* True if s sends to the LID on this layer, by old routes or new. */
static bool
may_send(const struct bed *b, sw_ix s, uint32_t lid, uint8_t lane)
{
	uint64_t guid = b->t1->node[b->t1->sw[s].node].guid;
	sw_ix was = b->t->node[topo_by_node_guid(b->t, guid)].sw;
	sw_ix is = home_switch(b->t1, lid), old = home_switch(b->t, lid);

	if (is == TOPO_NONE && old == TOPO_NONE)
		return true;
	return (is != TOPO_NONE &&
		       routes_layer(&b->to->layers, s, is) == lane) ||
	       (old != TOPO_NONE &&
		       routes_layer(&b->from->layers, was, old) == lane);
}

/* Drops the entries for the LID in switches that no packet of this layer
 * reaches. */
static void
forget_unreached(const struct bed *b, uint64_t *all, uint32_t lid, uint8_t lane)
{
	const struct world *w = &b->w;
	bool *seen = mem_zalloc(w->t->nsw, sizeof(*seen)), more = true;
	sw_ix peer = 0;

	for (sw_ix s = 0; s < w->t->nsw; s++)
		seen[s] = may_send(b, s, lid, lane);
	while (more) {
		more = false;
		for (sw_ix s = 0; s < w->t->nsw; s++)
			for (unsigned p = 1; seen[s] && p < 63; p++) {
				if (!(all[(size_t)s * w->nlids + lid] >> p &
					    1) ||
					world_behind(w, s, p, &peer) == w->nch)
					continue;
				more |= !seen[peer];
				seen[peer] = true;
			}
	}
	for (sw_ix s = 0; s < w->t->nsw; s++)
		if (!seen[s])
			all[(size_t)s * w->nlids + lid] = 0;
	free(seen);
}

LOOP_TEST(lanes, 0, 6)
{
	for (uint64_t seed = 1; seed <= 15; seed++) {
		AUTO(bed) struct bed b;
		struct rng r = {seed};
		AUTO(transition) struct transition_result *x = NULL;
		uint64_t edges = 0;
		bool cyclic = false;
		size_t n;

		bed_new(&b, world_fabric((unsigned)_i, &r), 0, seed);
		bed_fail(&b, seed % 2 == 0, b.t->nsw - 1);
		two_lanes(b.from, &r);
		two_lanes(b.to, &r);
		n = (size_t)b.w.t->nsw * b.w.nlids;
		for (uint8_t lane = 0; lane < 2; lane++) {
			uint64_t *all = mem_dup(b.w.met, n * sizeof(*all));

			for (sw_ix s = 0; s < b.t1->nsw; s++)
				for (uint32_t l = 0; l < b.w.nlids; l++)
					all[(size_t)s * b.w.nlids + l] |=
						world_bit(routes_port(
							b.to, s, (uint16_t)l));
			for (uint32_t l = 0; l < b.w.nlids; l++)
				forget_unreached(&b, all, l, lane);
			edges += world_graph(&b.w, all);
			cyclic |= world_cyclic(&b.w, all);
			free(all);
		}
		x = bed_plan(&b, TRANSITION_AUTO, 8);
		if (x->kind != TRANSITION_NOTHING) {
			ck_assert_uint_eq(x->mixed_edges, edges);
			ck_assert_int_eq(cyclic, x->cyclic > 0);
		}
		for (size_t i = 0; i < x->ndeps; i++)
			ck_assert_uint_ne(x->dep[i].layers & 3, 0);
		check_order(x);
	}
}
