/*
 * Good trees, and the mistakes that people make at a patch panel. A tree is
 * made by rule (two to four levels, any population, pods, racks in pairs, two
 * trees above the same leaves), then cables are added, swapped or taken out.
 * The record of each switch says which level it is made for: a reader must find
 * it, whatever was done to other switches.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_TIERS_MISCABLED_FIXTURE_H
#define HEDDLE_TESTS_UNIT_ROUTING_TIERS_MISCABLED_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { PATCH_NODES = 6000, PATCH_SWITCHES = 400, PATCH_CABLES = 8 };

enum patch_kind {
	PATCH_NONE,
	PATCH_LEAVES,	   /* a cable between two leaves */
	PATCH_SKIP,	   /* from a leaf two levels up */
	PATCH_SPINES,	   /* inside a level above the leaves */
	PATCH_HOST,	   /* hosts on a switch above the leaves */
	PATCH_SWAP,	   /* two leaves exchange a cable each */
	PATCH_LOST,	   /* a switch is missing */
	PATCH_JOIN_LEAVES, /* two trees, joined at leaves */
	PATCH_JOIN_SPINES, /* ... at switches of equal level between */
	PATCH_JOIN_TOPS,   /* ... at their tops */
	PATCH_JOIN_ACROSS, /* ... a leaf of one at a top of the other */
	PATCH_MIXED,	   /* any of the above */
	PATCH_KINDS,
};

static const char *const patch_name[] = {
	[PATCH_NONE] = "as it should be",
	[PATCH_LEAVES] = "leaf to leaf",
	[PATCH_SKIP] = "leaf two levels up",
	[PATCH_SPINES] = "inside a level above",
	[PATCH_HOST] = "hosts above the leaves",
	[PATCH_SWAP] = "leaves exchange cables",
	[PATCH_LOST] = "a switch is missing",
	[PATCH_JOIN_LEAVES] = "two trees, joined at leaves",
	[PATCH_JOIN_SPINES] = "two trees, joined between",
	[PATCH_JOIN_TOPS] = "two trees, joined at tops",
	[PATCH_JOIN_ACROSS] = "two trees, leaf to top",
	[PATCH_MIXED] = "several of these",
};

/* A switch as it is meant. */
struct patch_switch {
	uint32_t node;
	uint8_t high, tree;
	bool top;
	bool end;  /* one end of a mistake */
	bool lost; /* it is missing */
};

struct patch_cable {
	uint32_t a, b; /* into sw[] */
};

struct patched {
	struct fabric *f;
	struct patch_switch sw[PATCH_SWITCHES];
	uint32_t nsw, ntrees;
	uint32_t index[PATCH_NODES]; /* node -> index in sw[] */
	struct patch_cable cable[PATCH_CABLES];
	uint32_t ncables, nhosted;
	char what[200];
};

/* ---- trees ---- */

struct patch_tree {
	unsigned levels;
	unsigned below[4], above[4], cables[4]; /* from level i - 1 to i */
	bool full;			   /* every parent joins all below it */
	unsigned hosts_lo, hosts_hi, bare; /* percent of bare leaves */
	unsigned pairs;			   /* cables between leaves 2i, 2i+1 */
	bool twin; /* a second set of switches above the same leaves */
};

/* The switches at the top of a part. */
struct patch_part {
	uint32_t sw[128];
	uint32_t n;
};

static inline uint32_t
patch_add(struct patched *p, unsigned high)
{
	uint32_t n = fabric_addf(p->f, FABRIC_SWITCH, 120, "h%u tree%u s%u",
		high, p->ntrees, p->nsw);

	ck_assert_uint_lt(p->nsw, PATCH_SWITCHES);
	p->index[n] = p->nsw;
	p->sw[p->nsw] = (struct patch_switch){
		.node = n, .high = (uint8_t)high, .tree = (uint8_t)p->ntrees};
	return p->nsw++;
}

