/*
 * Layers in transitions, by brute force: trees and meshes with pairs spread
 * over layers, links with few VLs, switches with foreign SL2VL rows. In any
 * order of writes that a plan allows, the graph of all that packets wait for,
 * on the VLs that the rows give them, has no cycle. The same for tables that
 * need a map of VLs, where the map or the layers of connections change.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/slvl.h"
#include "sm/base/rng.h"
#include "tests/unit/distribution/transition/transition_unordered.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/suite.h"

enum {
	SEED = 5,
	ROUNDS = 40,
	MAPS = 1580, /* the first round of maps: all that can happen does */
	VLS = 8,
	PORTS = 64
};

/* SL2VL rows in the switches, and tables at one moment. */
struct bed {
	struct topo *t;
	struct lft_pool *pool;
	struct device_store *hw;
	struct sl_history *history;
	struct slvl levels;
	struct rng r;
	uint8_t (*row)[PORTS][PORTS][SLVL_ROW]; /* [nsw] */
	uint8_t *is;				/* [nsw * nlids] */
	uint32_t nlids, nv;
	bool *dep; /* [nv * nv] by the out-ports of channels */
};

static const struct topo_adj *
adj_of_port(const struct bed *b, sw_ix s, unsigned out)
{
	const struct topo_switch *sw = &b->t->sw[s];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (b->t->adj[i].out == out)
			return &b->t->adj[i];
	return NULL;
}

static port_ix
port_of(const struct bed *b, sw_ix s, unsigned num)
{
	return topo_port_of(b->t, b->t->sw[s].node, num);
}

/* Adds the dependencies of a packet of one SL for a LID; false: it is discarded
 * on the way. */
static bool
follow_packet(struct bed *b, sw_ix s, uint32_t lid, unsigned sl)
{
	uint32_t before = UINT32_MAX, at;
	unsigned in = 0;

	for (uint32_t hops = 0; hops <= b->t->nsw; hops++) {
		unsigned out = b->is[(size_t)s * b->nlids + lid], vl;
		const struct topo_adj *a = adj_of_port(b, s, out);

		if (a == NULL || out == in)
			return a == NULL;
		vl = b->row[s][in][out][sl / 2] >> (sl % 2 ? 0 : 4) & 15;
		if (vl >= slvl_link(b->t, port_of(b, s, out), 0))
			return false;
		at = (uint32_t)(a - b->t->adj) * VLS + vl;
		if (before != UINT32_MAX)
			b->dep[(size_t)before * b->nv + at] = true;
		before = at;
		in = a->peer_port;
		s = a->peer;
	}
	return false;
}

/* Removes what nothing leads to, until none is left; true if something
 * remains. */
static bool
has_cycle(const struct bed *b)
{
	AUTO(mem) uint32_t *waits = mem_zalloc(b->nv, sizeof(*waits));
	uint32_t *list = mem_alloc(b->nv * sizeof(*list)), n = 0;

	for (uint32_t u = 0; u < b->nv; u++)
		for (uint32_t v = 0; v < b->nv; v++)
			waits[v] += b->dep[(size_t)u * b->nv + v];
	for (uint32_t v = 0; v < b->nv; v++)
		if (waits[v] == 0)
			list[n++] = v;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t v = 0; v < b->nv; v++)
			if (b->dep[(size_t)list[i] * b->nv + v] &&
				--waits[v] == 0)
				list[n++] = v;
	free(list);
	return n < b->nv;
}

/* Follows the packets of all pairs on the SLs that these routes give; returns
 * how many are discarded. */
static unsigned
follow_packets(struct bed *b, const struct routes *r)
{
	unsigned lost = 0;

	for (uint32_t lid = 1; lid < b->nlids; lid++) {
		port_ix p = topo_by_lid(b->t, (uint16_t)lid, NULL);
		sw_ix home =
			p == TOPO_NONE ? TOPO_NONE : topo_switch_of(b->t, p);

		for (sw_ix s = 0; home != TOPO_NONE && s < b->t->nsw; s++)
			for (unsigned i = 0; i < b->levels.n; i++)
				lost += !follow_packet(b, s, lid,
					b->levels.sl[i][routes_layer(
						&r->layers, s, home)]);
	}
	return lost;
}

