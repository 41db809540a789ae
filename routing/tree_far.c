#include <stdlib.h>
#include <string.h>

#include "routing/tree_priv.h"

enum {
	COLUMNS = 1024, /* classes that are looked at */
	UNIT = 1024,
};

/* A switch with hosts, and what stands for its set of neighbours. */
struct mark {
	uint64_t hash;
	sw_ix sw;
};

/*
 * Switches with hosts in classes of equal neighbours: everybody else is as far
 * from one as from the other, so one column of bits serves a whole rack row.
 */
struct columns {
	uint32_t n, words;
	uint64_t *weight; /* [n] */
	uint32_t *of;	  /* [nsw] UINT32_MAX: none */
	uint64_t *near, *next;
	uint64_t *sum, *seen; /* [nsw] */
};

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

static int
by_hash(const void *pa, const void *pb)
{
	const struct mark *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

static bool
same_neighbours(const struct updn *g, sw_ix a, sw_ix b)
{
	uint32_t n = g->first[a + 1] - g->first[a];

	if (g->first[b + 1] - g->first[b] != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (g->group[g->first[a] + i].peer !=
			g->group[g->first[b] + i].peer)
			return false;
	return true;
}

static void
make_columns(const struct tree_work *w, struct columns *c)
{
	const struct updn *g = &w->g;
	struct mark *mark = arena_array(g->a, g->nsw, sizeof(*mark));
	uint32_t n = 0;

	for (sw_ix s = 0; s < g->nsw; s++) {
		if (g->weight[s] == 0 || g->first[s] == g->first[s + 1])
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			mark[n].hash += mix(tree_guid(w, g->group[i].peer));
		mark[n++].sw = s;
	}
	if (n > 0)
		qsort(mark, n, sizeof(*mark), by_hash);
	c->of = arena_array(g->a, g->nsw, sizeof(*c->of));
	memset(c->of, 0xff, g->nsw * sizeof(*c->of));
	c->weight = arena_array(g->a, COLUMNS, sizeof(*c->weight));
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || mark[i].hash != mark[i - 1].hash ||
			!same_neighbours(g, mark[i].sw, mark[i - 1].sw)) {
			if (c->n == COLUMNS)
				break;
			c->n++;
		}
		c->of[mark[i].sw] = c->n - 1;
		c->weight[c->n - 1] += g->weight[mark[i].sw];
	}
	c->words = (c->n + 255) / 256 * 4;
}

/* What came within reach of s in step k; its own class is settled already. */
static void
count_new(struct columns *c, sw_ix s, uint64_t k)
{
	for (uint32_t i = 0; i < c->words; i++) {
		size_t at = (size_t)s * c->words + i;
		uint64_t fresh = c->next[at] & ~c->near[at];

		for (; fresh != 0; fresh &= fresh - 1) {
			uint64_t weight = c->weight[i * 64 + updn_low(fresh)];

			c->sum[s] += weight * k * k;
			c->seen[s] += weight;
		}
	}
}

/* Has s all classes within reach? Then nothing more can come. */
static bool
has_all(const struct columns *c, sw_ix s)
{
	const uint64_t *near = c->near + (size_t)s * c->words;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->words; i++)
		n += updn_count(near[i]);
	return n == c->n;
}

static bool
step(const struct updn *g, struct columns *c, uint64_t k)
{
	size_t bytes = (size_t)g->nsw * c->words * sizeof(*c->near);
	uint64_t *swap;
	bool more;

	memcpy(c->next, c->near, bytes);
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (has_all(c, s))
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			updn_or(c->next + (size_t)s * c->words,
				c->near + (size_t)g->group[i].peer * c->words,
				c->words);
	}
	more = memcmp(c->near, c->next, bytes) != 0;
	for (sw_ix s = 0; more && s < g->nsw; s++)
		count_new(c, s, k);
	swap = c->near;
	c->near = c->next;
	c->next = swap;
	return more;
}

/*
 * Squares, because they tell tiers apart whatever the population: with plain
 * distances the middle switches of two equal pods are as close as the tops.
 * One's own hosts do not count: else a leaf that has most of them were the
 * centre of the fabric.
 */
void
tree_far(struct tree_work *w)
{
	const struct updn *g = &w->g;
	struct columns c = {0};
	size_t cells;

	make_columns(w, &c);
	cells = (size_t)g->nsw * c.words;
	c.near = arena_array(g->a, cells, sizeof(*c.near));
	c.next = arena_array(g->a, cells, sizeof(*c.next));
	c.sum = arena_array(g->a, g->nsw, sizeof(*c.sum));
	c.seen = arena_array(g->a, g->nsw, sizeof(*c.seen));
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (c.of[s] == UINT32_MAX)
			continue;
		updn_set(c.near + (size_t)s * c.words, c.of[s]);
		/* the others of the class are behind the same neighbours */
		c.seen[s] = c.weight[c.of[s]] - g->weight[s];
		c.sum[s] = c.seen[s] * 4;
	}
	for (uint64_t k = 1; c.words > 0 && step(g, &c, k); k++)
		;
	for (sw_ix s = 0; s < g->nsw; s++)
		w->far[s] = c.seen[s] > 0 ? c.sum[s] * UNIT / c.seen[s]
					  : UINT64_MAX;
}

bool
tree_far_above(const struct tree_work *w, sw_ix a, sw_ix b)
{
	uint64_t fa = w->far[a], fb = w->far[b];

	if (w->role[a] != ROUTE_ROLE_NONE && w->role[b] != ROUTE_ROLE_NONE &&
		w->role[a] != w->role[b])
		return w->role[a] > w->role[b];
	return fa < fb && (fb == UINT64_MAX || fa + fb / 16 < fb);
}
