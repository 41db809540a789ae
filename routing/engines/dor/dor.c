#include "routing/engines/dor/dor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/graph/dimensions_fit.h"
#include "routing/graph/switch_lids.h"
#include "sm/base/mem.h"

enum { NO_GROUP = UINT32_MAX };

static const struct schema dor_schema = {
	"routing.dor", &dimension_option, 1, sizeof(struct dimension_options)};

static struct dimensions_given
take_dimensions(const struct route_job *job)
{
	return dimensions_take(
		engine_own_options(job->options, &dor_schema), dor_schema.path);
}

struct dor {
	const struct swgraph *g;
	const struct routes *prev; /* to keep entries of, or NULL */
	struct dimensions d;
	uint32_t *rank; /* [groups] */
	uint32_t *back; /* [groups] the same links from the other end */
	sw_ix *former;	/* [nsw] in prev, or TOPO_NONE */
	struct switch_lids lids;
	uint64_t *load; /* [topo.nadj] host pairs so far */
	uint8_t *row;	/* [nsw * width] the tables */
	size_t width;
	/* The tree of one destination switch. */
	uint32_t *next;	 /* [nsw] group that leads to it, or NO_GROUP */
	uint32_t *level; /* [nsw] links to it */
	sw_ix *seq;	 /* [nsw] nearest first */
	uint32_t nseq;
	uint64_t *behind; /* [nsw] hosts that come through a switch */
};

/* ---- ranks ---- */

/* The rank of a link group of switch s. */
static uint32_t
rank_of(const struct dor *x, sw_ix s, uint32_t group)
{
	const struct dimensions *d = &x->d;
	unsigned dim = d->of[group];
	uint32_t a = d->at[s * d->n + dim], n = d->dim[dim].size, base = 0;
	uint32_t b = d->at[x->g->group[group].peer * d->n + dim];

	for (unsigned i = 0; i < dim; i++)
		base += 2 * d->dim[i].size;
	return base + (b < a ? n - a : n + b);
}

static void
rank_links(struct dor *x)
{
	const struct swgraph *g = x->g;
	uint32_t n = g->first[g->nsw];

	x->rank = arena_array(g->a, n, sizeof(*x->rank));
	x->back = arena_array(g->a, n, sizeof(*x->back));
	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix p = g->group[i].peer;

			x->rank[i] = rank_of(x, s, i);
			for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++)
				if (g->group[k].peer == s)
					x->back[i] = k;
		}
}

/* ---- the tree of a destination ---- */

/* The group by which the previous tables left s for a LID, or NO_GROUP. */
static uint32_t
previous_group(const struct dor *x, sw_ix s, uint16_t lid)
{
	const struct swgraph *g = x->g;
	uint8_t port;

	if (x->prev == NULL || x->former[s] == TOPO_NONE)
		return NO_GROUP;
	port = routes_port(x->prev, x->former[s], lid);
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		for (unsigned k = 0; k < g->group[i].n; k++)
			if (g->t->adj[g->group[i].adj + k].out == port)
				return i;
	return NO_GROUP;
}

/* Whether group a of switch s is a better choice than b; kept: the previous. */
static bool
is_better(const struct dor *x, uint32_t a, uint32_t b, uint32_t kept)
{
	uint64_t la = x->load[x->g->group[a].adj];
	uint64_t lb = x->load[x->g->group[b].adj];

	if (a == kept || b == kept)
		return a == kept;
	if (x->rank[a] != x->rank[b])
		return x->rank[a] > x->rank[b];
	return la != lb ? la < lb : a < b;
}

/* Offer switch v, which has a path, to its neighbours as their next. */
static void
offer_switch(struct dor *x, sw_ix v, uint16_t lid, bool keep)
{
	const struct swgraph *g = x->g;
	uint32_t then = x->next[v];

	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
		sw_ix u = g->group[i].peer;
		uint32_t link = x->back[i];

		if (x->level[u] <= x->level[v] || !g->live[u] ||
			(then != NO_GROUP && x->rank[link] >= x->rank[then]))
			continue;
		if (x->level[u] == UINT32_MAX) {
			x->level[u] = x->level[v] + 1;
			x->next[u] = link;
			x->seq[x->nseq++] = u;
		} else if (is_better(x, link, x->next[u],
				   keep ? previous_group(x, u, lid)
					: NO_GROUP)) {
			x->next[u] = link;
		}
	}
}