static inline void
patch_join(struct patched *p, uint32_t a, uint32_t b, unsigned cables)
{
	struct fabric *f = p->f;

	for (unsigned i = 0; i < cables; i++) {
		uint32_t x = p->sw[a].node, y = p->sw[b].node;

		ck_assert_uint_ne(fabric_connect(f, x, fabric_free_port(f, x),
					  y, fabric_free_port(f, y), NULL),
			FABRIC_NONE);
	}
}

static inline void
patch_hosts(struct patched *p, uint32_t s, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t h =
			fabric_addf(p->f, FABRIC_CA, 1, "h%u", p->f->nnodes);

		ck_assert_uint_lt(h, PATCH_NODES);
		ck_assert_uint_ne(
			fabric_connect(p->f, h, 1, p->sw[s].node,
				fabric_free_port(p->f, p->sw[s].node), NULL),
			FABRIC_NONE);
	}
}

/* Level l over the parts of level l - 1. */
static inline void
patch_over(struct patched *p, const struct patch_tree *t, unsigned l,
	const struct patch_part *part, struct patch_part *out)
{
	uint32_t n = t->full ? t->above[l] : t->above[l] * part[0].n;

	out->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t up = patch_add(p, l);

		p->sw[up].top = l + 1 == t->levels;
		out->sw[out->n++] = up;
		for (unsigned k = 0; k < t->below[l]; k++)
			for (uint32_t j = 0; j < part[k].n; j++)
				if (t->full || i / t->above[l] == j)
					patch_join(p, part[k].sw[j], up,
						t->cables[l]);
	}
}

static inline void
patch_leaf(struct patched *p, const struct patch_tree *t, struct rng *r,
	struct patch_part *out)
{
	out->sw[0] = patch_add(p, 0);
	out->n = 1;
	if (rng_below(r, 100) >= t->bare)
		patch_hosts(p, out->sw[0],
			t->hosts_lo +
				rng_below(r, t->hosts_hi - t->hosts_lo + 1));
}

/* All leaves, then level by level, parts of a level side by side. */
static inline void
patch_levels(struct patched *p, const struct patch_tree *t, struct rng *r)
{
	struct patch_part *part = mem_zalloc(PATCH_SWITCHES, sizeof(*part));
	struct patch_part over;
	uint32_t n = 1;

	for (unsigned l = 1; l < t->levels; l++)
		n *= t->below[l];
	for (uint32_t i = 0; i < n; i++)
		patch_leaf(p, t, r, &part[i]);
	for (unsigned l = 1; l < t->levels; l++) {
		n /= t->below[l];
		for (uint32_t i = 0; i < n; i++) {
			patch_over(
				p, t, l, &part[(size_t)i * t->below[l]], &over);
			part[i] = over;
		}
	}
	free(part);
}

/* Other switches over the leaves of the tree that has just been made. */
static inline void
patch_twin(struct patched *p, uint32_t first, unsigned spines)
{
	uint32_t end = p->nsw;

	for (unsigned i = 0; i < spines; i++) {
		uint32_t up = patch_add(p, 1);

		p->sw[up].top = true;
		for (uint32_t s = first; s < end; s++)
			if (p->sw[s].high == 0)
				patch_join(p, s, up, 1);
	}
}

static inline void
patch_tree(struct patched *p, const struct patch_tree *t, struct rng *r)
{
	uint32_t first = p->nsw, last = UINT32_MAX;

	patch_levels(p, t, r);
	for (uint32_t s = first; t->pairs > 0 && s < p->nsw; s++) {
		if (p->sw[s].high > 0)
			continue;
		if (last != UINT32_MAX)
			patch_join(p, last, s, t->pairs);
		last = last == UINT32_MAX ? s : UINT32_MAX;
	}
	if (t->twin)
		patch_twin(p, first, 2 + rng_below(r, 3));
	p->ntrees++;
}

