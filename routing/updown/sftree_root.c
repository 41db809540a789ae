/* Where the tier order leaves pairs without a path: the leaf above which the
 * subtree is reversed (the sFtree root), and the extension of that subtree. */
#include <string.h>

#include "routing/updown/updown_state.h"

enum {
	ROUNDS = 8,
	MOST_PEERED = 64, /* with more switches to examine it is no tree */
	EXTENSIONS = 8,
};

/* ---- the subtree and its extension ---- */

/*
 * A subtree that has lost some of its links is extended.
 *
 * When the sFtree root loses the path up to a top, or to a whole plane of them,
 * another leaf may still have all. But to reverse the subtree above another
 * leaf moves all dependencies between tops: nearly all entries for switches
 * change. Instead an extension switch J is sought: it has a path up into the
 * subtree, and links up to what is lost (has no path up into it), and is as
 * high up as possible. In the switch order J is put behind the subtree, and
 * what is above J and lost behind J:
 *
 *   the subtree  J  what is above J and lost, upside down  the rest
 *
 * What is reversed stays so, extension switches too when all that they connect
 * has its links back: a mixture of tables that obey one order needs no blocked
 * dependencies; reversing links back would. So with entries to keep, what the
 * previous order reverses is taken over as it is, except switches that no
 * longer have a link to any of it. New switches that belong above the root get
 * the place that they would have in its subtree, before what is above them:
 * they have no links that could change direction. What is still lost gets
 * extension switches as before. The price is small: paths inside tiers are what
 * they were, so only extension switches and what is above them have other
 * dependencies than a fresh order would give them. It is paid until tables are
 * computed afresh, because the load or an administrator asks for it, or because
 * more than EXTENSIONS switches would be needed; then all begins with the
 * subtree above the root again. Where the previous order is not known, or is
 * that of tiers, there is nothing to take over.
 *
 * Only links from J upwards to what is lost are reversed. The root remains the
 * only top of the order, so all pairs have a path.
 *
 * Yet J now has paths down, through what was lost, to nearly all switches, and
 * by the down-first rule would have to send all its packets there, since its
 * table cannot tell which packets came from above. So switches above J send it
 * only packets for the lost switches or for those below J in tiers: the
 * destinations in updown.sftree_extra. No other packet comes to J from above,
 * so J may send the others up or down, whatever is shortest: a path that begins
 * at J, or came from below, obeys the order either way. So ordinary traffic
 * keeps its paths.
 */

/* A component, and what of it the switch order reverses so far. */
struct extending {
	struct updown *u;
	uint64_t *tree; /* the set of it, and */
	sw_ix *seq;	/* its switches in switch order */
	uint32_t n;
	uint64_t *lost; /* switches with no path up into it */
	uint32_t nlost;
	uint64_t *would_reverse; /* scratch: what an extension would reverse */
	sw_ix leaf;
	uint32_t extensions;
	uint32_t *was;	 /* places in the previous order, UINT32_MAX: none, */
	uint32_t nfront; /* how many of them are not in tier order, and */
	sw_ix *front;	 /* their switches, TOPO_NONE: gone */
	sw_ix *fresh;	 /* [nfresh] switches without a place, bottom first */
	uint32_t nfresh;
};

struct extension {
	sw_ix sw;
	bool away;     /* it is not the SM's leaf */
	uint32_t cost; /* links that it newly reverses */
	uint32_t gain; /* lost switches that it connects */
	uint32_t near; /* switches above it that are in the subtree */
	uint32_t wide; /* links into the subtree or to the lost: the fewer */
};

static const uint64_t *
above_of(const struct extending *x, sw_ix s)
{
	return x->u->tier_above[s];
}

static void
find_lost(struct extending *x)
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

/* True if s may be an extension switch: it is not lost, lost switches are above
 * it, and above it and outside the subtree no other switch is like that. */
static bool
may_extend(const struct extending *x, sw_ix s)
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

/* True if the previous order reversed a link from s up to peer. */
static bool
was_reversed(const struct extending *x, sw_ix s, sw_ix peer)
{
	return x->was[s] < x->was[peer] && x->was[peer] != UINT32_MAX;
}

/* Links up from s: to switches that are not lost, to lost ones, and how many of
 * these the previous order reverses. */
