/*
 * block_select: a set of dependencies without which the mixture has no cycle.
 * The weighted feedback arc set is NP-hard; two heuristics, the cheaper one
 * wins.
 *
 * Each starts from the new routing's dependencies, which have no cycle and are
 * never blocked, and adds the mixture's others in some order wherever they
 * close no cycle. What is refused is blocked: none of it could be left out,
 * since the graph that refused it only grew. Orders: by weight; dependencies
 * that are legal in the new up/down order first, so that what is refused is
 * part of what the paper blocks. Taking dependencies away along short cycles
 * instead, or moving channels about in the order that is left, gains nothing
 * worth its time.
 *
 * With a map of VLs a dependency is blocked whatever link its packets came by
 * before: a row of SL2VL knows the layer, the in-port and the out-port. So the
 * vertices of a channel and a layer are added together or not at all. Where the
 * new routing makes the dependency of one of them, those of the others are
 * tried before all else, but may have to be blocked, and that one with them;
 * it is lost while tables are written.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

enum { WEIGHED_DEPS = 20000 }; /* above: only legal ones first */

/* A dependency that may be blocked. */
struct edge {
	uint64_t weight;
	uint32_t v; /* of the first class */
	uint8_t out;
	uint8_t late;  /* tried after edges that are not late */
	uint8_t spare; /* not made by the new routing: still later */
};

struct cut {
	const struct chan_graph *n;
	const struct dependency_load *load;
	const uint64_t *mix, *fixed;
	const uint64_t *start; /* fixed, or nothing where that has a cycle */
	uint64_t *nothing;
	uint32_t *comp;
	struct edge *e;
	size_t ne, cape;
};

/* Pairs that lose packets when the port of a record goes to Init. */
static uint64_t
port_pairs(const struct chan_graph *n, const struct dependency_load *l,
	uint32_t rec)
{
	uint64_t pairs = l->rec[rec];

	if (n->owner[n->peer[rec]] != n->nsw)
		pairs += l->rec[n->peer[rec]];
	return pairs;
}

void
block_select_add_port(const struct chan_graph *n,
	const struct dependency_load *l, struct transition_set *set,
	uint32_t rec)
{
	set->dep = mem_grow(set->dep, set->n, &set->cap, sizeof(*set->dep));
	set->dep[set->n++] = (struct transition_dependency){
		.sw = n->owner[rec],
		.in = (uint8_t)(rec - n->base[rec]),
		.by_port = true,
		.layers = UINT16_MAX,
		.pairs = port_pairs(n, l, rec),
	};
}

void
block_select_add(const struct chan_graph *n, const struct dependency_load *l,
	struct transition_set *set, uint32_t v, unsigned out)
{
	sw_ix s = n->owner[v];

	if (!chan_graph_maps(n, s, out)) {
		block_select_add_port(n, l, set, v % n->nrec);
		return;
	}
	set->dep = mem_grow(set->dep, set->n, &set->cap, sizeof(*set->dep));
	set->dep[set->n++] = (struct transition_dependency){
		.sw = s,
		.in = (uint8_t)(v - n->base[v]),
		.out = (uint8_t)out,
		.layers = (uint16_t)(n->layers == 1
					     ? UINT16_MAX
					     : 1U << chan_graph_layer(n, v)),
		.pairs = dependency_load_of(n, l, v, out),
	};
}

static int
compare_places(const void *a, const void *b)
{
	const struct transition_dependency *x = a, *y = b;

	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if (x->in != y->in)
		return x->in < y->in ? -1 : 1;
	return (x->out > y->out) - (x->out < y->out);
}

void
block_select_finish(struct transition_set *set)
{
	size_t n = 0;

	if (set->n > 0)
		qsort(set->dep, set->n, sizeof(*set->dep), compare_places);
	set->pairs = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct transition_dependency *x = &set->dep[i];
		struct transition_dependency *last =
			n > 0 ? &set->dep[n - 1] : NULL;

		if (last == NULL || compare_places(last, x) != 0) {
			set->dep[n++] = *x;
			continue;
		}
		if (!x->by_port && x->layers != last->layers)
			last->pairs += x->pairs;
		last->layers |= x->layers;
		last->stays |= x->stays;
	}
	set->n = n;
	for (size_t i = 0; i < n; i++)
		set->pairs += set->dep[i].pairs;
}

static uint64_t
dependency_weight(const struct cut *c, uint32_t v, unsigned out)
{
	if (chan_graph_maps(c->n, c->n->owner[v], out))
		return dependency_load_of(c->n, c->load, v, out);
	return port_pairs(c->n, c->load, v % c->n->nrec);
}

/* Vertices of one class: a vertex and the next one of its channel and layer are
 * that far apart. */
static uint32_t
class_size(const struct chan_graph *n)
{
	return n->layers * n->nrec;
}

/* Whether the mixture has the dependency inside a component and not fixed. */
static bool
is_open(const struct cut *c, uint32_t v, unsigned out)
{
	const struct dep_graph *n = &c->n->frame;

	return c->comp[v] != 0 && dep_graph_has(n, c->mix, v, out) &&
	       c->comp[dep_graph_head(n, v, out)] == c->comp[v] &&
	       !(c->start == c->fixed && dep_graph_has(n, c->fixed, v, out));
}

