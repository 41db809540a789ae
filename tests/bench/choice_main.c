/*
 * How much choice the paths of layers leave that climb in the ranks of their
 * links: what sets of ports could bring at most beside tables that obey no
 * order of switches (routing/adaptive makes none for these).
 *
 * A packet may go on by any link of higher rank than the one that it came by,
 * in its layer, on a shortest path of such links. That is more than a switch
 * can do: it knows the destination alone, not the link that a packet came by
 * nor its source. So the figures bound those of any sets that share the proof
 * of the tables. One line for each fabric:
 *
 *	fabric engine: links of the mean path of the tables and of the shortest
 *	that climb; the share of pairs of switches whose first link is a choice,
 *	and of all hops; the highest load and the bisection bandwidth, by the
 *	tables, and split evenly over all choices
 *
 * What they say: with dor a HyperX and a mesh leave no choice at all; eBB of a
 * torus 8^3 goes from .574 to at most .610 (torus) and from .459 to .494 (nue),
 * that of a HyperX from .721 to .745 (torus), and a dragonfly loses by an even
 * split (.638 to .604), as its few choices lead over links between groups that
 * the tables have balanced. That does not pay for groups in every switch.
 *
 * usage: choice [ENGINE FABRIC]... (see meshnet.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/measure/bandwidth.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/bench/meshnet.h"
#include "tests/topo/frozen.h"

enum { TRIALS = 50, SEED = 1, EIGHT_VLS = 4, FAR = 255 };

/* A channel: a link in topo.adj, on a group of VLs. */
struct channels {
	const struct routes *r;
	const struct topo *t;
	struct link_ranks *ranks;
	unsigned groups;
	sw_ix *from;	/* [nadj] */
	uint8_t *links; /* [nadj * groups] to the destination at hand; 0: not
			   known yet */
	double *flow;	/* [nadj * groups] */
	double *load;	/* [nadj] */
	uint32_t *now, *next; /* [nadj * groups] channels with flow */
	sw_ix to;
	unsigned layer;
	double pairs, choosing, hops, free_hops, length;
	bool count; /* figures of choices */
};

static uint32_t
rank_of(const struct channels *c, uint32_t link, unsigned group)
{
	return c->ranks
		->of[(c->ranks->groups > 1 ? group : 0) * c->ranks->nadj +
			link];
}

static port_ix
port_at(const struct channels *c, sw_ix s, unsigned port)
{
	return topo_port_of(c->t, c->t->sw[s].node, port);
}

/* The group of VLs on a link after one that arrived by a port of its switch; 0:
 * the packet starts there. */
static unsigned
group_on(const struct channels *c, uint32_t link, unsigned in)
{
	const struct vl_map *m = c->r->layers.map;
	sw_ix s = c->from[link];

	return vl_map_group(m, c->layer,
		in == 0 ? 0 : vl_map_in(m, port_at(c, s, in)),
		vl_map_out(m, port_at(c, s, c->t->adj[link].out)));
}

/* The channel that a packet may go on by from channel at, or UINT32_MAX. */
static uint32_t
channel_after(const struct channels *c, uint32_t at, uint32_t link)
{
	uint32_t came = at / c->groups;
	unsigned in = c->t->adj[came].peer_port, group = group_on(c, link, in);

	if (c->t->adj[link].out == in ||
		rank_of(c, link, group) <= rank_of(c, came, at % c->groups))
		return UINT32_MAX;
	return link * c->groups + group;
}

/* Links of the shortest path from channel at, itself included. */
static unsigned
links_from(struct channels *c, uint32_t at)
{
	sw_ix s = c->t->adj[at / c->groups].peer;
	const struct topo_switch *sw = &c->t->sw[s];
	unsigned best = FAR;

	if (c->links[at] != 0)
		return c->links[at];
	if (s == c->to)
		return c->links[at] = 1;
	c->links[at] = FAR;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		uint32_t next = channel_after(c, at, i);
		unsigned n = next == UINT32_MAX ? FAR : links_from(c, next);

		if (n < FAR && n + 1 < best)
			best = n + 1;
	}
	return c->links[at] = (uint8_t)best;
}

