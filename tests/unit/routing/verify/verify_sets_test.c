/*
 * The judge of options: its verdict about cycles is that of packets followed
 * one by one, whatever the kinds of switches are; it refuses options that lead
 * nowhere, back, or round.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/verify/verify.h"
#include "routing/verify/verify_sets.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { NETS = 240, SWITCHES = 14, DEGREE = 4, HOSTS = 2 };

struct rig {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
	struct verify_dependencies *deps;
	struct route_choice *can;
	struct route_sets *sets;
};

static void
rig_open(struct rig *g, struct fabric *f)
{
	const struct frozen_lids lids = {.shuffle = 3, .lmc = 1};
	const char *engine = "updn";
	struct route_account story;
	struct reason why = {""};
	struct route_job job = {0};
	struct verify_report report;
	struct verify_tables in;

	ck_assert_ptr_nonnull(f);
	g->f = f;
	g->t = frozen_topo(f, &lids);
	g->pool = lft_pool_new();
	job.topo = g->t;
	job.pool = g->pool;
	g->r = compute_routes(&job, &engine, 1, &story, &why);
	ck_assert_msg(g->r != NULL, "%s", why.text);
	in = (struct verify_tables){
		g->t, g->pool, g->r->row, g->r->nblocks, &g->r->layers, NULL};
	ck_assert_int_eq(
		verify_tables_dependencies(&in, &report, &g->deps, &why), 0);
	g->can = mem_zalloc(g->t->nsw, sizeof(*g->can));
	g->sets = NULL;
}

static void
rig_close(struct rig *g)
{
	route_sets_unref(g->sets);
	free(g->can);
	free(g->deps);
	routes_unref(g->r);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	fabric_free(g->f);
}
AUTO_VALUE(rig, struct rig, rig_close)

static void
rig_kinds(struct rig *g, unsigned kind)
{
	for (sw_ix s = 0; s < g->t->nsw; s++)
		g->can[s] = (struct route_choice){(uint8_t)kind, 1000};
}

/* A set of s to t in the sets; an own one each. */
static struct route_set *
put_set(struct rig *g, sw_ix s, sw_ix t)
{
	struct route_set_row *row = g->sets->row[s];

	ck_assert_uint_lt(g->sets->dest.number[t], g->sets->dest.n);
	if (row == NULL)
		row = g->sets->row[s] = route_set_row_new(g->sets->dest.n);
	row->set = mem_resize(row->set, row->n + 1U, sizeof(*row->set));
	row->set[row->n] = (struct route_set){{0}};
	row->of[g->sets->dest.number[t]] = row->n;
	return &row->set[row->n++];
}

static void
find_distances(const struct topo *t, sw_ix to, uint32_t *dist)
{
	bool more = true;

	for (sw_ix s = 0; s < t->nsw; s++)
		dist[s] = s == to ? 0 : UINT32_MAX - 1;
	while (more) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
				sw_ix p = t->adj[t->sw[s].adj + i].peer;

				if (dist[p] + 1 < dist[s]) {
					dist[s] = dist[p] + 1;
					more = true;
				}
			}
	}
}

/* The shortest ports of all switches that can choose; one in `odds` of them,
 * and where that are few, some others. */
static void
make_sets(struct rig *g, struct rng *rng, uint32_t odds)
{
	const struct topo *t = g->t;
	AUTO(mem) uint32_t *dist = mem_zalloc(t->nsw, sizeof(*dist));

	g->sets = route_sets_new(t, g->can, true);
	for (sw_ix to = 0; to < t->nsw; to++) {
		if (t->sw[to].nhost == 0)
			continue;
		find_distances(t, to, dist);
		for (sw_ix s = 0; s < t->nsw; s++) {
			struct route_set *set;

			if (s == to || g->can[s].kind == ROUTE_FIXED)
				continue;
			set = put_set(g, s, to);
			for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
				const struct topo_adj *a =
					&t->adj[t->sw[s].adj + i];

				if (rng_below(rng, odds) == 0 &&
					(dist[a->peer] + 1 == dist[s] ||
						rng_below(rng, 6) < (odds > 1)))
					route_set_add(set, a->out);
			}
		}
	}
}

/* ---- packets followed one by one ---- */

struct oracle {
	const struct rig *g;
	uint32_t n;
	bool *dep; /* [n * n] by the port that a link leaves by */
	bool back; /* an option leads to a switch that sends back */
};

static port_ix
table_port(const struct rig *g, sw_ix s, uint16_t lid)
{
	return topo_port_of(g->t, g->t->sw[s].node, routes_port(g->r, s, lid));
}

static unsigned
kind_of(const struct rig *g, sw_ix s)
{
	return g->can[s].kind;
}