struct links {
	uint32_t in, out, over;
};

static struct links
count_uplinks(const struct extending *x, sw_ix s)
{
	const struct updown *u = x->u;
	struct links n = {0};

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (u->tier.pos[peer] > u->tier.pos[s])
			continue;
		if (!bitset_has(x->lost, peer)) {
			n.in += u->graph.group[g].n;
			continue;
		}
		n.out += u->graph.group[g].n;
		n.over += was_reversed(x, s, peer) ? u->graph.group[g].n : 0;
	}
	return n;
}

static struct extension
rate_extension(const struct extending *x, sw_ix s)
{
	const struct updown *u = x->u;
	const uint64_t *mine = above_of(x, s);
	struct links n = count_uplinks(x, s);
	struct extension j = {.sw = s,
		.away = s != topo_switch_of(u->graph.t, u->graph.t->sm_port),
		.cost = n.out - n.over,
		.wide = n.in < n.out ? n.in : n.out};

	for (uint32_t w = 0; w < u->graph.words; w++) {
		x->would_reverse[w] = mine[w] & x->lost[w];
		j.near += bitset_count64(mine[w] & x->tree[w]);
		for (uint64_t b = x->would_reverse[w]; b != 0; b &= b - 1) {
			n = count_uplinks(x, w * 64 + bitset_lowest64(b));
			j.cost += n.out - n.over;
		}
	}
	for (sw_ix i = 0; i < u->graph.nsw; i++)
		j.gain += bitset_has(x->lost, i) &&
			  bitset_intersects(above_of(x, i), x->would_reverse,
				  x->u->graph.words);
	return j;
}

/*
 * Few extension switches, not the SM's leaf, few links reversed, near the root.
 */
static bool
is_better_extension(const struct extension *a, const struct extension *b)
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

static struct extension
find_extension(const struct extending *x)
{
	const struct updown *u = x->u;
	struct extension best = {.sw = TOPO_NONE};

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		struct extension j;

		if (!u->graph.live[s] ||
			u->graph.comp[s] != u->graph.comp[x->leaf] ||
			!may_extend(x, s))
			continue;
		j = rate_extension(x, s);
		if (best.sw == TOPO_NONE || is_better_extension(&j, &best))
			best = j;
	}
	return best;
}

static void
append_switch(struct extending *x, sw_ix s)
{
	if (bitset_has(x->tree, s))
		return;
	bitset_add(x->tree, s);
	x->seq[x->n++] = s;
}

/* s becomes an extension switch for what is lost now. */
static void
make_extension(struct extending *x, sw_ix s)
{
	struct updown *u = x->u;

	if (u->sftree_extra == NULL)
		u->sftree_extra = arena_array(
			u->graph.a, u->graph.nsw, sizeof(*u->sftree_extra));
	if (u->sftree_extra[s] == NULL) {
		u->sftree_extra[s] = arena_array(
			u->graph.a, u->graph.words, sizeof(**u->sftree_extra));
		x->extensions++;
	}
	bitset_or(u->sftree_extra[s], u->tier_set.dn[s], u->graph.words);
	bitset_or(u->sftree_extra[s], x->lost, u->graph.words);
}

/* Append what is above s and not lost, which s has its path through; then s;
 * then what is above s and lost. */
static void
put_extension(struct extending *x, sw_ix s)
{
	struct updown *u = x->u;
	const uint64_t *mine = above_of(x, s);

	make_extension(x, s);
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		if (bitset_has(mine, u->tier.seq[i]) &&
			!bitset_has(x->lost, u->tier.seq[i]))
			append_switch(x, u->tier.seq[i]);
	for (uint32_t i = u->graph.nsw; i-- > 0;)
		if (bitset_has(mine, u->tier.seq[i]))
			append_switch(x, u->tier.seq[i]);
}

/* ---- the previous order ---- */

/* By the present numbers. The previous order ends with switches in tier order;
 * what is before them was reversed. */
static void
find_prev_order(struct extending *x)
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
is_present(const struct extending *x, sw_ix s)
{
	return s != TOPO_NONE && x->u->graph.live[s] &&
	       x->u->graph.comp[s] == x->u->graph.comp[x->leaf];
}

