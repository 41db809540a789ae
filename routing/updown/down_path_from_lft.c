#include <string.h>

#include "routing/updown/down_path_priv.h"

enum {
	MOST_STEPS = 2 * UPDN_PATH_MAX,
	ALL_SHARES = (1 << UPDN_SHARES) - 1,
	TOO_MANY = 4, /* at most one LID in this many is split */
	NO_SWITCH = UINT16_MAX,
};

struct prev_paths {
	struct down_path_search *w;
	const struct routes *prev;
	sw_ix *now; /* previous switch -> switch now, or TOPO_NONE */
	sw_ix *was; /* and back */
	uint32_t
		*at; /* of a previous switch: where its ports begin in next[] */
	uint16_t *next; /* by port: the switch behind, NO_SWITCH: not known */
	const sw_ix *seq;
	uint32_t *place; /* [nsw] how many switches with hosts come before it */
	sw_ix *source[UPDN_SHARES]; /* switches with hosts, by class */
	uint32_t nsource[UPDN_SHARES], n;
};

/* Many paths are followed: next[] is read in one place, where the topology is
 * in many. */
static void
map_links(struct prev_paths *c)
{
	const struct topo *was = c->prev->topo;
	struct arena *a = c->w->u->graph.a;
	uint32_t n = 0;

	c->at = arena_array(a, was->nsw + 1U, sizeof(*c->at));
	for (sw_ix s = 0; s < was->nsw; s++) {
		n += was->node[was->sw[s].node].nports + 1U;
		c->at[s + 1] = n;
	}
	c->next = arena_unset(a, n, sizeof(*c->next));
	memset(c->next, 0xff, n * sizeof(*c->next));
	for (sw_ix s = 0; s < was->nsw; s++)
		for (uint32_t i = was->sw[s].adj;
			i < was->sw[s].adj + was->sw[s].nadj; i++)
			c->next[c->at[s] + was->adj[i].out] =
				(uint16_t)was->adj[i].peer;
}

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
	map_links(c);
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

/* The switch that s sent LID lid to, TOPO_NONE: none. */
static sw_ix
next_switch(const struct prev_paths *c, sw_ix s, uint16_t lid)
{
	uint32_t i = c->at[s] + routes_port(c->prev, s, lid);

	return i < c->at[s + 1] && c->next[i] != NO_SWITCH
		       ? c->next[i]
		       : routes_next_switch(c->prev, s, lid);
}

