/*
 * Routing layers of old connections: which pairs have which, for how long, and
 * what a transition does about them.
 */
#include <check.h>

#include "distribution/transition/transition_priv.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/suite.h"

enum { SWITCHES = 5 };

/*
 * A ring of five switches, all packets on the shorter path: all dependencies
 * exist, and only two layers keep them from being a cycle. Pairs with a path
 * past `date`, in both directions, are on layer 1.
 */
struct ring {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct device_store *hw;
	struct sl_history *past;
	sw_ix at[SWITCHES]; /* in the order of the ring */
};

static const struct topo_adj *
adj_between(const struct topo *t, sw_ix s, sw_ix to)
{
	for (uint32_t i = t->sw[s].adj; i < t->sw[s].adj + t->sw[s].nadj; i++)
		if (t->adj[i].peer == to)
			return &t->adj[i];
	return NULL;
}

static void
ring_new(struct ring *r)
{
	bool seen[SWITCHES] = {true};

	*r = (struct ring){.f = shape_of("torus:%u:2", SWITCHES)};
	r->t = frozen_topo(r->f, NULL);
	world_capable(r->t, true);
	r->pool = lft_pool_new();
	r->hw = device_new(r->pool);
	r->past = sl_history_new();
	ck_assert_uint_eq(r->t->nsw, SWITCHES);
	for (unsigned i = 1; i < SWITCHES; i++)
		for (sw_ix s = 0; s < SWITCHES; s++)
			if (!seen[s] &&
				adj_between(r->t, r->at[i - 1], s) != NULL) {
				r->at[i] = s;
				seen[s] = true;
				break;
			}
}

static void
ring_free(struct ring *r)
{
	device_free(r->hw);
	sl_history_free(r->past);
	ck_assert_uint_eq(r->pool->live, 0);
	lft_pool_free(r->pool);
	topo_unref(r->t);
	fabric_free(r->f);
}
AUTO_VALUE(ring, struct ring, ring_free)

static unsigned
ring_position(const struct ring *r, sw_ix s)
{
	unsigned i = 0;

	while (r->at[i] != s)
		i++;
	return i;
}

static uint8_t
ring_next_hop(const struct ring *r, sw_ix s, uint32_t lid)
{
	port_ix p = topo_by_lid(r->t, (uint16_t)lid, NULL);
	const struct topo_switch *sw = &r->t->sw[s];
	sw_ix home = p != TOPO_NONE ? topo_switch_of(r->t, p) : TOPO_NONE;
	unsigned far;

	if (home == TOPO_NONE)
		return LFT_DROP;
	for (uint32_t i = 0; home == s && i < sw->nend; i++)
		if (r->t->end[sw->end + i].port == p)
			return r->t->end[sw->end + i].out;
	far = (ring_position(r, home) + SWITCHES - ring_position(r, s)) %
	      SWITCHES;
	return adj_between(r->t, s,
		r->at[(ring_position(r, s) + (far <= 2 ? 1 : SWITCHES - 1)) %
			SWITCHES])
		->out;
}

/* lanes 1: all pairs are on one layer, which deadlocks; else as above. */
static struct routes *
ring_routes(const struct ring *r, unsigned lanes, unsigned date)
{
	struct routes *x = routes_new(r->t, r->pool);
	uint8_t *row = mem_alloc((size_t)x->nblocks * LFT_BLOCK);
	sw_ix a = r->at[(date + SWITCHES - 1) % SWITCHES];
	sw_ix b = r->at[(date + 1) % SWITCHES];

	for (sw_ix s = 0; s < SWITCHES; s++) {
		for (uint32_t l = 0; l < x->nblocks * LFT_BLOCK; l++)
			row[l] = l <= r->t->max_lid ? ring_next_hop(r, s, l)
						    : LFT_DROP;
		routes_put_row(x, s, row, NULL, TOPO_NONE);
	}
	free(row);
	x->order = ROUTE_NO_ORDER;
	x->layers.n = (uint8_t)lanes;
	if (lanes == 1)
		return x;
	layers_put(&x->layers, a, b, 1);
	return x;
}

