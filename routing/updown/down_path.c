/* The choice of a down path for each LID, and the spread indexes. */
#include <assert.h>
#include <string.h>

#include "routing/updown/down_path_priv.h"

enum {
	MOST_PATHS = 128, /* LIDs of one port */
	SPREAD = 12,	  /* largest least common multiple in use */
	SUBSTITUTES = 4,
	FINEST = 16,
};

/*
 * Family order: switches from the top, each under the first switch above it.
 * Leaves of one pod follow each other, which makes the choices at the top fall
 * evenly on the pods.
 */
static sw_ix *
family_order(const struct updown *u)
{
	sw_ix *seq = arena_array(u->graph.a, u->graph.nsw, sizeof(*seq));
	bool *done = arena_array(u->graph.a, u->graph.nsw, sizeof(*done));
	uint32_t n = 0, head = 0;

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix root = u->tier.seq[i];
		bool top = true;

		for (uint32_t g = u->graph.first[root];
			g < u->graph.first[root + 1]; g++)
			top &= u->tier.pos[u->graph.group[g].peer] > i;
		if (!top)
			continue;
		seq[n++] = root;
		done[root] = true;
	}
	while (head < n) {
		sw_ix s = seq[head++];

		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix peer = u->graph.group[g].peer;

			if (done[peer] || u->tier.pos[peer] < u->tier.pos[s])
				continue;
			done[peer] = true;
			seq[n++] = peer;
		}
	}
	return seq;
}

/* The LIDs of end e of switch s. */
static void
add_end(const struct updown *u, struct dest_table *d, sw_ix s,
	const struct topo_end *e)
{
	const struct topo_port *p = &u->graph.t->port[e->port];

	for (uint32_t i = 0; p->lid != 0 && i < 1U << p->lmc; i++) {
		d->lid[d->n] = (uint16_t)(p->lid + i);
		d->dest[d->n] = s;
		d->out[d->n] = e->out;
		d->other[d->n++] = !e->host;
	}
}

/* All LIDs at s: those behind its ports first, in order, then its own. */
static void
add_switch(const struct updown *u, struct dest_table *d, sw_ix s)
{
	const struct topo_switch *sw = &u->graph.t->sw[s];
	uint32_t from = d->n, n = 0;

	for (unsigned own = 0; own < 2; own++)
		for (uint32_t i = sw->end; i < sw->end + sw->nend; i++)
			if ((u->graph.t->end[i].out == 0) == (own == 1))
				add_end(u, d, s, &u->graph.t->end[i]);
	while (from + n < d->n && d->lid[from + n] == d->lid[from] + n)
		n++;
	d->at[s] = from;
	d->end[s] = d->n;
	d->run[s] = n;
}

/* True if LID i has this number among the LIDs of its port. */
static bool
is_nth_lid(const struct updown *u, const struct dest_table *d, uint32_t i,
	unsigned path)
{
	unsigned its = 0;

	return topo_by_lid(u->graph.t, d->lid[i], &its) != TOPO_NONE &&
	       its == path;
}

/*
 * Append the LIDs of s that have this number in their port, starting at another
 * port for each number, so that the LIDs of a port get different paths. Returns
 * how many.
 */
static uint32_t
add_nth_lids(const struct updown *u, const struct dest_table *d, sw_ix s,
	unsigned path, uint32_t *seq)
{
	uint32_t n = 0, k = 0;

	for (uint32_t i = d->at[s]; i < d->end[s]; i++)
		n += is_nth_lid(u, d, i, path);
	for (uint32_t i = d->at[s]; n > 0 && i < d->end[s]; i++)
		if (is_nth_lid(u, d, i, path))
			seq[(k++ + n - path % n) % n] = i;
	return n;
}

/* LIDs of passive ports go last; the order is otherwise the same. */
static uint32_t *
order_passive_last(
	const struct updown *u, const struct dest_table *d, uint32_t *seq)
{
	uint32_t *all, n = 0;

	if (d->nmulti_port == 0)
		return seq;
	all = arena_array(u->graph.a, d->n, sizeof(*all));
	for (unsigned idle = 0; idle < 2; idle++)
		for (uint32_t k = 0; k < d->n; k++)
			if (multi_port_is_passive(d, seq[k]) == (idle == 1))
				all[n++] = seq[k];
	return all;
}

/*
 * LIDs in the order in which they get paths. Where ports have several LIDs: the
 * first ones of all ports, which most traffic goes to, then the second ones,
 * and so on, so that each of these sets is spread as if it were alone.
 */
