#include "sm/report/fabric_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/climb/climb_engine.h"
#include "routing/graph/swgraph.h"
#include "routing/graph/switch_groups.h"
#include "routing/tiers/tree.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/base/node_entry.h"
#include "sm/base/union_find.h"
#include "sm/base/utf8.h"
#include "sm/report/fabric_counts.h"

/* The graph while it is made: arrays grow, and are copied in the end. */
struct work {
	const struct view *v;
	const struct topo *t;
	struct arena *a;
	struct fabric_graph *g;
	size_t cap_sw, cap_links, cap_hosts;
	struct map missing; /* missing switches: GUID -> number */
};

/* ---- what is there ---- */

static const char *
copy_name(struct arena *a, const char *s)
{
	char *name = arena_strdup(a, s);
	size_t n = strlen(name);

	utf8_tame(name);
	while (n > 0 && name[n - 1] == ' ')
		name[--n] = '\0';
	return name;
}

static uint32_t
add_switch(struct work *w, uint64_t guid, const char *name,
	enum fabric_graph_state state)
{
	struct fabric_graph *g = w->g;

	g->sw = mem_grow(g->sw, g->nsw, &w->cap_sw, sizeof(*g->sw));
	g->sw[g->nsw] = (struct fabric_graph_switch){.guid = guid,
		.name = copy_name(w->a, name),
		.tier = FABRIC_GRAPH_NONE,
		.state = state};
	return g->nsw++;
}

static void
add_link(struct work *w, uint32_t a, uint32_t b, bool missing, bool drained)
{
	struct fabric_graph *g = w->g;

	g->link = mem_grow(g->link, g->nlinks, &w->cap_links, sizeof(*g->link));
	g->link[g->nlinks++] = (struct fabric_graph_link){.a = a < b ? a : b,
		.b = a < b ? b : a,
		.n = 1,
		.missing = missing,
		.drained = drained};
}

static void
add_host(struct work *w, const struct fabric_graph_host *host)
{
	struct fabric_graph *g = w->g;
	struct fabric_graph_host *h;

	g->host = mem_grow(g->host, g->nhosts, &w->cap_hosts, sizeof(*g->host));
	h = &g->host[g->nhosts++];
	*h = *host;
	h->name = copy_name(w->a, host->name);
}

static enum fabric_graph_state
state_of(const struct topo *t, node_ix n)
{
	if ((t->node[n].flags & TN_QUARANTINED) != 0)
		return FABRIC_GRAPH_QUARANTINED;
	if ((t->port[t->node[n].first_port].flags & TP_DRAINED) != 0)
		return FABRIC_GRAPH_DRAINED;
	return FABRIC_GRAPH_OK;
}

static bool
is_drained(const struct topo *t, port_ix p, sw_ix s, sw_ix peer)
{
	return ((t->port[p].flags | t->port[t->port[p].peer].flags) &
		       TP_DRAINED) != 0 ||
	       state_of(t, t->sw[s].node) == FABRIC_GRAPH_DRAINED ||
	       state_of(t, t->sw[peer].node) == FABRIC_GRAPH_DRAINED;
}

/* The link at a port of switch s. */
static void
take_port(struct work *w, sw_ix s, port_ix p)
{
	const struct topo *t = w->t;
	port_ix far = t->port[p].peer;
	sw_ix peer = topo_port_switch(t, far);
	node_ix n;

	if (far == TOPO_NONE || peer == s)
		return;
	if (peer != TOPO_NONE) {
		if (p < far)
			add_link(w, s, peer, false, is_drained(t, p, s, peer));
		return;
	}
	n = t->port[far].node;
	if (fabric_counts_is_host(t, n))
		add_host(w, &(struct fabric_graph_host){.guid = t->node[n].guid,
				    .name = topo_desc(t, n),
				    .sw = s,
				    .port = t->port[far].num});
}

static void
take_topo(struct work *w)
{
	const struct topo *t = w->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix n = t->sw[s].node;

		(void)add_switch(
			w, t->node[n].guid, topo_desc(t, n), state_of(t, n));
	}
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned i = 1; i <= t->node[t->sw[s].node].nports; i++)
			take_port(w, s, topo_port_of(t, t->sw[s].node, i));
}

