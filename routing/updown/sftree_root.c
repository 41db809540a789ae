/*
 * Where the order of tiers leaves pairs without a path: the leaf whose subtree
 * is turned over, and that subtree made whole. The one makes no
 * sense without the other.
 */
#include <string.h>

#include "routing/updown/updown.h"

enum {
	ROUNDS = 8,
	ODD = 64, /* leaves that are looked at for detours: with more it is no
		     tree */
	JOINERS = 8,
};

/* ---- the subtree, made whole ---- */

/*
 * A subtree that is turned over, and has lost some of its cables, made whole.
 *
 * When the leaf of the turns loses the way up to a top, or to a whole plane of
 * them, another leaf may still have all. But to turn the subtree above another
 * leaf over moves all turns between tops: nearly all entries for switches
 * change. Instead, a joiner is sought: a switch J that has a way up into the
 * subtree, and cables up to what was lost, as high as there is one. In the line
 * it is put behind the subtree, and what is above it and lost behind itself:
 *
 *   the subtree  J  what is above J and lost, upside down  the rest
 *
 * What is turned over stays so, joiners too when all that they joined is back:
 * of two sets of tables that obey one line no mixture needs turns closed, and
 * to turn cables back does. So with entries to keep, what is turned over in the
 * line in force is taken over as it stands, but for switches that nothing of it
 * is left to hang under. Switches that are new and belong above the leaf stand
 * where they would in its subtree, before what is above them: they have no
 * cables that could turn over. What is still lost gets joiners as before. The
 * price is small: ways inside tiers are what they were, so only joiners and
 * what is above them have other turns than a fresh line would give them. It is
 * paid until tables are made afresh, because the load asks for it or somebody
 * does, or more joiners would be needed than are allowed; then all begins with
 * the subtree above the leaf again. Where the line in force is not known, or
 * is that of tiers, there is nothing to take over.
 *
 * Only cables from J upwards to what was lost are turned over. The leaf remains
 * the only top of the line, so all pairs have a path.
 *
 * Yet J has ways down now, through what was lost, to nearly everybody, and by
 * the down-first rule would have to send all its packets there, as nobody tells
 * apart who came from above. So nobody above sends J what is not meant for the
 * lost or for those below J in tiers: the destinations that J serves
 * (updown.sftree_extra). For all others no packet comes to J from above, and J
 * may send it up or down, whatever is shortest: a path that begins, or came
 * from below, obeys the order either way. So ordinary traffic goes as it went.
 */

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

/*
 * The subtree above leaf (u->tier_set and u->tier_above are there), or keep:
 * what is turned over in the line in force, leaf on top; made whole by joiners
 * where it has to be: the set of its switches into tree, those in the order of
 * the line into seq (u->graph.nsw at most), what joiners serve into
 * u->sftree_extra. How many; 0: it cannot be done, or there is nothing to keep.
 */
static uint32_t
extend_subtree(
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
	while (x.nlost > 0 && x.joiners < JOINERS) {
		struct joiner j = find(&x);

		if (j.sw == TOPO_NONE)
			break;
		put(&x, j.sw);
		find_lost(&x);
	}
	if (x.nlost == 0 && x.joiners <= JOINERS)
		return x.n;
	forget(&x);
	return 0;
}

/* ---- which leaf ---- */

/* The subtrees of all components, one after the other, as in the line. */
struct turned {
	sw_ix *seq;
	uint32_t n;
};

/* Is every pair of a component joined by a path in the tier order? */
static void
find_gaps(const struct updown *u, bool *gap)
{
	uint32_t *size = arena_array(u->graph.a, u->graph.ncomp, sizeof(*size));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			size[u->graph.comp[s]]++;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint64_t *all =
			u->tier_set.all + (size_t)s * u->graph.words;
		uint32_t n = 0;

		if (!u->graph.live[s])
			continue;
		for (uint32_t w = 0; w < u->graph.words; w++)
			n += bitset_count64(all[w]);
		if (n < size[u->graph.comp[s]])
			gap[u->graph.comp[s]] = true;
	}
}

