#include "sm/cabling/deviation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/cabling/cabling_match.h"

/* A plan is of another fabric if fewer than one in so many nodes match. */
enum { MATCHED_OF = 4 };

/*
 * Vertices are ports of the fabric, by their place in fabric->at, and behind
 * them the ends of planned links whose nodes have no such port.
 */
struct search {
	const struct cabling *plan, *fabric;
	struct cabling_match match;
	struct deviations *out;
	bool has_class[DEVIATION_CLASSES]; /* the plan has such nodes */
	bool *as_planned;		   /* [fabric links] */
	uint32_t *node_at; /* [vertices]: the node of the fabric */
	uint32_t *planned; /* [vertices]: the planned link that is not there */
	uint32_t *there;   /* [vertices]: the link that was not planned */
	bool *seen;	   /* [vertices] */
	struct event_end *chain;
	size_t chain_cap;
};

static enum deviation_class
class_of(const struct cabling_node *n)
{
	if (n->aggregation)
		return DEVIATION_AGGREGATION;
	switch (n->type) {
	case TOPO_CA:
		return DEVIATION_HOST;
	case TOPO_SWITCH:
		return DEVIATION_SWITCH;
	case TOPO_ROUTER:
		return DEVIATION_ROUTER;
	default:
		return DEVIATION_NODE;
	}
}

static struct event_end
end_of(const struct cabling_node *n, unsigned port)
{
	struct event_end e = {.guid = n->guid, .port = (uint8_t)port};

	(void)snprintf(e.name, sizeof(e.name), "%s", n->name);
	return e;
}

/* A port of node f of the fabric; until its name is read, by that of the plan.
 */
static struct event_end
fabric_end(const struct search *s, uint32_t f, unsigned port)
{
	struct event_end e = end_of(&s->fabric->node[f], port);
	uint32_t p = s->match.planned[f];

	if (e.name[0] == '\0' && p != CABLING_NONE)
		(void)snprintf(
			e.name, sizeof(e.name), "%s", s->plan->node[p].name);
	return e;
}

/* The far end of the link that is at the lowest port of a node. */
static struct event_end
first_neighbour(const struct cabling *c, uint32_t node)
{
	for (unsigned i = 1; i <= c->node[node].nports; i++) {
		uint32_t l = cabling_link_at(c, node, i);
		const struct cabling_end *far;

		if (l == CABLING_NONE)
			continue;
		far = cabling_far_end(
			c, l, (struct cabling_end){node, (uint8_t)i});
		return end_of(&c->node[far->node], far->port);
	}
	return (struct event_end){0};
}

static struct deviation *
add_deviation(struct search *s, enum deviation_kind kind)
{
	struct deviations *d = s->out;

	d->list = mem_grow(d->list, d->n, &d->cap, sizeof(*d->list));
	d->list[d->n] = (struct deviation){.kind = kind};
	d->count[kind]++;
	return &d->list[d->n++];
}

static uint64_t
key_of_end(const struct event_end *e)
{
	uint64_t id = e->guid != 0
			      ? e->guid
			      : fnv_more(FNV_START, e->name, strlen(e->name));

	return hash_spread(hash_mix(id, e->port));
}

static uint64_t
key_of_node(const struct deviation *x)
{
	return hash_mix(key_of_end(&x->node), (uint64_t)x->kind + 1);
}

/* ---- nodes ---- */

static uint32_t
count_links(const struct cabling *c, uint32_t node)
{
	uint32_t n = 0;

	for (unsigned i = 1; i <= c->node[node].nports; i++)
		n += cabling_link_at(c, node, i) != CABLING_NONE;
	return n;
}

/*
 * The switch that a node hangs on alone, which is unmatched as the node itself;
 * or CABLING_NONE. other: [nodes of c], what they match. A node whose type is
 * not told has one link then, and what it hangs on has several.
 */
