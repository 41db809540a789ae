#include <string.h>

#include "routing/updown/down_path_priv.h"

enum {
	STEPS = 2 * UPDN_CHAIN,
	ALL = (1 << UPDN_SHARES) - 1,
};

struct recall {
	struct down_path_search *w;
	const struct routes *prev;
	sw_ix *now; /* previous switch -> switch now, or TOPO_NONE */
	sw_ix *was; /* and back */
	const sw_ix *seq;
	uint32_t *place;	    /* [nsw] switches with hosts before it */
	sw_ix *source[UPDN_SHARES]; /* switches with hosts, by class */
	uint32_t nsource[UPDN_SHARES], n;
};

static void
map_switches(struct recall *c)
{
	const struct updown *u = c->w->u;
	const struct topo *was = c->prev->topo;
	unsigned k;

	for (k = 0; k < UPDN_SHARES; k++)
		c->source[k] = arena_array(
			u->graph.a, u->graph.nsw, sizeof(*c->source[k]));
	c->now = arena_array(u->graph.a, was->nsw, sizeof(*c->now));
	c->was = arena_array(u->graph.a, u->graph.nsw, sizeof(*c->was));
	c->place = arena_array(u->graph.a, u->graph.nsw, sizeof(*c->place));
	memset(c->now, 0xff, was->nsw * sizeof(*c->now));
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = c->seq[i];
		node_ix n = topo_by_node_guid(
			was, u->graph.t->node[u->graph.t->sw[s].node].guid);

		c->place[s] = c->n;
		c->was[s] = n == TOPO_NONE ? TOPO_NONE : was->node[n].sw;
		if (c->was[s] == TOPO_NONE || !u->graph.live[s])
			continue;
		c->now[c->was[s]] = s;
		k = c->w->d->class[s];
		if (u->graph.weight[s] == 0)
			continue;
		c->source[k][c->nsource[k]++] = s;
		c->n++;
	}
}

/* A source of class k far from dest: (2k + 1) / 8 of the way round the family.
 */
static sw_ix
source(const struct recall *c, sw_ix dest, uint32_t k)
{
	uint32_t n = c->nsource[k];
	uint32_t all = c->n > 0 ? c->n : 1;
	uint32_t at = (uint32_t)((uint64_t)c->place[dest] * n / all) +
		      n * (2 * k + 1) / 8;

	if (n == 0 || (n == 1 && c->source[k][0] == dest))
		return TOPO_NONE;
	return c->source[k][(at + (c->source[k][at % n] == dest)) % n];
}

/* The way that a packet from s to LID lid took; length, 0: none. */
static uint32_t
trace(const struct recall *c, sw_ix s, sw_ix dest, uint16_t lid, sw_ix *path)
{
	const struct topo *was = c->prev->topo;
	sw_ix at = c->was[s], end = c->was[dest];
	uint32_t n = 0;

	while (at != end && n < STEPS) {
		const struct topo_node *x = &was->node[was->sw[at].node];
		uint8_t out = routes_port(c->prev, at, lid);
		port_ix peer;

		path[n++] = c->now[at];
		if (out == 0 || out > x->nports)
			return 0;
		peer = was->port[x->first_port + out].peer;
		if (peer == TOPO_NONE)
			return 0;
		at = was->node[was->port[peer].node].sw;
		if (at == TOPO_NONE)
			return 0;
	}
	return at == end ? n : 0;
}

/*
 * The way down of such a path, from below. False when it is broken, or no way
 * under the order now.
 */
static bool
way_down(const struct recall *c, const sw_ix *path, uint32_t n, sw_ix dest,
	struct down_path *chain, uint32_t *group)
{
	const struct updown *u = c->w->u;
	bool any = false;

	down_path_start(chain, dest);
	while (n > 0 && chain->len < UPDN_CHAIN) {
		sw_ix below = chain->sw[chain->len - 1], x = path[--n];

		if (x == TOPO_NONE)
			return false;
		if (!sw_is_above(u, below, x))
			return any;
		group[chain->len - 1] = down_path_group(u, below, x);
		if (group[chain->len - 1] == UINT32_MAX ||
			!down_path_exactly(c->w, x, dest, chain->len))
			return false;
		chain->sw[chain->len++] = (uint16_t)x;
		any = true;
	}
	return any;
}

static bool
same(const struct down_path *a, const struct down_path *b)
{
	return a->len == b->len &&
	       memcmp(a->sw, b->sw, a->len * sizeof(*a->sw)) == 0;
}