/* The path that a packet from s to LID lid took; its length, 0: none. */
static uint32_t
trace_path(const struct prev_paths *c, sw_ix s, sw_ix dest, uint16_t lid,
	sw_ix *path)
{
	sw_ix at = c->was[s], end = c->was[dest];
	uint32_t n = 0;

	while (at != end && n < MOST_STEPS) {
		path[n++] = c->now[at];
		at = next_switch(c, at, lid);
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

/* ---- some LIDs ---- */

/* LIDs that are never split: not of compute hosts, or in an order of one top.
 */
static bool
is_whole(const struct prev_paths *c, uint32_t i)
{
	return c->w->d->other[i] || c->w->u->order == ROUTE_SINGLE;
}

/* Keep and count the path of LID i by which one source comes; true if there is
 * one. */
static bool
keep_whole_path(const struct prev_paths *c, uint32_t i)
{
	struct dest_table *d = c->w->d;
	sw_ix dest = d->dest[i], path[MOST_STEPS];
	uint32_t group[UPDN_PATH_MAX];

	for (uint32_t k = 0; k < UPDN_SHARES && c->was[dest] != TOPO_NONE;
		k++) {
		sw_ix s = choose_source(c, dest, k);
		uint32_t n = s == TOPO_NONE
				     ? 0
				     : trace_path(c, s, dest, d->lid[i], path);

		if (n == 0 ||
			!take_down_path(c, path, n, dest, &d->path[i], group))
			continue;
		down_path_count(c->w, &c->w->load[d->other[i]], &d->path[i],
			group, UPDN_SHARES);
		return true;
	}
	down_path_start(&d->path[i], dest);
	return false;
}

static bool
keep_some_path(struct prev_paths *c, uint32_t i, unsigned *valid)
{
	*valid = 0;
	return is_whole(c, i) ? keep_whole_path(c, i)
			      : keep_lid_path(c, i, valid);
}

static void
find_some_path(struct prev_paths *c, uint32_t i, unsigned valid)
{
	struct down_path_load *b = &c->w->load[c->w->d->other[i]];
	struct down_path *path = &c->w->d->path[i];
	uint32_t group[UPDN_PATH_MAX] = {0};

	if (!is_whole(c, i)) {
		find_missing_shares(c, i, valid);
		return;
	}
	down_path_find(c->w, b, i, path, group);
	down_path_count(c->w, b, path, group, UPDN_SHARES);
}

/* Switches that share a switch above with x: paths to them and to x compete for
 * its links. */
static void
add_family(const struct down_path_search *w, sw_ix x, uint64_t *family)
{
	const struct updown *u = w->u;
	const struct reach_levels *dn = &w->r->dn;

	bitset_add(family, x);
	for (uint32_t g = u->graph.first[x]; g < u->graph.first[x + 1]; g++) {
		sw_ix up = u->graph.group[g].peer;

		if (u->tier.pos[up] < u->tier.pos[x] && u->rank[up] != 0)
			bitset_or(family,
				dn->row[(size_t)(dn->n - 1) * u->graph.nsw +
					up],
				u->graph.words);
	}
}

/* The fair load of all switches that paths to x may pass. */
static void
find_fair(struct down_path_search *w, sw_ix x)
{
	const struct updown *u = w->u;

	for (uint32_t k = 0; k < u->graph.words; k++)
		for (uint64_t b = u->tier_above[x][k]; b != 0; b &= b - 1) {
			sw_ix s = k * 64 + bitset_lowest64(b);

			if (w->fair[s] == 0)
				(void)down_path_set_fair_load(w, s);
		}
}

/* The paths of the LIDs at switches in the family, and of other ports of the
 * nodes that LIDs in want belong to. */
static uint32_t
count_rivals(struct prev_paths *c, const uint64_t *family, const bool *want)
{
	const struct dest_table *d = c->w->d;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		bool rival = bitset_has(family, d->dest[i]);
		unsigned valid;

		for (uint32_t j = d->next_port[i]; !rival && j != i;
			j = d->next_port[j])
			rival = want[j];
		if (!rival || want[i])
			continue;
		(void)keep_some_path(c, i, &valid);
		n++;
	}
	return n;
}

/* Where that many LIDs are split this is no damaged tree, and splitting gains
 * nothing. */
static void
join_splits(struct dest_table *d, uint32_t paths)
{
	if ((uint64_t)d->nsplit * TOO_MANY <= paths)
		return;
	while (d->nsplit > 0)
		d->share_of[d->split[--d->nsplit]] = 0;
}

void
down_path_some_from_lft(
	struct down_path_search *w, const sw_ix *seq, const bool *want)
{
	struct prev_paths c = {
		.w = w, .prev = w->u->graph.job->prev, .seq = seq};
	const struct dest_table *d = w->d;
	struct arena *a = w->u->graph.a;
	uint64_t *family = arena_array(a, w->u->graph.words, sizeof(*family));
	uint32_t *todo = arena_array(a, d->n, sizeof(*todo)), n = 0, all = 0;
	uint8_t *valid = arena_array(a, d->n, sizeof(*valid));

	map_switches(&c);
	for (uint32_t i = 0; i < d->n; i++) {
		unsigned v;

		if (!want[i])
			continue;
		all++;
		if (!keep_some_path(&c, i, &v)) {
			add_family(w, d->dest[i], family);
			todo[n++] = i;
		}
		valid[i] = (uint8_t)v;
	}
	if (n == 0)
		return;
	all += count_rivals(&c, family, want);
	for (uint32_t k = 0; k < n; k++)
		find_fair(w, d->dest[todo[k]]);
	for (uint32_t k = 0; k < n; k++)
		find_some_path(&c, todo[k], valid[todo[k]]);
	join_splits(w->d, all);
}