/* True if these packets can wait for each other in a cycle. */
static bool
can_deadlock(struct bed *b, const struct routes *r)
{
	memset(b->dep, 0, (size_t)b->nv * b->nv);
	(void)follow_packets(b, r);
	return has_cycle(b);
}

static void
install_routes(struct bed *b, const struct routes *r)
{
	for (sw_ix s = 0; s < b->t->nsw; s++)
		for (uint32_t k = 0; k < r->nblocks; k++)
			device_set_block(b->hw,
				b->t->node[b->t->sw[s].node].guid, k,
				routes_ref_of(r, s, k));
	for (sw_ix s = 0; s < b->t->nsw; s++)
		for (uint32_t lid = 0; lid < b->nlids; lid++)
			b->is[(size_t)s * b->nlids + lid] =
				routes_port(r, s, (uint16_t)lid);
	device_drained(b->hw);
	sl_history_add_routes(b->history, r, &b->levels);
}

static void
want_row(const struct bed *b, sw_ix s, unsigned in, unsigned out,
	uint8_t row[SLVL_ROW])
{
	port_ix p = port_of(b, s, out);

	slvl_row(&b->levels,
		slvl_hop_at(&b->levels, b->t,
			vl_map_in(b->levels.map, port_of(b, s, in)), p,
			slvl_link(b->t, p, 0)),
		row);
}

/* Sets the rows as wanted; those of switch stranger are random and unknown. */
static void
lay_rows(struct bed *b, sw_ix stranger)
{
	const struct topo *t = b->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		for (unsigned out = 1; out <= n->nports; out++) {
			for (unsigned in = 0; in <= n->nports; in++) {
				uint8_t *row = b->row[s][in][out];

				want_row(b, s, in, out, row);
				if (s != stranger)
					device_put(b->hw,
						device_at_row(n->guid, in, out),
						row);
				for (unsigned i = 0;
					s == stranger && i < SLVL_ROW; i++)
					row[i] = (uint8_t)(rng_next(&b->r) &
							   0x33);
			}
		}
	}
}

/* Blocks the dependencies that a plan blocks before its last stage, or those of
 * them that stay blocked. */
static void
block_dependencies(struct bed *b, const struct transition_result *x, bool stays)
{
	for (size_t i = 0; i < x->ndeps; i++) {
		const struct transition_dependency *u = &x->dep[i];

		sl2vl_row_block(b->row[u->sw][u->in][u->out],
			slvl_sls(&b->levels, stays ? u->stays : u->layers));
	}
}

static void
put_write(struct bed *b, const struct lft_write *w)
{
	const uint8_t *line = lft_bytes(b->pool, w->image);

	for (uint32_t i = 0; i < LFT_BLOCK; i++)
		if (w->block * LFT_BLOCK + i < b->nlids)
			b->is[(size_t)w->sw * b->nlids + w->block * LFT_BLOCK +
				i] = line[i];
}

/* Does all writes, each stage in random order; false: a deadlock. */
static bool
carry_out(struct bed *b, const struct transition_result *x,
	const struct routes *from)
{
	size_t *order = mem_alloc((x->nwrites + 1) * sizeof(*order)), n = 0;
	bool ok = true;

	block_dependencies(b, x, true);
	for (unsigned k = 0; k < x->nstages; k++) {
		n = 0;
		if (k + 1 == x->nstages)
			block_dependencies(b, x, false);
		for (size_t i = 0; i < x->nwrites; i++)
			if (x->write[i].stage == k)
				order[n++] = i;
		for (size_t i = 0; i < n; i++) {
			size_t o = i + rng_below(&b->r, (uint32_t)(n - i));
			size_t pick = order[o];

			order[o] = order[i];
			put_write(b, &x->write[pick]);
			if (i + 1 == n || rng_below(&b->r, 4) == 0)
				ok &= !can_deadlock(b, from);
		}
	}
	free(order);
	return ok;
}