/* The paths from all switches to root; returns how many have one. */
static uint32_t
grow_tree(struct dor *x, sw_ix root, bool keep)
{
	uint16_t lid = x->lids.lid[x->lids.first[root]];

	for (sw_ix s = 0; s < x->g->nsw; s++) {
		x->next[s] = NO_GROUP;
		x->level[s] = UINT32_MAX;
	}
	x->level[root] = 0;
	x->nseq = 0;
	x->seq[x->nseq++] = root;
	for (uint32_t i = 0; i < x->nseq; i++)
		offer_switch(x, x->seq[i], lid, keep);
	return x->nseq;
}

/* "leaf1", or the GUID where the name was not read. */
struct switch_name {
	char s[72];
};

static struct switch_name
name_of(const struct topo *t, sw_ix s)
{
	const char *desc = topo_desc(t, t->sw[s].node);
	struct switch_name n;

	if (*desc != '\0')
		(void)snprintf(n.s, sizeof(n.s), "\"%.64s\"", desc);
	else
		(void)snprintf(n.s, sizeof(n.s), "0x%016" PRIx64,
			t->node[t->sw[s].node].guid);
	return n;
}

static int
refuse_pair(const struct dor *x, sw_ix root, struct reason *why)
{
	const struct topo *t = x->g->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		if (x->g->live[s] && x->level[s] == UINT32_MAX)
			return reason_set(why,
				"no path by order of dimensions from %s to %s: "
				"a link or a switch is missing",
				name_of(t, s).s, name_of(t, root).s);
	return 0;
}

/* ---- rows ---- */

/* The link of a group for a LID: the previous one, or the least loaded. */
static uint32_t
choose_link(const struct dor *x, sw_ix s, uint32_t group, uint16_t lid)
{
	const struct link_group *links = &x->g->group[group];
	uint32_t best = links->adj;
	uint8_t was = LFT_DROP;

	if (x->prev != NULL && x->former[s] != TOPO_NONE)
		was = routes_port(x->prev, x->former[s], lid);
	for (uint32_t k = links->adj; k < links->adj + links->n; k++) {
		if (x->g->t->adj[k].out == was)
			return k;
		if (x->load[k] < x->load[best])
			best = k;
	}
	return best;
}

/* Hosts that come through each switch. */
static void
count_behind(struct dor *x)
{
	const struct swgraph *g = x->g;

	for (uint32_t i = 0; i < x->nseq; i++)
		x->behind[x->seq[i]] = g->t->sw[x->seq[i]].nhost;
	for (uint32_t i = x->nseq; i-- > 1;) {
		sw_ix s = x->seq[i];

		x->behind[g->group[x->next[s]].peer] += x->behind[s];
	}
}

/* The entries of all switches for a LID of root. */
static void
fill_column(struct dor *x, sw_ix root, uint16_t lid)
{
	x->row[root * x->width + lid] = x->lids.eject[lid];
	for (uint32_t i = 1; i < x->nseq; i++) {
		sw_ix s = x->seq[i];
		uint32_t k = choose_link(x, s, x->next[s], lid);

		x->row[s * x->width + lid] = x->g->t->adj[k].out;
		x->load[k] += x->lids.host[lid] ? x->behind[s] : 0;
	}
}

/* All entries for the LIDs of one switch. */
static int
route_to(struct dor *x, sw_ix root, struct reason *why)
{
	uint32_t n = x->g->nsw, live = 0;

	for (sw_ix s = 0; s < n; s++)
		live += x->g->live[s];
	if (x->lids.first[root] == x->lids.first[root + 1])
		return 0;
	if (grow_tree(x, root, x->prev != NULL) < live &&
		grow_tree(x, root, false) < live)
		return refuse_pair(x, root, why);
	count_behind(x);
	for (uint32_t i = x->lids.first[root]; i < x->lids.first[root + 1]; i++)
		fill_column(x, root, x->lids.lid[i]);
	return 0;
}

/* ---- the result ---- */