/* ---- what is missing ---- */

/* The switch at an end of something that is missing; FABRIC_GRAPH_NONE: it is
 * no switch, or not known to be one. */
static uint32_t
find_switch(struct work *w, const struct event_end *e)
{
	node_ix n = topo_by_node_guid(w->t, e->guid);
	uint32_t s;

	if (n != TOPO_NONE)
		return w->t->node[n].sw;
	if (e->is != EVENT_IS_SWITCH)
		return FABRIC_GRAPH_NONE;
	if (!map_get(&w->missing, e->guid, &s)) {
		s = add_switch(w, e->guid, e->name, FABRIC_GRAPH_MISSING);
		map_put(&w->missing, e->guid, s);
	}
	return s;
}

static bool
is_host_end(const struct work *w, const struct event_end *e)
{
	node_ix n = topo_by_node_guid(w->t, e->guid);

	return n != TOPO_NONE ? fabric_counts_is_host(w->t, n)
			      : e->is == EVENT_IS_HOST;
}

static void
take_missing_link(
	struct work *w, const struct event_end *a, const struct event_end *b)
{
	uint32_t s = find_switch(w, a), peer = find_switch(w, b);

	if (s == FABRIC_GRAPH_NONE && peer == FABRIC_GRAPH_NONE)
		return;
	if (s != FABRIC_GRAPH_NONE && peer != FABRIC_GRAPH_NONE) {
		if (s != peer)
			add_link(w, s, peer, true, false);
		return;
	}
	if (s == FABRIC_GRAPH_NONE) {
		s = peer;
		b = a;
	}
	if (is_host_end(w, b))
		add_host(w, &(struct fabric_graph_host){.guid = b->guid,
				    .name = b->name,
				    .sw = s,
				    .port = b->port,
				    .missing = true});
}

static void
take_missing(struct work *w, const struct event_log *log)
{
	const struct event_missing *m;
	size_t n = 0;

	if (log == NULL)
		return;
	m = event_log_missing(log, &n);
	for (size_t i = 0; i < n; i++)
		if (m[i].is_node)
			(void)find_switch(w, &m[i].a);
		else if (m[i].b.guid != 0)
			take_missing_link(w, &m[i].a, &m[i].b);
}

/* ---- in order ---- */

static int
compare_links(const void *pa, const void *pb)
{
	const struct fabric_graph_link *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b != b->b ? (a->b < b->b ? -1 : 1) : 0;
}

/* All links between two switches as one. */
static void
fold_links(struct fabric_graph *g)
{
	uint32_t n = 0;

	if (g->nlinks == 0)
		return;
	qsort(g->link, g->nlinks, sizeof(*g->link), compare_links);
	for (uint32_t i = 1; i < g->nlinks; i++) {
		struct fabric_graph_link *to = &g->link[n];
		const struct fabric_graph_link *l = &g->link[i];

		if (compare_links(to, l) == 0) {
			to->n++;
			to->missing += l->missing;
			to->drained += l->drained;
		} else {
			g->link[++n] = *l;
		}
	}
	g->nlinks = n + 1;
}

static int
compare_hosts(const void *pa, const void *pb)
{
	const struct fabric_graph_host *a = pa, *b = pb;
	int order;

	if (a->sw != b->sw)
		return a->sw < b->sw ? -1 : 1;
	order = strverscmp(a->name, b->name);
	if (order != 0)
		return order;
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return (int)a->port - (int)b->port;
}

static void
list_by_switch(struct fabric_graph *g, struct arena *a)
{
	uint32_t *at = arena_array(a, g->nsw, sizeof(*at));

	g->first = arena_array(a, g->nsw + 1, sizeof(*g->first));
	g->by_switch = arena_array(a, (size_t)g->nlinks * 2, sizeof(*at));
	for (uint32_t i = 0; i < g->nlinks; i++) {
		g->first[g->link[i].a + 1]++;
		g->first[g->link[i].b + 1]++;
	}
	for (uint32_t s = 0; s < g->nsw; s++) {
		g->first[s + 1] += g->first[s];
		at[s] = g->first[s];
	}
	for (uint32_t i = 0; i < g->nlinks; i++) {
		g->by_switch[at[g->link[i].a]++] = i;
		g->by_switch[at[g->link[i].b]++] = i;
	}
}