static uint32_t
hangs_on(const struct cabling *c, const uint32_t *other, uint32_t node)
{
	uint8_t type = c->node[node].type;
	uint32_t on = CABLING_NONE;

	if (type == TOPO_SWITCH || (type == 0 && count_links(c, node) != 1))
		return CABLING_NONE;
	for (unsigned i = 1; i <= c->node[node].nports; i++) {
		struct cabling_end near = {node, (uint8_t)i};
		uint32_t l = cabling_link_at(c, node, i), far;

		if (l == CABLING_NONE)
			continue;
		far = cabling_far_end(c, l, near)->node;
		if (other[far] != CABLING_NONE ||
			(c->node[far].type != TOPO_SWITCH &&
				(c->node[far].type != 0 ||
					count_links(c, far) < 2)))
			return CABLING_NONE;
		on = on == CABLING_NONE ? far : on;
	}
	return on;
}

/* A deviation for each node of c that has no match; skip: nodes that have none,
 * or NULL. */
static void
tell_unmatched(struct search *s, const struct cabling *c, const uint32_t *other,
	enum deviation_kind kind, const bool *skip)
{
	uint32_t *with = mem_zalloc(c->nnodes + 1, sizeof(*with));
	bool *folded = mem_zalloc(c->nnodes + 1, sizeof(*folded));

	for (uint32_t i = 0; i < c->nnodes; i++) {
		uint32_t on;

		if (other[i] != CABLING_NONE || skip[i])
			continue;
		on = hangs_on(c, other, i);
		folded[i] = on != CABLING_NONE && !skip[on];
		if (folded[i])
			with[on]++;
	}
	for (uint32_t i = 0; i < c->nnodes; i++) {
		struct deviation *x;

		if (other[i] != CABLING_NONE || skip[i] || folded[i])
			continue;
		x = add_deviation(s, kind);
		x->of = class_of(&c->node[i]);
		x->node = end_of(&c->node[i], 0);
		x->other = first_neighbour(c, i);
		x->links = count_links(c, i);
		x->with = with[i];
		x->key = key_of_node(x);
	}
	free(with);
	free(folded);
}

static void
tell_missing_nodes(struct search *s)
{
	bool *skip = mem_zalloc(s->plan->nnodes + 1, sizeof(*skip));

	for (uint32_t p = 0; p < s->plan->nnodes; p++)
		skip[p] = s->match.how[p] == CABLING_AMBIGUOUS;
	tell_unmatched(s, s->plan, s->match.is, DEVIATION_MISSING_NODE, skip);
	free(skip);
}

static void
tell_extra_nodes(struct search *s)
{
	bool *skip = mem_zalloc(s->fabric->nnodes + 1, sizeof(*skip));

	for (uint32_t f = 0; f < s->fabric->nnodes; f++) {
		enum deviation_class of = class_of(&s->fabric->node[f]);

		skip[f] = !s->has_class[of];
		s->out->left_out[of] += skip[f];
	}
	tell_unmatched(
		s, s->fabric, s->match.planned, DEVIATION_EXTRA_NODE, skip);
	free(skip);
}

static void
tell_replaced(struct search *s)
{
	for (uint32_t p = 0; p < s->plan->nnodes; p++) {
		uint32_t f = s->match.is[p];
		struct deviation *x;

		if (f == CABLING_NONE ||
			!cabling_is_replaced(s->plan, s->fabric, &s->match, p))
			continue;
		x = add_deviation(s, DEVIATION_REPLACED);
		x->of = class_of(&s->fabric->node[f]);
		x->node = end_of(&s->plan->node[p], 0);
		x->other = end_of(&s->fabric->node[f], 0);
		x->key = key_of_node(x);
	}
}

static void
tell_ambiguous(struct search *s)
{
	for (uint32_t p = 0; p < s->plan->nnodes; p++) {
		struct deviation *x;

		if (s->match.how[p] != CABLING_AMBIGUOUS)
			continue;
		x = add_deviation(s, DEVIATION_AMBIGUOUS);
		x->of = class_of(&s->plan->node[p]);
		x->node = end_of(&s->plan->node[p], 0);
		x->links = count_links(s->plan, p);
		x->key = key_of_node(x);
	}
}