static void
set_port_states(struct ring *r, sw_ix s, unsigned first, uint8_t state)
{
	for (uint32_t i = 0, k = 0; i < r->t->sw[s].nend; i++) {
		const struct topo_end *e = &r->t->end[r->t->sw[s].end + i];

		if (e->out != 0 && k++ >= first)
			r->t->port[e->port].state = state;
	}
}

static void
all_ports(struct ring *r, uint8_t state)
{
	for (sw_ix s = 0; s < SWITCHES; s++)
		set_port_states(r, s, 0, state);
}

static uint32_t
history_leaf_of(const struct ring *r, sw_ix s)
{
	return sl_history_leaf(r->past, r->t->node[r->t->sw[s].node].guid);
}

static unsigned
history_mask(const struct ring *r, unsigned a, unsigned b)
{
	return sl_history_mask(r->past, history_leaf_of(r, r->at[a]),
		history_leaf_of(r, r->at[b]), 2);
}

/* Ports come up under the manager: with one layer no masks are stored, with two
 * they are. */
static void
ring_up(struct ring *r, struct routes *by)
{
	all_ports(r, PORT_INIT);
	sl_history_add_topology(r->past, r->t, NULL);
	sl_history_add_routes(r->past, by, NULL);
	all_ports(r, PORT_ACTIVE);
	sl_history_add_topology(r->past, r->t, by);
}

TEST(one_lane)
{
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	x = ring_routes(&r, 1, 0);
	y = ring_routes(&r, 2, 0);
	ring_up(&r, x);
	ck_assert_uint_eq(sl_history_count(r.past), SWITCHES);
	ck_assert_uint_eq(sl_history_layers(r.past), 1);
	ck_assert_ptr_null(sl_history_row(r.past, 0));
	ck_assert(!sl_history_exceeds(r.past, x));
	ck_assert_uint_eq(history_mask(&r, 0, 1), 1);
	/* pairs on layer 1 now have connections on layer 0 */
	ck_assert(sl_history_exceeds(r.past, y));
	sl_history_add_routes(r.past, y, NULL);
	ck_assert_uint_eq(history_mask(&r, 0, 1), 1);
	ck_assert_uint_eq(history_mask(&r, 4, 1), 3);
	ck_assert_uint_eq(sl_history_mask(r.past, history_leaf_of(&r, r.at[4]),
				  history_leaf_of(&r, r.at[1]), 1),
		1);
}

TEST(until_ports_come_up)
{
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	x = ring_routes(&r, 2, 0);
	y = ring_routes(&r, 2, 2);
	ring_up(&r, x);
	ck_assert(!sl_history_exceeds(r.past, x));
	ck_assert_uint_eq(history_mask(&r, 4, 1), 2);
	ck_assert_uint_eq(history_mask(&r, 1, 3), 1);
	sl_history_add_routes(r.past, y, NULL);
	ck_assert_uint_eq(history_mask(&r, 4, 1), 3);
	ck_assert_uint_eq(history_mask(&r, 1, 3), 3);
	ck_assert_uint_eq(history_mask(&r, 0, 2), 1);
	/* one of two ports is not enough */
	set_port_states(&r, r.at[1], 1, PORT_INIT);
	sl_history_add_topology(r.past, r.t, y);
	set_port_states(&r, r.at[1], 0, PORT_ACTIVE);
	sl_history_add_topology(r.past, r.t, y);
	ck_assert_uint_eq(history_mask(&r, 4, 1), 3);
	/* the other one, later */
	set_port_states(&r, r.at[1], 0, PORT_INIT);
	set_port_states(&r, r.at[1], 1, PORT_ACTIVE);
	sl_history_add_topology(r.past, r.t, y);
	ck_assert_uint_eq(history_mask(&r, 4, 1), 1);
	ck_assert_uint_eq(history_mask(&r, 1, 3), 2);
	ck_assert(!sl_history_exceeds(r.past, y));
}

