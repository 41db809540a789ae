#include "tests/bench/kinds_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/verify.h"
#include "routing/verify/verify_sets.h"
#include "sm/base/mem.h"
#include "tests/bench/escape_net.h"
#include "tests/sim/data/field.h"
#include "tests/topo/gen.h"

enum { LINKS = 4, HOSTS = 4, GROUPS = 1000, TRIES = 4, ROW = 2 };

static const struct topo *
topo_of(const struct kinds_net *n)
{
	return sm_view(n->w->sm)->topo;
}

/* ---- kinds ---- */

/* The kind of each node, switches come first. A simulated switch is of kind
 * escapes if it reads rows of LIDs; that others commit is told by set_hops. */
static void
draw_kinds(
	struct kinds_net *n, const struct kinds_net_options *o, uint8_t *kind)
{
	for (uint32_t i = 0; i < n->f->nnodes; i++) {
		double at = rng_below(&n->r, 1000) / 1000.0;

		if (n->f->node[i].type != FABRIC_SWITCH)
			continue;
		kind[i] = at < o->fixed		       ? ROUTE_FIXED
			  : at < o->fixed + o->commits ? ROUTE_COMMITS
						       : ROUTE_ESCAPES;
		n->f->node[i].attrs.ar = kind[i] == ROUTE_ESCAPES;
		n->f->node[i].attrs.interleave =
			kind[i] == ROUTE_ESCAPES ? ROW : 0;
	}
}

/* Number the switches as the topology does, and make room for their sets. */
static void
take_topo(struct kinds_net *n, const uint8_t *kind)
{
	const struct topo *t = topo_of(n);
	struct route_choice *can = mem_zalloc(t->nsw, sizeof(*can));

	n->sw = mem_alloc(n->f->nnodes * sizeof(*n->sw));
	for (uint32_t i = 0; i < n->f->nnodes; i++) {
		n->sw[i] = TOPO_NONE;
		if (n->f->node[i].type != FABRIC_SWITCH)
			continue;
		n->sw[i] = t->node[topo_by_node_guid(t, n->f->node[i].guid)].sw;
		can[n->sw[i]] = (struct route_choice){kind[i], GROUPS};
		if (kind[i] == ROUTE_ESCAPES)
			sim_hand_adaptive(
				n->w->sim, i, MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	}
	n->sets = route_sets_new(t, can, true);
	free(can);
}

/* ---- sets ---- */

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

/* The options of s to all destination switches: of those on shortest paths one
 * in `odds`; one in 16 of the others. */
static struct route_set_row *
make_row(struct kinds_net *n, sw_ix s, uint32_t *const *dist, uint32_t odds)
{
	const struct topo *t = topo_of(n);
	struct route_set_row *row = route_set_row_new(n->sets->dest.n);

	for (sw_ix to = 0; to < t->nsw; to++) {
		struct route_set set = {{0}};

		if (to == s || n->sets->dest.number[to] == n->sets->dest.n)
			continue;
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];
			bool nearer = dist[to][a->peer] + 1 == dist[to][s];

			if (nearer ? rng_below(&n->r, odds) == 0
				   : odds > 1 && rng_below(&n->r, 16) == 0)
				route_set_add(&set, a->out);
		}
		row->of[n->sets->dest.number[to]] =
			route_set_row_number(row, &set);
	}
	return row;
}

static void
judge_net(struct kinds_net *n)
{
	const struct routes *r = sm_view(n->w->sm)->routes;
	const struct verify_sets_job job = {.topo = r->topo,
		.side = {{r->pool, r->row, r->nblocks, n->sets}},
		.nsides = 1,
		.deps = n->deps,
		.threads = 1};
	struct verify_sets_report out;

	n->stands = verify_sets(&job, &out, &n->why) == 0;
	n->options = out.options;
	n->cyclic = out.cyclic;
}

/* The sets of a switch that leave the network standing; thinner at each try. */
static void
prove_row(struct kinds_net *n, sw_ix s, uint32_t *const *dist)
{
	for (unsigned i = 1; i <= TRIES; i++) {
		n->sets->row[s] = make_row(n, s, dist, i);
		judge_net(n);
		if (n->stands)
			return;
		route_set_row_drop(n->sets->row[s]);
		n->sets->row[s] = NULL;
	}
}

