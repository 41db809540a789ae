#include <string.h>

#include "routing/updown/sftree_extend.h"

enum {
	ROUNDS = 8,
	ODD = 64, /* leaves that are looked at for detours: with more it is no
		     tree */
};

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
	uint32_t n = sftree_extend(u, leaf, keep, tree, t->seq + t->n);

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