/* Add the dependency that is open at v, of all classes. */
static void
add_candidate(struct cut *c, uint32_t v, unsigned out)
{
	const struct chan_graph *n = c->n;
	uint32_t first = v % class_size(n);
	bool fixed = false;

	for (uint32_t x = first; x < v; x += class_size(n))
		if (is_open(c, x, out))
			return; /* it is there */
	for (uint32_t x = first; x < n->nv; x += class_size(n))
		fixed |= dep_graph_has(&n->frame, c->fixed, x, out);
	c->e = mem_grow(c->e, c->ne, &c->cape, sizeof(*c->e));
	c->e[c->ne++] = (struct edge){
		.weight = dependency_weight(c, first, out),
		.v = first,
		.out = (uint8_t)out,
		.spare = !fixed,
	};
}

/* Collect the mixture's dependencies inside components that are not fixed. */
static void
collect_candidates(struct cut *c)
{
	const struct chan_graph *n = c->n;

	for (uint32_t v = 0; v < n->nv; v++)
		for (unsigned at = 0; c->comp[v] != 0 &&
				      dep_graph_next(&n->frame, c->mix, v, &at);
			at++)
			if (is_open(c, v, at))
				add_candidate(c, v, at);
}

static int
compare_weights(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->spare != y->spare)
		return x->spare < y->spare ? -1 : 1;
	if (x->late != y->late)
		return x->late < y->late ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->v != y->v)
		return x->v < y->v ? -1 : 1;
	return (x->out > y->out) - (x->out < y->out);
}

/*
 * Start the order with all edges that are not late where they have no cycle;
 * else with none of them.
 */
static void
start_order(const struct cut *c, struct dynamic_order *o)
{
	const struct chan_graph *n = c->n;
	uint64_t *all =
		mem_dup(c->start, dep_graph_words(&n->frame) * sizeof(*all));
	bool ok;

	for (size_t i = 0; i < c->ne; i++)
		for (uint32_t v = c->e[i].v; !c->e[i].late && v < n->nv;
			v += class_size(n))
			if (dep_graph_has(&n->frame, c->mix, v, c->e[i].out))
				dep_graph_put(&n->frame, all, v, c->e[i].out);
	ok = dynamic_order_new(o, &n->frame, c->comp, all);
	free(all);
	if (ok)
		return;
	dynamic_order_free(o);
	(void)dynamic_order_new(o, &n->frame, c->comp, c->start);
}

/* Add a dependency in all classes of the mixture; false and it is there in none
 * when one closes a cycle. */
static bool
insert_edge(const struct cut *c, struct dynamic_order *o, const struct edge *e)
{
	const struct dep_graph *n = &c->n->frame;
	bool fits = true;

	for (uint32_t v = e->v; fits && v < n->nv; v += class_size(c->n))
		if (dep_graph_has(n, c->mix, v, e->out) &&
			!dep_graph_has(n, o->dep, v, e->out))
			fits = dynamic_order_add(o, v, e->out);
	for (uint32_t v = e->v; !fits && v < n->nv; v += class_size(c->n))
		dynamic_order_remove(o, v, e->out);
	return fits;
}

/* Add dependencies in the order of e; refused ones go into set. */
static void
insert_dependencies(struct cut *c, struct transition_set *set)
{
	struct dynamic_order o;

	qsort(c->e, c->ne, sizeof(*c->e), compare_weights);
	start_order(c, &o);
	for (size_t i = 0; i < c->ne; i++) {
		struct edge *e = &c->e[i];

		if (!insert_edge(c, &o, e))
			block_select_add(c->n, c->load, set, e->v, e->out);
	}
	dynamic_order_free(&o);
	block_select_finish(set);
}

/*
 * The verifier proves that the new routing's dependencies have no cycle; should
 * they have one all the same, they are the last to be blocked.
 */
static void
find_start(struct cut *c)
{
	struct dynamic_order o;

	c->start = c->fixed;
	if (!dynamic_order_new(&o, &c->n->frame, c->comp, c->fixed))
		c->start = c->nothing = mem_zalloc(
			dep_graph_words(&c->n->frame), sizeof(*c->nothing));
	dynamic_order_free(&o);
}

/* Keep the cheaper set in best; the other is freed. */
static void
keep_cheaper(struct transition_set *best, struct transition_set *other)
{
	if (best->dep == NULL || other->pairs < best->pairs ||
		(other->pairs == best->pairs && other->n < best->n)) {
		free(best->dep);
		*best = *other;
	} else {
		free(other->dep);
	}
	*other = (struct transition_set){0};
}

void
block_select_find(const struct lft_values *v, const struct dependency_load *l,
	const uint64_t *mix, const uint64_t *fixed, struct transition_set *out)
{
	const struct chan_graph *n = v->net;
	struct cut c = {.n = n, .load = l, .mix = mix, .fixed = fixed};
	struct transition_set other = {0};

	*out = (struct transition_set){0};
	c.comp = mem_alloc(n->nv * sizeof(*c.comp));
	(void)cdg_cycle_find(n, mix, c.comp);
	find_start(&c);
	collect_candidates(&c);
	for (size_t i = 0; i < c.ne; i++)
		c.e[i].late =
			!lft_values_is_legal(v, c.e[i].v % n->nrec, c.e[i].out);
	if (c.ne > 0)
		insert_dependencies(&c, out);
	for (size_t i = 0; i < c.ne; i++)
		c.e[i].late = 0;
	if (c.ne > 0 && c.ne <= WEIGHED_DEPS) {
		insert_dependencies(&c, &other);
		keep_cheaper(out, &other);
	}
	free(c.nothing);
	free(c.comp);
	free(c.e);
}
