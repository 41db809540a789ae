/*
 * safe_block: a set of turns without which the mixture has no cycle. The
 * weighted feedback arc set is NP-hard; two heuristics, the cheaper one wins.
 *
 * Each starts from the new routing's turns, which have no cycle and are never
 * blocked, and adds the mixture's others in some order wherever they close no
 * cycle. What is refused is blocked: nothing of it could be left out, since
 * the graph that refused it only grew. Orders: by weight; those legal in the
 * new up/down order first, so that what is refused is part of what the paper
 * blocks. Taking turns away along short cycles instead, or moving channels
 * about in the order that is left, gains nothing worth its time.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

enum { WEIGHED_TURNS = 20000 }; /* above that only legal ones come first */

/* A turn that may be blocked. */
struct edge {
	uint64_t weight;
	uint32_t v;
	uint8_t out;
	uint8_t late;  /* tried after those that are not */
	uint8_t spare; /* not made by the new routing: still later */
};

struct cut {
	const struct safe_net *n;
	const struct safe_load *load;
	const uint64_t *mix, *fixed;
	const uint64_t *start; /* fixed, or nothing where that has a cycle */
	uint64_t *nothing;
	uint32_t *comp;
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

/*
 * The first turns: those that are not late, all at once where they have no
 * cycle; else none of them.
 */
static void
begin(const struct cut *c, struct safe_order *o)
{
	const struct safe_net *n = c->n;
	uint64_t *all = mem_dup(c->start, safe_words(n) * sizeof(*all));
	bool ok;

	for (size_t i = 0; i < c->ne; i++)
		if (!c->e[i].late)
			safe_put(n, all, c->e[i].v, c->e[i].out);
	ok = safe_order_new(o, n, c->comp, all);
	free(all);
	if (ok)
		return;
	safe_order_free(o);
	(void)safe_order_new(o, n, c->comp, c->start);
}

/* Add turns in the order of e; what is refused goes into set. */
static void
insert(struct cut *c, struct safe_set *set)
{
	struct safe_order o;

	qsort(c->e, c->ne, sizeof(*c->e), by_weight);
	begin(c, &o);
	for (size_t i = 0; i < c->ne; i++) {
		struct edge *e = &c->e[i];

		if (!safe_has(c->n, o.turn, e->v, e->out) &&
			!safe_order_add(&o, e->v, e->out))
			safe_block_add(c->n, c->load, set, e->v, e->out);
	}
	safe_order_free(&o);
	safe_block_finish(set);
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
	struct cut c = {.n = n, .load = l, .mix = mix, .fixed = fixed};
	struct safe_set other = {0};

	*out = (struct safe_set){0};
	c.comp = mem_alloc(n->nv * sizeof(*c.comp));
	(void)safe_cycle_find(n, mix, c.comp);
	find_start(&c);
	collect(&c);
	for (size_t i = 0; i < c.ne; i++)
		c.e[i].late =
			!safe_method_legal(v, c.e[i].v % n->nrec, c.e[i].out);
	if (c.ne > 0)
		insert(&c, out);
	for (size_t i = 0; i < c.ne; i++)
		c.e[i].late = 0;
	if (c.ne > 0 && c.ne <= WEIGHED_TURNS) {
		insert(&c, &other);
		choose(out, &other);
	}
	free(c.nothing);
	free(c.comp);
	free(c.e);
}