bool
sftree_root_is_leaf(const struct updown *u, sw_ix s)
{
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (u->tier.pos[u->graph.group[g].peer] > u->tier.pos[s])
			return false;
	return u->graph.live[s];
}

/* The leaf of the routes in force, or TOPO_NONE. */
static sw_ix
former_leaf(const struct updown *u)
{
	const struct routes *prev = u->graph.job->prev;
	node_ix n;

	if (prev == NULL || prev->sftree_root == TOPO_NONE)
		return TOPO_NONE;
	n = topo_by_node_guid(u->graph.t,
		prev->topo->node[prev->topo->sw[prev->sftree_root].node].guid);
	return n == TOPO_NONE ? TOPO_NONE : u->graph.t->node[n].sw;
}

/*
 * What was above the leaf in force: the subtree that is turned over, of which
 * the leaf itself may be gone.
 */
static uint64_t *
former_tree(const struct updown *u)
{
	const struct routes *prev = u->graph.job->prev;
	uint64_t *set = arena_array(u->graph.a, u->graph.words, sizeof(*set));
	const struct topo *was;
	sw_ix *queue;
	bool *seen;
	uint32_t n = 0;

	if (prev == NULL || prev->sftree_root == TOPO_NONE)
		return NULL;
	was = prev->topo;
	queue = arena_array(u->graph.a, was->nsw, sizeof(*queue));
	seen = arena_array(u->graph.a, was->nsw, sizeof(*seen));
	queue[n++] = prev->sftree_root;
	seen[prev->sftree_root] = true;
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

/* What makes a leaf fit, the first first. */
struct fitness {
	bool away;	 /* it is not the SM's, or that does not matter */
	uint32_t above;	 /* switches above it: only those can turn there */
	uint32_t lured;	 /* hosts that what is above it reaches by a detour */
	uint32_t shared; /* of these, in the subtree in force: unchanged */
	bool former;	 /* it is in force */
};

static bool
fitter(const struct fitness *a, const struct fitness *b)
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
fitness(const struct updown *u, sw_ix s, sw_ix former, const uint64_t *its)
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

/* Is something above both s and the leaf? */
static bool
meets(const struct updown *u, sw_ix s, sw_ix leaf)
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
		     meets(u, s, leaf);
	return n;
}

static bool
is_above(const struct updown *u, sw_ix a, sw_ix b)
{
	return u->tier.pos[a] < u->tier.pos[b];
}

/* Has s a cable to one of its own tier that is above it? */
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

/* Is there a way down to s of which the subtree has nothing but what is above
 * m: by a cable within the tier, to x, and by what is above x? */
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
 * Is s lured away if the tree is turned over? What is above a switch m of the
 * tree gets to it going up then; to s below m it goes down, if it can, by any
 * detour. Only a cable within a tier makes one: a tree has no others.
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

/* Hosts of the n switches that have a cable within their tier. */
static uint32_t
lured(const struct updown *u, sw_ix leaf, const sw_ix *odd, uint32_t n)
{
	const uint64_t *tree = u->tier_above[leaf];
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!bitset_has(tree, odd[i]) && is_lured(u, tree, odd[i]))
			hosts += u->graph.weight[odd[i]];
	return hosts;
}

/* Those switches, or none where they are many. */
static uint32_t
find_odd(const struct updown *u, sw_ix odd[ODD])
{
	uint32_t n = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!u->graph.live[s] || u->graph.weight[s] == 0 ||
			!has_peer_above(u, s))
			continue;
		if (n == ODD)
			return 0;
		odd[n++] = s;
	}
	return n;
}

/* The fittest; among equals the lowest leaf of the order. any: the SM's leaf is
 * as good as others, to which traffic between switches shall go else. */
static sw_ix
choose_leaf(const struct updown *u, uint32_t comp, bool any)
{
	sw_ix sm = topo_switch_of(u->graph.t, u->graph.t->sm_port);
	sw_ix best = TOPO_NONE, former = former_leaf(u);
	const uint64_t *tree = former_tree(u);
	struct fitness most = {0};
	sw_ix odd[ODD];
	uint32_t n = find_odd(u, odd);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		struct fitness f;

		if (u->graph.comp[s] != comp || !sftree_root_is_leaf(u, s))
			continue;
		f = fitness(u, s, former, tree);
		f.away = any || s != sm;
		f.lured = lured(u, s, odd, n);
		if (best != TOPO_NONE && !fitter(&f, &most))
			continue;
		most = f;
		best = s;
	}
	return best;
}