static void
make_sets(struct kinds_net *n, bool proven)
{
	const struct topo *t = topo_of(n);
	uint32_t **dist = mem_zalloc(t->nsw, sizeof(*dist));
	sw_ix first = rng_below(&n->r, t->nsw);

	for (sw_ix to = 0; to < t->nsw; to++) {
		dist[to] = mem_alloc(t->nsw * sizeof(**dist));
		find_distances(t, to, dist[to]);
	}
	for (sw_ix i = 0; i < t->nsw; i++) {
		sw_ix s = (first + i) % t->nsw;

		if (n->sets->can[s].kind == ROUTE_FIXED)
			continue;
		if (proven)
			prove_row(n, s, dist);
		else
			n->sets->row[s] = make_row(n, s, dist, 1);
	}
	judge_net(n);
	for (sw_ix to = 0; to < t->nsw; to++)
		free(dist[to]);
	free(dist);
}

struct kinds_net *
kinds_net_new(const struct kinds_net_options *o)
{
	struct kinds_net *n = mem_zalloc(1, sizeof(*n));
	const struct routes *r;
	uint8_t *kind;

	n->r = (struct rng){o->seed};
	n->f = gen_random(o->switches, LINKS, HOSTS, o->seed, &n->why);
	if (n->f == NULL) {
		(void)fprintf(stderr, "kinds_net: %s\n", n->why.text);
		abort();
	}
	escape_net_slow(n->f);
	kind = mem_zalloc(n->f->nnodes, 1);
	draw_kinds(n, o, kind);
	n->w = field_bring_up(n->f,
		"fabric: {lmc: {hosts: 1}}\nrouting: {engines: [updn]}\n");
	take_topo(n, kind);
	free(kind);
	r = sm_view(n->w->sm)->routes;
	n->deps = verify_state_dependencies(r->verified, r->topo, UINT16_MAX);
	make_sets(n, o->proven);
	return n;
}

void
kinds_net_free(struct kinds_net *n)
{
	if (n == NULL)
		return;
	route_sets_unref(n->sets);
	free(n->deps);
	free(n->sw);
	world_free(n->w);
	fabric_free(n->f);
	free(n);
}

/* ---- packets ---- */

/*
 * The options are those that were judged. A switch that escapes tells ordered
 * packets by their LIDs: one that may choose, and has the escape alone, is none
 * of them.
 */
static void
set_hops(void *cookie, const struct data_choice *c, struct sim_hops *h)
{
	const struct kinds_net *n = cookie;
	const struct topo *t = topo_of(n);
	sw_ix s = n->sw[c->node];
	bool escapes = n->sets->can[s].kind == ROUTE_ESCAPES;
	const struct route_set *set;
	unsigned path;
	port_ix own = topo_by_lid(t, c->dlid, &path);

	*h = (struct sim_hops){.kind = SIM_FIXED,
		.port = sim_lft(n->w->sim, c->node, c->dlid)};
	if (path == 0)
		return;
	set = route_sets_get(n->sets, s, topo_switch_of(t, own));
	if (set != NULL && route_set_count(set) > 0)
		memcpy(h->tier[0], set->port, sizeof(h->tier[0]));
	else if (!escapes)
		return;
	h->kind = escapes ? SIM_ESCAPES : SIM_COMMITS;
	if (!escapes || set == NULL || route_set_count(set) == 0)
		sim_hops_add(h->tier[0], h->port);
}

struct lids {
	struct kinds_net *n;
	const struct data *d;
};

static uint16_t
draw_lid(void *cookie, uint32_t src, uint32_t dst)
{
	struct lids *l = cookie;
	uint32_t node = data_end_node(l->d, dst);

	(void)src;
	return (uint16_t)(sim_port_info(l->n->w->sim, node, 1)->lid +
			  (rng_below(&l->n->r, 4) != 0));
}

bool
kinds_net_is_stuck(struct kinds_net *n, uint32_t bytes, uint32_t buffer)
{
	struct data_options o = data_fifo();
	struct data_traffic t = data_traffic_defaults();
	struct lids lids = {.n = n};
	struct data_report r;
	struct data *d;

	o.buffer = buffer;
	o.hops = set_hops;
	o.cookie = n;
	d = data_new(n->w->sim, &o);
	lids.d = d;
	t.packet = bytes;
	t.dlid = draw_lid;
	t.cookie = &lids;
	data_traffic_start(d, &t);
	data_run_until(d, mono_add(sim_now(n->w->sim), mono_us(200)));
	data_traffic_stop(d);
	data_run_until(d, mono_add(sim_now(n->w->sim), mono_us(500)));
	data_report_get(d, &r);
	data_free(d);
	if (r.dropped > r.drop[DATA_DROP_SAME] ||
		(n->stands && r.dropped > 0) ||
		r.deadlock_now != (r.in_flight > 0)) {
		(void)fprintf(stderr,
			"kinds_net: %llu dropped, %llu left, deadlock %d\n",
			(unsigned long long)r.dropped,
			(unsigned long long)r.in_flight, r.deadlock_now);
		abort();
	}
	return r.deadlock_now;
}
