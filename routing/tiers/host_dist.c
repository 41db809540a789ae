/*
 * host_dist: how far each switch is from the hosts of the fabric. Columns of
 * bits spread from class to class of switches with hosts, a link a step.
 */
#include <stdlib.h>

#include "routing/tiers/tree_priv.h"
#include "sm/base/bitset.h"
#include "sm/base/hash.h"

/* A switch with hosts, and a hash of its set of neighbours. */
struct mark {
	uint64_t hash;
	sw_ix sw;
};

/*
 * Switches with hosts, in classes of equal neighbours: any other switch is as
 * far from one of a class as from another, so one column of bits serves a whole
 * row of racks.
 */
struct columns {
	uint32_t n, words;
	uint64_t *weight; /* [n] */
	uint64_t *alike;  /* [words] weight of each of these 64 classes; 0: they
			     differ */
	uint32_t *of;	  /* [nsw] UINT32_MAX: none */
	uint64_t *near;	  /* [nsw] rows: classes within reach */
	uint64_t *fresh;  /* [nsw] rows: classes that the last step reached */
	sw_ix *front;	  /* switches that it reached any for */
	uint32_t nfront;
	uint64_t *next;	      /* [nsw] rows: classes that this step brings */
	uint64_t *sum, *seen; /* [nsw] */
	uint32_t *lacks;      /* [nsw] number of classes out of reach */
};

static int
by_hash(const void *pa, const void *pb)
{
	const struct mark *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

static bool
has_same_neighbours(const struct swgraph *g, sw_ix a, sw_ix b)
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

/* Where classes weigh the same they are counted by words. */
static void
note_alike(const struct swgraph *g, struct columns *c)
{
	c->alike = arena_array(g->a, c->words + 1U, sizeof(*c->alike));
	for (uint32_t k = 0; k < c->n; k++)
		if (k % 64 == 0)
			c->alike[k / 64] = c->weight[k];
		else if (c->alike[k / 64] != c->weight[k])
			c->alike[k / 64] = 0;
}

static void
make_columns(struct tree_work *w, struct columns *c)
{
	const struct swgraph *g = &w->g;
	struct mark *mark = arena_array(g->a, g->nsw, sizeof(*mark));
	uint32_t n = 0;

	for (sw_ix s = 0; s < g->nsw; s++) {
		if (g->weight[s] == 0 || g->first[s] == g->first[s + 1])
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			mark[n].hash +=
				hash_spread(tree_guid(w, g->group[i].peer));
		mark[n++].sw = s;
	}
	if (n > 0)
		qsort(mark, n, sizeof(*mark), by_hash);
	c->of = arena_array(g->a, g->nsw, sizeof(*c->of));
	memset(c->of, 0xff, g->nsw * sizeof(*c->of));
	c->weight = arena_array(g->a, TREE_CLASSES, sizeof(*c->weight));
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || mark[i].hash != mark[i - 1].hash ||
			!has_same_neighbours(g, mark[i].sw, mark[i - 1].sw)) {
			if (c->n == TREE_CLASSES)
				break;
			c->n++;
		}
		c->of[mark[i].sw] = c->n - 1;
		c->weight[c->n - 1] += g->weight[mark[i].sw];
	}
	c->words = (c->n + 255) / 256 * 4;
	note_alike(g, c);
}

/* The weight of some of the classes of word i. */
static uint64_t
weigh_classes(const struct columns *c, uint32_t i, uint64_t classes)
{
	uint64_t weight = 0;

	if (c->alike[i] != 0)
		return c->alike[i] * (unsigned)__builtin_popcountll(classes);
	for (; classes != 0; classes &= classes - 1)
		weight += c->weight[i * 64 + bitset_lowest64(classes)];
	return weight;
}

/*
 * Count what comes within reach of s in step k; its own class is counted
 * already.
 */
static void
take_new_classes(struct columns *c, sw_ix s, uint64_t k)
{
	size_t row = (size_t)s * c->words;
	bool any = false;

	for (uint32_t i = 0; i < c->words; i++) {
		uint64_t fresh = c->next[row + i] & ~c->near[row + i], weight;

		c->next[row + i] = 0;
		c->near[row + i] |= fresh;
		c->fresh[row + i] = fresh;
		if (fresh == 0)
			continue;
		any = true;
		weight = weigh_classes(c, i, fresh);
		c->sum[s] += weight * k * k;
		c->seen[s] += weight;
		c->lacks[s] -= (unsigned)__builtin_popcountll(fresh);
	}
	if (any)
		c->front[c->nfront++] = s;
}

/*
 * What the last step reached goes to the neighbours, except to those that have
 * all classes.
 */
static void
spread_classes(const struct swgraph *g, struct columns *c, uint64_t k)
{
	for (uint32_t f = 0; f < c->nfront; f++) {
		sw_ix s = c->front[f];
		const uint64_t *fresh = c->fresh + (size_t)s * c->words;

		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (c->lacks[peer] > 0)
				bitset_or(c->next + (size_t)peer * c->words,
					fresh, c->words);
		}
	}
	c->nfront = 0;
	for (sw_ix s = 0; s < g->nsw; s++)
		if (c->lacks[s] > 0)
			take_new_classes(c, s, k);
}

static void
begin_columns(const struct swgraph *g, struct columns *c)
{
	size_t cells = (size_t)g->nsw * c->words;

	c->near = arena_array(g->a, cells, sizeof(*c->near));
	c->fresh = arena_array(g->a, cells, sizeof(*c->fresh));
	c->next = arena_array(g->a, cells, sizeof(*c->next));
	c->front = arena_array(g->a, g->nsw, sizeof(*c->front));
	c->sum = arena_array(g->a, g->nsw, sizeof(*c->sum));
	c->seen = arena_array(g->a, g->nsw, sizeof(*c->seen));
	c->lacks = arena_array(g->a, g->nsw, sizeof(*c->lacks));
	for (sw_ix s = 0; s < g->nsw; s++) {
		size_t row = (size_t)s * c->words;

		c->lacks[s] = c->n;
		if (c->of[s] == UINT32_MAX)
			continue;
		c->lacks[s]--;
		bitset_add(c->near + row, c->of[s]);
		bitset_add(c->fresh + row, c->of[s]);
		c->front[c->nfront++] = s;
		/* the others of the class: same neighbours, two steps */
		c->seen[s] = c->weight[c->of[s]] - g->weight[s];
		c->sum[s] = c->seen[s] * 4;
	}
}

void
host_dist_measure(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	struct columns c = {0};

	make_columns(w, &c);
	begin_columns(g, &c);
	for (uint64_t k = 1; c.nfront > 0; k++)
		spread_classes(g, &c, k);
	for (sw_ix s = 0; s < g->nsw; s++) {
		w->far[s] = host_dist_of(c.sum[s], c.seen[s]);
		w->closer[s] = host_dist_threshold(w->far[s]);
	}
}