/* Whether a packet to a LID may be in s waiting for port q: by its table, or by
 * its options. */
static bool
waits_for(const struct rig *g, sw_ix s, sw_ix to, uint16_t lid, port_ix q)
{
	return table_port(g, s, lid) == q ||
	       (kind_of(g, s) == ROUTE_COMMITS &&
		       route_set_has(route_sets_get(g->sets, s, to),
			       g->t->port[q].num));
}

static void
follow_packet(struct oracle *o, sw_ix s, sw_ix to, uint16_t lid, port_ix p)
{
	const struct topo *t = o->g->t;
	const struct rig *g = o->g;
	bool is_table = table_port(g, s, lid) == p,
	     is_option = route_set_has(
		     route_sets_get(g->sets, s, to), t->port[p].num);
	sw_ix next = topo_port_switch(t, t->port[p].peer);

	if (next == TOPO_NONE || next == to || (!is_table && !is_option))
		return;
	o->back |= is_option && table_port(g, next, lid) == t->port[p].peer;
	if (!is_table && kind_of(g, s) == ROUTE_ESCAPES &&
		kind_of(g, next) == ROUTE_ESCAPES)
		return;
	for (uint32_t i = 0; i < t->sw[next].nadj; i++) {
		port_ix q = topo_port_of(
			t, t->sw[next].node, t->adj[t->sw[next].adj + i].out);

		if (q != t->port[p].peer && waits_for(g, next, to, lid, q))
			o->dep[(size_t)p * o->n + q] = true;
	}
}

static bool
is_cyclic(const struct oracle *o)
{
	bool *gone = mem_zalloc(o->n, sizeof(*gone)), more = true;
	uint32_t left = o->n;

	while (more) {
		more = false;
		for (uint32_t v = 0; v < o->n; v++) {
			bool led = gone[v];

			for (uint32_t u = 0; u < o->n && !led; u++)
				led = !gone[u] && o->dep[(size_t)u * o->n + v];
			if (led)
				continue;
			gone[v] = more = true;
			left--;
		}
	}
	free(gone);
	return left > 0;
}

/* Whether choices for hosts on `to` lead round: from s on, with the switches on
 * the way marked 1, and done ones 2. The tables of all hosts there count as
 * one; where a switch escapes only its options do. */
static bool
leads_round(const struct rig *g, sw_ix s, sw_ix to, uint8_t *mark)
{
	const struct route_set *set = route_sets_get(g->sets, s, to);
	bool round = false;

	if (s == to || mark[s] == 2)
		return false;
	if (mark[s]++ == 1)
		return true;
	for (uint32_t i = 0; i < g->t->sw[s].nadj; i++) {
		const struct topo_adj *a = &g->t->adj[g->t->sw[s].adj + i];
		bool taken = route_set_has(set, a->out);

		for (uint32_t lid = 1; lid <= g->t->max_lid; lid++) {
			port_ix own = g->t->by_lid[lid];

			if (own == TOPO_NONE || !topo_is_host(g->t, own) ||
				topo_switch_of(g->t, own) != to ||
				(kind_of(g, s) == ROUTE_ESCAPES &&
					set != NULL &&
					route_set_count(set) > 0))
				continue;
			taken |= routes_port(g->r, s, (uint16_t)lid) == a->out;
		}
		round |= taken && leads_round(g, a->peer, to, mark);
	}
	mark[s] = 2;
	return round;
}

static bool
has_loop(const struct rig *g)
{
	bool round = false, escapes = false;

	for (sw_ix s = 0; s < g->t->nsw; s++)
		escapes |= kind_of(g, s) == ROUTE_ESCAPES;
	for (sw_ix to = 0; to < g->t->nsw && escapes; to++) {
		AUTO(mem) uint8_t *mark = mem_zalloc(g->t->nsw, 1);

		for (sw_ix s = 0; s < g->t->nsw; s++)
			round |= leads_round(g, s, to, mark);
	}
	return round;
}

/* By all LIDs, those of switches by their tables alone. */
static struct oracle
follow_all(const struct rig *g)
{
	const struct topo *t = g->t;
	struct oracle o = {.g = g, .n = t->nports};
	struct route_sets *none = route_sets_new(t, g->can, true);
	struct rig plain = *g;

	plain.sets = none;
	o.dep = mem_zalloc((size_t)o.n * o.n, sizeof(*o.dep));
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix own = t->by_lid[lid];
		sw_ix to =
			own == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, own);

		if (to == TOPO_NONE)
			continue;
		o.g = topo_is_host(t, own) ? g : &plain;
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; s != to && i < t->sw[s].nadj; i++)
				follow_packet(&o, s, to, (uint16_t)lid,
					topo_port_of(t, t->sw[s].node,
						t->adj[t->sw[s].adj + i].out));
	}
	o.g = g;
	route_sets_unref(none);
	return o;
}