static void
find_new(struct extending *x)
{
	const struct updown *u = x->u;

	x->fresh = arena_array(u->graph.a, u->graph.nsw, sizeof(*x->fresh));
	for (uint32_t i = u->graph.nsw; i-- > 0;) {
		sw_ix s = u->tier.seq[i];

		if (x->was[s] == UINT32_MAX && is_present(x, s) && s != x->leaf)
			x->fresh[x->nfresh++] = s;
	}
}

/* True if s has a link to a switch of the subtree so far. */
static bool
is_connected(const struct extending *x, sw_ix s)
{
	const struct updown *u = x->u;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (bitset_has(x->tree, u->graph.group[g].peer))
			return true;
	return false;
}

/* True if nothing is above s in tiers. */
static bool
is_top(const struct extending *x, sw_ix s)
{
	const struct updown *u = x->u;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (u->tier.pos[u->graph.group[g].peer] < u->tier.pos[s])
			return false;
	return true;
}

/* True if s, which has a path up into the subtree so far, is put above a switch
 * that is above it in tiers. */
static bool
is_extension_now(const struct extending *x, sw_ix s)
{
	const struct updown *u = x->u;
	bool over = false;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		over |= u->tier.pos[u->graph.group[g].peer] < u->tier.pos[s] &&
			!bitset_has(x->tree, u->graph.group[g].peer);
	return over &&
	       bitset_intersects(above_of(x, s), x->tree, x->u->graph.words);
}

/* Add new switches that belong above the subtree so far and below s: they get
 * the place that they would have if they had been reversed with it. */
static void
add_new(struct extending *x, sw_ix s)
{
	for (uint32_t i = 0; i < x->nfresh; i++) {
		sw_ix y = x->fresh[i];

		if (bitset_has(above_of(x, y), s) && is_connected(x, y) &&
			!bitset_intersects(
				above_of(x, y), x->tree, x->u->graph.words))
			append_switch(x, y);
	}
}

/* What was reversed stays so, except what has no link to any of it any more:
 * that begins anew. False: there is nothing. */
static bool
keep_reversed(struct extending *x)
{
	bool any = false;

	find_new(x);
	append_switch(x, x->leaf);
	for (uint32_t i = 0; i < x->nfront; i++) {
		sw_ix s = x->front[i];

		if (!is_present(x, s))
			continue;
		any = true;
		add_new(x, s);
		if (s == x->leaf || !is_connected(x, s))
			continue;
		if (is_extension_now(x, s)) {
			find_lost(x);
			make_extension(x, s);
		}
		append_switch(x, s);
	}
	for (uint32_t i = 0; any && i < x->u->graph.nsw; i++) {
		sw_ix s = x->u->tier.seq[i];

		if (is_present(x, s) && is_top(x, s) && is_connected(x, s))
			append_switch(x, s);
	}
	return any;
}

/* The subtree above the root, upside down. */
static void
reverse_subtree(struct extending *x)
{
	const struct updown *u = x->u;

	for (uint32_t i = u->graph.nsw; i-- > 0;)
		if (bitset_has(above_of(x, x->leaf), u->tier.seq[i]))
			append_switch(x, u->tier.seq[i]);
}

static void
forget_extra(const struct extending *x)
{
	struct updown *u = x->u;

	for (sw_ix s = 0; u->sftree_extra != NULL && s < u->graph.nsw; s++)
		if (u->graph.comp[s] == u->graph.comp[x->leaf])
			u->sftree_extra[s] = NULL;
}

/*
 * The subtree above leaf (u->tier_set and u->tier_above are there), or, with
 * keep, what the previous order reverses, leaf on top; with extension switches
 * where necessary. The set of its switches into tree, the switches in their
 * order into seq (u->graph.nsw at most), the destinations of extension switches
 * into u->sftree_extra. Returns how many switches; 0: impossible, or there is
 * nothing to keep.
 */
static uint32_t
extend_subtree(
	struct updown *u, sw_ix leaf, bool keep, uint64_t *tree, sw_ix *seq)
{
	struct extending x = {.u = u, .tree = tree, .seq = seq, .leaf = leaf};