/* What is above a leaf, joiners and what they join, into t. */
static bool
join(struct updown *u, sw_ix leaf, bool keep, struct turned *t)
{
	uint64_t *tree = arena_array(u->graph.a, u->graph.words, sizeof(*tree));
	uint32_t n = extend_subtree(u, leaf, keep, tree, t->seq + t->n);

	bitset_or(u->sftree_set, tree, n > 0 ? u->graph.words : 0);
	t->n += n;
	return n > 0;
}

/*
 * The leaf in force as long as it is one, with joiners where it does not serve:
 * to turn another subtree over moves all turns, and reverses cables; tables
 * that change direction are the hardest to replace. keep: all that is turned
 * over stays so; where the leaf is gone another one goes on top of that. True:
 * it is in t.
 */
static bool
keep_leaf(struct updown *u, uint32_t comp, bool keep, struct turned *t,
	sw_ix *leaf)
{
	sw_ix former = former_leaf(u);
	bool stands = former != TOPO_NONE && u->graph.comp[former] == comp &&
		      sftree_root_is_leaf(u, former);

	*leaf = stands || !keep ? former : choose_leaf(u, comp, false);
	if (keep && join(u, *leaf, true, t))
		return true;
	return stands && join(u, *leaf, false, t);
}

/* The SM's leaf where no other one can be made whole. *leaf: as chosen so far.
 */
static bool
join_any(struct updown *u, uint32_t comp, sw_ix *leaf, struct turned *t)
{
	sw_ix was = *leaf;

	*leaf = choose_leaf(u, comp, true);
	return *leaf != was && join(u, *leaf, false, t);
}

/* Those of the component that cannot get up into the subtree. */
static uint32_t
rerank_lost(struct updown *u, sw_ix leaf)
{
	bool *good = arena_array(u->graph.a, u->graph.nsw, sizeof(*good));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		good[s] = !u->graph.live[s] ||
			  u->graph.comp[s] != u->graph.comp[leaf] ||
			  meets(u, s, leaf);
	return rank_keep_lower(u, good);
}

/* A subtree upside down, behind those that are in t. */
static void
add_tree(struct updown *u, const uint64_t *tree, struct turned *t)
{
	bitset_or(u->sftree_set, tree, u->graph.words);
	for (uint32_t i = u->graph.nsw; i-- > 0;)
		if (bitset_has(tree, u->tier.seq[i]))
			t->seq[t->n++] = u->tier.seq[i];
}

/* Put the subtrees first, the rest after them as it was. */
static void
turn_over(struct updown *u, const struct turned *t)
{
	uint32_t n = t->n;

	memcpy(u->sw_order.seq, t->seq, n * sizeof(*u->sw_order.seq));
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		if (!bitset_has(u->sftree_set, u->tier.seq[i]))
			u->sw_order.seq[n++] = u->tier.seq[i];
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		u->sw_order.pos[u->sw_order.seq[i]] = i;
}

/* Host pairs that only the subtree joins, per cable of its leaf. */
static uint64_t
burden(const struct updown *u, sw_ix leaf)
{
	uint64_t *host = arena_array(u->graph.a, u->graph.words, sizeof(*host));
	uint64_t pairs = 0, cables = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.weight[s] != 0 &&
			u->graph.comp[s] == u->graph.comp[leaf])
			bitset_add(host, s);
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint64_t *all =
			u->tier_set.all + (size_t)s * u->graph.words;

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
		cables += u->graph.group[g].n;
	return cables ? pairs / cables : pairs;
}

/*
 * One component. Re-ranking what cannot be served changes the order, hence the
 * candidates: start again. That ends soon or is given up: one top serves all.
 */
