#include <string.h>

#include "routing/updn_join.h"

/* A component, and what of it the line turns over so far. */
struct joining {
	const struct updn *u;
	const uint64_t *above;
	uint64_t *tree; /* the set, and */
	sw_ix *seq;	/* its switches as they are in the line */
	uint32_t n;
	sw_ix *lost; /* switches with no way up into it */
	uint32_t nlost;
	sw_ix leaf;
};

struct joiner {
	sw_ix sw, under;
	uint32_t cost, gain;
};

static const uint64_t *
above_of(const struct joining *x, sw_ix s)
{
	return x->above + (size_t)s * x->u->words;
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
	for (sw_ix s = 0; s < u->nsw; s++)
		if (u->live[s] && u->comp[s] == u->comp[x->leaf] &&
			!meet(x, above_of(x, s), x->tree))
			x->lost[x->nlost++] = s;
}

/* Cables, by groups, that lead up from s. */
static uint32_t
ups(const struct updn *u, sw_ix s)
{
	uint32_t n = 0;

	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++)
		n += u->tier.pos[u->group[g].peer] < u->tier.pos[s];
	return n;
}

/* May s hang under top: is nothing else above s below top? */
static bool
can_hang(const struct joining *x, sw_ix s, sw_ix top)
{
	const struct updn *u = x->u;

	if (u->tier.pos[top] > u->tier.pos[s] || !updn_bit(x->tree, top))
		return false;
	for (uint32_t g = u->first[top]; g < u->first[top + 1]; g++) {
		sw_ix y = u->group[g].peer;

		if (y != s && u->tier.pos[y] > u->tier.pos[top] &&
			updn_bit(above_of(x, s), y))
			return false;
	}
	return true;
}

/* The thinnest of the cables that may stay as it is: s cannot go up but there,
 * and hardly does when it can go down. */
static sw_ix
find_under(const struct joining *x, sw_ix s)
{
	const struct updn *u = x->u;
	uint32_t least = UINT32_MAX;
	sw_ix under = TOPO_NONE;

	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++) {
		sw_ix top = u->group[g].peer;

		if (u->group[g].n >= least || !can_hang(x, s, top))
			continue;
		least = u->group[g].n;
		under = top;
	}
	return under;
}

/* What s would cost: cables that it turns over; and whom it would join. */
static struct joiner
judge(const struct joining *x, sw_ix s)
{
	const struct updn *u = x->u;
	const uint64_t *mine = above_of(x, s);
	struct joiner j = {.sw = s, .under = TOPO_NONE};

	for (uint32_t w = 0; w < u->words; w++)
		for (uint64_t b = mine[w] & ~x->tree[w]; b != 0; b &= b - 1)
			j.cost += ups(u, w * 64 + updn_low(b));
	for (uint32_t i = 0; i < x->nlost; i++)
		j.gain += meet(x, above_of(x, x->lost[i]), mine);
	if (j.gain > 0)
		j.under = find_under(x, s);
	return j;
}

static struct joiner
cheapest(const struct joining *x)
{
	const struct updn *u = x->u;
	struct joiner best = {.sw = TOPO_NONE};

	for (uint32_t i = 0; i < u->nsw; i++) {
		sw_ix s = u->tier.seq[i];
		struct joiner j;

		if (!u->live[s] || u->comp[s] != u->comp[x->leaf] ||
			updn_bit(x->tree, s) || ups(u, s) < 2)
			continue;
		j = judge(x, s);
		if (j.under == TOPO_NONE)
			continue;
		if (best.sw == TOPO_NONE ||
			(uint64_t)j.cost * best.gain <
				(uint64_t)best.cost * j.gain)
			best = j;
	}
	return best;
}

/* Behind what is not above it comes the joiner, then all that is. */
static void
put(struct joining *x, const struct joiner *j)
{
	const struct updn *u = x->u;
	uint64_t *after = arena_array(u->a, u->words, sizeof(*after));
	uint32_t n = 0;

	updn_or(after, above_of(x, j->sw), u->words);
	updn_or(x->tree, after, u->words);
	after[j->under / 64] &= ~(UINT64_C(1) << (j->under % 64));
	for (uint32_t i = 0; i < x->n; i++)
		if (!updn_bit(after, x->seq[i]))
			x->seq[n++] = x->seq[i];
	for (uint32_t i = u->nsw; i-- > 0;)
		if (updn_bit(after, u->tier.seq[i]))
			x->seq[n++] = u->tier.seq[i];
	x->n = n;
}

/* Has everybody but the leaf somebody before it? */
static bool
is_whole(const struct joining *x)
{
	const struct updn *u = x->u;
	uint32_t *pos = arena_array(u->a, u->nsw, sizeof(*pos));

	memset(pos, 0xff, u->nsw * sizeof(*pos));
	for (uint32_t i = 0; i < x->n; i++)
		pos[x->seq[i]] = i;
	for (uint32_t i = 1; i < x->n; i++) {
		sw_ix s = x->seq[i];
		bool hangs = false;

		for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++)
			hangs |= pos[u->group[g].peer] < i;
		if (!hangs)
			return false;
	}
	return x->n > 0 && x->seq[0] == x->leaf;
}

uint32_t
updn_join(const struct updn *u, sw_ix leaf, uint64_t *tree, sw_ix *seq)
{
	struct joining x = {u, u->tier_above, tree, seq, 0, NULL, 0, leaf};

	x.lost = arena_array(u->a, u->nsw, sizeof(*x.lost));
	memset(tree, 0, u->words * sizeof(*tree));
	updn_or(tree, above_of(&x, leaf), u->words);
	for (uint32_t i = u->nsw; i-- > 0;)
		if (updn_bit(tree, u->tier.seq[i]))
			seq[x.n++] = u->tier.seq[i];
	find_lost(&x);
	for (unsigned i = 0; i < UPDN_JOINERS && x.nlost > 0; i++) {
		struct joiner j = cheapest(&x);

		if (j.sw == TOPO_NONE)
			return 0;
		put(&x, &j);
		find_lost(&x);
	}
	return x.nlost == 0 && is_whole(&x) ? x.n : 0;
}