/* Types of nodes that the plan has: as it tells, or by what they match. */
static void
find_classes(struct search *s)
{
	for (uint32_t p = 0; p < s->plan->nnodes; p++) {
		const struct cabling_node *n = &s->plan->node[p];

		if (s->match.is[p] != CABLING_NONE)
			n = &s->fabric->node[s->match.is[p]];
		s->has_class[class_of(n)] = true;
	}
}

/* ---- links ---- */

static size_t
count_vertices(const struct search *s)
{
	return s->fabric->nports + 2 * s->plan->nlinks;
}

/* The vertex of end i of planned link l; its node is matched. */
static size_t
vertex_of(const struct search *s, uint32_t l, unsigned i)
{
	const struct cabling_end *e = &s->plan->link[l].end[i];
	const struct cabling_node *n = &s->fabric->node[s->match.is[e->node]];

	return e->port <= n->nports ? (size_t)n->first + e->port
				    : s->fabric->nports + 2 * (size_t)l + i;
}

/* The link of the fabric that is planned link l, or CABLING_NONE. */
static uint32_t
find_link(const struct search *s, uint32_t l)
{
	const struct cabling_end *e = s->plan->link[l].end, *far;
	struct cabling_end near = {s->match.is[e[0].node], e[0].port};
	uint32_t k = cabling_link_at(s->fabric, near.node, near.port);

	if (k == CABLING_NONE)
		return CABLING_NONE;
	far = cabling_far_end(s->fabric, k, near);
	return far->node == s->match.is[e[1].node] && far->port == e[1].port
		       ? k
		       : CABLING_NONE;
}

/* The ends of a chain that was drawn, in the arena. */
static void
give_chain(struct search *s, struct deviation *x, size_t n)
{
	struct event_end *copy = arena_array(s->out->arena, n, sizeof(*copy));

	memcpy(copy, s->chain, n * sizeof(*copy));
	x->end = copy;
	x->n = (uint32_t)n;
	x->key = (uint64_t)x->kind;
	for (size_t i = 0; i < n; i++)
		x->key += key_of_end(&copy[i]);
}

static void
push_end(struct search *s, size_t n, struct event_end e)
{
	s->chain = mem_grow(s->chain, n, &s->chain_cap, sizeof(*s->chain));
	s->chain[n] = e;
}

static void
judge_rate(struct search *s, uint32_t l, uint32_t k)
{
	const struct cabling_link *planned = &s->plan->link[l];
	const struct cabling_link *is = &s->fabric->link[k];
	uint32_t want = cabling_rate(planned), have = cabling_rate(is);
	struct deviation *x;

	if (want == 0 || have == 0 || have >= want)
		return;
	x = add_deviation(s, DEVIATION_SLOW);
	for (unsigned i = 0; i < 2; i++)
		push_end(s, i, fabric_end(s, is->end[i].node, is->end[i].port));
	give_chain(s, x, 2);
	x->planned = *planned;
	x->is = *is;
}

/* Compare the planned links; draw an edge for each that is not there. */
static void
draw_planned(struct search *s)
{
	for (uint32_t l = 0; l < s->plan->nlinks; l++) {
		const struct cabling_end *e = s->plan->link[l].end;
		uint32_t a = s->match.is[e[0].node];
		uint32_t b = s->match.is[e[1].node];
		uint32_t k;

		if (a == CABLING_NONE || b == CABLING_NONE)
			continue; /* the node is told */
		k = find_link(s, l);
		if (k != CABLING_NONE) {
			s->as_planned[k] = true;
			s->out->right++;
			judge_rate(s, l, k);
		} else if (s->fabric->node[a].silent &&
			   s->fabric->node[b].silent) {
			s->out->unknown++;
		} else {
			for (unsigned i = 0; i < 2; i++) {
				size_t v = vertex_of(s, l, i);

				s->planned[v] = l;
				s->node_at[v] = i == 0 ? a : b;
			}
		}
	}
}