static uint32_t *
order_lids(const struct updown *u, const struct dest_table *d)
{
	uint32_t *seq = arena_array(u->graph.a, d->n, sizeof(*seq)), n = 0;
	unsigned paths = d->n > u->graph.t->nend ? MOST_PATHS : 0;

	for (unsigned path = 0; path < paths && n < d->n; path++)
		for (uint32_t at = 0; at < d->n; at = d->end[d->dest[at]])
			n += add_nth_lids(u, d, d->dest[at], path, seq + n);
	for (uint32_t i = 0; n < d->n && i < d->n; i++)
		seq[i] = i;
	return order_passive_last(u, d, seq);
}

/* Down paths for all LIDs, without splitting any. */
static void
choose_whole_paths(struct down_path_search *w, const uint32_t *seq, bool others)
{
	uint32_t group[UPDN_PATH_MAX] = {0};

	for (uint32_t k = 0; k < w->d->n; k++) {
		uint32_t i = seq[k];
		struct down_path_load *b = &w->load[w->d->other[i]];

		if (w->d->other[i] && !others)
			continue;
		down_path_find(w, b, i, &w->d->path[i], group);
		down_path_count(w, b, &w->d->path[i], group, UPDN_SHARES);
	}
}

/*
 * In a damaged tree some link must carry two LIDs where others carry one, and
 * would be twice as loaded. So LIDs that find no link free are split: their
 * sources, by class, come down over different links.
 */
static void
choose_with_splits(struct down_path_search *w, const uint32_t *seq)
{
	down_path_reset(w);
	for (uint32_t k = 0; k < w->d->n; k++)
		if (!w->d->other[seq[k]])
			down_path_place(w, seq[k]);
}

static void
make_room(const struct updown *u, struct dest_table *d)
{
	uint32_t max = (uint32_t)u->graph.t->max_lid + 1;

	d->at = arena_array(u->graph.a, u->graph.nsw, sizeof(*d->at));
	d->end = arena_array(u->graph.a, u->graph.nsw, sizeof(*d->end));
	d->run = arena_array(u->graph.a, u->graph.nsw, sizeof(*d->run));
	d->class = arena_array(u->graph.a, u->graph.nsw, sizeof(*d->class));
	d->lid = arena_array(u->graph.a, max, sizeof(*d->lid));
	d->dest = arena_array(u->graph.a, max, sizeof(*d->dest));
	d->out = arena_array(u->graph.a, max, sizeof(*d->out));
	d->other = arena_array(u->graph.a, max, sizeof(*d->other));
	d->spread_index =
		arena_array(u->graph.a, max, sizeof(*d->spread_index));
	d->next_port = arena_array(u->graph.a, max, sizeof(*d->next_port));
	d->path = arena_array(u->graph.a, max, sizeof(*d->path));
	d->share_of = arena_array(u->graph.a, max, sizeof(*d->share_of));
}

/* ---- spread indexes: path tops, and a number for parallel links ---- */

/* The lcm of a and b, or the greater of them where the lcm exceeds SPREAD. */
static uint32_t
capped_lcm(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b, lcm;

	assert(a > 0);
	if (b == 1 || b == a)
		return a; /* nearly always */
	while (y != 0) {
		uint32_t c = x % y;

		x = y;
		y = c;
	}
	lcm = a / x * b;
	return lcm <= SPREAD ? lcm : a > b ? a : b;
}

/* How many links of s lead up to the first path top that is above it; 1 if
 * none. */
static uint32_t
count_uplinks(const struct updown *u, const struct dest_table *d, sw_ix s)
{
	const uint64_t *above = u->tier_above[s];
	uint32_t k = 0, n = 0;

	while (k < d->npath_tops &&
		(d->path_top[k] == s || !bitset_has(above, d->path_top[k])))
		k++;
	for (uint32_t g = u->graph.first[s];
		k < d->npath_tops && g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (sw_has_uplink(u, s, peer) &&
			bitset_has(u->tier_above[peer], d->path_top[k]))
			n += u->graph.group[g].n;
	}
	return n > 0 ? n : 1;
}

/* How many spread indexes a path top needs: to spread over parallel links, and
 * over several switches that lead to the same path top. */
static uint32_t
find_spread(const struct updown *u, const struct dest_table *d)
{
	uint32_t n = 1;

	for (uint32_t g = 0; g < u->graph.first[u->graph.nsw]; g++)
		n = capped_lcm(n, u->graph.group[g].n);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			n = capped_lcm(n, count_uplinks(u, d, s));
	return n;
}

static sw_ix
path_top(const struct down_path *c)
{
	return c->sw[c->len - 1];
}

