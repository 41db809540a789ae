/*
 * stage_bulk: stages for changes of whole fabrics, where trying entries one by
 * one would take too long.
 *
 * All channels are put into one row: what packets may wait for as the stage
 * begins points forward in it, and as much as possible of what the new routing
 * wants. Each entry that adds no dependency that points back is admitted, all
 * of them at once; where two new entries make one together, the first on the
 * path waits. So does an entry that leads to a switch which, by the end of the
 * stage, would send its packets straight back: then packets that arrive when
 * the stage begins also arrive when it is over.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

struct bulk {
	struct lft_values *v;
	const struct chan_graph *n;
	const uint32_t *comp;
	uint64_t *must, *back; /* dependencies: in force now; pointing back */
	uint32_t *wish, nwish; /* vertices in the order of the new routing */
	uint32_t *pos;	       /* [nv] in the row */
	uint32_t *stack;       /* [nv] */
	unsigned *at;	       /* [nv] next port before it to look at */
	bool *bad;	       /* [nrec] a dependency behind it points back */
	uint64_t *defer;       /* [ncells] entries that cannot be admitted */
	struct transition_lines lines;
};

/* Find the row that the new routing would have alone. */
static void
find_wished_order(struct bulk *b)
{
	static const struct transition_when is = {TRANSITION_NEW, 0};
	const struct chan_graph *n = b->n;
	uint32_t *slot = mem_alloc(n->nv * sizeof(*slot));
	struct dynamic_order o;

	cdg_mixed_build(b->v, is, is, b->must);
	(void)dynamic_order_new(&o, &n->frame, b->comp, b->must);
	memset(slot, 0xff, n->nv * sizeof(*slot));
	for (uint32_t v = 0; v < n->nv; v++)
		if (b->comp[v] != 0)
			slot[o.pos[v]] = v;
	for (uint32_t i = 0; i < n->nv; i++)
		if (slot[i] != UINT32_MAX)
			b->wish[b->nwish++] = slot[i];
	dynamic_order_free(&o);
	free(slot);
}

/* The next vertex that must come before v and has no place yet. */
static bool
next_before(struct bulk *b, uint32_t v, uint32_t *w)
{
	while (dep_graph_prev(&b->n->frame, b->must, v, &b->at[v], w))
		if (b->comp[*w] == b->comp[v] && b->pos[*w] == UINT32_MAX)
			return true;
	return false;
}

/*
 * Put all vertices in the wished order, each after the ones that must precede
 * it.
 */
static void
order_channels(struct bulk *b)
{
	uint32_t next = 0, depth;

	memset(b->pos, 0xff, b->n->nv * sizeof(*b->pos));
	memset(b->at, 0, b->n->nv * sizeof(*b->at));
	for (uint32_t i = 0; i < b->nwish; i++) {
		depth = 0;
		if (b->pos[b->wish[i]] == UINT32_MAX)
			b->stack[depth++] = b->wish[i];
		while (depth > 0) {
			uint32_t v = b->stack[depth - 1], w;

			if (next_before(b, v, &w)) {
				b->stack[depth++] = w;
				continue;
			}
			b->pos[v] = next++;
			depth--;
		}
	}
}

/*
 * Keep of all dependencies from here on the ones that point back; true: there
 * are some.
 */
static bool
find_back(struct bulk *b)
{
	const struct chan_graph *n = b->n;
	bool any = false;

	memset(b->bad, 0, n->nrec * sizeof(*b->bad));
	for (uint32_t v = 0; v < n->nv; v++)
		for (unsigned at = 0;
			dep_graph_next(&n->frame, b->back, v, &at); at++) {
			uint32_t w = dep_graph_head(&n->frame, v, at);

			if (b->comp[v] != 0 && b->comp[v] == b->comp[w] &&
				b->pos[v] >= b->pos[w])
				any = b->bad[v] = true;
			else
				dep_graph_clear(&n->frame, b->back, v, at);
		}
	return any;
}

struct entry {
	uint32_t block;
	unsigned l;
};

