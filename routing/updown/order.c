#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "routing/updown/updown.h"

void
order_begin(struct updown *u)
{
	swgraph_build(&u->graph);
	u->rank = arena_array(u->graph.a, u->graph.nsw, sizeof(*u->rank));
	u->tier.pos =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*u->tier.pos));
	u->tier.seq =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*u->tier.seq));
	u->sw_order.pos =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*u->sw_order.pos));
	u->sw_order.seq =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*u->sw_order.seq));
	u->flat = arena_array(u->graph.a, u->graph.nsw, sizeof(*u->flat));
	u->sftree_set =
		arena_array(u->graph.a, u->graph.words, sizeof(*u->sftree_set));
	u->sftree_root = TOPO_NONE;
}

/*
 * Switches with hosts as columns of a bit set, their weights in binary digits.
 */
struct columns {
	uint32_t n, words;
	uint64_t *slice; /* slice[d * words ..]: weights with digit d set */
	uint32_t digits;
	uint64_t *near, *next; /* [nsw * words] columns within k, k + 1 steps */
};

static void
make_columns(const struct updown *u, struct columns *c)
{
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		c->n += u->graph.weight[s] != 0;
	c->words = (c->n + 255) / 256 * 4;
	c->digits = 8; /* a switch has at most 254 hosts */
	c->slice = arena_array(
		u->graph.a, (size_t)c->digits * c->words, sizeof(*c->slice));
	c->near = arena_array(
		u->graph.a, (size_t)u->graph.nsw * c->words, sizeof(*c->near));
	c->next = arena_array(
		u->graph.a, (size_t)u->graph.nsw * c->words, sizeof(*c->next));
	for (sw_ix s = 0, i = 0; s < u->graph.nsw; s++) {
		if (u->graph.weight[s] == 0)
			continue;
		bitset_add(c->near + (size_t)s * c->words, i);
		for (uint32_t d = 0; d < c->digits; d++)
			if ((u->graph.weight[s] >> d) & 1)
				bitset_add(c->slice + (size_t)d * c->words, i);
		i++;
	}
}

/* Sum of the weights of the columns in set. */
static uint64_t
sum_weights(const struct columns *c, const uint64_t *set)
{
	uint64_t sum = 0;

	for (uint32_t w = 0; w < c->words; w++)
		for (uint32_t d = 0; d < c->digits && set[w] != 0; d++) {
			uint64_t digit = c->slice[(size_t)d * c->words + w];

			if (digit != 0)
				sum += (uint64_t)bitset_count64(set[w] & digit)
				       << d;
		}
	return sum;
}

static bool
expand_steps(const struct updown *u, struct columns *c)
{
	uint64_t *swap = c->near;
	size_t bytes = (size_t)u->graph.nsw * c->words * sizeof(*c->near);

	memcpy(c->next, c->near, bytes);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			bitset_or(c->next + (size_t)s * c->words,
				c->near + (size_t)u->graph.group[g].peer *
						  c->words,
				c->words);
	c->near = c->next;
	c->next = swap;
	return memcmp(c->near, c->next, bytes) != 0;
}

/*
 * Squares of distances, because they tell tiers apart whatever the population:
 * with plain distances the middle switches of two equal pods are as close as
 * the tops. d squared is the sum of 2k + 1 over k < d: a host that is not
 * reached within k steps adds 2k + 1. A host that is never reached adds the
 * same for every switch of the component.
 */
uint64_t *
order_host_distance(const struct updown *u)
{
	struct columns c = {0};
	uint64_t *sum = arena_array(u->graph.a, u->graph.nsw, sizeof(*sum));
	uint64_t k = 0;

	make_columns(u, &c);
	do {
		for (sw_ix s = 0; s < u->graph.nsw; s++)
			sum[s] +=
				(2 * k + 1) *
				(u->graph.nhosts -
					sum_weights(&c,
						c.near + (size_t)s * c.words));
		k++;
	} while (expand_steps(u, &c));
	return sum;
}

/* Ranks by distance from the switches that have rank 0 already. */
static void
rank_below(struct updown *u, sw_ix *queue, uint32_t n)
{
	uint32_t head = 0;

	while (head < n) {
		sw_ix s = queue[head++];

		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix peer = u->graph.group[g].peer;

			if (u->rank[peer] != ROUTE_NO_RANK)
				continue;
			u->rank[peer] = u->rank[s] + 1;
			queue[n++] = peer;
		}
	}
}