/* Links of nodes that have no match are told with these. */
static void
draw_there(struct search *s)
{
	for (uint32_t k = 0; k < s->fabric->nlinks; k++) {
		const struct cabling_end *e = s->fabric->link[k].end;

		if (s->as_planned[k] ||
			s->match.planned[e[0].node] == CABLING_NONE ||
			s->match.planned[e[1].node] == CABLING_NONE)
			continue;
		for (unsigned i = 0; i < 2; i++) {
			size_t v = (size_t)s->fabric->node[e[i].node].first +
				   e[i].port;

			s->there[v] = k;
			s->node_at[v] = e[i].node;
		}
	}
}

static struct event_end
end_at(const struct search *s, size_t v)
{
	uint32_t f = s->node_at[v];
	size_t extra = v - s->fabric->nports;

	return fabric_end(s, f,
		v < s->fabric->nports
			? (unsigned)(v - s->fabric->node[f].first)
			: s->plan->link[extra / 2].end[extra % 2].port);
}

/* Where the edge of this kind at vertex v leads. */
static size_t
follow_edge(const struct search *s, size_t v, bool there)
{
	if (there) {
		const struct cabling_end *e = s->fabric->link[s->there[v]].end;
		size_t a = (size_t)s->fabric->node[e[0].node].first + e[0].port;

		return a != v ? a
			      : (size_t)s->fabric->node[e[1].node].first +
					e[1].port;
	}
	return vertex_of(
		s, s->planned[v], vertex_of(s, s->planned[v], 0) == v ? 1 : 0);
}

static enum deviation_kind
kind_of_chain(size_t n, bool ring, bool there)
{
	if (ring)
		return DEVIATION_SWAPPED;
	if (n > 2)
		return DEVIATION_MOVED;
	return there ? DEVIATION_EXTRA : DEVIATION_MISSING;
}

/* The chain or ring that begins at vertex v with an edge of this kind. */
static void
tell_chain(struct search *s, size_t v, bool there)
{
	size_t at = v, n = 0;
	bool next = there, ring;
	struct deviation *x;

	for (;;) {
		s->seen[at] = true;
		push_end(s, n++, end_at(s, at));
		if ((next ? s->there : s->planned)[at] == CABLING_NONE)
			break;
		at = follow_edge(s, at, next);
		next = !next;
		if (s->seen[at])
			break;
	}
	ring = n > 2 && at == v;
	x = add_deviation(s, kind_of_chain(n, ring, there));
	x->starts_there = there;
	x->ring = ring;
	give_chain(s, x, n);
	for (size_t i = there; i + (ring ? 0 : 1) < n; i += 2)
		x->links++;
}

static void
tell_links(struct search *s)
{
	size_t all = count_vertices(s);

	for (size_t v = 0; v < all; v++) {
		bool p = s->planned[v] != CABLING_NONE;
		bool t = s->there[v] != CABLING_NONE;

		if (!s->seen[v] && p != t)
			tell_chain(s, v, t);
	}
	/* what is left are rings */
	for (size_t v = 0; v < all; v++)
		if (!s->seen[v] && s->planned[v] != CABLING_NONE)
			tell_chain(s, v, false);
}

static void
compare_links(struct search *s)
{
	size_t all = count_vertices(s) + 1;

	s->as_planned = mem_zalloc(s->fabric->nlinks + 1, sizeof(bool));
	s->node_at = mem_zalloc(all, sizeof(*s->node_at));
	s->planned = mem_alloc(all * sizeof(*s->planned));
	s->there = mem_alloc(all * sizeof(*s->there));
	s->seen = mem_zalloc(all, sizeof(*s->seen));
	memset(s->planned, 0xff, all * sizeof(*s->planned));
	memset(s->there, 0xff, all * sizeof(*s->there));
	draw_planned(s);
	draw_there(s);
	tell_links(s);
	free(s->as_planned);
	free(s->node_at);
	free(s->planned);
	free(s->there);
	free(s->seen);
	free(s->chain);
}