	x.lost = arena_array(u->graph.a, u->graph.words, sizeof(*x.lost));
	x.would_reverse = arena_array(
		u->graph.a, u->graph.words, sizeof(*x.would_reverse));
	memset(tree, 0, u->graph.words * sizeof(*tree));
	find_prev_order(&x);
	if (!keep)
		reverse_subtree(&x);
	else if (!keep_reversed(&x))
		return 0;
	find_lost(&x);
	while (x.nlost > 0 && x.extensions < EXTENSIONS) {
		struct extension j = find_extension(&x);

		if (j.sw == TOPO_NONE)
			break;
		put_extension(&x, j.sw);
		find_lost(&x);
	}
	if (x.nlost == 0 && x.extensions <= EXTENSIONS)
		return x.n;
	forget_extra(&x);
	return 0;
}

/* ---- the choice of the root ---- */

/* The subtrees of all components, one after the other, in switch order. */
struct reversed {
	sw_ix *seq;
	uint32_t n;
};

sw_ix
sftree_root_previous(const struct updown *u, uint32_t comp)
{
	const struct routes *prev = u->graph.job->prev;
	sw_ix root = updown_state_sftree_root(prev);
	node_ix n;

	if (root == TOPO_NONE)
		return sftree_root_found(u, comp);
	n = topo_by_node_guid(
		u->graph.t, prev->topo->node[prev->topo->sw[root].node].guid);
	return n == TOPO_NONE ? TOPO_NONE : u->graph.t->node[n].sw;
}

/* What was above that root: the previous subtree, of which the root itself may
 * be gone. */
static uint64_t *
prev_subtree(const struct updown *u)
{
	const struct routes *prev = u->graph.job->prev;
	uint64_t *set = arena_array(u->graph.a, u->graph.words, sizeof(*set));
	const struct topo *was;
	sw_ix *queue;
	bool *seen;
	sw_ix root = updown_state_sftree_root(prev);
	uint32_t n = 0;

	if (root == TOPO_NONE)
		return NULL;
	was = prev->topo;
	queue = arena_array(u->graph.a, was->nsw, sizeof(*queue));
	seen = arena_array(u->graph.a, was->nsw, sizeof(*seen));
	queue[n++] = root;
	seen[root] = true;
	for (uint32_t head = 0; head < n; head++) {
		const struct topo_switch *sw = &was->sw[queue[head]];
		node_ix x =
			topo_by_node_guid(u->graph.t, was->node[sw->node].guid);

		if (x != TOPO_NONE)
			bitset_add(set, u->graph.t->node[x].sw);
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix peer = was->adj[i].peer;

			if (seen[peer] ||
				!routes_above(prev, peer, queue[head]))
				continue;
			seen[peer] = true;
			queue[n++] = peer;
		}
	}
	return set;
}

/* What makes a leaf a good root, most important first. */
struct fitness {
	bool away;	/* it is not the SM's leaf, or that does not matter */
	uint32_t above; /* switches above it: the down-up dependencies are there
			 */
	uint32_t lured; /* hosts that switches above it would reach by a detour
			 */
	uint32_t
		shared; /* switches above it that are in the previous subtree */
	bool former;	/* it is the previous root */
};

static bool
is_fitter(const struct fitness *a, const struct fitness *b)
{
	if (a->away != b->away)
		return a->away;
	if (a->above != b->above)
		return a->above > b->above;
	if (a->lured != b->lured)
		return a->lured < b->lured;
	if (a->shared != b->shared)
		return a->shared > b->shared;
	return a->former >= b->former;
}

static struct fitness
leaf_fitness(const struct updown *u, sw_ix s, sw_ix former, const uint64_t *its)
{
	const uint64_t *mine = u->tier_above[s];
	struct fitness f = {0};

	for (uint32_t w = 0; w < u->graph.words; w++) {
		f.above += bitset_count64(mine[w]);
		f.shared += its == NULL ? 0 : bitset_count64(mine[w] & its[w]);
	}
	f.former = s == former;
	return f;
}

/* True if some switch is above both s and the leaf. */
static bool
can_go_up_into(const struct updown *u, sw_ix s, sw_ix leaf)
{
	return bitset_intersects(
		u->tier_above[s], u->tier_above[leaf], u->graph.words);
}