static void
defer_entry(struct bulk *b, sw_ix s, const struct entry *e)
{
	uint32_t i = b->v->cell[(size_t)s * b->v->nblocks + e->block];

	b->defer[i - 1] |= UINT64_C(1) << e->l;
}

static bool
points_back(const struct bulk *b, uint32_t v, uint8_t port)
{
	return b->n->bit[port] != 0 &&
	       (b->back[((size_t)v << b->n->shift) + b->n->word[port]] &
		       b->n->bit[port]) != 0;
}

/* Whether a dependency points back to a further value of the switch. */
static bool
extra_points_back(const struct bulk *b, struct transition_to t, unsigned l)
{
	for (size_t i = 0; i < b->lines.nextra; i++)
		if (b->lines.extra[i].s == t.s &&
			points_back(b, t.rec, b->lines.extra[i].line[l]))
			return true;
	return false;
}

/*
 * Look at one value of switch u's entry and all values of the switch behind it.
 * The old value of u with the old one behind it is in the row as it should be.
 */
static void
look_at_value(struct bulk *b, sw_ix u, const struct entry *e, uint8_t port,
	bool fresh)
{
	struct transition_to t = b->n->to[(size_t)u * 256 + port];
	struct transition_pair p = b->lines.of[t.s];
	unsigned l = e->l;

	if (!b->bad[t.rec])
		return;
	if (!fresh && p.a[l] != p.b[l] && points_back(b, t.rec, p.b[l]))
		defer_entry(b, t.s, e);
	if (fresh && (points_back(b, t.rec, p.a[l]) ||
			     points_back(b, t.rec, p.b[l]) ||
			     extra_points_back(b, t, l)))
		defer_entry(b, u, e);
}

static bool
is_deferred(const struct bulk *b, sw_ix s, const struct entry *e)
{
	uint32_t i = b->v->cell[(size_t)s * b->v->nblocks + e->block];

	return i != 0 && (b->defer[i - 1] >> e->l & 1);
}

/*
 * An entry that sends packets to a switch that sends them straight back would
 * lose them until the next stage: it waits, too.
 */
static bool
defer_bounces(struct bulk *b, sw_ix u, uint32_t block)
{
	const struct chan_graph *n = b->n;
	struct transition_pair p = b->lines.of[u];
	bool more = false;

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		struct entry e = {block, l};
		struct transition_to t;
		struct transition_pair q;
		uint8_t out;

		if (p.a[l] == p.b[l] || is_deferred(b, u, &e))
			continue;
		t = n->to[(size_t)u * 256 + p.b[l]];
		q = b->lines.of[t.s];
		if (t.s == n->nsw)
			continue;
		out = is_deferred(b, t.s, &e) ? q.a[l] : q.b[l];
		if (out != t.rec - n->base[t.rec])
			continue;
		defer_entry(b, u, &e);
		more = true;
	}
	return more;
}

static void
look_at_block(struct bulk *b, uint32_t block, unsigned k)
{
	bool more = true;

	struct transition_lines *x = &b->lines;

	lft_values_load(
		b->v, block, (struct transition_when){TRANSITION_REST, k}, x);
	for (sw_ix u = 0; u < b->n->nsw; u++) {
		struct transition_pair p = x->of[u];

		for (unsigned l = 0; l < LFT_BLOCK; l++) {
			struct entry e = {block, l};

			look_at_value(b, u, &e, p.a[l], false);
			if (p.a[l] != p.b[l])
				look_at_value(b, u, &e, p.b[l], true);
		}
	}
	for (size_t i = 0; i < x->nextra; i++)
		for (unsigned l = 0; l < LFT_BLOCK; l++) {
			struct entry e = {block, l};

			look_at_value(b, x->extra[i].s, &e, x->extra[i].line[l],
				false);
		}
	while (more) {
		more = false;
		for (sw_ix u = 0; u < b->n->nsw; u++)
			more |= defer_bounces(b, u, block);
	}
}

/*
 * Put all entries that need not wait into stage k; *left others wait. Returns
 * how many were admitted.
 */
