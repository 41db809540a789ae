#include <string.h>

#include "routing/updown/sftree_extend.h"

/* A component, and what of it the line turns over so far. */
struct joining {
	struct updown *u;
	uint64_t *tree; /* the set, and */
	sw_ix *seq;	/* its switches as they are in the line */
	uint32_t n;
	uint64_t *lost; /* switches with no way up into it */
	uint32_t nlost;
	uint64_t *turned; /* scratch: what a joiner would turn over */
	sw_ix leaf;
	uint32_t joiners;
	uint32_t *was;	 /* places in the line in force, UINT32_MAX: none, */
	uint32_t nfront; /* how many of them are not those of tiers, and */
	sw_ix *front;	 /* their switches, TOPO_NONE: gone */
	sw_ix *fresh;	 /* [nfresh] switches without a place, bottom first */
	uint32_t nfresh;
};

struct joiner {
	sw_ix sw;
	bool away;     /* it is not the SM's leaf */
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

static void
find_lost(struct joining *x)
{
	const struct updown *u = x->u;

	x->nlost = 0;
	memset(x->lost, 0, u->graph.words * sizeof(*x->lost));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s] &&
			u->graph.comp[s] == u->graph.comp[x->leaf] &&
			!bitset_intersects(
				above_of(x, s), x->tree, x->u->graph.words)) {
			bitset_add(x->lost, s);
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

	if (bitset_has(x->lost, s) ||
		!bitset_intersects(mine, x->lost, x->u->graph.words))
		return false;
	for (uint32_t w = 0; w < x->u->graph.words; w++)
		for (uint64_t b = mine[w] & ~x->tree[w] & ~x->lost[w]; b != 0;
			b &= b - 1) {
			sw_ix y = w * 64 + bitset_lowest64(b);

			if (y != s && bitset_intersects(above_of(x, y), x->lost,
					      x->u->graph.words))
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
	const struct updown *u = x->u;
	struct cables n = {0};

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (u->tier.pos[peer] > u->tier.pos[s])
			continue;
		if (!bitset_has(x->lost, peer)) {
			n.in += u->graph.group[g].n;
			continue;
		}
		n.out += u->graph.group[g].n;
		n.over += was_over(x, s, peer) ? u->graph.group[g].n : 0;
	}
	return n;
}

static struct joiner
judge(const struct joining *x, sw_ix s)
{
	const struct updown *u = x->u;
	const uint64_t *mine = above_of(x, s);
	struct cables n = cables(x, s);
	struct joiner j = {.sw = s,
		.away = s != topo_switch_of(u->graph.t, u->graph.t->sm_port),
		.cost = n.out - n.over,
		.wide = n.in < n.out ? n.in : n.out};

	for (uint32_t w = 0; w < u->graph.words; w++) {
		x->turned[w] = mine[w] & x->lost[w];
		j.near += bitset_count64(mine[w] & x->tree[w]);
		for (uint64_t b = x->turned[w]; b != 0; b &= b - 1) {
			n = cables(x, w * 64 + bitset_lowest64(b));
			j.cost += n.out - n.over;
		}
	}
	for (sw_ix i = 0; i < u->graph.nsw; i++)
		j.gain += bitset_has(x->lost, i) &&
			  bitset_intersects(
				  above_of(x, i), x->turned, x->u->graph.words);
	return j;
}

/* Few, not the SM's leaf, near the leaf, that turn few cables over. */
static bool
better(const struct joiner *a, const struct joiner *b)
{
	if (a->gain != b->gain)
		return a->gain > b->gain;
	if (a->away != b->away)
		return a->away;
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->near != b->near)
		return a->near > b->near;
	return a->wide > b->wide;
}

static struct joiner
find(const struct joining *x)
{
	const struct updown *u = x->u;
	struct joiner best = {.sw = TOPO_NONE};

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		struct joiner j;

		if (!u->graph.live[s] ||
			u->graph.comp[s] != u->graph.comp[x->leaf] ||
			!may_join(x, s))
			continue;
		j = judge(x, s);
		if (best.sw == TOPO_NONE || better(&j, &best))
			best = j;
	}
	return best;
}

static void
append(struct joining *x, sw_ix s)
{
	if (bitset_has(x->tree, s))
		return;
	bitset_add(x->tree, s);
	x->seq[x->n++] = s;
}

/* s joins what is lost as it stands. */
static void
let_join(struct joining *x, sw_ix s)
{
	struct updown *u = x->u;

	if (u->sftree_extra == NULL)
		u->sftree_extra = arena_array(
			u->graph.a, u->graph.nsw, sizeof(*u->sftree_extra));
	if (u->sftree_extra[s] == NULL) {
		u->sftree_extra[s] = arena_array(
			u->graph.a, u->graph.words, sizeof(**u->sftree_extra));
		x->joiners++;
	}
	bitset_or(u->sftree_extra[s],
		u->tier_set.dn + (size_t)s * u->graph.words, u->graph.words);
	bitset_or(u->sftree_extra[s], x->lost, u->graph.words);
}

/*
 * What is above the joiner and not lost, which it hangs under, the joiner, what
 * is above it and lost.
 */
static void
put(struct joining *x, sw_ix s)
{
	struct updown *u = x->u;
	const uint64_t *mine = above_of(x, s);

	let_join(x, s);
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		if (bitset_has(mine, u->tier.seq[i]) &&
			!bitset_has(x->lost, u->tier.seq[i]))
			append(x, u->tier.seq[i]);
	for (uint32_t i = u->graph.nsw; i-- > 0;)
		if (bitset_has(mine, u->tier.seq[i]))
			append(x, u->tier.seq[i]);
}

/* ---- the line in force ---- */

/*
 * By the numbers of now. It ends with switches in the order of tiers; what is
 * before them is what was turned over.
 */