static void
count_ends(struct fabric_graph *g)
{
	if (g->nhosts > 0)
		qsort(g->host, g->nhosts, sizeof(*g->host), compare_hosts);
	for (uint32_t i = 0; i < g->nhosts; i++) {
		g->sw[g->host[i].sw].hosts++;
		g->sw[g->host[i].sw].missing += g->host[i].missing;
	}
	for (uint32_t i = 0; i < g->nlinks; i++) {
		const struct fabric_graph_link *l = &g->link[i];

		g->sw[l->a].links += l->n;
		g->sw[l->b].links += l->n;
		g->sw[l->a].down += l->missing;
		g->sw[l->b].down += l->missing;
		if (g->sw[l->b].state != FABRIC_GRAPH_MISSING)
			g->sw[l->a].broken += l->missing;
		if (g->sw[l->a].state != FABRIC_GRAPH_MISSING)
			g->sw[l->b].broken += l->missing;
	}
}

/* ---- tiers ---- */

/* Tiers of the neighbours of a switch. */
struct around {
	uint32_t low, high; /* smallest and largest */
};

static void
note_around(struct around *x, uint32_t tier)
{
	if (tier == FABRIC_GRAPH_NONE)
		return;
	x->low = tier < x->low ? tier : x->low;
	x->high =
		x->high == FABRIC_GRAPH_NONE || tier > x->high ? tier : x->high;
}

/* Where a switch fits: between tiers of its neighbours, or below them if it has
 * hosts, else above them, or below if these are the top. */
static uint32_t
fit_tier(const struct fabric_graph *g, uint32_t s, const struct around *x)
{
	if (x->low == FABRIC_GRAPH_NONE)
		return g->sw[s].hosts > 0 ? g->ntiers - 1 : g->sw[s].tier;
	if (x->high > x->low + 1)
		return x->low + 1;
	if (g->sw[s].hosts > 0)
		return g->ntiers - 1;
	return x->low > 0 ? x->low - 1 : 1;
}

/*
 * The tree was read without switches that are missing or in quarantine, and
 * without the links of those that are drained: these are placed by their
 * neighbours.
 */
static void
place_by_neighbours(struct fabric_graph *g, struct arena *a)
{
	struct around *x = arena_array(a, g->nsw, sizeof(*x));

	for (uint32_t s = 0; s < g->nsw; s++)
		x[s] = (struct around){FABRIC_GRAPH_NONE, FABRIC_GRAPH_NONE};
	for (uint32_t i = 0; i < g->nlinks; i++) {
		const struct fabric_graph_link *l = &g->link[i];

		if (g->sw[l->b].state == FABRIC_GRAPH_OK)
			note_around(&x[l->a], g->sw[l->b].tier);
		if (g->sw[l->a].state == FABRIC_GRAPH_OK)
			note_around(&x[l->b], g->sw[l->a].tier);
	}
	for (uint32_t s = 0; s < g->nsw && g->ntiers > 0; s++)
		if (g->sw[s].state != FABRIC_GRAPH_OK)
			g->sw[s].tier = fit_tier(g, s, &x[s]);
}

static void
take_tiers(struct work *w)
{
	const struct engine_options options = {0};
	const struct route_job job = {.topo = w->v->topo, .options = &options};
	const struct tree *tree = tree_kept(w->v->routes);
	struct arena *scratch = arena_new();
	struct fabric_graph *g = w->g;
	uint32_t treeless = 0;

	g->shape = FABRIC_GRAPH_NO_SHAPE;
	if (tree == NULL) /* of a standby, which has only read tables */
		tree = tree_read(&job, scratch);
	g->ntiers = tree->ntiers;
	for (uint32_t s = 0; s < w->t->nsw; s++) {
		g->sw[s].tier = tree->tier[s];
		treeless += tree->treeless[s];
	}
	if (treeless * 2 <= w->t->nsw)
		g->shape = FABRIC_GRAPH_TREE;
	arena_free(scratch);
	place_by_neighbours(g, w->a);
}