uint32_t
sftree_root_reach_count(const struct updown *u, sw_ix leaf)
{
	uint32_t n = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		n += u->graph.live[s] &&
		     u->graph.comp[s] == u->graph.comp[leaf] &&
		     can_go_up_into(u, s, leaf);
	return n;
}

static bool
is_above(const struct updown *u, sw_ix a, sw_ix b)
{
	return u->tier.pos[a] < u->tier.pos[b];
}

/* True if s has a link to a switch of its own tier that is above it. */
static bool
has_peer_above(const struct updown *u, sw_ix s)
{
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix x = u->graph.group[g].peer;

		if (u->rank[x] == u->rank[s] && is_above(u, x, s))
			return true;
	}
	return false;
}

/* True if there is a path down to s that is in the subtree only above m: it
 * comes through a switch above x, x, and a link within the tier. */
static bool
has_detour(const struct updown *u, const uint64_t *tree, sw_ix m, sw_ix x)
{
	for (uint32_t g = u->graph.first[x]; g < u->graph.first[x + 1]; g++) {
		sw_ix up = u->graph.group[g].peer;

		if (is_above(u, up, x) && !bitset_has(tree, up) &&
			bitset_intersects(u->tier_above[up], u->tier_above[m],
				u->graph.words))
			return true;
	}
	return false;
}

/*
 * True if packets for s take a detour when the tree is reversed. A switch above
 * a switch m of the tree reaches m by going up then; to s below m it goes down,
 * if it can, by any detour. Only a link within a tier makes one: a tree has no
 * others.
 */
static bool
is_lured(const struct updown *u, const uint64_t *tree, sw_ix s)
{
	for (uint32_t i = u->graph.first[s]; i < u->graph.first[s + 1]; i++) {
		sw_ix m = u->graph.group[i].peer;

		if (!bitset_has(tree, m) || u->rank[m] >= u->rank[s])
			continue;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix x = u->graph.group[g].peer;

			if (u->rank[x] == u->rank[s] && !bitset_has(tree, x) &&
				is_above(u, x, s) && has_detour(u, tree, m, x))
				return true;
		}
	}
	return false;
}

/* Hosts of the n switches in odd to which packets would take a detour. */
static uint32_t
count_lured(const struct updown *u, sw_ix leaf, const sw_ix *odd, uint32_t n)
{
	const uint64_t *tree = u->tier_above[leaf];
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!bitset_has(tree, odd[i]) && is_lured(u, tree, odd[i]))
			hosts += u->graph.weight[odd[i]];
	return hosts;
}

/*
 * Switches with hosts and a link up within their tier; none if they are many.
 */
static uint32_t
find_odd(const struct updown *u, sw_ix odd[MOST_PEERED])
{
	uint32_t n = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!u->graph.live[s] || u->graph.weight[s] == 0 ||
			!has_peer_above(u, s))
			continue;
		if (n == MOST_PEERED)
			return 0;
		odd[n++] = s;
	}
	return n;
}

/*
 * The fittest leaf; among equals the lowest of the order. any: the SM's leaf is
 * as good as others; else others are preferred, since traffic between switches
 * goes to the root.
 */
static sw_ix
choose_leaf(const struct updown *u, uint32_t comp, bool any)
{
	sw_ix sm = topo_switch_of(u->graph.t, u->graph.t->sm_port);
	sw_ix best = TOPO_NONE, former = sftree_root_previous(u, comp);
	const uint64_t *tree = prev_subtree(u);
	struct fitness most = {0};
	sw_ix odd[MOST_PEERED];
	uint32_t n = find_odd(u, odd);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		struct fitness f;

		if (u->graph.comp[s] != comp || !sftree_root_is_leaf(u, s))
			continue;
		f = leaf_fitness(u, s, former, tree);
		f.away = any || s != sm;
		f.lured = count_lured(u, s, odd, n);
		if (best != TOPO_NONE && !is_fitter(&f, &most))
			continue;
		most = f;
		best = s;
	}
	return best;
}