static inline unsigned
patch_between(struct rng *r, unsigned lo, unsigned hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

static inline struct patch_tree
patch_draw(struct rng *r, unsigned min_levels)
{
	struct patch_tree t = {.levels = patch_between(r, min_levels, 4)};
	unsigned most = t.levels == 2 ? 8 : t.levels == 3 ? 5 : 3;

	for (unsigned l = 1; l < t.levels; l++) {
		t.below[l] = patch_between(r, l == 1 ? 3 : 2, most);
		t.above[l] = patch_between(r, 2, t.levels == 2 ? 6 : 3);
		t.cables[l] = patch_between(r, 0, 3) == 0 ? 2 : 1;
	}
	t.full = patch_between(r, 0, 2) == 0;
	t.hosts_lo = patch_between(r, 1, 4);
	t.hosts_hi = t.hosts_lo + patch_between(r, 0, 6);
	switch (patch_between(r, 0, 5)) {
	case 0:
		t.bare = 15;
		break;
	case 1:
		t.pairs = t.cables[1];
		break;
	case 2:
		t.twin = true;
		break;
	default:
		break;
	}
	return t;
}

/* ---- what goes wrong ---- */

typedef bool patch_wanted(const struct patched *p, uint32_t s, uint32_t other);

static inline bool
patch_linked(const struct patched *p, uint32_t a, uint32_t b)
{
	const struct fabric *f = p->f;
	uint32_t n = p->sw[a].node, peer;
	unsigned port;

	for (unsigned i = 1; i <= f->node[n].nports; i++)
		if (fabric_peer(f, n, i, &peer, &port) && peer == p->sw[b].node)
			return true;
	return false;
}

static inline bool
patch_equal(const struct patched *p, uint32_t a, uint32_t b)
{
	return a != b && p->sw[a].high == p->sw[b].high &&
	       !patch_linked(p, a, b);
}

/* Any switch that `ok` accepts with `other`; UINT32_MAX: none. */
static inline uint32_t
patch_pick(const struct patched *p, struct rng *r, patch_wanted *ok,
	uint32_t other)
{
	uint32_t n = 0, found = UINT32_MAX;

	for (uint32_t s = 0; s < p->nsw; s++)
		if (!p->sw[s].lost && ok(p, s, other) && rng_below(r, ++n) == 0)
			found = s;
	return found;
}

static inline bool
patch_is_leaf(const struct patched *p, uint32_t s, uint32_t other)
{
	(void)other;
	return p->sw[s].high == 0;
}

static inline bool
patch_is_above(const struct patched *p, uint32_t s, uint32_t other)
{
	(void)other;
	return p->sw[s].high > 0;
}

static inline bool
patch_is_between(const struct patched *p, uint32_t s, uint32_t other)
{
	(void)other;
	return p->sw[s].high > 0 && !p->sw[s].top;
}

static inline bool
patch_is_top(const struct patched *p, uint32_t s, uint32_t other)
{
	(void)other;
	return p->sw[s].top;
}

static inline bool
patch_is_like(const struct patched *p, uint32_t s, uint32_t other)
{
	return p->sw[s].tree == p->sw[other].tree && patch_equal(p, s, other);
}

static inline bool
patch_is_skipped(const struct patched *p, uint32_t s, uint32_t other)
{
	return p->sw[s].tree == p->sw[other].tree &&
	       p->sw[s].high == p->sw[other].high + 2 &&
	       !patch_linked(p, s, other);
}

static inline bool
patch_is_abroad(const struct patched *p, uint32_t s, uint32_t other)
{
	return p->sw[s].tree != p->sw[other].tree && patch_equal(p, s, other);
}

static inline bool
patch_is_top_abroad(const struct patched *p, uint32_t s, uint32_t other)
{
	return p->sw[s].tree != p->sw[other].tree && p->sw[s].top;
}

static inline bool
patch_say(struct patched *p, const char *what, uint32_t a, uint32_t b)
{
	size_t n = strlen(p->what);

	(void)snprintf(p->what + n, sizeof(p->what) - n, "%s%s %s",
		n > 0 ? "; " : "", what, p->f->node[p->sw[a].node].name);
	n = strlen(p->what);
	if (b != UINT32_MAX)
		(void)snprintf(p->what + n, sizeof(p->what) - n, " - %s",
			p->f->node[p->sw[b].node].name);
	return true;
}

static inline bool
patch_cable(struct patched *p, struct rng *r, patch_wanted *one,
	patch_wanted *two, const char *what)
{
	uint32_t a = patch_pick(p, r, one, 0), b;

	if (a == UINT32_MAX || p->ncables == PATCH_CABLES)
		return false;
	b = patch_pick(p, r, two, a);
	if (b == UINT32_MAX)
		return false;
	patch_join(p, a, b, 1);
	p->sw[a].end = p->sw[b].end = true;
	p->cable[p->ncables++] = (struct patch_cable){a, b};
	return patch_say(p, what, a, b);
}

/* A random cable of leaf s; returns its index. */
static inline uint32_t
patch_any_cable(const struct patched *p, struct rng *r, uint32_t s)
{
	const struct fabric *f = p->f;
	const struct fabric_node *n = &f->node[p->sw[s].node];
	uint32_t found = FABRIC_NONE, seen = 0;

	for (unsigned i = 1; i <= n->nports; i++) {
		uint32_t c = f->port[n->first + i].cable;

		if (c != FABRIC_NONE && rng_below(r, ++seen) == 0)
			found = c;
	}
	return found;
}

/* Both cables change their end at the leaf. */
static inline bool
patch_swap(struct patched *p, struct rng *r)
{
	uint32_t a = patch_pick(p, r, patch_is_leaf, 0);
	uint32_t b = patch_pick(p, r, patch_is_leaf, 0);
	struct fabric *f = p->f;
	uint32_t s[2], c[2];
	unsigned e[2];

	if (a == b || a == UINT32_MAX || b == UINT32_MAX)
		return false;
	s[0] = p->sw[a].node;
	s[1] = p->sw[b].node;
	c[0] = patch_any_cable(p, r, a);
	c[1] = patch_any_cable(p, r, b);
	if (c[0] == c[1] || c[0] == FABRIC_NONE || c[1] == FABRIC_NONE)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t far;

		e[i] = f->cable[c[i]].node[0] == s[i] ? 0 : 1;
		far = f->cable[c[i]].node[!e[i]];
		if (far == s[!i])
			return false;
		if (f->node[far].type == FABRIC_SWITCH)
			p->sw[p->index[far]].end = true;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct fabric_cable *x = &f->cable[c[i]];

		x->node[e[i]] = s[!i];
	}
	{
		uint8_t port = f->cable[c[0]].port[e[0]];

		f->cable[c[0]].port[e[0]] = f->cable[c[1]].port[e[1]];
		f->cable[c[1]].port[e[1]] = port;
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct fabric_cable *x = &f->cable[c[i]];

		fabric_port(f, x->node[e[i]], x->port[e[i]])->cable = c[i];
	}
	p->sw[a].end = p->sw[b].end = true;
	return patch_say(p, "swap", a, b);
}

