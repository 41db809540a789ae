#include <string.h>

#include "routing/updn_join.h"

/* A component, and what of it the line turns over so far. */
struct joining {
	struct updn *u;
	uint64_t *tree; /* the set, and */
	sw_ix *seq;	/* its switches as they are in the line */
	uint32_t n;
	uint64_t *lost; /* switches with no way up into it */
	uint32_t nlost;
	uint64_t *turned; /* scratch: what a joiner would turn over */
	sw_ix leaf;
	uint32_t *was; /* places in the line in force, UINT32_MAX: none */
};

struct joiner {
	sw_ix sw;
	bool stays;    /* cables of it are turned over in the line in force */
	uint32_t cost; /* cables that it turns over and are not */
	uint32_t gain; /* switches that it joins */
	uint32_t near; /* switches of the subtree above it: turns move less */
	uint32_t wide; /* its cables into the subtree and to the lost: the
			  fewer of both */
};

static const uint64_t *
above_of(const struct joining *x, sw_ix s)
{
	return x->u->tier_above[s];
}

static bool
meet(const struct joining *x, const uint64_t *a, const uint64_t *b)
{
	for (uint32_t w = 0; w < x->u->words; w++)
		if ((a[w] & b[w]) != 0)
			return true;
	return false;
}

static void
find_lost(struct joining *x)
{
	const struct updn *u = x->u;

	x->nlost = 0;
	memset(x->lost, 0, u->words * sizeof(*x->lost));
	for (sw_ix s = 0; s < u->nsw; s++)
		if (u->live[s] && u->comp[s] == u->comp[x->leaf] &&
			!meet(x, above_of(x, s), x->tree)) {
			updn_set(x->lost, s);
			x->nlost++;
		}
}

/*
 * Nothing above a switch that is lost is in the subtree; so a switch that is
 * not lost itself, of which none above it is both, joins what is.
 */
static bool
may_join(const struct joining *x, sw_ix s)
{
	const uint64_t *mine = above_of(x, s);

	if (updn_bit(x->lost, s) || !meet(x, mine, x->lost))
		return false;
	for (uint32_t w = 0; w < x->u->words; w++)
		for (uint64_t b = mine[w] & ~x->tree[w] & ~x->lost[w]; b != 0;
			b &= b - 1) {
			sw_ix y = w * 64 + updn_low(b);

			if (y != s && meet(x, above_of(x, y), x->lost))
				return false;
		}
	return true;
}

/* Of s, which is below peer, and peer: did the line in force say so, too? */
static bool
was_over(const struct joining *x, sw_ix s, sw_ix peer)
{
	return x->was[s] < x->was[peer] && x->was[peer] != UINT32_MAX;
}

/* Cables up from s: to those that are not lost, to those that are, and how many
 * of these the line in force turns over. */
struct cables {
	uint32_t in, out, over;
};

static struct cables
cables(const struct joining *x, sw_ix s)
{
	const struct updn *u = x->u;
	struct cables n = {0};

	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++) {
		sw_ix peer = u->group[g].peer;

		if (u->tier.pos[peer] > u->tier.pos[s])
			continue;
		if (!updn_bit(x->lost, peer)) {
			n.in += u->group[g].n;
			continue;
		}
		n.out += u->group[g].n;
		n.over += was_over(x, s, peer) ? u->group[g].n : 0;
	}
	return n;
}

static struct joiner
judge(const struct joining *x, sw_ix s)
{
	const struct updn *u = x->u;
	const uint64_t *mine = above_of(x, s);
	struct cables n = cables(x, s);
	struct joiner j = {.sw = s,
		.stays = n.over > 0,
		.cost = n.out - n.over,
		.wide = n.in < n.out ? n.in : n.out};

	for (uint32_t w = 0; w < u->words; w++) {
		x->turned[w] = mine[w] & x->lost[w];
		j.near += updn_count(mine[w] & x->tree[w]);
		for (uint64_t b = x->turned[w]; b != 0; b &= b - 1) {
			n = cables(x, w * 64 + updn_low(b));
			j.cost += n.out - n.over;
		}
	}
	for (sw_ix i = 0; i < u->nsw; i++)
		j.gain += updn_bit(x->lost, i) &&
			  meet(x, above_of(x, i), x->turned);
	return j;
}

/* Those in force, one after the other as they are; then few, near the leaf,
 * that turn few cables over. */
