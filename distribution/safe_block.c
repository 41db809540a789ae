/*
 * safe_block: a set of turns without which the mixture has no cycle. The
 * weighted feedback arc set is NP-hard; three heuristics, the cheapest wins.
 *
 * Each starts from the new routing's turns, which have no cycle and are never
 * blocked, and adds the mixture's others in some order wherever they close no
 * cycle. What is refused is blocked: nothing of it could be left out, since
 * the graph that refused it only grew. Orders: by weight; those legal in the
 * new up/down order first, so that what is refused is part of what the paper
 * blocks; last those that a greedy choice along short cycles would remove.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/safe_priv.h"
#include "sm/base/mem.h"

enum {
	GREEDY_VERTICES = 4096, /* above that short cycles take too long */
	WEIGHED_TURNS = 20000,	/* above that only legal ones come first */
	GREEDY_CYCLES = 64,
};

struct edge {
	uint64_t weight;
	uint32_t v;
	uint8_t out;
	uint8_t late;  /* tried after those that are not */
	uint8_t spare; /* not made by the new routing: still later */
};

struct cut {
	const struct safe_values *val;
	const struct safe_net *n;
	const struct safe_load *load;
	const uint64_t *mix, *fixed;
	const uint64_t *start; /* fixed, or nothing where that has a cycle */
	uint64_t *nothing;
	uint32_t *comp, ncyclic;
	struct edge *e;
	size_t ne, cape;
};

/* Pairs that are lost when port `in` of a channel's end goes to Init. */
static uint64_t
port_pairs(const struct safe_net *n, const struct safe_load *l, uint32_t rec)
{
	uint64_t pairs = l->rec[rec];

	if (n->owner[n->peer[rec]] != n->nsw)
		pairs += l->rec[n->peer[rec]];
	return pairs;
}

void
safe_block_add_port(const struct safe_net *n, const struct safe_load *l,
	struct safe_set *set, uint32_t rec)
{
	set->turn = mem_grow(set->turn, set->n, &set->cap, sizeof(*set->turn));
	set->turn[set->n++] = (struct safe_turn){
		.sw = n->owner[rec],
		.in = (uint8_t)(rec - n->base[rec]),
		.by_port = true,
		.lanes = UINT16_MAX,
		.pairs = port_pairs(n, l, rec),
	};
}

void
safe_block_add(const struct safe_net *n, const struct safe_load *l,
	struct safe_set *set, uint32_t v, unsigned out)
{
	sw_ix s = n->owner[v];

	if (!safe_net_maps(n, s, out)) {
		safe_block_add_port(n, l, set, v % n->nrec);
		return;
	}
	set->turn = mem_grow(set->turn, set->n, &set->cap, sizeof(*set->turn));
	set->turn[set->n++] = (struct safe_turn){
		.sw = s,
		.in = (uint8_t)(v - n->base[v]),
		.out = (uint8_t)out,
		.lanes = (uint16_t)(n->lanes == 1 ? UINT16_MAX
						  : 1U << v / n->nrec),
		.pairs = safe_load_of(n, l, v, out),
	};
}

static int
by_place(const void *a, const void *b)
{
	const struct safe_turn *x = a, *y = b;

	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if (x->in != y->in)
		return x->in < y->in ? -1 : 1;
	return (x->out > y->out) - (x->out < y->out);
}

void
safe_block_finish(struct safe_set *set)
{
	size_t n = 0;

	if (set->n > 0)
		qsort(set->turn, set->n, sizeof(*set->turn), by_place);
	set->pairs = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct safe_turn *x = &set->turn[i];
		struct safe_turn *last = n > 0 ? &set->turn[n - 1] : NULL;

		if (last == NULL || by_place(last, x) != 0) {
			set->turn[n++] = *x;
			continue;
		}
		if (!x->by_port && x->lanes != last->lanes)
			last->pairs += x->pairs;
		last->lanes |= x->lanes;
	}
	set->n = n;
	for (size_t i = 0; i < n; i++)
		set->pairs += set->turn[i].pairs;
}

static uint64_t
weight(const struct cut *c, uint32_t v, unsigned out)
{
	if (safe_net_maps(c->n, c->n->owner[v], out))
		return safe_load_of(c->n, c->load, v, out);
	return port_pairs(c->n, c->load, v % c->n->nrec);
}

/* The mixture's turns inside components that are not fixed. */
static void
collect(struct cut *c)
{
	const struct safe_net *n = c->n;

	for (uint32_t v = 0; v < n->nv; v++) {
		if (c->comp[v] == 0)
			continue;
		for (unsigned at = 0; safe_next(n, c->mix, v, &at); at++) {
			bool fixed = safe_has(n, c->fixed, v, at);

			if (c->comp[safe_head(n, v, at)] != c->comp[v] ||
				(fixed && c->start == c->fixed))
				continue;
			c->e = mem_grow(c->e, c->ne, &c->cape, sizeof(*c->e));
			c->e[c->ne++] = (struct edge){
				.weight = weight(c, v, at),
				.v = v,
				.out = (uint8_t)at,
				.spare = !fixed,
			};
		}
	}
}

static int
by_weight(const void *a, const void *b)
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