static int
judge_sets(const struct rig *g, unsigned threads, struct reason *why)
{
	const struct verify_sets_job job = {.topo = g->t,
		.side = {{g->pool, g->r->row, g->r->nblocks, g->sets}},
		.nsides = 1,
		.deps = g->deps,
		.threads = threads};
	struct verify_sets_report out;

	return verify_sets(&job, &out, why);
}

TEST(test_kinds_at_random)
{
	unsigned refused = 0, cyclic = 0, back = 0;

	for (uint64_t seed = 1; seed <= NETS; seed++) {
		struct reason why = {""}, again = {""};
		struct rng rng;
		struct oracle o;
		AUTO(rig) struct rig g;
		int rc;

		rng = (struct rng){seed};
		rig_open(&g, gen_random(SWITCHES, DEGREE, HOSTS, seed, &why));
		for (sw_ix s = 0; s < g.t->nsw; s++)
			g.can[s] = (struct route_choice){
				(uint8_t)(seed % 4 == 0 ? ROUTE_ESCAPES
					  : seed % 4 == 1
						  ? rng_below(&rng, 5) == 0
						  : rng_below(&rng, 3)),
				1000};
		make_sets(&g, &rng, 1U << rng_below(&rng, 5));
		o = follow_all(&g);
		rc = judge_sets(&g, 1, &why);
		ck_assert_msg(
			(rc != 0) == (is_cyclic(&o) || o.back || has_loop(&g)),
			"seed %lu: %s", (unsigned long)seed, why.text);
		ck_assert_int_eq(judge_sets(&g, 3, &again), rc);
		ck_assert_str_eq(why.text, again.text);
		refused += rc != 0;
		cyclic += is_cyclic(&o);
		back += o.back && !is_cyclic(&o) && !has_loop(&g);
		free(o.dep);
	}
	/* each fault alone, and none */
	ck_assert_uint_gt(cyclic, NETS / 8);
	ck_assert_uint_gt(back, 0);
	ck_assert_uint_lt(refused, NETS - NETS / 16);
}

/* Shortest sets close cycles where switches commit; where all of them escape
 * they do not. */
TEST(test_shortest_sets)
{
	struct reason why = {""};
	struct rng rng;
	AUTO(rig) struct rig g;

	rng = (struct rng){1};
	rig_open(&g, shape_of("mesh:5x5"));
	rig_kinds(&g, ROUTE_COMMITS);
	make_sets(&g, &rng, 1);
	ck_assert_int_ne(judge_sets(&g, 1, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "credit loop"));
}

/* A set with one port that is not there, or leads to a host. */
TEST(test_dead_option)
{
	static const unsigned ports[] = {9, 77, 200};
	struct reason why = {""};

	for (unsigned i = 0; i < 3; i++) {
		AUTO(rig) struct rig g;

		rig_open(&g, shape_of("mesh:3x3"));
		rig_kinds(&g, ROUTE_COMMITS);
		g.sets = route_sets_new(g.t, g.can, true);
		route_set_add(put_set(&g, 0, g.t->nsw - 1), ports[i]);
		ck_assert_int_ne(judge_sets(&g, 1, &why), 0);
		ck_assert_msg(strstr(why.text, "leads to no switch") != NULL,
			"%s", why.text);
	}
}

/* A switch to which options lead has no entry. */
TEST(test_no_entry_behind)
{
	struct reason why = {""};
	const struct topo_adj *a;
	AUTO(rig) struct rig g;
	sw_ix to = TOPO_NONE;

	rig_open(&g, shape_of("mesh:3x3"));
	rig_kinds(&g, ROUTE_COMMITS);
	g.sets = route_sets_new(g.t, g.can, true);
	a = &g.t->adj[g.t->sw[0].adj];
	for (sw_ix s = 1; s < g.t->nsw; s++)
		if (s != a->peer && g.t->sw[s].nhost > 0)
			to = s;
	route_set_add(put_set(&g, 0, to), a->out);
	for (uint32_t lid = 1; lid <= g.t->max_lid; lid++)
		if (g.t->by_lid[lid] != TOPO_NONE &&
			topo_switch_of(g.t, g.t->by_lid[lid]) == to)
			routes_put_entry(
				g.r, a->peer, (uint16_t)lid, LFT_DROP, NULL);
	ck_assert_int_ne(judge_sets(&g, 1, &why), 0);
	ck_assert_msg(
		strstr(why.text, "without an entry") != NULL, "%s", why.text);
}

/* Switches that escape by new sets, and do not by what they may still hold,
 * are taken for such as do not. */