static void
describe_dimensions(const struct dimensions *d, char *out, size_t size)
{
	size_t n = (size_t)snprintf(
		out, size, "one dimension after the other, of %u:", d->n);

	for (unsigned i = 0; i < d->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s %s of %" PRIu32,
			i > 0 ? "," : "",
			d->dim[i].shape == DIMENSION_LINE ? "line"
							  : "full mesh",
			d->dim[i].size);
}

static struct routes *
make_routes(const struct dor *x)
{
	const struct route_job *job = x->g->job;
	const struct topo *t = x->g->t;
	struct routes *r = routes_new(job->topo, job->pool);

	r->engine = engine_dor.module.name;
	r->order = ROUTE_NO_ORDER;
	r->link_ranks = link_ranks_new(1, t->nadj);
	for (uint32_t i = 0; i < x->g->first[x->g->nsw]; i++)
		for (unsigned k = 0; k < x->g->group[i].n; k++)
			r->link_ranks->of[x->g->group[i].adj + k] = x->rank[i];
	describe_dimensions(&x->d, r->note, sizeof(r->note));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (x->g->live[s])
			routes_put_row(r, s, x->row + s * x->width, job->prev,
				job->prev != NULL
					? topo_switch_in(job->prev->topo, t, s)
					: TOPO_NONE);
	return r;
}

static void
make_room(struct dor *x, const struct routes *prev)
{
	const struct topo *t = x->g->t;
	struct arena *a = x->g->a;

	x->prev = prev;
	x->former = arena_array(a, t->nsw, sizeof(*x->former));
	for (sw_ix s = 0; s < t->nsw; s++)
		x->former[s] = prev == NULL ? TOPO_NONE
					    : topo_switch_in(prev->topo, t, s);
	x->load = arena_array(a, t->nadj, sizeof(*x->load));
	x->width = (t->max_lid / LFT_BLOCK + 1U) * (size_t)LFT_BLOCK;
	x->row = arena_alloc(a, t->nsw * x->width);
	memset(x->row, LFT_DROP, t->nsw * x->width);
	x->next = arena_array(a, t->nsw, sizeof(*x->next));
	x->level = arena_array(a, t->nsw, sizeof(*x->level));
	x->seq = arena_array(a, t->nsw, sizeof(*x->seq));
	x->behind = arena_array(a, t->nsw, sizeof(*x->behind));
}

/* A ring has cycles on a single VL, and every link must have a rank. */
static int
refuse_others(const struct dimensions *d, struct reason *why)
{
	if (d->odd > 0)
		return reason_set(why,
			"no mesh, hypercube or HyperX: links lead to no "
			"neighbour in any dimension: %" PRIu32,
			d->odd / 2);
	for (unsigned i = 0; i < d->n; i++)
		if (d->dim[i].shape == DIMENSION_RING)
			return reason_set(why,
				"dimension %u of %u is a ring of %" PRIu32
				" switches: a torus needs more than one VL",
				i + 1, d->n, d->dim[i].size);
	return 0;
}

static enum engine_result
dor_route(const struct route_job *job, bool keep, unsigned attempt,
	struct arena *arena, struct routes **out, struct reason *why)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = arena};
	const struct dimensions_given given = take_dimensions(job);
	struct dor x = {.g = &g};

	*out = NULL;
	if (attempt > 0)
		return ENGINE_NO_MORE;
	swgraph_build(&g);
	if (dimensions_find(&g, &given, &x.d, why) != 0 ||
		refuse_others(&x.d, why) != 0)
		return ENGINE_REFUSED;
	rank_links(&x);
	switch_lids_list(&x.lids, g.t, arena);
	make_room(&x, keep ? job->prev : NULL);
	for (sw_ix s = 0; s < g.nsw; s++) {
		if (job->cancel != NULL && *job->cancel) {
			(void)reason_set(why, "cancelled");
			return ENGINE_REFUSED;
		}
		if (g.live[s] && route_to(&x, s, why) != 0)
			return ENGINE_REFUSED;
	}
	*out = make_routes(&x);
	return ENGINE_OK;
}

const struct engine engine_dor = {
	.module = {.name = "dor", .options = &dor_schema},
	.route = dor_route,
};