/* ---- all of it ---- */

static int
judge_match(const struct search *s, struct reason *why)
{
	size_t known = s->match.known;
	size_t least = s->plan->nnodes < s->fabric->nnodes ? s->plan->nnodes
							   : s->fabric->nnodes;

	if (known * MATCHED_OF >= least)
		return 0;
	(void)reason_set(why,
		"%s: this is the plan of another fabric: of its %zu nodes, %zu "
		"are among the %zu of this one, by GUID or name",
		s->plan->source, s->plan->nnodes, known, s->fabric->nnodes);
	return s->match.unnamed == 0
		       ? -1
		       : reason_add(why,
				 "; the names of %zu nodes are not known",
				 s->match.unnamed);
}

/* Stable, as the list of a kind is in the order of its nodes. */
static void
sort_by_kind(struct deviations *d)
{
	struct deviation *sorted = mem_alloc((d->n + 1) * sizeof(*sorted));
	size_t n = 0;

	for (unsigned k = 0; k < DEVIATION_KINDS; k++)
		for (size_t i = 0; i < d->n && d->count[k] > 0; i++)
			if (d->list[i].kind == k)
				sorted[n++] = d->list[i];
	free(d->list);
	d->list = sorted;
}

static struct deviations *
new_deviations(const struct search *s)
{
	struct deviations *d = mem_zalloc(1, sizeof(*d));

	d->arena = arena_new();
	d->source = arena_strdup(d->arena, s->plan->source);
	d->nodes = (uint32_t)s->plan->nnodes;
	d->links = (uint32_t)s->plan->nlinks;
	d->unread = (uint32_t)s->plan->unread;
	d->unnamed = (uint32_t)s->match.unnamed;
	for (size_t p = 0; p < s->plan->nnodes; p++)
		d->matched += s->match.is[p] != CABLING_NONE;
	return d;
}

struct deviations *
deviations_find(const struct cabling *plan, const struct cabling *fabric,
	struct reason *why)
{
	struct search s = {.plan = plan, .fabric = fabric};

	cabling_match_nodes(plan, fabric, &s.match);
	if (judge_match(&s, why) == 0) {
		s.out = new_deviations(&s);
		find_classes(&s);
		tell_missing_nodes(&s);
		tell_extra_nodes(&s);
		tell_replaced(&s);
		tell_ambiguous(&s);
		compare_links(&s);
		sort_by_kind(s.out);
	}
	cabling_match_free(&s.match);
	return s.out;
}

void
deviations_free(struct deviations *d)
{
	if (d == NULL)
		return;
	arena_free(d->arena);
	free(d->list);
	free(d);
}

/* ---- what is drained ---- */

/* A switch that is not there may be known by the name that it had. */
static bool
is_drained(const struct drains *drains, const struct event_end *e)
{
	if (e->guid != 0)
		return drains_find(drains, e->guid, 0) != NULL ||
		       (e->port != 0 &&
			       drains_find(drains, e->guid, e->port) != NULL);
	for (size_t i = 0; i < drains->n && e->name[0] != '\0'; i++)
		if (drains->list[i].port == 0 &&
			strcmp(drains->list[i].name, e->name) == 0)
			return true;
	return false;
}

void
deviations_mark_drained(struct deviations *d, const struct drains *drains)
{
	d->drained = 0;
	for (size_t i = 0; i < d->n; i++) {
		struct deviation *x = &d->list[i];

		x->drained =
			drains->n > 0 && (is_drained(drains, &x->node) ||
						 is_drained(drains, &x->other));
		for (uint32_t k = 0; k < x->n && drains->n > 0; k++)
			x->drained |= is_drained(drains, &x->end[k]);
		d->drained += x->drained;
	}
}
