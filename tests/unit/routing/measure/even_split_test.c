/*
 * Even splits: without options the loads are those that the verifier counts and
 * the bisections those of bandwidth_ebb, on fabrics of several engines; with
 * options a full tree has no busy link, and a damaged one carries what a walk
 * over all choices, host by host, comes to.
 */
#include <check.h>
#include <stdlib.h>

#include "routing/driver/compute.h"
#include "routing/measure/bandwidth.h"
#include "routing/measure/even_split.h"
#include "sm/base/mem.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { GROUPS = 4000, TRIALS = 20, SEED = 3 };

struct rig {
	struct topo *t;
	struct lft_pool *pool;
	struct route_choice *can;
	struct routes *r;
	struct verify_tables in;
};

/* Routes by an engine where all switches choose; f is freed. */
static void
rig_open(struct rig *g, struct fabric *f, const char *engine)
{
	const struct frozen_lids lids = {0};
	struct route_adaptive adaptive = {.default_first = true};
	struct route_job job = {.load_limit = 1250, .adaptive = &adaptive};
	struct route_account story;
	struct reason why = {""};

	ck_assert_ptr_nonnull(f);
	*g = (struct rig){.t = frozen_topo(f, &lids), .pool = lft_pool_new()};
	g->can = mem_zalloc(g->t->nsw, sizeof(*g->can));
	for (sw_ix s = 0; s < g->t->nsw; s++)
		g->can[s] = (struct route_choice){ROUTE_COMMITS, GROUPS};
	adaptive.can = g->can;
	job.topo = g->t;
	job.pool = g->pool;
	g->r = compute_routes(&job, &engine, 1, &story, &why);
	ck_assert_msg(g->r != NULL, "%s", why.text);
	g->in = (struct verify_tables){
		g->t, g->pool, g->r->row, g->r->nblocks, &g->r->layers, NULL};
	fabric_free(f);
}

static void
rig_close(struct rig *g)
{
	routes_unref(g->r);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	free(g->can);
}
AUTO_VALUE(rig, struct rig, rig_close)

static const struct scene {
	const char *engine;
	const char *fabric;
} scenes[] = {
	{"ftree", "three:8"},
	{"updn", "three:6,fail=9,seed=3"},
	{"torus", "torus:5x5:2"},
};

enum { SCENES = sizeof(scenes) / sizeof(scenes[0]) };

LOOP_TEST(test_tables_alone, 0, SCENES)
{
	AUTO(rig) struct rig g;
	struct even_split_load l;
	struct even_split_bisection b;
	struct bandwidth_ebb e;

	rig_open(&g, shape_of("%s", scenes[_i].fabric), scenes[_i].engine);
	even_split_uniform(&g.in, NULL, &l);
	ck_assert_uint_eq(l.lost, 0);
	ck_assert_double_eq_tol(l.max, (double)g.r->report.load_max, 1e-9);
	ck_assert_double_eq_tol(l.mean, g.r->report.load_mean, 1e-9);
	even_split_bisections(&g.in, NULL, TRIALS, SEED, &b);
	bandwidth_ebb(&g.in, TRIALS, SEED, &e);
	ck_assert_uint_eq(b.trials, TRIALS);
	ck_assert_double_eq_tol(b.mean, e.mean, 1e-9);
	ck_assert_double_eq_tol(b.lowest, e.lowest, 1e-9);
	ck_assert_uint_eq(b.lost, 0);
}

/* ---- a walk over all choices ---- */

/* Add the share of a flow to a LID that is at s, and goes on from there. */
static void
walk_share(const struct rig *g, sw_ix s, port_ix to, double share, double *load)
{
	const struct topo *t = g->t;
	sw_ix d = topo_switch_of(t, to);
	const struct route_set *o = route_sets_get(g->r->sets, s, d);
	unsigned first = routes_port(g->r, s, t->port[to].lid), n = 0;

	for (unsigned p = 1; p < 256 && s != d; p++)
		n += p == first || route_set_has(o, p);
	for (unsigned p = 1; p < 256 && s != d; p++) {
		port_ix far;

		if (p != first && !route_set_has(o, p))
			continue;
		load[topo_port_of(t, t->sw[s].node, p)] += share / n;
		far = topo_port_behind(t, s, p);
		ck_assert_uint_ne(far, TOPO_NONE);
		walk_share(g, topo_port_switch(t, far), to, share / n, load);
	}
}