/* What is above a leaf, with extension switches and what they add, into t. */
static bool
join_subtree(struct updown *u, sw_ix leaf, bool keep, struct reversed *t)
{
	uint64_t *tree = arena_array(u->graph.a, u->graph.words, sizeof(*tree));
	uint32_t n = extend_subtree(u, leaf, keep, tree, t->seq + t->n);

	bitset_or(u->sftree_set, tree, n > 0 ? u->graph.words : 0);
	t->n += n;
	return n > 0;
}

/*
 * The previous root as long as it is a leaf, with extension switches where
 * necessary: to reverse another subtree moves all down-up dependencies, and
 * reverses links; tables that change direction are the hardest to replace.
 * keep: all that is reversed stays so; where the root is gone another one goes
 * on top of that. True: it is in t.
 */
static bool
keep_leaf(struct updown *u, uint32_t comp, bool keep, struct reversed *t,
	sw_ix *leaf)
{
	sw_ix former = sftree_root_previous(u, comp);
	bool stands = former != TOPO_NONE && u->graph.comp[former] == comp &&
		      sftree_root_is_leaf(u, former);

	*leaf = stands || !keep ? former : choose_leaf(u, comp, false);
	if (keep && join_subtree(u, *leaf, true, t))
		return true;
	return stands && join_subtree(u, *leaf, false, t);
}

/* The SM's leaf where no other one connects everything. *leaf: as chosen so
 * far. */
static bool
join_sm_leaf(struct updown *u, uint32_t comp, sw_ix *leaf, struct reversed *t)
{
	sw_ix was = *leaf;

	*leaf = choose_leaf(u, comp, true);
	return *leaf != was && join_subtree(u, *leaf, false, t);
}

/* Lower the switches of the component that have no path up into the subtree. */
static uint32_t
rerank_lost(struct updown *u, sw_ix leaf)
{
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		good[s] = !u->graph.live[s] ||
			  u->graph.comp[s] != u->graph.comp[leaf] ||
			  can_go_up_into(u, s, leaf);
	return rank_repair_lower(u, good);
}

/* A subtree upside down, behind those that are in t. */
static void
add_subtree(struct updown *u, const uint64_t *tree, struct reversed *t)
{
	bitset_or(u->sftree_set, tree, u->graph.words);
	for (uint32_t i = u->graph.nsw; i-- > 0;)
		if (bitset_has(tree, u->tier.seq[i]))
			t->seq[t->n++] = u->tier.seq[i];
}

/* Put the subtrees first, the rest after them as it was. */
static void
put_subtrees_first(struct updown *u, const struct reversed *t)
{
	uint32_t n = t->n;

	memcpy(u->sw_order.seq, t->seq, n * sizeof(*u->sw_order.seq));
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		if (!bitset_has(u->sftree_set, u->tier.seq[i]))
			u->sw_order.seq[n++] = u->tier.seq[i];
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		u->sw_order.pos[u->sw_order.seq[i]] = i;
}

/* Host pairs that only the subtree connects, per link of its root. */
static uint64_t
subtree_load(const struct updown *u, sw_ix leaf)
{
	uint64_t *host = arena_array(u->graph.a, u->graph.words, sizeof(*host));
	uint64_t pairs = 0, links = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.weight[s] != 0 &&
			u->graph.comp[s] == u->graph.comp[leaf])
			bitset_add(host, s);
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint64_t *all = u->tier_set.all[s];

		if (!bitset_has(host, s))
			continue;
		for (uint32_t w = 0; w < u->graph.words; w++)
			for (uint64_t x = host[w] & ~all[w]; x != 0; x &= x - 1)
				pairs += (uint64_t)u->graph.weight[s] *
					 u->graph.weight[w * 64 +
							 bitset_lowest64(x)];
	}
	for (uint32_t g = u->graph.first[leaf]; g < u->graph.first[leaf + 1];
		g++)
		links += u->graph.group[g].n;
	return links ? pairs / links : pairs;
}

/*
 * One component. Lowering what the subtree does not connect changes the tier
 * order, hence which leaves can be chosen: start again. That ends soon or is
 * given up: an order of one top connects everything.
 */