/* ---- places ---- */

static void
take_places(struct work *w, const struct dimensions *x,
	enum fabric_graph_shape shape)
{
	struct fabric_graph *g = w->g;
	uint32_t *at = arena_array(w->a, (size_t)w->t->nsw * x->n, sizeof(*at));

	memcpy(at, x->at, (size_t)w->t->nsw * x->n * sizeof(*at));
	g->shape = shape;
	g->ndim = x->n;
	for (unsigned i = 0; i < x->n; i++)
		g->dim[i] = x->dim[i];
	for (sw_ix s = 0; s < w->t->nsw; s++)
		if (topo_sw_live(w->t, s))
			g->sw[s].at = at + (size_t)s * x->n;
}

/* Missing switches that are remembered. */
static void
place_remembered(struct work *w, const struct place_memory *m)
{
	uint32_t s;

	for (uint32_t i = 0; i < m->nsw; i++) {
		uint32_t *at;

		if (!map_get(&w->missing, m->guid[i], &s))
			continue;
		at = arena_array(w->a, m->n, sizeof(*at));
		memcpy(at, m->at + (size_t)i * m->n, m->n * sizeof(*at));
		w->g->sw[s].at = at;
	}
}

/* What most neighbours of s that have a place have in dimension d, whose size n
 * has; false: none has one. */
static bool
find_majority(const struct fabric_graph *g, uint32_t s, unsigned d, uint32_t *n,
	uint32_t *out)
{
	uint32_t best = 0;

	memset(n, 0, g->dim[d].size * sizeof(*n));
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		const struct fabric_graph_link *l = &g->link[g->by_switch[i]];
		const uint32_t *at = g->sw[fabric_graph_peer(l, s)].at;

		if (at == NULL || (n[at[d]] += l->n) <= best)
			continue;
		best = n[at[d]];
		*out = at[d];
	}
	return best > 0;
}

/* Switches that the reading left out, missing ones or in quarantine, have the
 * places that most of their neighbours have: in a group all but a few links
 * stay inside, and along one dimension the numbers in all others are the
 * same. */
static void
place_others(struct work *w)
{
	struct fabric_graph *g = w->g;
	uint32_t *n, size = 0;

	for (unsigned d = 0; d < g->ndim; d++)
		size = g->dim[d].size > size ? g->dim[d].size : size;
	n = arena_array(w->a, size, sizeof(*n));
	for (uint32_t s = 0; s < g->nsw; s++) {
		uint32_t *at;
		bool known = true;

		if (g->sw[s].at != NULL)
			continue;
		at = arena_array(w->a, g->ndim, sizeof(*at));
		for (unsigned d = 0; d < g->ndim; d++)
			known = known && find_majority(g, s, d, n, &at[d]);
		g->sw[s].at = known ? at : NULL;
	}
}

/* Places from memory, else from the links. */
static void
read_places(struct work *w)
{
	const struct route_job job = {.topo = w->v->topo};
	struct swgraph graph = {.job = &job, .t = w->t, .a = arena_new()};
	const struct place_memory *memory = climb_engine_places(w->v->routes);
	struct dimensions x = {0};
	struct switch_groups groups;
	struct reason why;

	swgraph_build(&graph);
	if (place_memory_fit(memory, &graph, &x)) {
		take_places(w, &x,
			x.dim[0].shape == DIMENSION_GROUPS
				? FABRIC_GRAPH_GROUPS
				: FABRIC_GRAPH_DIMENSIONS);
		place_remembered(w, memory);
	} else if (switch_groups_read(&graph, &groups, &why) == 0) {
		x = (struct dimensions){.n = 1,
			.dim = {{groups.n, DIMENSION_GROUPS}},
			.at = groups.of};
		take_places(w, &x, FABRIC_GRAPH_GROUPS);
	} else if (dimensions_read(&graph, &x, &why) == 0) {
		dimensions_sort(&graph, &x);
		take_places(w, &x, FABRIC_GRAPH_DIMENSIONS);
	}
	if (w->g->ndim > 0)
		place_others(w);
	arena_free(graph.a);
}