/* A fabric of links with this many VLs, some with fewer; all are Active. */
static void
bed_new(struct bed *b, unsigned kind, uint8_t vls)
{
	struct fabric *f = kind % 2 ? world_fabric(kind / 2, &b->r)
				    : world_tiers(kind / 2, &b->r);
	const struct frozen_lids dense = {0};

	b->t = frozen_topo(f, &dense);
	fabric_free(f);
	world_capable(b->t, true);
	for (port_ix p = 0; p < b->t->nports; p++) {
		struct topo_port *port = &b->t->port[p];

		port->vl_cap = port->op_vls = vls;
		if (port->peer != TOPO_NONE)
			port->state = PORT_ACTIVE;
		if (kind % 3 == 0 && port->peer < p && rng_below(&b->r, 4) == 0)
			port->op_vls = b->t->port[port->peer].op_vls =
				(uint8_t)(1 + rng_below(&b->r, vls));
	}
	b->pool = lft_pool_new();
	b->hw = device_new(b->pool);
	b->history = sl_history_new();
	b->nlids = b->t->max_lid + 1U;
	b->row = mem_zalloc(b->t->nsw, sizeof(*b->row));
	b->is = mem_zalloc((size_t)b->t->nsw * b->nlids, 1);
	for (sw_ix s = 0; s < b->t->nsw; s++) {
		b->t->sw[s].lft_top = (uint16_t)b->t->max_lid;
		b->nv += b->t->sw[s].nadj * VLS;
	}
	b->dep = mem_alloc((size_t)b->nv * b->nv);
}

static void
bed_free(struct bed *b)
{
	device_free(b->hw);
	sl_history_free(b->history);
	topo_unref(b->t);
	lft_pool_free(b->pool);
	free(b->row);
	free(b->is);
	free(b->dep);
}

/* Routes from a random root, pairs spread over layers. */
static struct routes *
spread_routes(struct bed *b, unsigned lanes)
{
	struct routes *r =
		world_routes(b->t, b->pool, NULL, rng_below(&b->r, b->t->nsw));

	layers_spread_all(&r->layers, (uint8_t)lanes);
	r->layers.plain = true;
	return r;
}

enum rows { RIGHT, STRANGE };

static void
check_transition(unsigned i, enum rows rows, unsigned *apart)
{
	struct bed b = {.r = {SEED + i}};
	unsigned lanes = 2 + rng_below(&b.r, 4);
	struct slvl_want want = {.n = rng_below(&b.r, 3)};
	struct routes *x, *y;
	sw_ix stranger;

	bed_new(&b, i, (uint8_t)(2 + rng_below(&b.r, 3)));
	for (unsigned k = 0; k < want.n; k++)
		want.level[k].sl = SLVL_ANY;
	slvl_allocate(&want, lanes, true, &b.levels);
	stranger = rows == STRANGE ? rng_below(&b.r, b.t->nsw) : TOPO_NONE;
	x = spread_routes(&b, lanes);
	y = spread_routes(&b, lanes);
	lay_rows(&b, stranger);
	install_routes(&b, x);
	if (!can_deadlock(&b, x)) { /* foreign rows may do */
		const struct transition_job job = {.from = x,
			.to = y,
			.hw = b.hw,
			.history = b.history,
			.max_stages = 1 + rng_below(&b.r, 8),
			.levels = want};
		struct transition_result *t = transition_find(&job);

		*apart +=
			t->cyclic > 0 && strstr(t->cause, "on one VL") != NULL;
		ck_assert_msg(carry_out(&b, t, x),
			"SEED=%u: %s, %zu turns, a deadlock: %s", i,
			transition_kind_name(t->kind), t->ndeps, t->cause);
		transition_free(t);
	}
	routes_unref(x);
	routes_unref(y);
	bed_free(&b);
}

/* Rows are as wanted; VLs may be fewer than layers. */
TEST(lanes_that_share)
{
	unsigned apart = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		check_transition(i, RIGHT, &apart);
	ck_assert_uint_gt(apart, 0);
}

/* One switch has foreign rows and refuses others. */
TEST(rows_of_a_stranger)
{
	unsigned apart = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		check_transition(i, STRANGE, &apart);
}

/* ---- maps of VLs ---- */