static uint64_t
choose_in_component(
	struct updown *u, uint32_t comp, bool keep, struct reversed *t)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool *gap =
			arena_array(u->graph.a, u->graph.ncomp, sizeof(*gap));
		sw_ix leaf;

		reach_find_tiers(u);
		reach_mark_gaps(u, &u->tier_set, gap);
		if (!gap[comp])
			return 0;
		if (!keep_leaf(u, comp, keep, t, &leaf)) {
			leaf = choose_leaf(u, comp, false);
			if (!join_subtree(u, leaf, false, t) &&
				!join_sm_leaf(u, comp, &leaf, t)) {
				if (rerank_lost(u, leaf) > 0)
					continue;
				add_subtree(u, u->tier_above[leaf], t);
			}
		}
		if (u->sftree_root == TOPO_NONE)
			u->sftree_root = leaf;
		return subtree_load(u, leaf);
	}
	return UINT64_MAX;
}

/* Nothing is reversed yet. */
static void
reset_order(struct updown *u, struct reversed *t)
{
	t->n = 0;
	memset(u->sftree_set, 0, u->graph.words * sizeof(*u->sftree_set));
	u->sftree_root = TOPO_NONE;
	u->sftree_extra = NULL;
	u->order_set = (struct reach_sets){NULL, NULL};
}

/* All components, once. */
static uint64_t
choose_all(struct updown *u, bool keep, struct reversed *t)
{
	bool *gap = arena_array(u->graph.a, u->graph.ncomp, sizeof(*gap));
	uint64_t worst = 0;

	reset_order(u, t);
	reach_find_tiers(u);
	reach_mark_gaps(u, &u->tier_set, gap);
	for (uint32_t c = 0; c < u->graph.ncomp; c++) {
		uint64_t b = gap[c] ? choose_in_component(u, c, keep, t) : 0;

		worst = b > worst ? b : worst;
	}
	if (u->sftree_root != TOPO_NONE)
		put_subtrees_first(u, t);
	return worst;
}

uint64_t
sftree_root_choose(struct updown *u, bool keep)
{
	struct reversed t = {
		arena_array(u->graph.a, u->graph.nsw, sizeof(*t.seq)), 0};
	uint64_t worst = choose_all(u, keep, &t);

	/* A kept subtree that leaves a pair without a path is chosen again. */
	if (keep && u->sftree_root != TOPO_NONE && !reach_is_complete(u))
		worst = choose_all(u, false, &t);
	return worst;
}

/* What is above each of these leaves, with extension switches. */
static bool
join_subtrees(struct updown *u, bool keep, const sw_ix *leaf, uint32_t n,
	struct reversed *t)
{
	reset_order(u, t);
	reach_find_tiers(u);
	for (uint32_t k = 0; k < n; k++)
		if (!(keep && join_subtree(u, leaf[k], true, t)) &&
			!join_subtree(u, leaf[k], false, t))
			return false;
	return true;
}

bool
sftree_root_is_extendable(
	struct updown *u, bool keep, const sw_ix *leaf, uint32_t n)
{
	struct reversed t = {
		arena_array(u->graph.a, u->graph.nsw, sizeof(*t.seq)), 0};

	return join_subtrees(u, keep, leaf, n, &t);
}

/* The plain subtrees of these leaves; tops that they do not connect go down a
 * tier. */
static bool
lower_unserved(
	struct updown *u, const sw_ix *leaf, uint32_t n, struct reversed *t)
{
	uint64_t *tree = arena_array(u->graph.a, u->graph.words, sizeof(*tree));

	reset_order(u, t);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t moved = 0;

		reach_find_tiers(u);
		for (uint32_t k = 0; k < n && moved == 0; k++)
			moved = rerank_lost(u, leaf[k]);
		if (moved > 0)
			continue;
		for (uint32_t k = 0; k < n; k++)
			bitset_or(tree, u->tier_above[leaf[k]], u->graph.words);
		add_subtree(u, tree, t);
		return true;
	}
	return false;
}

bool
sftree_root_set(struct updown *u, bool keep, const sw_ix *leaf, uint32_t n)
{
	struct reversed t = {
		arena_array(u->graph.a, u->graph.nsw, sizeof(*t.seq)), 0};

	if (!join_subtrees(u, keep, leaf, n, &t) &&
		!lower_unserved(u, leaf, n, &t))
		return false;
	u->sftree_root = leaf[0];
	put_subtrees_first(u, &t);
	return true;
}