static void
add_flow(struct channels *c, uint32_t at, double share, uint32_t *list,
	uint32_t *n)
{
	if (c->flow[at] == 0)
		list[(*n)++] = at;
	c->flow[at] += share;
}

/* The channels of shortest paths on from channel at, or from switch s; *left:
 * the links of these. */
static unsigned
find_choices(struct channels *c, uint32_t at, sw_ix s, unsigned *left,
	uint32_t out[256])
{
	const struct topo_switch *sw = &c->t->sw[s];
	unsigned n = 0;

	*left = FAR;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		uint32_t next = at == UINT32_MAX
					? i * c->groups + group_on(c, i, 0)
					: channel_after(c, at, i);
		unsigned k = next == UINT32_MAX ? FAR : links_from(c, next);

		if (k < *left) {
			*left = k;
			n = 0;
		}
		if (k == *left && k < FAR)
			out[n++] = next;
	}
	return n;
}

/* Lay a flow over all paths, and take it off again: returns the highest load on
 * them. */
static double
lay_flow(struct channels *c, sw_ix from, double amount)
{
	uint32_t n = 0, choice[256];
	unsigned left, k = find_choices(c, UINT32_MAX, from, &left, choice);
	double most = 0;

	if (c->count) {
		c->pairs++;
		c->choosing += k > 1;
		c->length += left;
	}
	for (unsigned i = 0; i < k; i++)
		add_flow(c, choice[i], amount / k, c->now, &n);
	while (n > 0) {
		uint32_t m = 0, *swap;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = c->now[i], link = at / c->groups;
			double flow = c->flow[at];

			c->flow[at] = 0;
			c->load[link] += flow;
			most = c->load[link] > most ? c->load[link] : most;
			if (c->t->adj[link].peer == c->to)
				continue;
			k = find_choices(
				c, at, c->t->adj[link].peer, &left, choice);
			c->hops += c->count ? flow : 0;
			c->free_hops += c->count && k > 1 ? flow : 0;
			for (unsigned j = 0; j < k; j++)
				add_flow(c, choice[j], flow / k, c->next, &m);
		}
		swap = c->now;
		c->now = c->next;
		c->next = swap;
		n = m;
	}
	return most;
}

static void
aim_at(struct channels *c, sw_ix to, unsigned layer)
{
	c->to = to;
	c->layer = layer;
	memset(c->links, 0, c->t->nadj * c->groups);
}

/* All hosts to all others; returns the highest load. */
static double
lay_uniform(struct channels *c)
{
	const struct topo *t = c->t;
	double most = 0;

	c->count = true;
	for (sw_ix d = 0; d < t->nsw; d++)
		for (unsigned l = 0; l < c->r->layers.n; l++) {
			aim_at(c, d, l);
			for (sw_ix s = 0; s < t->nsw; s++)
				if (s != d && t->sw[s].nhost > 0 &&
					t->sw[d].nhost > 0 &&
					routes_layer(&c->r->layers, s, d) == l)
					(void)lay_flow(c, s,
						(double)t->sw[s].nhost *
							t->sw[d].nhost);
		}
	c->count = false;
	for (uint32_t i = 0; i < t->nadj; i++)
		most = c->load[i] > most ? c->load[i] : most;
	return most;
}

/* ---- bisections, as bandwidth_ebb draws them ---- */

static double
lay_pairs(struct channels *c, const sw_ix *host, uint32_t half, double amount)
{
	double sum = 0;

	for (uint32_t i = 0; i < half; i++) {
		sw_ix s = host[i], d = host[half + i];
		double most = 0;

		if (s != d) {
			aim_at(c, d, routes_layer(&c->r->layers, s, d));
			most = lay_flow(c, s, amount);
		}
		sum += most > 1 ? 1 / most : 1;
	}
	return sum;
}

