/* The search for one down path, by the loads of those that were chosen. */
#include <assert.h>
#include <string.h>

#include "routing/updown/down_path_priv.h"

uint32_t
down_path_find_group(const struct updown *u, sw_ix s, sw_ix peer)
{
	uint32_t lo = u->graph.first[s], end = u->graph.first[s + 1], hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (u->graph.group[mid].peer < peer)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && u->graph.group[lo].peer == peer ? lo : UINT32_MAX;
}

bool
down_path_is_exactly(
	const struct down_path_search *w, sw_ix x, sw_ix dest, uint32_t k)
{
	const struct reachability *r = w->r;
	uint32_t nsw = w->u->graph.nsw, last = r->path.n - 1;
	uint32_t is = k < last ? k : last, was = k - 1 < last ? k - 1 : last;

	return bitset_has(r->path.row[(size_t)is * nsw + x], dest) &&
	       !bitset_has(r->path.row[(size_t)was * nsw + x], dest);
}

/*
 * True if the switches above x->peer carry less than those above y->peer, each.
 */
static inline bool
is_less_loaded_above(const struct down_path_load *b,
	const struct down_path_hop *x, const struct down_path_hop *y)
{
	if (x->class == y->class && x->ups == y->ups)
		return false;
	return (uint64_t)b->above[x->class] * y->ups <
	       (uint64_t)b->above[y->class] * x->ups;
}

/* True if x is better than y, where their groups differ in the number of links,
 * or ports of one node should get disjoint paths. */
static bool
is_better_hop(const struct down_path_search *w, const struct down_path_load *b,
	const struct down_path_hop *x, const struct down_path_hop *y)
{
	uint64_t at_x = (uint64_t)b->link[x->group] * y->links;
	uint64_t at_y = (uint64_t)b->link[y->group] * x->links;
	unsigned bad_x = 0, bad_y = 0;

	if (w->navoid_tops > 0) {
		bad_x = multi_port_overlap(w, x->peer);
		bad_y = multi_port_overlap(w, y->peer);
		if ((bad_x == 2) != (bad_y == 2))
			return bad_x < bad_y;
	}
	if (at_x != at_y)
		return at_x < at_y;
	if (bad_x != bad_y)
		return bad_x < bad_y;
	if (b->sw[x->peer] != b->sw[y->peer])
		return b->sw[x->peer] < b->sw[y->peer];
	return is_less_loaded_above(b, x, y);
}

/* The best of the hops up from s in which bit is set, NULL: none. */
static const struct down_path_hop *
best_unlike_hop(const struct down_path_search *w,
	const struct down_path_load *b, sw_ix s, uint64_t bit)
{
	const struct down_path_hop *best = NULL;

	for (uint32_t i = 0; i + 1 < w->ups[s]; i++) {
		const struct down_path_hop *x = &w->hop[s][i];

		if ((w->nearer[s][i] & bit) != 0 &&
			(best == NULL || is_better_hop(w, b, x, best)))
			best = x;
	}
	return best;
}

/*
 * The same: least loaded link, then least loaded switch, then the least load
 * above that, where all hops have as many links, as in most trees.
 */
static const struct down_path_hop *
best_hop(const struct down_path_search *w, const struct down_path_load *b,
	sw_ix s, uint64_t bit)
{
	const struct down_path_hop *hops = w->hop[s], *best = NULL;
	const uint64_t *nearer = w->nearer[s];
	uint32_t n = w->ups[s] - 1, link = UINT32_MAX, sw = UINT32_MAX;

	if (w->navoid_tops > 0 || !w->alike[s])
		return best_unlike_hop(w, b, s, bit);
	for (uint32_t i = 0; i < n; i++) {
		const struct down_path_hop *x = &hops[i];
		uint32_t its = b->link[x->group];

		if (its > link || (nearer[i] & bit) == 0)
			continue;
		if (its == link &&
			(b->sw[x->peer] > sw ||
				(b->sw[x->peer] == sw &&
					!is_less_loaded_above(b, x, best))))
			continue;
		best = x;
		link = its;
		sw = b->sw[x->peer];
	}
	return best;
}

/* How many hops lead up from s. */
static uint32_t
count_ups(const struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;

	if (w->ups[s] == 0) {
		w->ups[s] = 1;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			w->ups[s] +=
				sw_has_uplink(u, s, u->graph.group[g].peer);
	}
	return w->ups[s] - 1;
}