/* Number the path tops of compute hosts' LIDs, or of other LIDs, in the order
 * of their use. */
static void
number_path_tops(struct dest_table *d, bool others, uint32_t *number)
{
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix x = path_top(&d->path[i]);

		if ((d->other[i] != 0) != others || number[x] != 0)
			continue;
		d->path_top[d->npath_tops++] = x;
		number[x] = d->npath_tops;
	}
}

/*
 * Which switch a source goes up through for a spread index, where several
 * switches lead to each path top (see rotate_ports() in row_fill.c), as seen
 * from a switch with hosts in an undamaged tree.
 */
struct source_uplinks {
	const struct updown *u;
	uint32_t links, groups, path_tops, period;
};

static struct source_uplinks
find_source_uplinks(const struct updown *u, const struct dest_table *d)
{
	struct source_uplinks up = {.u = u};
	uint32_t x, y;

	for (sw_ix s = 0; s < u->graph.nsw && up.groups < 2; s++) {
		uint32_t n = 0;

		if (!u->graph.live[s] || u->graph.weight[s] == 0)
			continue;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			n += sw_has_uplink(u, s, u->graph.group[g].peer) &&
			     bitset_has(u->tier_above[u->graph.group[g].peer],
				     d->path_top[0]);
		up.groups = n;
		up.links = n > 0 ? count_uplinks(u, d, s) : 0;
	}
	up.path_tops = d->nhost_tops;
	if (up.groups < 2 || up.path_tops == 0)
		return (struct source_uplinks){.u = NULL};
	for (x = up.path_tops, y = up.links; y != 0;) {
		uint32_t c = x % y;

		x = y;
		y = c;
	}
	up.period = up.path_tops / x * up.links;
	return up;
}

static uint32_t
source_uplink(const struct dest_table *d, const struct source_uplinks *up,
	uint16_t key)
{
	uint32_t i = key % d->spread * up->path_tops + key / d->spread;

	return (i + i / up->period) % up->links % up->groups;
}

static bool
paths_intersect(const struct down_path *a, const struct down_path *b)
{
	for (uint32_t k = 0; k < a->len; k++)
		for (uint32_t l = 0; l < b->len; l++)
			if (a->sw[k] == b->sw[l])
				return true;
	return false;
}

/* Number, among the switches above its own, of the switch that a path uses. */
static uint32_t
path_uplink(const struct source_uplinks *up, const struct down_path *c)
{
	const struct updown *u = up->u;
	uint32_t n = 0;

	for (uint32_t g = u->graph.first[c->sw[0]];
		g < u->graph.first[c->sw[0] + 1]; g++) {
		if (!sw_has_uplink(u, c->sw[0], u->graph.group[g].peer))
			continue;
		if (c->len > 1 && u->graph.group[g].peer == c->sw[1])
			return n;
		n++;
	}
	return UINT32_MAX;
}

/*
 * True if sources near port one use one switch for both ports: to one they go
 * through the switch that its path comes down by; to the other port, if it is
 * elsewhere, through the switch of its spread index.
 */
static bool
meets_at_neighbour(const struct source_uplinks *up, const struct down_path *one,
	const struct down_path *other, uint32_t other_uplink)
{
	const struct updown *u = up->u;

	return one->len > 1 && path_uplink(up, one) == other_uplink &&
	       !bitset_has(u->tier_above[other->sw[0]], one->sw[1]);
}

/*
 * True if LID i, with the path of LID k, would meet another port of its node.
 */
static bool
meets_other_port(const struct dest_table *d, const struct source_uplinks *up,
	uint32_t i, uint32_t k)
{
	uint32_t hops =
		up->groups > 0 ? source_uplink(d, up, d->spread_index[k]) : 0;

	for (uint32_t j = d->next_port[i]; j != i; j = d->next_port[j]) {
		uint32_t its;

		if (paths_intersect(&d->path[j], &d->path[k]))
			return true;
		if (up->groups == 0)
			continue; /* sources follow the down paths */
		its = source_uplink(d, up, d->spread_index[j]);
		if (its == hops ||
			meets_at_neighbour(
				up, &d->path[j], &d->path[k], hops) ||
			meets_at_neighbour(up, &d->path[k], &d->path[j], its))
			return true;
	}
	return false;
}

static void
swap_paths(struct dest_table *d, uint32_t i, uint32_t k)
{
	struct down_path chain = d->path[i];
	uint16_t key = d->spread_index[i];

	d->path[i] = d->path[k];
	d->path[k] = chain;
	d->spread_index[i] = d->spread_index[k];
	d->spread_index[k] = key;
}