TEST(unknown_connections)
{
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL;

	ring_new(&r);
	x = ring_routes(&r, 2, 0);
	/* found running; their connections are unknown */
	all_ports(&r, PORT_ACTIVE);
	sl_history_add_topology(r.past, r.t, NULL);
	ck_assert_uint_eq(history_mask(&r, 0, 1), 3);
	sl_history_add_routes(r.past, x, NULL);
	ck_assert_uint_eq(history_mask(&r, 0, 1), 3);
	set_port_states(&r, r.at[0], 0, PORT_INIT);
	sl_history_add_topology(r.past, r.t, x);
	/* All ports of this leaf are new, and hence its connections from there;
	 * those of the other leaf are not. */
	ck_assert(!sl_history_any(r.past, history_leaf_of(&r, r.at[0])));
	ck_assert_uint_eq(history_mask(&r, 0, 1), 3);
	set_port_states(&r, r.at[1], 0, PORT_INIT);
	sl_history_add_topology(r.past, r.t, x);
	ck_assert_uint_eq(history_mask(&r, 0, 1), 1);
	sl_history_assume_any(r.past);
	ck_assert_uint_eq(history_mask(&r, 0, 1), 3);
}

TEST(after_restart)
{
	AUTO(ring) struct ring r, s;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	ring_new(&s);
	x = ring_routes(&r, 2, 0);
	y = ring_routes(&r, 2, 2);
	ring_up(&r, x);
	sl_history_add_routes(r.past, y, NULL);
	sl_history_load(
		s.past, sl_history_layers(r.past), sl_history_sls(r.past));
	for (uint32_t i = 0; i < sl_history_count(r.past); i++)
		sl_history_load_leaf(
			s.past, sl_history_guid(r.past, i), i == 0);
	for (uint32_t i = 0; i < sl_history_count(r.past); i++)
		sl_history_load_row(
			s.past, i, i ? sl_history_row(r.past, i) : NULL);
	ck_assert_uint_eq(sl_history_layers(s.past), 2);
	for (unsigned a = 0; a < SWITCHES; a++)
		for (unsigned b = 0; b < SWITCHES; b++) {
			bool any = sl_history_any(s.past,
					   history_leaf_of(&s, s.at[a])) ||
				   sl_history_any(s.past,
					   history_leaf_of(&s, s.at[b]));

			ck_assert_uint_eq(history_mask(&s, a, b),
				any ? 3 : history_mask(&r, a, b));
		}
	/* found running as before: nothing changes */
	all_ports(&s, PORT_ACTIVE);
	sl_history_add_topology(s.past, s.t, NULL);
	ck_assert_uint_eq(sl_history_count(s.past), SWITCHES);
}

static void
install_routes(struct ring *r, const struct routes *x)
{
	for (sw_ix s = 0; s < r->t->nsw; s++)
		for (uint32_t b = 0; b < x->nblocks; b++)
			device_set_block(r->hw,
				r->t->node[r->t->sw[s].node].guid, b,
				routes_ref_of(x, s, b));
	device_drained(r->hw);
}

static struct transition_result *
find_transition(struct ring *r, const struct routes *x, const struct routes *y)
{
	const struct transition_job job = {.from = x,
		.to = y,
		.hw = r->hw,
		.history = r->past,
		.max_stages = 8};

	if (y->layers.n > 1)
		world_rows(r->hw, y);
	return transition_find(&job);
}

/*
 * The tables stay and the layers move: old connections are a cycle with new
 * ones on layer 0, though neither the old layers nor the new ones have any.
 */
TEST(old_connections_would_deadlock)
{
	struct transition_result *p;
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	x = ring_routes(&r, 2, 0);
	y = ring_routes(&r, 2, 2);
	install_routes(&r, x);
	ring_up(&r, x);
	p = find_transition(&r, x, y);
	ck_assert_int_eq(p->kind, TRANSITION_BLOCKED);
	ck_assert_uint_eq(p->nwrites, 0);
	ck_assert_uint_eq(p->ndeps, 2); /* one in each direction */
	ck_assert_uint_eq(p->nstays, 2);
	ck_assert_str_ne(p->stale, "");
	for (size_t i = 0; i < p->ndeps; i++) {
		/* where today's layer 0 has no dependency */
		ck_assert_uint_eq(p->dep[i].sw, r.at[2]);
		ck_assert_uint_eq(p->dep[i].layers, 1);
		ck_assert(p->dep[i].stays);
	}
	transition_free(p);
	/* the blocks stay as long as those connections */
	sl_history_add_routes(r.past, y, NULL);
	p = find_transition(&r, y, y);
	ck_assert_uint_eq(p->nstays, 2);
	transition_free(p);
	all_ports(&r, PORT_INIT);
	sl_history_add_topology(r.past, r.t, y);
	p = find_transition(&r, y, y);
	ck_assert_int_eq(p->kind, TRANSITION_NOTHING);
	ck_assert_uint_eq(p->nstays, 0);
	transition_free(p);
}