static uint64_t
admit_entries(struct bulk *b, unsigned k, uint64_t *left)
{
	struct lft_values *v = b->v;
	uint64_t n = 0;

	*left = 0;
	for (size_t i = 0; i < v->ncells; i++)
		for (unsigned l = 0; l < LFT_BLOCK; l++) {
			uint8_t *stage = &v->stage[i][l];
			bool wait = b->defer[i] >> l & 1;

			if (*stage != TRANSITION_LATER)
				continue;
			*stage = wait ? TRANSITION_LATER : (uint8_t)k;
			*left += wait;
			n += !wait;
		}
	return n;
}

/*
 * Fill stage k. False when no entry fits, or what is in place closes a cycle;
 * *left entries remain.
 */
static bool
fill_stage(struct bulk *b, unsigned k, uint64_t *left)
{
	struct transition_when at = {TRANSITION_AT, k},
			       rest = {TRANSITION_REST, k};
	struct dynamic_order o;
	bool ok;

	cdg_mixed_build(b->v, at, rest, b->must);
	ok = dynamic_order_new(&o, &b->n->frame, b->comp, b->must);
	dynamic_order_free(&o);
	if (!ok)
		return false;
	cdg_mixed_build(b->v, rest, rest, b->back);
	memset(b->defer, 0, b->v->ncells * sizeof(*b->defer));
	order_channels(b);
	if (find_back(b))
		for (uint32_t i = 0; i < b->v->nblocks; i++)
			look_at_block(b, i, k);
	return admit_entries(b, k, left) > 0;
}

/*
 * Defer every entry that changes; blocks that are written for the first time do
 * not wait.
 */
static uint64_t
defer_all(struct lft_values *v)
{
	uint64_t left = 0;

	free(v->stage);
	v->stage = mem_zalloc(v->ncells, sizeof(*v->stage));
	for (size_t i = 0; i < v->ncells; i++) {
		uint64_t bits = v->c[i].write && v->c[i].nheld > 0
					? lft_values_diff(v, &v->c[i]).changed
					: 0;

		for (; bits != 0; bits &= bits - 1, left++)
			v->stage[i][__builtin_ctzll(bits)] = TRANSITION_LATER;
	}
	return left;
}

static void
assign_remaining_stage(struct lft_values *v, unsigned k)
{
	for (size_t i = 0; i < v->ncells; i++)
		for (unsigned l = 0; l < LFT_BLOCK; l++)
			if (v->stage[i][l] == TRANSITION_LATER)
				v->stage[i][l] = (uint8_t)k;
}

bool
stage_bulk_find(struct lft_values *v, const uint32_t *comp, unsigned max,
	unsigned *nstages)
{
	const struct chan_graph *n = v->net;
	struct bulk b = {.v = v, .n = n, .comp = comp};
	uint64_t left = defer_all(v);
	unsigned k = 0;

	b.must = mem_alloc(dep_graph_words(&n->frame) * sizeof(*b.must));
	b.back = mem_alloc(dep_graph_words(&n->frame) * sizeof(*b.back));
	b.wish = mem_alloc(n->nv * sizeof(*b.wish));
	b.pos = mem_alloc(n->nv * sizeof(*b.pos));
	b.stack = mem_alloc(n->nv * sizeof(*b.stack));
	b.at = mem_alloc(n->nv * sizeof(*b.at));
	b.bad = mem_alloc(n->nrec * sizeof(*b.bad));
	b.defer = mem_alloc(v->ncells * sizeof(*b.defer));
	lft_values_lines_new(&b.lines, n);
	find_wished_order(&b);
	while (k < max && left > 0 && fill_stage(&b, k, &left))
		k++;
	if (left > 0 && k == max)
		k--; /* the remaining entries join the last stage */
	*nstages = left > 0 ? k + 1 : k;
	assign_remaining_stage(v, k);
	lft_values_lines_free(&b.lines);
	free(b.must);
	free(b.back);
	free(b.wish);
	free(b.pos);
	free(b.stack);
	free(b.at);
	free(b.bad);
	free(b.defer);
	return left == 0;
}