/* The switch of a component that is closest to the hosts. */
static sw_ix
find_centre(const struct updown *u, const uint64_t *far, uint32_t comp)
{
	const struct topo *t = u->graph.t;
	sw_ix best = TOPO_NONE;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (u->graph.comp[s] != comp)
			continue;
		if (best == TOPO_NONE || far[s] < far[best] ||
			(far[s] == far[best] &&
				t->node[t->sw[s].node].guid <
					t->node[t->sw[best].node].guid))
			best = s;
	}
	return best;
}

/* True if no neighbour is closer to the hosts, beyond a small tolerance. */
static bool
is_top(const struct updown *u, const uint64_t *far, sw_ix s)
{
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (far[u->graph.group[g].peer] + u->graph.nhosts / 16 < far[s])
			return false;
	return true;
}

/* Rank 0 for the configured roots that exist; appends them to queue. Returns
 * how many. */
static uint32_t
take_roots(struct updown *u, sw_ix *queue)
{
	uint32_t n = 0;

	for (size_t i = 0; i < u->nroots; i++) {
		node_ix x = topo_by_node_guid(u->graph.t, u->roots[i]);
		sw_ix s = x == TOPO_NONE ? TOPO_NONE : u->graph.t->node[x].sw;

		if (s == TOPO_NONE || !u->graph.live[s] || u->rank[s] == 0)
			continue;
		u->rank[s] = 0;
		queue[n++] = s;
	}
	return n;
}

/* Every component needs a top: one without any gets its centre. */
static uint32_t
add_missing_tops(
	struct updown *u, const uint64_t *far, sw_ix *queue, uint32_t n)
{
	bool *has = arena_array(u->graph.a, u->graph.ncomp, sizeof(*has));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s] && u->rank[s] != ROUTE_NO_RANK)
			has[u->graph.comp[s]] = true;
	for (uint32_t c = 0; c < u->graph.ncomp; c++) {
		if (has[c])
			continue;
		queue[n] = find_centre(u, far, c);
		u->rank[queue[n++]] = 0;
	}
	return n;
}

/*
 * Trees have the tiers that tree_read() finds; a component that is no tree gets
 * its local tops, and ranks from there. Previous ranks are not used. Tops of
 * smaller trees get rank 0, too: in relation to its neighbours no switch
 * changes its place by that.
 */
static uint32_t
take_tiers(struct updown *u, const uint64_t *far, sw_ix *queue)
{
	struct route_job job = *u->graph.job;
	struct tree *tree;
	uint32_t n = 0;

	job.prev = NULL;
	job.nranks = 0;
	tree = tree_read(&job, u->graph.a);
	u->treeless = tree->count[TREE_NO_TREE] > 0;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!u->graph.live[s])
			continue;
		if (!tree->treeless[s])
			u->rank[s] = tree->top[s] ? 0 : tree->tier[s];
		else if (is_top(u, far, s))
			u->rank[s] = 0;
		if (u->rank[s] == 0)
			queue[n++] = s;
	}
	return n;
}

void
order_make_fresh(struct updown *u, bool single)
{
	sw_ix *queue = arena_array(u->graph.a, u->graph.nsw, sizeof(*queue));
	uint64_t *far = order_host_distance(u);
	uint32_t n = 0;

	memset(u->rank, 0xff, u->graph.nsw * sizeof(*u->rank));
	u->order = ROUTE_SINGLE;
	if (!single) {
		n = take_roots(u, queue);
		u->order = n > 0 ? ROUTE_ROOTS : ROUTE_TIERS;
		if (u->order == ROUTE_TIERS)
			n = take_tiers(u, far, queue);
	}
	n = add_missing_tops(u, far, queue, n);
	rank_below(u, queue, n);
	order_sort(u);
	rank_repair(u);
	(void)snprintf(u->note, sizeof(u->note), "%u %s", n,
		u->order == ROUTE_ROOTS	  ? "configured roots"
		: u->order == ROUTE_TIERS ? "tops"
					  : "root");
}

void
order_from_root(struct updown *u, sw_ix root)
{
	sw_ix *queue = arena_array(u->graph.a, u->graph.nsw, sizeof(*queue));
	uint64_t *far = order_host_distance(u);
	uint32_t n = 0;

	memset(u->rank, 0xff, u->graph.nsw * sizeof(*u->rank));
	u->order = ROUTE_SINGLE;
	if (u->graph.live[root]) {
		u->rank[root] = 0;
		queue[n++] = root;
	}
	rank_below(u, queue, add_missing_tops(u, far, queue, n));
	order_sort(u);
}