LOOP_TEST(test_all_choices, 0, SCENES)
{
	AUTO(rig) struct rig g;
	struct even_split_load l;
	double *load, most = 0, sum = 0;
	unsigned links = 0;

	rig_open(&g, shape_of("%s", scenes[_i].fabric), scenes[_i].engine);
	load = mem_zalloc(g.t->nports, sizeof(*load));
	for (sw_ix s = 0; s < g.t->nsw; s++)
		for (port_ix p = 0; p < g.t->nports; p++)
			if (topo_is_host(g.t, p) && g.t->sw[s].nhost > 0)
				walk_share(&g, s, p, g.t->sw[s].nhost, load);
	for (sw_ix s = 0; s < g.t->nsw; s++)
		for (uint32_t i = 0; i < g.t->sw[s].nadj; i++, links++) {
			port_ix p = topo_port_of(g.t, g.t->sw[s].node,
				g.t->adj[g.t->sw[s].adj + i].out);

			sum += load[p];
			most = load[p] > most ? load[p] : most;
		}
	even_split_uniform(&g.in, g.r->sets, &l);
	ck_assert_double_eq_tol(l.max, most, 1e-6);
	ck_assert_double_eq_tol(l.mean, sum / links, 1e-6);
	ck_assert_uint_eq(l.lost, 0);
	free(load);
}

/* Where each flow is spread over all links up, no link is more than full in any
 * bisection. */
TEST(test_full_tree)
{
	AUTO(rig) struct rig g;
	struct even_split_bisection b;
	struct bandwidth_ebb e;

	rig_open(&g, shape_of("three:8"), "ftree");
	even_split_bisections(&g.in, g.r->sets, TRIALS, SEED, &b);
	bandwidth_ebb(&g.in, TRIALS, SEED, &e);
	ck_assert_double_lt(e.mean, 0.9);
	ck_assert_double_eq_tol(b.mean, 1, 1e-9);
	ck_assert_double_eq_tol(b.lowest, 1, 1e-9);
	ck_assert_uint_eq(b.lost, 0);
}

/* An entry that leads nowhere loses flows, and one that leads back hangs
 * nothing. */
TEST(test_lost)
{
	AUTO(rig) struct rig g;
	struct even_split_load l;
	struct even_split_bisection b;
	sw_ix leaf = 0, up;
	uint16_t lid;
	uint8_t out;

	rig_open(&g, shape_of("three:8"), "ftree");
	while (g.t->sw[leaf].nhost == 0)
		leaf++;
	up = leaf;
	do
		up++;
	while (g.t->sw[up].nhost == 0);
	lid = g.t->port[g.t->end[g.t->sw[up].end + 1].port].lid;
	out = routes_port(g.r, leaf, lid);
	routes_put_entry(g.r, leaf, lid, LFT_DROP, NULL);
	even_split_uniform(&g.in, NULL, &l);
	ck_assert_uint_eq(l.lost, 1);
	routes_put_entry(g.r, leaf, lid, out, NULL);
	up = routes_next_switch(g.r, leaf, lid);
	for (uint32_t i = 0; i < g.t->sw[up].nadj; i++)
		if (g.t->adj[g.t->sw[up].adj + i].peer == leaf)
			routes_put_entry(g.r, up, lid,
				g.t->adj[g.t->sw[up].adj + i].out, NULL);
	even_split_uniform(&g.in, NULL, &l);
	ck_assert_uint_gt(l.lost, 0);
	even_split_bisections(&g.in, NULL, TRIALS, SEED, &b);
	ck_assert_uint_gt(b.lost, 0);
	ck_assert_double_eq(b.lowest, 0);
}