static inline bool
patch_host(struct patched *p, struct rng *r)
{
	uint32_t s = patch_pick(p, r, patch_is_above, 0);

	if (s == UINT32_MAX || p->sw[s].end)
		return false;
	patch_hosts(p, s, patch_between(r, 1, 2));
	p->sw[s].end = true;
	p->nhosted++;
	return patch_say(p, "hosts", s, UINT32_MAX);
}

/* The switch is missing, which is a mistake at its neighbours, too. */
static inline bool
patch_lose(struct patched *p, struct rng *r)
{
	uint32_t s = patch_pick(
		p, r, rng_below(r, 3) == 0 ? patch_is_leaf : patch_is_above, 0);

	if (s == UINT32_MAX || p->sw[s].end)
		return false;
	p->sw[s].lost = p->sw[s].end = true;
	return patch_say(p, "lost", s, UINT32_MAX);
}

static inline bool
patch_do(struct patched *p, struct rng *r, enum patch_kind kind)
{
	if (kind == PATCH_MIXED)
		kind = (enum patch_kind)patch_between(
			r, PATCH_LEAVES, PATCH_JOIN_ACROSS);
	switch (kind) {
	case PATCH_LEAVES:
		return patch_cable(
			p, r, patch_is_leaf, patch_is_like, "leaves");
	case PATCH_SKIP:
		return patch_cable(
			p, r, patch_is_leaf, patch_is_skipped, "skip");
	case PATCH_SPINES:
		return patch_cable(
			p, r, patch_is_above, patch_is_like, "level");
	case PATCH_HOST:
		return patch_host(p, r);
	case PATCH_SWAP:
		return patch_swap(p, r);
	case PATCH_LOST:
		return patch_lose(p, r);
	case PATCH_JOIN_LEAVES:
		return patch_cable(
			p, r, patch_is_leaf, patch_is_abroad, "join");
	case PATCH_JOIN_SPINES:
		return patch_cable(
			p, r, patch_is_between, patch_is_abroad, "join");
	case PATCH_JOIN_TOPS:
		return patch_cable(
			p, r, patch_is_top, patch_is_top_abroad, "join");
	case PATCH_JOIN_ACROSS:
		return patch_cable(
			p, r, patch_is_leaf, patch_is_top_abroad, "join");
	case PATCH_MIXED:
	case PATCH_NONE:
	case PATCH_KINDS:
		break;
	}
	return true;
}