/* Trees may use the ring but for the link from 0 to 1. */
static void
give_trees(const struct ring *r, struct routes *y)
{
	y->mcast.pos = mem_zalloc(SWITCHES, sizeof(*y->mcast.pos));
	y->mcast.link = mem_alloc(SWITCHES * sizeof(*y->mcast.link));
	memset(y->mcast.link, 0xff, SWITCHES * sizeof(*y->mcast.link));
	for (unsigned i = 0; i < SWITCHES; i++)
		y->mcast.pos[r->at[(i + 1) % SWITCHES]] = i;
	for (unsigned i = 0; i < 2; i++)
		y->mcast.link[r->at[i]][0] &= ~(
			UINT64_C(1)
			<< adj_between(r->t, r->at[i], r->at[1 - i])->out);
}

/*
 * The pair past 0 moves to layer 1: what is left of layer 0, old and new, is no
 * cycle, but trees complete it.
 */
TEST(old_connections_and_trees_would_deadlock)
{
	struct transition_result *p;
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	x = ring_routes(&r, 2, 2);
	y = ring_routes(&r, 2, 2);
	layers_put(&y->layers, r.at[SWITCHES - 1], r.at[1], 1);
	install_routes(&r, x);
	ring_up(&r, x);
	p = find_transition(&r, x, y);
	ck_assert_uint_eq(p->nstays, 0);
	transition_free(p);
	give_trees(&r, y);
	p = find_transition(&r, x, y);
	ck_assert_uint_eq(p->nstays, 2);
	for (size_t i = 0; i < p->ndeps; i++) {
		ck_assert_uint_eq(p->dep[i].sw, r.at[0]);
		ck_assert_uint_eq(p->dep[i].layers, 1);
		ck_assert_uint_eq(p->dep[i].stays, 1);
	}
	transition_free(p);
}

/* A dependency that is blocked for the writes in one layer, and for old
 * connections in another: only that one stays. */
TEST(merged_blocks)
{
	const struct transition_dependency passes = {
		.sw = 3, .in = 1, .out = 2, .layers = 1, .pairs = 5};
	const struct transition_dependency stays = {.sw = 3,
		.in = 1,
		.out = 2,
		.layers = 2,
		.stays = 2,
		.pairs = 7};
	struct transition_set set = {0};

	set.dep = mem_alloc(2 * sizeof(*set.dep));
	for (unsigned i = 0; i < 2; i++) {
		set.n = 2;
		set.dep[i] = passes;
		set.dep[1 - i] = stays;
		block_select_finish(&set);
		ck_assert_uint_eq(set.n, 1);
		ck_assert_uint_eq(set.dep[0].layers, 3);
		ck_assert_uint_eq(set.dep[0].stays, 2);
		ck_assert_uint_eq(set.pairs, 12);
	}
	free(set.dep);
}

/* Connections made with one layer stay on its SL when there are two. */
TEST(another_number_of_lanes)
{
	struct transition_result *p;
	AUTO(ring) struct ring r;
	struct routes *x, *y;

	ring_new(&r);
	x = world_routes(r.t, r.pool, NULL, TOPO_NONE);
	y = routes_for(x, r.t);
	layers_spread_all(&y->layers, 2);
	install_routes(&r, x);
	ring_up(&r, x);
	p = find_transition(&r, x, y); /* up/down on every layer: no harm */
	ck_assert_int_eq(p->kind, TRANSITION_NOTHING);
	transition_free(p);
	routes_unref(y);
	y = ring_routes(&r, 2, 0);
	/* y needs its layers, and old connections are all on the first */
	p = find_transition(&r, x, y);
	ck_assert_int_eq(p->kind, TRANSITION_BLOCKED);
	ck_assert_uint_eq(p->nstays, p->ndeps);
	ck_assert_uint_gt(p->nstays, 0);
	transition_free(p);
	routes_unref(x);
	routes_unref(y);
}