TEST(test_sides)
{
	struct verify_sets_report out;
	struct reason why = {""};
	struct verify_sets_job job;
	struct rng rng = {1};
	AUTO(rig) struct rig g;

	rig_open(&g, shape_of("mesh:5x5"));
	rig_kinds(&g, ROUTE_ESCAPES);
	make_sets(&g, &rng, 1);
	job = (struct verify_sets_job){.topo = g.t,
		.side = {{g.pool, g.r->row, g.r->nblocks, NULL},
			{g.pool, g.r->row, g.r->nblocks, g.sets}},
		.nsides = 2,
		.deps = g.deps};
	ck_assert_int_ne(verify_sets(&job, &out, &why), 0);
	ck_assert_uint_gt(out.cyclic, 0);
	job.nsides = 1;
	ck_assert_int_eq(verify_sets(&job, &out, &why), 0);
	ck_assert_uint_eq(out.options, 0);
}

/* A link that routes leave alone, as that of a drained port. */
static void
set_idle(struct topo *t, sw_ix s, uint32_t i)
{
	struct topo_adj *adj = t->adj + t->sw[s].adj;

	t->port[topo_port_of(t, t->sw[s].node, adj[i].out)].flags |= TP_IDLE;
	memmove(adj + i, adj + i + 1, (t->sw[s].nadj - i - 1U) * sizeof(*adj));
	t->sw[s].nadj--;
}

static void
set_idle_both_ends(struct topo *t, sw_ix s, uint32_t i)
{
	const struct topo_adj a = t->adj[t->sw[s].adj + i];
	uint32_t k = 0;

	while (t->adj[t->sw[a.peer].adj + k].out != a.peer_port)
		k++;
	set_idle(t, s, i);
	set_idle(t, a.peer, k);
}

/* A switch without hosts, to which no sets lead, as to one in quarantine. */
static void
take_hosts(struct topo *t, sw_ix s)
{
	for (uint32_t i = 0; i < t->sw[s].nend; i++)
		t->end[t->sw[s].end + i].host = false;
	t->sw[s].nhost = 0;
}

/*
 * What is drained or in quarantine still carries what old tables send there:
 * asked for everywhere, the verdict is the same as if nothing were. A judge of
 * the links that routes use overlooks cycles then.
 */
TEST(test_everywhere)
{
	unsigned overlooked = 0;

	for (uint64_t seed = 1; seed <= NETS; seed++) {
		struct verify_sets_report whole, narrow, all;
		struct verify_sets_job job = {.nsides = 1, .everywhere = true};
		struct reason why = {""};
		struct rng rng = {seed};
		struct rig g;
		sw_ix lost;
		int rc;

		rig_open(&g, gen_random(SWITCHES, DEGREE, HOSTS, seed, &why));
		rig_kinds(&g, ROUTE_COMMITS);
		lost = (sw_ix)rng_below(&rng, g.t->nsw);
		take_hosts(g.t, lost);
		make_sets(&g, &rng, 1U << rng_below(&rng, 5));
		job.topo = g.t;
		job.side[0] = (struct verify_sets_side){
			g.pool, g.r->row, g.r->nblocks, g.sets};
		job.deps = g.deps;
		rc = verify_sets(&job, &whole, &why);
		set_idle_both_ends(g.t, (sw_ix)rng_below(&rng, g.t->nsw), 0);
		g.t->node[g.t->sw[lost].node].flags |= TN_QUARANTINED;
		ck_assert_int_eq(verify_sets(&job, &all, &why), rc);
		ck_assert_uint_eq(all.cyclic, whole.cyclic);
		ck_assert_uint_eq(all.options, whole.options);
		job.everywhere = false;
		(void)verify_sets(&job, &narrow, &why);
		overlooked += narrow.cyclic == 0 && whole.cyclic > 0;
		rig_close(&g);
	}
	ck_assert_uint_gt(overlooked, 0);
}

/* Three switches that escape pass packets round to each other, beside defaults
 * that lead straight to the fourth. */
TEST(test_loop_of_options)
{
	struct reason why = {""};
	AUTO(rig) struct rig g;

	rig_open(&g, shape_of("hyperx:4"));
	rig_kinds(&g, ROUTE_ESCAPES);
	g.sets = route_sets_new(g.t, g.can, true);
	for (sw_ix s = 1; s < 4; s++)
		for (uint32_t i = 0; i < g.t->sw[s].nadj; i++) {
			const struct topo_adj *a =
				&g.t->adj[g.t->sw[s].adj + i];

			if (a->peer == s % 3 + 1)
				route_set_add(put_set(&g, s, 0), a->out);
		}
	ck_assert_int_ne(judge_sets(&g, 1, &why), 0);
	ck_assert_msg(strstr(why.text, "is on a loop of options") != NULL, "%s",
		why.text);
}
