#include <string.h>

#include "routing/updown/down_path_priv.h"

enum {
	MOST_STEPS = 2 * UPDN_PATH_MAX,
	ALL_SHARES = (1 << UPDN_SHARES) - 1,
};

struct prev_paths {
	struct down_path_search *w;
	const struct routes *prev;
	sw_ix *now; /* previous switch -> switch now, or TOPO_NONE */
	sw_ix *was; /* and back */
	const sw_ix *seq;
	uint32_t *place; /* [nsw] how many switches with hosts come before it */
	sw_ix *source[UPDN_SHARES]; /* switches with hosts, by class */
	uint32_t nsource[UPDN_SHARES], n;
};

static void
map_switches(struct prev_paths *c)
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

/* A source of class k far from dest: (2k + 1) / 8 of all sources further on, in
 * family order. */
static sw_ix
choose_source(const struct prev_paths *c, sw_ix dest, uint32_t k)
{
	uint32_t n = c->nsource[k];
	uint32_t all = c->n > 0 ? c->n : 1;
	uint32_t at = (uint32_t)((uint64_t)c->place[dest] * n / all) +
		      n * (2 * k + 1) / 8;

	if (n == 0 || (n == 1 && c->source[k][0] == dest))
		return TOPO_NONE;
	return c->source[k][(at + (c->source[k][at % n] == dest)) % n];
}

/* The path that a packet from s to LID lid took; its length, 0: none. */
static uint32_t
trace_path(const struct prev_paths *c, sw_ix s, sw_ix dest, uint16_t lid,
	sw_ix *path)
{
	const struct topo *was = c->prev->topo;
	sw_ix at = c->was[s], end = c->was[dest];
	uint32_t n = 0;

	while (at != end && n < MOST_STEPS) {
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

/* The down part of this path, from below. False: it is broken, or not legal in
 * the present order. */
static bool
take_down_path(const struct prev_paths *c, const sw_ix *path, uint32_t n,
	sw_ix dest, struct down_path *chain, uint32_t *group)
{
	const struct updown *u = c->w->u;
	bool any = false;

	down_path_start(chain, dest);
	while (n > 0 && chain->len < UPDN_PATH_MAX) {
		sw_ix below = chain->sw[chain->len - 1], x = path[--n];

		if (x == TOPO_NONE)
			return false;
		if (!sw_has_uplink(u, below, x))
			return any;
		group[chain->len - 1] = down_path_find_group(u, below, x);
		if (group[chain->len - 1] == UINT32_MAX ||
			!down_path_is_exactly(c->w, x, dest, chain->len))
			return false;
		chain->sw[chain->len++] = (uint16_t)x;
		any = true;
	}
	return any;
}

static bool
is_same_path(const struct down_path *a, const struct down_path *b)
{
	return a->len == b->len &&
	       memcmp(a->sw, b->sw, a->len * sizeof(*a->sw)) == 0;
}

/* The shares of LID i as they were; a bit for each that is still valid. */
static unsigned
find_prev_shares(const struct prev_paths *c, uint32_t i,
	struct down_path *share, uint32_t (*group)[UPDN_PATH_MAX])
{
	const struct dest_table *d = c->w->d;
	sw_ix dest = d->dest[i], path[MOST_STEPS];
	unsigned valid = 0;

	for (uint32_t k = 0; k < UPDN_SHARES; k++) {
		down_path_start(&share[k], dest);
	}
	if (c->was[dest] == TOPO_NONE)
		return 0;
	for (uint32_t k = 0; k < UPDN_SHARES; k++) {
		sw_ix s = choose_source(c, dest, k);
		uint32_t n = s == TOPO_NONE
				     ? 0
				     : trace_path(c, s, dest, d->lid[i], path);

		if (n == 0 ||
			!take_down_path(c, path, n, dest, &share[k], group[k]))
			continue;
		down_path_extend(c->w, &c->w->load[0], &share[k], group[k]);
		valid |= 1U << k;
	}
	return valid;
}

static bool
are_all_same(const struct down_path *share)
{
	for (uint32_t k = 1; k < UPDN_SHARES; k++)
		if (!is_same_path(&share[0], &share[k]))
			return false;
	return true;
}

/* Keep and count the valid shares of LID i; true if none is left to find. */
static bool
keep_lid_path(struct prev_paths *c, uint32_t i, unsigned *valid)
{
	struct down_path_load *b = &c->w->load[0];
	struct down_path share[UPDN_SHARES], *own;
	uint32_t group[UPDN_SHARES][UPDN_PATH_MAX];

	multi_port_avoid(c->w, i);
	*valid = find_prev_shares(c, i, share, group);
	if (*valid == 0) {
		c->w->d->path[i] = share[0];
		down_path_count(c->w, b, &share[0], group[0], UPDN_SHARES);
		return false;
	}
	for (uint32_t k = 0; k < UPDN_SHARES; k++)
		if (*valid & (1U << k))
			down_path_count(c->w, b, &share[k], group[k], 1);
	if (*valid == ALL_SHARES && are_all_same(share)) {
		c->w->d->path[i] = share[0];
		return true;
	}
	own = down_path_mark_split(c->w, i);
	memcpy(own, share, sizeof(share));
	c->w->d->path[i] = share[bitset_lowest64(*valid)];
	return *valid == ALL_SHARES;
}

/* Subtract the valid part of the path of LID i, which was counted to reserve
 * its place. */
static void
uncount_kept_part(struct prev_paths *c, uint32_t i)
{
	const struct down_path *left = &c->w->d->path[i];
	uint32_t group[UPDN_PATH_MAX];

	for (uint32_t k = 1; k < left->len; k++)
		group[k - 1] = down_path_find_group(
			c->w->u, left->sw[k - 1], left->sw[k]);
	down_path_count(c->w, &c->w->load[0], left, group, 0U - UPDN_SHARES);
}

/* Find new paths for the shares that are not valid. */
static void
find_missing_shares(struct prev_paths *c, uint32_t i, unsigned valid)
{
	struct dest_table *d = c->w->d;
	struct down_path_load *b = &c->w->load[0];
	uint32_t group[UPDN_PATH_MAX];
	struct down_path *share;

	if (valid == 0) {
		uncount_kept_part(c, i);
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
	struct prev_paths c = {
		.w = w, .prev = w->u->graph.job->prev, .seq = seq};
	struct dest_table *d = w->d;
	uint32_t *todo = arena_array(w->u->graph.a, d->n, sizeof(*todo)), n = 0;
	uint8_t *valid = arena_array(w->u->graph.a, d->n, sizeof(*valid));

	map_switches(&c);
	down_path_reset(w);
	for (uint32_t i = 0; i < d->n; i++) {
		unsigned v = 0;

		if (!d->other[i] && !keep_lid_path(&c, i, &v))
			todo[n++] = i;
		valid[i] = (uint8_t)v;
	}
	for (uint32_t k = 0; k < n; k++)
		find_missing_shares(&c, todo[k], valid[todo[k]]);
}