/* Take out what is missing. */
static inline void
patch_finish(struct patched *p)
{
	AUTO(mem) bool *drop = mem_zalloc(p->f->nnodes, sizeof(*drop));
	struct fabric_edit e = {.drop_node = drop, .drop_orphans = true};
	struct fabric *f;

	for (uint32_t s = 0; s < p->nsw; s++)
		drop[p->sw[s].node] = p->sw[s].lost;
	f = fabric_rebuild(p->f, &e);
	fabric_free(p->f);
	p->f = f;
}

static inline bool
patch_is_join(enum patch_kind k)
{
	return k >= PATCH_JOIN_LEAVES && k <= PATCH_JOIN_ACROSS;
}

/*
 * One to three mistakes of a kind, in one tree or in two or three; false: not
 * possible here. only: that tree as intended and nothing else; UINT32_MAX: all
 * of it.
 */
static inline bool
patch_make(
	struct patched *p, enum patch_kind kind, uint64_t seed, uint32_t only)
{
	struct rng r = {seed * 1000 + (uint64_t)kind};
	unsigned trees = patch_is_join(kind)   ? patch_between(&r, 2, 3)
			 : kind == PATCH_MIXED ? patch_between(&r, 1, 2)
					       : 1;
	unsigned n = patch_between(&r, 1, 3);

	memset(p, 0, sizeof(*p));
	p->f = fabric_new();
	for (unsigned i = 0; i < trees; i++) {
		struct patch_tree t = patch_draw(&r,
			kind == PATCH_SKIP || kind == PATCH_JOIN_SPINES ? 3
									: 2);

		patch_tree(p, &t, &r);
	}
	for (uint32_t s = 0; only != UINT32_MAX && s < p->nsw; s++)
		p->sw[s].lost = p->sw[s].tree != only;
	for (unsigned i = 0; only == UINT32_MAX && i < n; i++)
		if (!patch_do(p, &r, kind) && i == 0 && kind != PATCH_NONE)
			return false;
	patch_finish(p);
	return true;
}

#endif