/* No packet is in a layer beyond those of the new routes, whatever the old ones
 * had: there are no vertices for it. */
TEST(fewer_lanes)
{
	AUTO(ring) struct ring r;
	struct transition_job job = {.max_stages = 8};
	AUTO(routes) struct routes *x = NULL, *y = NULL;
	struct chan_graph net;
	struct lft_values v;

	ring_new(&r);
	x = ring_routes(&r, 4, 0);
	y = ring_routes(&r, 2, 0);
	layers_put(&x->layers, r.at[0], r.at[3], 3);
	install_routes(&r, x);
	ring_up(&r, x);
	job.from = x;
	job.to = y;
	job.hw = r.hw;
	job.history = r.past;
	chan_graph_new(&net, r.t, r.hw, &y->layers);
	lft_values_new(&v, &net, &job);
	for (uint32_t lid = 0; lid <= y->top; lid++) {
		uint16_t mask[SWITCHES];

		lft_values_layers(&v, lid, TRANSITION_ALL, mask);
		for (sw_ix s = 0; s < SWITCHES; s++)
			ck_assert_uint_lt(mask[s], 1U << 2);
	}
	lft_values_free(&v);
	chan_graph_free(&net);
}

static struct transition_result *
find_without_rows(
	struct ring *r, const struct routes *x, const struct routes *y)
{
	const struct transition_job job = {.from = x,
		.to = y,
		.hw = r->hw,
		.history = r->past,
		.max_stages = 8};

	return transition_find(&job);
}

/* A row of the ring's switch is blocked for old connections. */
static void
keep_blocked(struct ring *r, const struct transition_dependency *d)
{
	uint64_t guid = r->t->node[r->t->sw[d->sw].node].guid;
	struct blocked_row row = {
		.guid = guid, .in = d->in, .out = d->out, .stays = 0xff00};
	uint8_t bytes[SL2VL_ROW] = {0};

	row.settled = true;
	sl2vl_row_block(bytes, row.stays);
	blocked_rows_add(device_blocked(r->hw), &row);
	device_put(r->hw, device_at_row(guid, d->in, d->out), bytes);
}

/* Any dependency that no new path uses breaks the cycle of old connections: one
 * that is blocked already is chosen, and is in no mixture. */
TEST(blocked_from_before)
{
	struct transition_result *p;
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	x = ring_routes(&r, 1, 0);
	y = ring_routes(&r, 2, 0);
	install_routes(&r, x);
	ring_up(&r, x);
	sl_history_assume_any(r.past);
	/* new paths of layer 1 all pass switch 0 */
	for (unsigned i = 1; i < SWITCHES; i++) {
		const struct topo_adj *in = adj_between(
			r.t, r.at[i], r.at[(i + SWITCHES - 1) % SWITCHES]);
		const struct topo_adj *out =
			adj_between(r.t, r.at[i], r.at[(i + 1) % SWITCHES]);
		const struct transition_dependency there = {
			.sw = r.at[i], .in = in->out, .out = out->out};
		const struct transition_dependency back = {
			.sw = r.at[i], .in = out->out, .out = in->out};
		unsigned again = 0;

		world_rows(r.hw, y);
		device_blocked(r.hw)->n = 0;
		keep_blocked(&r, &there);
		keep_blocked(&r, &back);
		p = find_without_rows(&r, x, y);
		for (size_t k = 0; k < p->ndeps; k++)
			again += p->dep[k].sw == r.at[i] &&
				 (p->dep[k].stays & 2) != 0;
		ck_assert_uint_eq(again, 2);
		transition_free(p);
	}
}

/* Rows come before tables that need them, beside old ones that need none. */
TEST(rows_before_tables)
{
	struct transition_result *p;
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL;

	ring_new(&r);
	x = world_routes(r.t, r.pool, NULL, TOPO_NONE);
	y = ring_routes(&r, 2, 0);
	install_routes(&r, x);
	ring_up(&r, x);
	p = find_without_rows(&r, x, y);
	ck_assert(p->rows_first);
	ck_assert_ptr_null(p->ports_down);
	ck_assert_int_ne(p->method, TRANSITION_STATIC);
	transition_free(p);
	p = find_transition(&r, x, y); /* the rows are in place */
	ck_assert(!p->rows_first);
	transition_free(p);
	device_mark_undrained(r.hw); /* ... but have not drained */
	p = find_transition(&r, x, y);
	ck_assert(p->rows_first);
	transition_free(p);
}