/* Writes all rows that differ, in random order; false: a deadlock. */
static bool
change_rows(struct bed *b, const struct routes *from)
{
	bool ok = true, more = true;

	while (more) {
		more = false;
		for (sw_ix s = 0; s < b->t->nsw; s++) {
			const struct topo_node *n =
				&b->t->node[b->t->sw[s].node];
			unsigned out = 1 + rng_below(&b->r, n->nports);
			uint8_t row[SLVL_ROW];

			for (unsigned in = 0; in <= n->nports; in++) {
				if (rng_below(&b->r, 2) == 0)
					continue;
				want_row(b, s, in, out, row);
				memcpy(b->row[s][in][out], row, sizeof(row));
			}
			for (out = 1; out <= n->nports; out++)
				for (unsigned in = 0; in <= n->nports; in++) {
					want_row(b, s, in, out, row);
					more |= memcmp(b->row[s][in][out], row,
							sizeof(row)) != 0;
				}
		}
		ok &= !can_deadlock(b, from);
	}
	return ok;
}

/* Tables that need a map, but for some that obey an order. */
static struct routes *
mapped_routes(
	struct bed *b, unsigned layers, const struct routes *prev, uint64_t map)
{
	struct routes *r =
		world_routes(b->t, b->pool, NULL, rng_below(&b->r, b->t->nsw));

	world_layers(r, prev, (uint8_t)layers, &b->r);
	r->layers.map = world_map(b->t, layers, map);
	if (rng_below(&b->r, 4) != 0)
		(void)world_unorder(r, NULL, 100, &b->r);
	r->layers.plain = false;
	return r;
}

/* Old connections stay in their layers, new ones lose nothing, and both do not
 * wait for each other in a cycle. */
static void
check_connections(struct bed *b, const struct transition_result *t,
	const struct routes *x, const struct routes *y)
{
	lay_rows(b, TOPO_NONE);
	block_dependencies(b, t, true);
	memset(b->dep, 0, (size_t)b->nv * b->nv);
	ck_assert_uint_eq(follow_packets(b, y), 0);
	(void)follow_packets(b, x);
	ck_assert_msg(!has_cycle(b), "%s", t->stale);
}

struct counts {
	unsigned kept, first, down, stale, stays;
};

static void
check_map(unsigned i, struct counts *n)
{
	struct bed b = {.r = {SEED + i}};
	unsigned layers = 2 + rng_below(&b.r, 2);
	struct slvl_want want = {.n = rng_below(&b.r, 2)};
	bool other = rng_below(&b.r, 3) == 0;
	struct transition_job job;
	struct transition_result *t;
	struct routes *x, *y;

	want.level[0].sl = SLVL_ANY;
	bed_new(&b, i * 6 + 1 + i % 2 * 3, 4);
	x = mapped_routes(&b, layers, NULL, i);
	y = mapped_routes(&b, layers, x, i + other);
	slvl_of_layers(&want, &x->layers, &b.levels);
	lay_rows(&b, TOPO_NONE);
	install_routes(&b, x);
	ck_assert(!can_deadlock(&b, x));
	job = (struct transition_job){.from = x,
		.to = y,
		.hw = b.hw,
		.history = b.history,
		.max_stages = 1 + rng_below(&b.r, 8),
		.levels = want};
	t = transition_find(&job);
	slvl_of_layers(&want, &y->layers, &b.levels);
	if (t->ports_down != NULL) {
		bool stale = strstr(t->ports_down, "old connections") != NULL;

		ck_assert_int_eq(t->method, TRANSITION_STATIC);
		ck_assert(!t->rows_first);
		ck_assert(other || stale);
		n->down++;
		n->stale += stale;
	} else {
		ck_assert(t->rows_first == other);
		n->first += t->rows_first;
		n->kept += !t->rows_first;
		n->stays += t->nstays > 0;
		ck_assert_msg(change_rows(&b, x), "SEED=%u: rows", i);
		ck_assert_msg(carry_out(&b, t, x), "SEED=%u: %s: %s", i,
			transition_kind_name(t->kind), t->cause);
		check_connections(&b, t, x, y);
	}
	transition_free(t);
	routes_unref(x);
	routes_unref(y);
	bed_free(&b);
}

TEST(maps)
{
	struct counts n = {0};

	for (unsigned i = MAPS; i < MAPS + ROUNDS; i++)
		check_map(i, &n);
	(void)printf(
		"%u with rows in place, %u rows first, %u ports down, %u of "
		"them for old connections, %u dependencies stay blocked\n",
		n.kept, n.first, n.down, n.stale, n.stays);
	ck_assert(n.kept > 0 && n.first > 0 && n.stays > 0);
	ck_assert(n.stale > 0 && n.down > n.stale);
}