/* ---- all of it ---- */

static void *
give_to_arena(struct arena *a, void *from, size_t n, size_t size)
{
	void *to = arena_array(a, n, size);

	if (n > 0)
		memcpy(to, from, n * size);
	free(from);
	return to;
}

struct fabric_graph *
fabric_graph_make(
	const struct view *v, const struct event_log *missing, struct arena *a)
{
	struct fabric_graph *g = arena_alloc(a, sizeof(*g));
	struct work w = {.v = v, .t = v->topo, .a = a, .g = g};

	take_topo(&w);
	take_missing(&w, missing);
	fold_links(g);
	list_by_switch(g, a);
	count_ends(g);
	take_tiers(&w);
	if (g->shape == FABRIC_GRAPH_NO_SHAPE && w.t->nsw > 1)
		read_places(&w);
	g->sw = give_to_arena(a, g->sw, g->nsw, sizeof(*g->sw));
	g->link = give_to_arena(a, g->link, g->nlinks, sizeof(*g->link));
	g->host = give_to_arena(a, g->host, g->nhosts, sizeof(*g->host));
	map_free(&w.missing);
	return g;
}

static bool
is_below(const struct fabric_graph *g, uint32_t s, uint32_t tier)
{
	return g->sw[s].tier != FABRIC_GRAPH_NONE && g->sw[s].tier >= tier;
}

void
fabric_graph_sets(const struct fabric_graph *g, uint32_t tier, uint32_t *set)
{
	for (uint32_t s = 0; s < g->nsw; s++)
		set[s] = s;
	for (uint32_t i = 0; i < g->nlinks; i++) {
		uint32_t x = union_find_of(set, g->link[i].a);
		uint32_t y = union_find_of(set, g->link[i].b);

		if (is_below(g, g->link[i].a, tier) &&
			is_below(g, g->link[i].b, tier))
			set[x < y ? y : x] = x < y ? x : y;
	}
	for (uint32_t s = 0; s < g->nsw; s++)
		set[s] = union_find_of(set, s);
	for (uint32_t s = 0; s < g->nsw; s++)
		if (!is_below(g, s, tier))
			set[s] = FABRIC_GRAPH_NONE;
}

struct named {
	const char *name;
	uint64_t guid;
	uint32_t s;
};

static int
compare_named(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	int order = strverscmp(a->name, b->name);

	if (order != 0)
		return order;
	return a->guid != b->guid ? (a->guid < b->guid ? -1 : 1) : 0;
}

uint32_t *
fabric_graph_by_name(const struct fabric_graph *g, struct arena *a)
{
	struct named *list = arena_array(a, g->nsw, sizeof(*list));
	uint32_t *out = arena_array(a, g->nsw, sizeof(*out));

	for (uint32_t s = 0; s < g->nsw; s++)
		list[s] = (struct named){g->sw[s].name, g->sw[s].guid, s};
	if (g->nsw > 0)
		qsort(list, g->nsw, sizeof(*list), compare_named);
	for (uint32_t s = 0; s < g->nsw; s++)
		out[s] = list[s].s;
	return out;
}

const char *
fabric_graph_state_name(enum fabric_graph_state state)
{
	static const char *const name[] = {
		"ok", "missing", "quarantined", "drained"};

	return name[state];
}

bool
fabric_graph_matches(const struct fabric_graph_host *host, const char *entry)
{
	char name[EVENT_NAME];

	(void)snprintf(name, sizeof(name), "%.*s",
		(int)strcspn(host->name, " "), host->name);
	return node_entry_weight(entry, host->guid, host->name) > 0 ||
	       node_entry_weight(entry, host->guid, name) > 0;
}