static void
find_former(struct joining *x)
{
	const struct updown *u = x->u;
	const struct routes *prev = u->graph.job->prev;
	uint32_t n = prev != NULL ? prev->topo->nsw : 0;
	uint32_t *line = arena_array(u->graph.a, n, sizeof(*line));
	sw_ix *seq = arena_array(u->graph.a, n, sizeof(*seq));

	x->was = arena_array(u->graph.a, u->graph.nsw, sizeof(*x->was));
	x->front = arena_array(u->graph.a, n, sizeof(*x->front));
	memset(x->was, 0xff, u->graph.nsw * sizeof(*x->was));
	if (n == 0 || prev->sw_order == NULL)
		return;
	routes_order_in(prev, u->graph.t, x->was);
	routes_order(prev, line);
	for (sw_ix s = 0; s < n; s++)
		seq[line[s]] = s;
	x->nfront = n - 1;
	while (x->nfront > 0 &&
		routes_above(prev, seq[x->nfront - 1], seq[x->nfront]))
		x->nfront--;
	memset(x->front, 0xff, n * sizeof(*x->front));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (x->was[s] < x->nfront)
			x->front[x->was[s]] = s;
}

static bool
stands(const struct joining *x, sw_ix s)
{
	return s != TOPO_NONE && x->u->graph.live[s] &&
	       x->u->graph.comp[s] == x->u->graph.comp[x->leaf];
}

static void
find_new(struct joining *x)
{
	const struct updown *u = x->u;

	x->fresh = arena_array(u->graph.a, u->graph.nsw, sizeof(*x->fresh));
	for (uint32_t i = u->graph.nsw; i-- > 0;) {
		sw_ix s = u->tier.seq[i];

		if (x->was[s] == UINT32_MAX && stands(x, s) && s != x->leaf)
			x->fresh[x->nfresh++] = s;
	}
}

/* Has s a cable to what is there? */
static bool
hangs(const struct joining *x, sw_ix s)
{
	const struct updown *u = x->u;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (bitset_has(x->tree, u->graph.group[g].peer))
			return true;
	return false;
}

/* Is nothing above s in tiers? */
static bool
is_top(const struct joining *x, sw_ix s)
{
	const struct updown *u = x->u;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (u->tier.pos[u->graph.group[g].peer] < u->tier.pos[s])
			return false;
	return true;
}

/* Is s, which hangs under what is there, put above something that it is below
 * in tiers? */
static bool
joins(const struct joining *x, sw_ix s)
{
	const struct updown *u = x->u;
	bool over = false;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		over |= u->tier.pos[u->graph.group[g].peer] < u->tier.pos[s] &&
			!bitset_has(x->tree, u->graph.group[g].peer);
	return over &&
	       bitset_intersects(above_of(x, s), x->tree, x->u->graph.words);
}

/* Switches that are new and belong above what is there and below s: they stand
 * as they would if s had been turned over together with them. */
static void
add_new(struct joining *x, sw_ix s)
{
	for (uint32_t i = 0; i < x->nfresh; i++) {
		sw_ix y = x->fresh[i];

		if (bitset_has(above_of(x, y), s) && hangs(x, y) &&
			!bitset_intersects(
				above_of(x, y), x->tree, x->u->graph.words))
			append(x, y);
	}
}

/*
 * What was turned over stays so, but for what does not hang on anything any
 * more: that begins anew. False: there is nothing.
 */
static bool
keep_front(struct joining *x)
{
	bool any = false;

	find_new(x);
	append(x, x->leaf);
	for (uint32_t i = 0; i < x->nfront; i++) {
		sw_ix s = x->front[i];

		if (!stands(x, s))
			continue;
		any = true;
		add_new(x, s);
		if (s == x->leaf || !hangs(x, s))
			continue;
		if (joins(x, s)) {
			find_lost(x);
			let_join(x, s);
		}
		append(x, s);
	}
	for (uint32_t i = 0; any && i < x->u->graph.nsw; i++) {
		sw_ix s = x->u->tier.seq[i];

		if (stands(x, s) && is_top(x, s) && hangs(x, s))
			append(x, s);
	}
	return any;
}

/* The subtree above the leaf, upside down. */
static void
turn_tree(struct joining *x)
{
	const struct updown *u = x->u;

	for (uint32_t i = u->graph.nsw; i-- > 0;)
		if (bitset_has(above_of(x, x->leaf), u->tier.seq[i]))
			append(x, u->tier.seq[i]);
}

static void
forget(const struct joining *x)
{
	struct updown *u = x->u;

	for (sw_ix s = 0; u->sftree_extra != NULL && s < u->graph.nsw; s++)
		if (u->graph.comp[s] == u->graph.comp[x->leaf])
			u->sftree_extra[s] = NULL;
}

uint32_t
sftree_extend(
	struct updown *u, sw_ix leaf, bool keep, uint64_t *tree, sw_ix *seq)
{
	struct joining x = {.u = u, .tree = tree, .seq = seq, .leaf = leaf};

	x.lost = arena_array(u->graph.a, u->graph.words, sizeof(*x.lost));
	x.turned = arena_array(u->graph.a, u->graph.words, sizeof(*x.turned));
	memset(tree, 0, u->graph.words * sizeof(*tree));
	find_former(&x);
	if (!keep)
		turn_tree(&x);
	else if (!keep_front(&x))
		return 0;
	find_lost(&x);
	while (x.nlost > 0 && x.joiners < UPDN_JOINERS) {
		struct joiner j = find(&x);

		if (j.sw == TOPO_NONE)
			break;
		put(&x, j.sw);
		find_lost(&x);
	}
	if (x.nlost == 0 && x.joiners <= UPDN_JOINERS)
		return x.n;
	forget(&x);
	return 0;
}