static bool
better(const struct joining *x, const struct joiner *a, const struct joiner *b)
{
	if (a->stays != b->stays)
		return a->stays;
	if (a->stays)
		return x->was[a->sw] < x->was[b->sw];
	if (a->gain != b->gain)
		return a->gain > b->gain;
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->near != b->near)
		return a->near > b->near;
	return a->wide > b->wide;
}

static struct joiner
find(const struct joining *x)
{
	const struct updn *u = x->u;
	struct joiner best = {.sw = TOPO_NONE};

	for (uint32_t i = 0; i < u->nsw; i++) {
		sw_ix s = u->tier.seq[i];
		struct joiner j;

		if (!u->live[s] || u->comp[s] != u->comp[x->leaf] ||
			!may_join(x, s))
			continue;
		j = judge(x, s);
		if (best.sw == TOPO_NONE || better(x, &j, &best))
			best = j;
	}
	return best;
}

static void
append(struct joining *x, sw_ix s)
{
	if (updn_bit(x->tree, s))
		return;
	updn_set(x->tree, s);
	x->seq[x->n++] = s;
}

/*
 * What is above the joiner and not lost, which it hangs under, the joiner, what
 * is above it and lost.
 */
static void
put(struct joining *x, sw_ix s)
{
	struct updn *u = x->u;
	const uint64_t *mine = above_of(x, s);
	uint64_t *serves = arena_array(u->a, u->words, sizeof(*serves));

	if (u->serves == NULL)
		u->serves = arena_array(u->a, u->nsw, sizeof(*u->serves));
	updn_or(serves, u->tier_set.dn + (size_t)s * u->words, u->words);
	updn_or(serves, x->lost, u->words);
	u->serves[s] = serves;
	for (uint32_t i = 0; i < u->nsw; i++)
		if (updn_bit(mine, u->tier.seq[i]) &&
			!updn_bit(x->lost, u->tier.seq[i]))
			append(x, u->tier.seq[i]);
	for (uint32_t i = u->nsw; i-- > 0;)
		if (updn_bit(mine, u->tier.seq[i]))
			append(x, u->tier.seq[i]);
}

/* The line in force, by the numbers of now. */
static void
find_former(struct joining *x)
{
	const struct updn *u = x->u;
	const struct routes *prev = u->job->prev;

	x->was = arena_array(u->a, u->nsw, sizeof(*x->was));
	if (prev != NULL && prev->line != NULL)
		routes_line_in(prev, u->t, x->was);
	else
		memset(x->was, 0xff, u->nsw * sizeof(*x->was));
}

uint32_t
updn_join(struct updn *u, sw_ix leaf, uint64_t *tree, sw_ix *seq)
{
	struct joining x = {.u = u, .tree = tree, .seq = seq, .leaf = leaf};

	x.lost = arena_array(u->a, u->words, sizeof(*x.lost));
	x.turned = arena_array(u->a, u->words, sizeof(*x.turned));
	memset(tree, 0, u->words * sizeof(*tree));
	for (uint32_t i = u->nsw; i-- > 0;)
		if (updn_bit(above_of(&x, leaf), u->tier.seq[i]))
			append(&x, u->tier.seq[i]);
	find_former(&x);
	find_lost(&x);
	for (unsigned i = 0; i < UPDN_JOINERS && x.nlost > 0; i++) {
		struct joiner j = find(&x);

		if (j.sw == TOPO_NONE)
			break;
		put(&x, j.sw);
		find_lost(&x);
	}
	return x.nlost == 0 ? x.n : 0;
}

uint64_t *
updn_join_serves(const struct updn *u, sw_ix s)
{
	uint64_t *serves = arena_array(u->a, u->words, sizeof(*serves));
	bool *meets = arena_array(u->a, u->nsw, sizeof(*meets));
	bool *under = arena_array(u->a, u->nsw, sizeof(*under));

	for (uint32_t i = 0; i < u->nsw; i++) {
		sw_ix x = u->tier.seq[i];

		if (!u->live[x] || u->comp[x] != u->comp[s])
			continue;
		meets[x] = updn_bit(u->turn, x) &&
			   u->line.pos[x] <= u->line.pos[s];
		under[x] = x == s;
		for (uint32_t g = u->first[x]; g < u->first[x + 1]; g++) {
			sw_ix peer = u->group[g].peer;

			if (u->tier.pos[peer] > i)
				continue;
			meets[x] |= meets[peer];
			under[x] |= under[peer];
		}
		if (under[x] || !meets[x])
			updn_set(serves, x);
	}
	return serves;
}