static void
find_hops(const struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;
	uint32_t n = count_ups(w, s);
	struct down_path_hop *x = arena_array(u->graph.a, n, sizeof(*x));

	w->hop[s] = x;
	w->alike[s] = true;
	w->nearer[s] = arena_array(u->graph.a, n, sizeof(uint64_t));
	for (uint32_t i = u->graph.first[s]; i < u->graph.first[s + 1]; i++) {
		const struct link_group *g = &u->graph.group[i];
		uint32_t ups;

		if (!sw_has_uplink(u, s, g->peer))
			continue;
		ups = count_ups(w, g->peer);
		*x++ = (struct down_path_hop){
			.group = i,
			.peer = g->peer,
			.links = g->n,
			.class = (uint16_t)w->below.classes.up.first[g->peer],
			.ups = (uint16_t)(ups > 0 ? ups : 1),
		};
		w->alike[s] &= x[-1].links == w->hop[s]->links;
	}
}

/* For each hop up from s, the destinations of word i to which the shortest path
 * from the switch behind it is k links long. */
static void
find_nearer(const struct down_path_search *w, sw_ix s, uint32_t i, uint32_t k)
{
	const struct updown *u = w->u;
	const struct reach_levels *l = &w->r->path;
	uint32_t last = l->n - 1;
	const uint64_t **is =
		l->row + (size_t)(k < last ? k : last) * u->graph.nsw;
	const uint64_t **was =
		l->row + (size_t)(k - 1 < last ? k - 1 : last) * u->graph.nsw;

	if (w->hop[s] == NULL)
		find_hops(w, s);
	w->any[s] = 0;
	for (uint32_t n = 0; n + 1 < w->ups[s]; n++) {
		sw_ix peer = w->hop[s][n].peer;

		w->nearer[s][n] = is[peer][i] & ~was[peer][i];
		w->any[s] |= w->nearer[s][n];
	}
	w->asked[s] = i << 4 | k;
}

/* The link group of the next hop up from s, to a switch k links away from dest.
 * UINT32_MAX: none. */
static uint32_t
next_up(const struct down_path_search *w, const struct down_path_load *b,
	sw_ix s, sw_ix dest, uint32_t k)
{
	const struct updown *u = w->u;
	uint32_t first = w->prefer[k - 1];

	if (first >= u->graph.first[s] && first < u->graph.first[s + 1] &&
		b->link[first] < w->fair[s] * u->graph.group[first].n)
		return first;
	if (w->asked[s] != (dest / 64 << 4 | k))
		find_nearer(w, s, dest / 64, k);
	if (!(w->any[s] >> dest % 64 & 1))
		return UINT32_MAX;
	return best_hop(w, b, s, UINT64_C(1) << dest % 64)->group;
}

void
down_path_extend(const struct down_path_search *w,
	const struct down_path_load *b, struct down_path *c, uint32_t *group)
{
	while (c->len < UPDN_PATH_MAX) {
		uint32_t g = next_up(w, b, c->sw[c->len - 1], c->sw[0], c->len);

		if (g == UINT32_MAX)
			break;
		group[c->len - 1] = g;
		c->sw[c->len++] = (uint16_t)w->u->graph.group[g].peer;
	}
}

void
down_path_find(struct down_path_search *w, const struct down_path_load *b,
	uint32_t i, struct down_path *c, uint32_t *group)
{
	multi_port_avoid(w, i);
	down_path_start(c, w->d->dest[i]);
	down_path_extend(w, b, c, group);
}

void
down_path_count(const struct down_path_search *w, struct down_path_load *b,
	const struct down_path *c, const uint32_t *group, uint32_t shares)
{
	for (uint32_t k = 1; k < c->len; k++) {
		sw_ix s = c->sw[k];
		uint32_t n;
		const uint16_t *classes = nbr_class_groups(&w->below, s, &n);

		b->link[group[k - 1]] += shares;
		b->sw[s] += shares;
		for (uint32_t i = 0; i < n; i++)
			b->above[classes[i]] += shares;
	}
}

/* True if this LID would overload a link of its path. */
static bool
would_overload(const struct down_path_search *w, const struct down_path_load *b,
	const struct down_path *c, const uint32_t *group)
{
	for (uint32_t k = 1; k < c->len; k++)
		if (b->link[group[k - 1]] + UPDN_SHARES >
			w->fair[c->sw[k - 1]] *
				w->u->graph.group[group[k - 1]].n)
			return true;
	return false;
}