static double
measure_bisections(struct channels *c)
{
	const struct topo *t = c->t;
	sw_ix *host = mem_alloc((t->max_lid + 1U) * sizeof(*host));
	struct rng rng = {SEED};
	uint32_t n = 0;
	double sum = 0;

	for (uint16_t lid = 1; lid <= t->max_lid; lid++)
		if (t->by_lid[lid] != TOPO_NONE &&
			topo_is_host(t, t->by_lid[lid]))
			host[n++] = topo_switch_of(t, t->by_lid[lid]);
	for (unsigned k = 0; k < TRIALS; k++) {
		for (uint32_t i = n; i > 1; i--) {
			uint32_t j = rng_below(&rng, i);
			sw_ix s = host[j];

			host[j] = host[i - 1];
			host[i - 1] = s;
		}
		memset(c->load, 0, t->nadj * sizeof(*c->load));
		(void)lay_pairs(c, host, n / 2, 1);
		/* a flow of nearly nothing sees the loads of all */
		sum += lay_pairs(c, host, n / 2, 1e-9) / (n / 2);
	}
	free(host);
	return sum / TRIALS;
}

/* ---- one fabric ---- */

static void
print_figures(const char *name, struct routes *r)
{
	const struct topo *t = r->topo;
	const struct verify_tables in = {
		t, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct channels c = {.r = r, .t = t, .ranks = routes_link_ranks(r)};
	size_t n;
	struct bandwidth_ebb ebb;
	double load;

	if (c.ranks == NULL) {
		(void)printf("%s %s: no ranks\n", name, r->engine);
		return;
	}
	c.groups = r->layers.map != NULL ? r->layers.map->groups : r->layers.n;
	n = (size_t)t->nadj * c.groups;
	c.from = mem_alloc(t->nadj * sizeof(*c.from));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			c.from[t->sw[s].adj + i] = s;
	c.links = mem_alloc(n);
	c.flow = mem_zalloc(n, sizeof(*c.flow));
	c.load = mem_zalloc(t->nadj, sizeof(*c.load));
	c.now = mem_alloc(n * sizeof(*c.now));
	c.next = mem_alloc(n * sizeof(*c.next));
	bandwidth_ebb(&in, TRIALS, SEED, &ebb);
	load = lay_uniform(&c);
	(void)printf(
		"%s %s: links %.3f %.3f, choice %.1f%% of pairs, %.1f%% of "
		"later hops; load %llu %.1f; eBB %.3f %.3f\n",
		name, r->engine, r->report.hops_mean, c.length / c.pairs,
		100 * c.choosing / c.pairs,
		c.hops > 0 ? 100 * c.free_hops / c.hops : 0,
		(unsigned long long)r->report.load_max, load, ebb.mean,
		measure_bisections(&c));
	link_ranks_drop(c.ranks);
	free(c.from);
	free(c.links);
	free(c.flow);
	free(c.load);
	free(c.now);
	free(c.next);
}

static void
bench_fabric(const char *engine, const char *name)
{
	const struct frozen_lids lids = {0};
	struct reason why = {""};
	struct fabric *f = meshnet_make(name, &why);
	struct route_job job = {
		.pool = lft_pool_new(), .threads = 2, .load_limit = 1250};
	struct route_account story;
	struct routes *r = NULL;

	if (f != NULL) {
		job.topo = frozen_topo(f, &lids);
		for (port_ix p = 0; p < job.topo->nports; p++)
			job.topo->port[p].vl_cap = job.topo->port[p].op_vls =
				EIGHT_VLS;
		r = compute_routes(&job, &engine, 1, &story, &why);
	}
	if (r != NULL && strcmp(story.engine, engine) == 0)
		print_figures(name, r);
	else
		(void)printf("%s %s: %s\n", name, engine,
			r != NULL ? story.tried : why.text);
	routes_unref(r);
	topo_unref(job.topo);
	lft_pool_free(job.pool);
	fabric_free(f);
}

int
main(int argc, char **argv)
{
	static const char *const usual[][2] = {{"dor", "hyperx8x8:8"},
		{"dor", "mesh8x8"}, {"torus", "torus8x8x8"},
		{"torus", "hyperx8x8:8"}, {"dragonfly", "dragonfly8:4:4"},
		{"nue", "torus8x8x8"}, {"nue", "dragonfly8:4:4"}};

	for (int i = 1; i + 1 < argc; i += 2)
		bench_fabric(argv[i], argv[i + 1]);
	for (unsigned i = 0; argc < 3 && i < sizeof(usual) / sizeof(usual[0]);
		i++)
		bench_fabric(usual[i][0], usual[i][1]);
	return 0;
}