/* Add turns in the order of e to `start`; what is refused goes into set. */
static void
insert(struct cut *c, const uint64_t *start, struct safe_set *set)
{
	struct safe_order o;
	bool ok;

	qsort(c->e, c->ne, sizeof(*c->e), by_weight);
	ok = safe_order_new(&o, c->n, c->comp, start);
	for (size_t i = 0; ok && i < c->ne; i++) {
		struct edge *e = &c->e[i];

		if (!safe_has(c->n, start, e->v, e->out) &&
			!safe_order_add(&o, e->v, e->out))
			safe_block_add(c->n, c->load, set, e->v, e->out);
	}
	safe_order_free(&o);
	safe_block_finish(set);
}

/*
 * Legal turns first: all at once where they have no cycle together with the
 * new routing's, which is always so where that obeys its order itself.
 */
static void
insert_legal(struct cut *c, struct safe_set *set)
{
	const struct safe_net *n = c->n;
	uint64_t *all = mem_dup(c->start, safe_words(n) * sizeof(*all));
	struct safe_order o;
	bool ok;

	for (size_t i = 0; i < c->ne; i++) {
		struct edge *e = &c->e[i];

		e->late = !safe_method_legal(c->val, e->v % n->nrec, e->out);
		if (!e->late)
			all[((size_t)e->v << n->shift) + (e->out >> 6)] |=
				UINT64_C(1) << (e->out & 63);
	}
	ok = safe_order_new(&o, n, c->comp, all);
	safe_order_free(&o);
	insert(c, ok ? all : c->start, set);
	free(all);
}

static void
clear_turn(uint64_t *turn, const struct safe_net *n, const struct edge *e)
{
	turn[((size_t)e->v << n->shift) + (e->out >> 6)] &=
		~(UINT64_C(1) << (e->out & 63));
}

/* The lightest turn of a cycle that may be blocked; NULL: none. */
static struct edge *
lightest(struct cut *c, const uint32_t *path, uint32_t k)
{
	struct edge *best = NULL;

	for (size_t i = 0; i < c->ne; i++) {
		struct edge *e = &c->e[i];
		uint32_t w = safe_head(c->n, e->v, e->out);

		if (best != NULL && e->weight >= best->weight)
			continue;
		for (uint32_t j = 0; j < k; j++)
			if (path[j] == e->v && path[(j + 1) % k] == w)
				best = e;
	}
	return best;
}

/* Mark as late what a greedy choice along short cycles removes. */
static void
greedy(struct cut *c)
{
	const struct safe_net *n = c->n;
	size_t bytes = safe_words(n) * sizeof(*c->mix);
	uint64_t *turn = mem_dup(c->mix, bytes);
	uint32_t *comp = mem_alloc(n->nv * sizeof(*comp));
	uint32_t *path = mem_alloc(n->nv * sizeof(*path));

	for (unsigned i = 0; i < GREEDY_CYCLES; i++) {
		struct edge *e;
		uint32_t k;

		if (safe_cycle_find(n, turn, comp) == 0)
			break;
		k = safe_cycle_short(n, turn, comp, path);
		e = lightest(c, path, k);
		if (e == NULL)
			break;
		e->late = 1;
		clear_turn(turn, n, e);
	}
	free(turn);
	free(comp);
	free(path);
}

/*
 * The verifier sees to it that the new routing's turns have no cycle; should
 * they have one all the same, they are the last to be blocked.
 */
static void
find_start(struct cut *c)
{
	struct safe_order o;

	c->start = c->fixed;
	if (!safe_order_new(&o, c->n, c->comp, c->fixed))
		c->start = c->nothing =
			mem_zalloc(safe_words(c->n), sizeof(*c->nothing));
	safe_order_free(&o);
}

/* Keep the cheaper one in best; the other is freed. */
static void
choose(struct safe_set *best, struct safe_set *other)
{
	if (best->turn == NULL || other->pairs < best->pairs ||
		(other->pairs == best->pairs && other->n < best->n)) {
		free(best->turn);
		*best = *other;
	} else {
		free(other->turn);
	}
	*other = (struct safe_set){0};
}

void
safe_block_find(const struct safe_values *v, const struct safe_load *l,
	const uint64_t *mix, const uint64_t *fixed, struct safe_set *out)
{
	const struct safe_net *n = v->net;
	struct cut c = {
		.val = v, .n = n, .load = l, .mix = mix, .fixed = fixed};
	struct safe_set try = {0};

	*out = (struct safe_set){0};
	c.comp = mem_alloc(n->nv * sizeof(*c.comp));
	c.ncyclic = safe_cycle_find(n, mix, c.comp);
	find_start(&c);
	collect(&c);
	if (c.ne > 0)
		insert_legal(&c, out);
	if (c.ne > 0 && c.ne <= WEIGHED_TURNS) {
		for (size_t i = 0; i < c.ne; i++)
			c.e[i].late = 0;
		insert(&c, c.start, &try);
		choose(out, &try);
	}
	if (c.ne > 0 && c.ncyclic <= GREEDY_VERTICES) {
		for (size_t i = 0; i < c.ne; i++)
			c.e[i].late = 0;
		greedy(&c);
		insert(&c, c.start, &try);
		choose(out, &try);
	}
	free(c.nothing);
	free(c.comp);
	free(c.e);
}