static uint64_t
turn_component(struct updown *u, uint32_t comp, bool keep, struct turned *t)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool *gap =
			arena_array(u->graph.a, u->graph.ncomp, sizeof(*gap));
		sw_ix leaf;

		reach_tiers(u);
		find_gaps(u, gap);
		if (!gap[comp])
			return 0;
		if (!keep_leaf(u, comp, keep, t, &leaf)) {
			leaf = choose_leaf(u, comp, false);
			if (!join(u, leaf, false, t) &&
				!join_any(u, comp, &leaf, t)) {
				if (rerank_lost(u, leaf) > 0)
					continue;
				add_tree(u, u->tier_above[leaf], t);
			}
		}
		if (u->turn_leaf == TOPO_NONE)
			u->turn_leaf = leaf;
		return burden(u, leaf);
	}
	return UINT64_MAX;
}

/* Nothing is turned over yet. */
static void
begin(struct updown *u, struct turned *t)
{
	t->n = 0;
	memset(u->sftree_set, 0, u->graph.words * sizeof(*u->sftree_set));
	u->turn_leaf = TOPO_NONE;
	u->sftree_extra = NULL;
	u->line_set = (struct reach_sets){NULL, NULL};
}

/* All components, once. */
static uint64_t
turn(struct updown *u, bool keep, struct turned *t)
{
	bool *gap = arena_array(u->graph.a, u->graph.ncomp, sizeof(*gap));
	uint64_t worst = 0;

	begin(u, t);
	reach_tiers(u);
	find_gaps(u, gap);
	for (uint32_t c = 0; c < u->graph.ncomp; c++) {
		uint64_t b = gap[c] ? turn_component(u, c, keep, t) : 0;

		worst = b > worst ? b : worst;
	}
	if (u->turn_leaf != TOPO_NONE)
		turn_over(u, t);
	return worst;
}

uint64_t
sftree_root_choose(struct updown *u, bool keep)
{
	struct turned t = {
		arena_array(u->graph.a, u->graph.nsw, sizeof(*t.seq)), 0};
	uint64_t worst = turn(u, keep, &t);

	/* What was kept and does not hold together is made anew. */
	if (keep && u->turn_leaf != TOPO_NONE && !reach_whole(u))
		worst = turn(u, false, &t);
	return worst;
}

/* What is above each of these leaves, made whole by joiners. */
static bool
join_all(struct updown *u, bool keep, const sw_ix *leaf, uint32_t n,
	struct turned *t)
{
	begin(u, t);
	reach_tiers(u);
	for (uint32_t k = 0; k < n; k++)
		if (!(keep && join(u, leaf[k], true, t)) &&
			!join(u, leaf[k], false, t))
			return false;
	return true;
}

bool
sftree_root_is_extendable(
	struct updown *u, bool keep, const sw_ix *leaf, uint32_t n)
{
	struct turned t = {
		arena_array(u->graph.a, u->graph.nsw, sizeof(*t.seq)), 0};

	return join_all(u, keep, leaf, n, &t);
}

/* As it is above them; tops that they do not serve go down a tier. */
static bool
lower_all(struct updown *u, const sw_ix *leaf, uint32_t n, struct turned *t)
{
	uint64_t *tree = arena_array(u->graph.a, u->graph.words, sizeof(*tree));

	begin(u, t);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t moved = 0;

		reach_tiers(u);
		for (uint32_t k = 0; k < n && moved == 0; k++)
			moved = rerank_lost(u, leaf[k]);
		if (moved > 0)
			continue;
		for (uint32_t k = 0; k < n; k++)
			bitset_or(tree, u->tier_above[leaf[k]], u->graph.words);
		add_tree(u, tree, t);
		return true;
	}
	return false;
}

bool
sftree_root_set(struct updown *u, bool keep, const sw_ix *leaf, uint32_t n)
{
	struct turned t = {
		arena_array(u->graph.a, u->graph.nsw, sizeof(*t.seq)), 0};

	if (!join_all(u, keep, leaf, n, &t) && !lower_all(u, leaf, n, &t))
		return false;
	u->turn_leaf = leaf[0];
	turn_over(u, &t);
	return true;
}