/* True if another port of the node is on the same switch: their paths have the
 * same end, whatever they are. */
static bool
shares_switch(const struct dest_table *d, uint32_t i)
{
	for (uint32_t j = d->next_port[i]; j != i; j = d->next_port[j])
		if (d->dest[j] == d->dest[i])
			return true;
	return false;
}

/*
 * The first of two ports gets its path without knowing that the other will have
 * no choice; and disjoint down paths are of no use where sources go up to both
 * through one switch. LIDs of the same switch swap their paths until neither is
 * the case, which adds no load to any link.
 */
static void
separate_node_ports(struct dest_table *d, const struct source_uplinks *up)
{
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix s = d->dest[i];

		if (d->next_port[i] == i || d->other[i] ||
			d->share_of[i] != 0 || !meets_other_port(d, up, i, i) ||
			shares_switch(d, i))
			continue;
		for (uint32_t k = d->at[s]; k < d->end[s]; k++) {
			if (d->other[k] || d->share_of[k] != 0 ||
				meets_other_port(d, up, i, k) ||
				(meets_other_port(d, up, k, i) &&
					!meets_other_port(d, up, k, k)))
				continue;
			swap_paths(d, i, k);
			break;
		}
	}
}

/*
 * With all down paths known, number the path tops; the LIDs of one path top get
 * its spread indexes round robin. seq: LIDs in the order in which they got
 * paths.
 */
static void
assign_spread_indexes(
	const struct updown *u, struct dest_table *d, const uint32_t *seq)
{
	uint32_t *number =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*number));
	uint32_t *next_index[2];
	struct source_uplinks up;

	d->path_top =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*d->path_top));
	for (unsigned kind = 0; kind < 2; kind++)
		next_index[kind] = arena_array(
			u->graph.a, u->graph.nsw, sizeof(*next_index[kind]));
	number_path_tops(d, false, number);
	d->nhost_tops = d->npath_tops;
	number_path_tops(d, true, number);
	d->spread = find_spread(u, d);
	assert(d->spread > 0);
	/* Damaged: finer indexes spread LIDs over what replaces a path top. */
	if (d->nsplit > 0 && d->spread * SUBSTITUTES <= FINEST)
		d->spread *= SUBSTITUTES;
	if (d->npath_tops * d->spread > UINT16_MAX)
		d->spread = 1;
	d->spread_count = arena_array(u->graph.a,
		(size_t)d->npath_tops * d->spread, sizeof(*d->spread_count));
	up = find_source_uplinks(u, d);
	for (uint32_t at = 0; at < d->n; at++) {
		uint32_t i = seq[at];
		sw_ix x = path_top(&d->path[i]);
		uint32_t k = number[x] - 1;
		uint32_t q = next_index[d->other[i]][x]++ % d->spread;

		d->spread_index[i] = (uint16_t)(k * d->spread + q);
		d->spread_count[d->spread_index[i]] += !d->other[i];
	}
	separate_node_ports(d, &up);
}

/* ---- all of it ---- */

struct dest_table
down_path_list_lids(const struct updown *u, sw_ix **order)
{
	struct dest_table d = {0};
	sw_ix *seq = family_order(u);

	make_room(u, &d);
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		d.class[seq[i]] = (uint8_t)(i % UPDN_SHARES);
		if (u->graph.live[seq[i]])
			add_switch(u, &d, seq[i]);
	}
	multi_port_find(u, &d);
	*order = seq;
	return d;
}

/*
 * Whole LIDs first. Then, if a link carries more than its share or if paths in
 * use are to be kept, once more with the fair load known. Where that splits so
 * many LIDs that this cannot be a damaged tree, splitting gains nothing: whole
 * LIDs again.
 */
struct dest_table
down_path_choose_all(
	const struct updown *u, const struct reachability *r, bool keep)
{
	sw_ix *seq;
	struct dest_table d = down_path_list_lids(u, &seq);
	struct down_path_search w = {.u = u, .r = r, .d = &d};
	uint32_t *lids = order_lids(u, &d);
	bool over = false;

	down_path_begin(&w);
	choose_whole_paths(&w, lids, true);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		over |= down_path_set_fair_load(&w, s);
	if (u->order != ROUTE_SINGLE && keep)
		down_path_from_lft(&w, seq);
	else if (u->order != ROUTE_SINGLE && over)
		choose_with_splits(&w, lids);
	if ((uint64_t)d.nsplit * 4 > u->graph.nhosts) {
		down_path_reset(&w);
		choose_whole_paths(&w, lids, false);
	}
	assign_spread_indexes(u, &d, lids);
	return d;
}