/* Tables are read back before any SL was given out, and one leaf is found in
 * use: its connections may be in any layer, and no pair has one because of
 * those tables, of which no layer is known. */
TEST(nothing_was_given_out)
{
	struct transition_result *p;
	struct ring r;
	struct routes *x, *y;

	ring_new(&r);
	x = ring_routes(&r, 1, 0);
	y = ring_routes(&r, 2, 0);
	install_routes(&r, y);
	all_ports(&r, PORT_INIT);
	set_port_states(&r, r.at[0], 0, PORT_ACTIVE);
	sl_history_add_topology(r.past, r.t, NULL);
	all_ports(&r, PORT_ACTIVE);
	sl_history_add_topology(r.past, r.t, NULL);
	ck_assert(sl_history_has_any(r.past));
	p = find_transition(&r, x, y);
	ck_assert_int_eq(p->kind, TRANSITION_NOTHING);
	transition_free(p);
	routes_unref(x);
	routes_unref(y);
	ring_free(&r);
}

/* Tables that need layers, and rows that are not theirs: no order of writes. */
TEST(ports_go_down)
{
	struct transition_result *p;
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *y = NULL, *z = NULL, *one = NULL;

	ring_new(&r);
	x = ring_routes(&r, 2, 0);
	y = ring_routes(&r, 2, 2);
	z = ring_routes(&r, 4, 0);
	one = ring_routes(&r, 1, 0);
	install_routes(&r, x);
	ring_up(&r, x);
	p = find_without_rows(&r, x, y);
	ck_assert_str_eq(
		p->ports_down, "the old tables need layers on other VLs");
	ck_assert_int_eq(p->method, TRANSITION_STATIC);
	ck_assert_int_eq(p->kind, TRANSITION_BLOCKED);
	ck_assert_uint_eq(p->nstays, 0);
	ck_assert(p->rows_unknown); /* they may be y's */
	transition_free(p);
	world_rows(r.hw, one); /* ... but are not */
	p = find_without_rows(&r, x, y);
	ck_assert_str_eq(
		p->ports_down, "the old tables need layers on other VLs");
	ck_assert(!p->rows_unknown);
	transition_free(p);
	/* SL 8 was layer 1 of two, and is layer 2 of four */
	p = find_transition(&r, x, z);
	ck_assert_str_eq(p->ports_down, "connections have SLs that mean other "
					"layers from now on");
	ck_assert(p->renumbers);
	transition_free(p);
	all_ports(&r, PORT_INIT);
	for (port_ix i = 0; i < r.t->nports; i++)
		if (r.t->node[r.t->port[i].node].type == TOPO_SWITCH)
			r.t->node[r.t->port[i].node].flags |= TN_FRESH;
	p = find_transition(&r, x, z); /* nothing carries data */
	ck_assert_ptr_null(p->ports_down);
	transition_free(p);
}

/* Another meaning of SLs makes all layers possible, until all ports go down. */
TEST(renumbered_layers)
{
	AUTO(ring) struct ring r;
	AUTO(routes) struct routes *x = NULL, *z = NULL;

	ring_new(&r);
	x = ring_routes(&r, 2, 0);
	z = ring_routes(&r, 4, 0);
	ring_up(&r, x);
	ck_assert_uint_eq(sl_history_sls(r.past)->given, 1 | 1 << 8);
	ck_assert_uint_eq(history_mask(&r, 0, 2), 1);
	sl_history_add_routes(r.past, z, NULL);
	ck_assert_uint_eq(history_mask(&r, 0, 2), 3);
	ck_assert_uint_eq(
		sl_history_sls(r.past)->given, 1 | 1 << 4 | 1 << 8 | 1 << 12);
	sl_history_end(r.past);
	ck_assert_uint_eq(history_mask(&r, 0, 2), 0);
	sl_history_add_routes(r.past, x, NULL);
	ck_assert_uint_eq(history_mask(&r, 0, 2), 1);
	ck_assert_uint_eq(history_mask(&r, 4, 1), 2);
}
