/*
 * What the literature says of routing without deadlock, as far as tables show
 * it, on our engines:
 *
 *   a routing is free of deadlock if and only if its channel dependency graph
 *     has no cycle (Dally and Seitz 1987)          shortest_paths;
 *     in packets: tests/unit/tests/sim/data/data_deadlock_test.c
 *   dimension order has no cycle on a mesh, e-cube none on a hypercube, on one
 *     VL                                           dimension_order
 *   shortest paths on a torus have one, up/down has none anywhere but leaves
 *     bandwidth unused                             shortest_paths, up_and_down
 *   layers of paths on VLs of their own break it, with shortest paths still
 *     (LASH, DFSSSP)                               layers_break_cycles
 *   paths that are balanced over the whole fabric carry more than those that
 *     take any shortest one (SSSP against MinHop)  balance
 *   a path depends on its source and destination alone: no livelock, every hop
 *     of a shortest path comes nearer              shortest_paths
 */
#include <check.h>

#include "routing/engines/dor/dor.h"
#include "routing/engines/nue/nue.h"
#include "routing/engines/torus/torus.h"
#include "routing/engines/updn/updn.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

/* Links on shortest paths from all switches to one. */
static void
find_distances(const struct topo *t, sw_ix to, uint32_t *dist)
{
	bool more = true;

	memset(dist, 0xff, t->nsw * sizeof(*dist));
	dist[to] = 0;
	for (uint32_t d = 0; more; d++) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; dist[s] == d && i < t->sw[s].nadj;
				i++) {
				sw_ix peer = t->adj[t->sw[s].adj + i].peer;

				if (dist[peer] <= d)
					continue;
				dist[peer] = d + 1;
				more = true;
			}
	}
}

/* Entries for one LID: by the first link that comes nearer. */
static void
put_nearest(struct routes *r, const struct topo_end *end, sw_ix d,
	const uint32_t *dist)
{
	const struct topo *t = r->topo;
	uint16_t lid = t->port[end->port].lid;

	routes_put_entry(r, d, lid, end->out, NULL);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].nadj; i-- > 0 && s != d;) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (dist[a->peer] + 1 == dist[s])
				routes_put_entry(r, s, lid, a->out, NULL);
		}
}

/* Shortest paths that nothing balances, on one layer. */
static struct routes *
route_nearest(const struct engine_rig *g)
{
	struct routes *r = routes_new(g->t, g->pool);
	AUTO(mem) uint32_t *dist = mem_alloc(g->t->nsw * sizeof(*dist));

	r->order = ROUTE_NO_ORDER;
	r->layers.n = 1;
	for (sw_ix d = 0; d < g->t->nsw; d++) {
		find_distances(g->t, d, dist);
		for (uint32_t e = 0; e < g->t->sw[d].nend; e++)
			put_nearest(
				r, &g->t->end[g->t->sw[d].end + e], d, dist);
	}
	return r;
}

/* Links on the paths of all pairs of switches, and the fewest that will do. */
static void
count_hops(const struct routes *r, uint64_t *is, uint64_t *least)
{
	const struct topo *t = r->topo;
	AUTO(mem) uint32_t *dist = mem_alloc(t->nsw * sizeof(*dist));

	*is = *least = 0;
	for (sw_ix d = 0; d < t->nsw; d++) {
		uint16_t lid = t->port[t->node[t->sw[d].node].first_port].lid;

		find_distances(t, d, dist);
		for (sw_ix s = 0; s < t->nsw; s++) {
			*least += dist[s];
			for (sw_ix at = s; at != d;
				at = routes_next_switch(r, at, lid))
				++*is;
		}
	}
}

static struct fabric *
make_shape(unsigned i, struct reason *why)
{
	static const unsigned flat[2] = {5, 6}, cube[5] = {2, 2, 2, 2, 2};

	switch (i) {
	case 0:
		return gen_grid(flat, 2, false, 2, why);
	case 1:
		return gen_grid(cube, 5, false, 2, why);
	case 2:
		return gen_grid(flat, 2, true, 2, why);
	default:
		return shape_of("random:32:5:2:9");
	}
}

enum shape { MESH, CUBE, TORUS, GRAPH };

static void
rig_shape(struct engine_rig *g, const struct engine *e, enum shape i)
{
	struct reason why = {""};

	rig_open(g, e, make_shape((unsigned)i, &why), &why);
	for (port_ix p = 0; p < g->t->nports; p++)
		g->t->port[p].vl_cap = g->t->port[p].op_vls = 4;
}

static struct routes *
route_shape(const struct engine_rig *g)
{
	struct reason why = {""};
	struct routes *r = rig_route(g, g->t, NULL, NULL, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	return r;
}

LOOP_TEST(dimension_order, 0, 2)
{
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;
	uint64_t is, least;

	rig_shape(&g, &engine_dor, _i == 0 ? MESH : CUBE);
	r = route_shape(&g);
	ck_assert_uint_eq(
		rig_check(r).used[0], (uint64_t)g.t->nsw * (g.t->nsw - 1U));
	count_hops(r, &is, &least);
	ck_assert_uint_eq(is, least);
}

/* Both judges see the cycle, and the verifier names it. */
TEST(shortest_paths)
{
	AUTO(engine_rig) struct engine_rig g;
	struct verify_report report;
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL;
	struct channel_verdict v;
	uint64_t is, least;

	rig_shape(&g, &engine_torus, TORUS);
	r = route_nearest(&g);
	v = channel_judge(r);
	ck_assert_uint_eq(v.lost, 0);
	ck_assert_uint_gt(v.cyclic, 0);
	ck_assert_int_ne(
		verify_tables(&(struct verify_tables){r->topo, r->pool, r->row,
				      r->nblocks, &r->layers, NULL},
			&report, &why),
		0);
	ck_assert_uint_gt(report.cyclic_channels, 0);
	ck_assert_uint_eq(report.unreachable + report.loops, 0);
	ck_assert_str_ne(report.cycle, "");
	count_hops(r, &is, &least);
	ck_assert_uint_eq(is, least);
}

/* The same fabric, by paths that are as short. */
TEST(layers_break_cycles)
{
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;
	struct channel_verdict v;
	uint64_t is, least;

	rig_shape(&g, &engine_torus, TORUS);
	r = route_shape(&g);
	v = rig_check(r);
	ck_assert_uint_gt(v.groups, 1);
	ck_assert_uint_le(v.groups, 8);
	count_hops(r, &is, &least);
	ck_assert_uint_eq(is, least);
}

/* Free of cycles on one layer, at the price of bandwidth. */
TEST(up_and_down)
{
	AUTO(engine_rig) struct engine_rig g, h;
	AUTO(routes) struct routes *r = NULL, *other = NULL;

	rig_shape(&g, &engine_updn, TORUS);
	rig_shape(&h, &engine_torus, TORUS);
	r = route_shape(&g);
	other = route_shape(&h);
	ck_assert_uint_eq(channel_judge(r).cyclic, 0);
	ck_assert_uint_eq(r->layers.n, 1);
	ck_assert_uint_gt(rig_load(r), rig_load(other) * 3 / 2);
}

LOOP_TEST(balance, 0, 2)
{
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL, *nearest = NULL;

	rig_shape(&g, &engine_nue, _i == 0 ? TORUS : GRAPH);
	r = route_shape(&g);
	nearest = route_nearest(&g);
	ck_assert_uint_eq(channel_judge(r).cyclic, 0);
	ck_assert_msg(rig_load(r) * 5 < rig_load(nearest) * 4,
		"%llu against %llu", (unsigned long long)rig_load(r),
		(unsigned long long)rig_load(nearest));
}