/* The shares of LID i as they were; a bit for each that still stands. */
static unsigned
recall_shares(const struct recall *c, uint32_t i, struct down_path *share,
	uint32_t (*group)[UPDN_CHAIN])
{
	const struct dest_table *d = c->w->d;
	sw_ix dest = d->dest[i], path[STEPS];
	unsigned valid = 0;

	for (uint32_t k = 0; k < UPDN_SHARES; k++) {
		down_path_start(&share[k], dest);
	}
	if (c->was[dest] == TOPO_NONE)
		return 0;
	for (uint32_t k = 0; k < UPDN_SHARES; k++) {
		sw_ix s = source(c, dest, k);
		uint32_t n =
			s == TOPO_NONE ? 0 : trace(c, s, dest, d->lid[i], path);

		if (n == 0 || !way_down(c, path, n, dest, &share[k], group[k]))
			continue;
		down_path_extend(c->w, &c->w->load[0], &share[k], group[k]);
		valid |= 1U << k;
	}
	return valid;
}

static bool
all_same(const struct down_path *share)
{
	for (uint32_t k = 1; k < UPDN_SHARES; k++)
		if (!same(&share[0], &share[k]))
			return false;
	return true;
}

/* Count what stands; true when nothing is left to find for LID i. */
static bool
take(struct recall *c, uint32_t i, unsigned *valid)
{
	struct down_path_load *b = &c->w->load[0];
	struct down_path share[UPDN_SHARES], *own;
	uint32_t group[UPDN_SHARES][UPDN_CHAIN];

	multi_port_avoid(c->w, i);
	*valid = recall_shares(c, i, share, group);
	if (*valid == 0) {
		c->w->d->chain[i] = share[0];
		down_path_count(c->w, b, &share[0], group[0], UPDN_SHARES);
		return false;
	}
	for (uint32_t k = 0; k < UPDN_SHARES; k++)
		if (*valid & (1U << k))
			down_path_count(c->w, b, &share[k], group[k], 1);
	if (*valid == ALL && all_same(share)) {
		c->w->d->chain[i] = share[0];
		return true;
	}
	own = down_path_split(c->w, i);
	memcpy(own, share, sizeof(share));
	c->w->d->chain[i] = share[bitset_lowest64(*valid)];
	return *valid == ALL;
}

/* What was left of the way of LID i has kept its place so far. */
static void
let_go(struct recall *c, uint32_t i)
{
	const struct down_path *left = &c->w->d->chain[i];
	uint32_t group[UPDN_CHAIN];

	for (uint32_t k = 1; k < left->len; k++)
		group[k - 1] =
			down_path_group(c->w->u, left->sw[k - 1], left->sw[k]);
	down_path_count(c->w, &c->w->load[0], left, group, 0U - UPDN_SHARES);
}

/* Find the shares that do not stand. */
static void
complete(struct recall *c, uint32_t i, unsigned valid)
{
	struct dest_table *d = c->w->d;
	struct down_path_load *b = &c->w->load[0];
	uint32_t group[UPDN_CHAIN];
	struct down_path *share;

	if (valid == 0) {
		let_go(c, i);
		down_path_place(c->w, i);
		return;
	}
	share = d->share + (size_t)(d->share_of[i] - 1) * UPDN_SHARES;
	for (uint32_t k = 0; k < UPDN_SHARES; k++) {
		if (valid & (1U << k))
			continue;
		multi_port_avoid(c->w, i);
		down_path_start(&share[k], d->dest[i]);
		down_path_extend(c->w, b, &share[k], group);
		down_path_count(c->w, b, &share[k], group, 1);
	}
}

void
down_path_from_lft(struct down_path_search *w, const sw_ix *seq)
{
	struct recall c = {.w = w, .prev = w->u->graph.job->prev, .seq = seq};
	struct dest_table *d = w->d;
	uint32_t *todo = arena_array(w->u->graph.a, d->n, sizeof(*todo)), n = 0;
	uint8_t *valid = arena_array(w->u->graph.a, d->n, sizeof(*valid));

	map_switches(&c);
	down_path_reset(w);
	for (uint32_t i = 0; i < d->n; i++) {
		unsigned v = 0;

		if (!d->other[i] && !take(&c, i, &v))
			todo[n++] = i;
		valid[i] = (uint8_t)v;
	}
	for (uint32_t k = 0; k < n; k++)
		complete(&c, todo[k], valid[todo[k]]);
}