bool
down_path_set_fair_load(struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;
	const uint32_t *link = w->load[0].link;
	uint32_t sum = 0, links = 0;
	bool over = false;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (sw_has_uplink(u, s, u->graph.group[g].peer)) {
			sum += link[g];
			links += u->graph.group[g].n;
		}
	w->fair[s] = UPDN_SHARES;
	if (sum > links * UPDN_SHARES)
		w->fair[s] = (sum + links - 1) / links;
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		over |= link[g] > w->fair[s] * u->graph.group[g].n;
	return over;
}

/* Room for n split LIDs in all. */
static void
reserve_splits(const struct updown *u, struct dest_table *d, uint32_t n)
{
	uint32_t *split = arena_array(u->graph.a, n, sizeof(*split));
	struct down_path *share = arena_array(
		u->graph.a, (size_t)n * UPDN_SHARES, sizeof(*share));

	if (d->nsplit > 0) {
		memcpy(split, d->split, d->nsplit * sizeof(*split));
		memcpy(share, d->share,
			(size_t)d->nsplit * UPDN_SHARES * sizeof(*share));
	}
	d->split = split;
	d->share = share;
	d->room = n;
}

struct down_path *
down_path_mark_split(struct down_path_search *w, uint32_t i)
{
	struct dest_table *d = w->d;

	if (d->nsplit == d->room)
		reserve_splits(w->u, d, 2 * d->room + 16);
	d->split[d->nsplit++] = i;
	d->share_of[i] = d->nsplit;
	return d->share + (size_t)(d->nsplit - 1) * UPDN_SHARES;
}

/* Each share gets its own path, along that of the share before while there is
 * room. */
static void
split_lid(struct down_path_search *w, uint32_t i)
{
	struct dest_table *d = w->d;
	uint32_t group[UPDN_PATH_MAX] = {0}, k;
	struct down_path *share = down_path_mark_split(w, i);

	for (k = 0; k < UPDN_PATH_MAX; k++)
		w->prefer[k] = group[k] = UINT32_MAX;
	for (k = 0; k < UPDN_SHARES; k++) {
		down_path_find(w, &w->load[0], i, &share[k], group);
		down_path_count(w, &w->load[0], &share[k], group, 1);
		memcpy(w->prefer, group, sizeof(group));
	}
	for (k = 0; k < UPDN_PATH_MAX; k++)
		w->prefer[k] = UINT32_MAX;
	d->path[i] = share[0];
}

void
down_path_place(struct down_path_search *w, uint32_t i)
{
	struct down_path_load *b = &w->load[0];
	uint32_t group[UPDN_PATH_MAX] = {0};

	down_path_find(w, b, i, &w->d->path[i], group);
	if (would_overload(w, b, &w->d->path[i], group))
		split_lid(w, i);
	else
		down_path_count(w, b, &w->d->path[i], group, UPDN_SHARES);
}

void
down_path_reset(struct down_path_search *w)
{
	memset(w->load[0].link, 0,
		w->u->graph.first[w->u->graph.nsw] * sizeof(*w->load[0].link));
	memset(w->load[0].sw, 0, w->u->graph.nsw * sizeof(*w->load[0].sw));
	memset(w->load[0].above, 0,
		w->u->graph.nsw * sizeof(*w->load[0].above));
	for (uint32_t k = 0; k < w->d->nsplit; k++)
		w->d->share_of[w->d->split[k]] = 0;
	w->d->nsplit = 0;
	for (uint32_t i = 0; i < w->d->n; i++)
		if (!w->d->other[i])
			w->d->path[i].len = 0;
}

void
down_path_begin(struct down_path_search *w)
{
	const struct updown *u = w->u;
	const struct nbr_class classes =
		u->tier_class.mid != NULL
			? u->tier_class
			: nbr_class_find_up(&u->graph, &u->tier);

	w->fair = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->fair));
	for (unsigned kind = 0; kind < 2; kind++) {
		w->load[kind].link = arena_array(u->graph.a,
			u->graph.first[u->graph.nsw], sizeof(uint32_t));
		w->load[kind].sw =
			arena_array(u->graph.a, u->graph.nsw, sizeof(uint32_t));
		w->load[kind].above =
			arena_array(u->graph.a, u->graph.nsw, sizeof(uint32_t));
	}
	w->taken = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->taken));
	w->nearer = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->nearer));
	w->any = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->any));
	w->asked = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->asked));
	w->hop = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->hop));
	w->alike = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->alike));
	w->ups = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->ups));
	w->below = nbr_class_below(&u->graph, &classes);
	for (unsigned k = 0; k < UPDN_PATH_MAX; k++)
		w->prefer[k] = UINT32_MAX;
}
