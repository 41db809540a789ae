/*
 * The ways down that are meant for LIDs. Choosing them, and
 * numbering what they lead to.
 */
#include <assert.h>
#include <string.h>

#include "routing/updown/down_path_priv.h"

enum {
	MOST_PATHS = 128, /* LIDs of one port */
	SPREAD = 12, /* ways of parallel cables worth telling apart exactly */
	SUBSTITUTES = 4,
	FINEST = 16,
};

/*
 * Switches from the top, each under the first of those above it: leaves of
 * one pod follow each other, which is what makes the choices at the top fall
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

/* LIDs of one end. */
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

/* All LIDs that hang on s: cabled ports first, in order, then its own. */
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

uint32_t
down_path_group(const struct updown *u, sw_ix s, sw_ix peer)
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
down_path_exactly(
	const struct down_path_search *w, sw_ix x, sw_ix dest, uint32_t k)
{
	const struct reachability *r = w->r;
	uint32_t nsw = w->u->graph.nsw, last = r->path.n - 1;
	uint32_t is = k < last ? k : last, was = k - 1 < last ? k - 1 : last;

	return bitset_has(r->path.row[(size_t)is * nsw + x], dest) &&
	       !bitset_has(r->path.row[(size_t)was * nsw + x], dest);
}

/* Is x better than y, per switch above: the plane that they lead into? */
static inline bool
by_plane(const struct down_path_load *b, const struct down_path_hop *x,
	const struct down_path_hop *y)
{
	if (x->kin == y->kin && x->ups == y->ups)
		return false;
	return (uint64_t)b->plane[x->kin] * y->ups <
	       (uint64_t)b->plane[y->kin] * x->ups;
}

/* Where groups have not as many cables, or ports of a node part. */
static bool
better_of_unlike(const struct down_path_search *w,
	const struct down_path_load *b, const struct down_path_hop *x,
	const struct down_path_hop *y)
{
	uint64_t at_x = (uint64_t)b->link[x->group] * y->cables;
	uint64_t at_y = (uint64_t)b->link[y->group] * x->cables;
	unsigned bad_x = 0, bad_y = 0;

	if (w->napex > 0) {
		bad_x = multi_port_shared(w, x->peer);
		bad_y = multi_port_shared(w, y->peer);
		if ((bad_x == 2) != (bad_y == 2))
			return bad_x < bad_y;
	}
	if (at_x != at_y)
		return at_x < at_y;
	if (bad_x != bad_y)
		return bad_x < bad_y;
	if (b->sw[x->peer] != b->sw[y->peer])
		return b->sw[x->peer] < b->sw[y->peer];
	return by_plane(b, x, y);
}

/* What counts first about a way, in one number: the load of its cables, then of
 * the switch that they lead to. */
static inline uint64_t
load_of(const struct down_path_load *b, const struct down_path_hop *x)
{
	return (uint64_t)b->link[x->group] << 32 | b->sw[x->peer];
}

/*
 * The best of n ways, of those in which bit is set: the least loaded cable,
 * then the least loaded switch, then plane. One of them there is.
 */
static const struct down_path_hop *
best_of(const struct down_path_search *w, const struct down_path_load *b,
	sw_ix s, uint64_t bit)
{
	const struct down_path_hop *way = w->way[s];
	const uint64_t *nearer = w->nearer[s];
	const struct down_path_hop *best = NULL;
	uint32_t n = w->ups[s] - 1;
	uint64_t least = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct down_path_hop *x = &way[i];
		uint64_t load;
		bool better;

		if (!(nearer[i] & bit))
			continue;
		load = load_of(b, x);
		if (best == NULL)
			better = true;
		else if (w->napex > 0 || x->cables != best->cables)
			better = better_of_unlike(w, b, x, best);
		else
			better = load < least ||
				 (load == least && by_plane(b, x, best));
		if (!better)
			continue;
		best = x;
		least = load;
	}
	return best;
}

/* How many ways lead up from s. */
static uint32_t
count_ups(const struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;

	if (w->ups[s] == 0) {
		w->ups[s] = 1;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			w->ups[s] += sw_is_above(u, s, u->graph.group[g].peer);
	}
	return w->ups[s] - 1;
}

static void
find_ways(const struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;
	uint32_t n = count_ups(w, s);
	struct down_path_hop *x = arena_array(u->graph.a, n, sizeof(*x));

	w->way[s] = x;
	w->nearer[s] = arena_array(u->graph.a, n, sizeof(uint64_t));
	for (uint32_t i = u->graph.first[s]; i < u->graph.first[s + 1]; i++) {
		const struct link_group *g = &u->graph.group[i];
		uint32_t ups;

		if (!sw_is_above(u, s, g->peer))
			continue;
		ups = count_ups(w, g->peer);
		*x++ = (struct down_path_hop){
			.group = i,
			.peer = g->peer,
			.cables = g->n,
			.kin = (uint16_t)w->below.kin.up.first[g->peer],
			.ups = (uint16_t)(ups > 0 ? ups : 1),
		};
	}
}

/* Of each way up from s, for the destinations of word i: does a way of k cables
 * begin there? */
static void
look_nearer(const struct down_path_search *w, sw_ix s, uint32_t i, uint32_t k)
{
	const struct updown *u = w->u;
	const struct reach_levels *l = &w->r->path;
	uint32_t last = l->n - 1;
	const uint64_t **is =
		l->row + (size_t)(k < last ? k : last) * u->graph.nsw;
	const uint64_t **was =
		l->row + (size_t)(k - 1 < last ? k - 1 : last) * u->graph.nsw;

	if (w->way[s] == NULL)
		find_ways(w, s);
	w->any[s] = 0;
	for (uint32_t n = 0; n + 1 < w->ups[s]; n++) {
		sw_ix peer = w->way[s][n].peer;

		w->nearer[s][n] = is[peer][i] & ~was[peer][i];
		w->any[s] |= w->nearer[s][n];
	}
	w->asked[s] = i << 4 | k;
}

/* The next switch up for dest. */
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
		look_nearer(w, s, dest / 64, k);
	if (!(w->any[s] >> dest % 64 & 1))
		return UINT32_MAX;
	return best_of(w, b, s, UINT64_C(1) << dest % 64)->group;
}

void
down_path_extend(const struct down_path_search *w,
	const struct down_path_load *b, struct down_path *c, uint32_t *group)
{
	while (c->len < UPDN_CHAIN) {
		uint32_t g = next_up(w, b, c->sw[c->len - 1], c->sw[0], c->len);

		if (g == UINT32_MAX)
			break;
		group[c->len - 1] = g;
		c->sw[c->len++] = (uint16_t)w->u->graph.group[g].peer;
	}
}

/* A way for LID i, and the groups it takes; nothing is counted yet. */
static void
find_chain(struct down_path_search *w, const struct down_path_load *b,
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
		const uint16_t *kin = nbr_class_groups(&w->below, s, &n);

		b->link[group[k - 1]] += shares;
		b->sw[s] += shares;
		for (uint32_t i = 0; i < n; i++)
			b->plane[kin[i]] += shares;
	}
}

/* Would this LID overload a cable of its way? */
static bool
too_much(const struct down_path_search *w, const struct down_path_load *b,
	const struct down_path *c, const uint32_t *group)
{
	for (uint32_t k = 1; k < c->len; k++)
		if (b->link[group[k - 1]] + UPDN_SHARES >
			w->fair[c->sw[k - 1]] *
				w->u->graph.group[group[k - 1]].n)
			return true;
	return false;
}

/* Is LID i the path-th one of its port? */
static bool
is_path(const struct updown *u, const struct dest_table *d, uint32_t i,
	unsigned path)
{
	unsigned its = 0;

	return topo_by_lid(u->graph.t, d->lid[i], &its) != TOPO_NONE &&
	       its == path;
}

/* Of the LIDs of s those, from another port on for each path, so that the LIDs
 * of a port go apart. How many there are. */
static uint32_t
add_path(const struct updown *u, const struct dest_table *d, sw_ix s,
	unsigned path, uint32_t *seq)
{
	uint32_t n = 0, k = 0;

	for (uint32_t i = d->at[s]; i < d->end[s]; i++)
		n += is_path(u, d, i, path);
	for (uint32_t i = d->at[s]; n > 0 && i < d->end[s]; i++)
		if (is_path(u, d, i, path))
			seq[(k++ + n - path % n) % n] = i;
	return n;
}

/* Idle ports go last, the order being what it is otherwise. */
static uint32_t *
idle_last(const struct updown *u, const struct dest_table *d, uint32_t *seq)
{
	uint32_t *all, n = 0;

	if (d->nhomes == 0)
		return seq;
	all = arena_array(u->graph.a, d->n, sizeof(*all));
	for (unsigned idle = 0; idle < 2; idle++)
		for (uint32_t k = 0; k < d->n; k++)
			if (multi_port_is_passive(d, seq[k]) == (idle == 1))
				all[n++] = seq[k];
	return all;
}

/*
 * LIDs in the order in which they find ways. Where ports have several: the
 * first ones of all, which most traffic goes to, then the second ones, and so
 * on, so that each of these is spread as if there were no others.
 */
static uint32_t *
by_path(const struct updown *u, const struct dest_table *d)
{
	uint32_t *seq = arena_array(u->graph.a, d->n, sizeof(*seq)), n = 0;
	unsigned paths = d->n > u->graph.t->nend ? MOST_PATHS : 0;

	for (unsigned path = 0; path < paths && n < d->n; path++)
		for (uint32_t at = 0; at < d->n; at = d->end[d->dest[at]])
			n += add_path(u, d, d->dest[at], path, seq + n);
	for (uint32_t i = 0; n < d->n && i < d->n; i++)
		seq[i] = i;
	return idle_last(u, d, seq);
}

/* Chains for all LIDs, whole ones. */
static void
make_chains(struct down_path_search *w, const uint32_t *seq, bool others)
{
	uint32_t group[UPDN_CHAIN] = {0};

	for (uint32_t k = 0; k < w->d->n; k++) {
		uint32_t i = seq[k];
		struct down_path_load *b = &w->load[w->d->other[i]];

		if (w->d->other[i] && !others)
			continue;
		find_chain(w, b, i, &w->d->chain[i], group);
		down_path_count(w, b, &w->d->chain[i], group, UPDN_SHARES);
	}
}

bool
down_path_fair(struct down_path_search *w, sw_ix s)
{
	const struct updown *u = w->u;
	const uint32_t *link = w->load[0].link;
	uint32_t sum = 0, cables = 0;
	bool over = false;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (sw_is_above(u, s, u->graph.group[g].peer)) {
			sum += link[g];
			cables += u->graph.group[g].n;
		}
	w->fair[s] = UPDN_SHARES;
	if (sum > cables * UPDN_SHARES)
		w->fair[s] = (sum + cables - 1) / cables;
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		over |= link[g] > w->fair[s] * u->graph.group[g].n;
	return over;
}

void
dest_table_reserve(const struct updown *u, struct dest_table *d, uint32_t n)
{
	uint32_t *split = arena_array(u->own, n, sizeof(*split));
	struct down_path *share =
		arena_array(u->own, (size_t)n * UPDN_SHARES, sizeof(*share));

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
down_path_split(struct down_path_search *w, uint32_t i)
{
	struct dest_table *d = w->d;

	if (d->nsplit == d->room)
		dest_table_reserve(w->u, d, 2 * d->room + 16);
	d->split[d->nsplit++] = i;
	d->share_of[i] = d->nsplit;
	return d->share + (size_t)(d->nsplit - 1) * UPDN_SHARES;
}

/* Each share finds its own way, along that of the share before while there is
 * room. */
static void
split(struct down_path_search *w, uint32_t i)
{
	struct dest_table *d = w->d;
	uint32_t group[UPDN_CHAIN] = {0}, k;
	struct down_path *share = down_path_split(w, i);

	for (k = 0; k < UPDN_CHAIN; k++)
		w->prefer[k] = group[k] = UINT32_MAX;
	for (k = 0; k < UPDN_SHARES; k++) {
		find_chain(w, &w->load[0], i, &share[k], group);
		down_path_count(w, &w->load[0], &share[k], group, 1);
		memcpy(w->prefer, group, sizeof(group));
	}
	for (k = 0; k < UPDN_CHAIN; k++)
		w->prefer[k] = UINT32_MAX;
	d->chain[i] = share[0];
}

void
down_path_place(struct down_path_search *w, uint32_t i)
{
	struct down_path_load *b = &w->load[0];
	uint32_t group[UPDN_CHAIN] = {0};

	find_chain(w, b, i, &w->d->chain[i], group);
	if (too_much(w, b, &w->d->chain[i], group))
		split(w, i);
	else
		down_path_count(w, b, &w->d->chain[i], group, UPDN_SHARES);
}

void
down_path_reset(struct down_path_search *w)
{
	memset(w->load[0].link, 0,
		w->u->graph.first[w->u->graph.nsw] * sizeof(*w->load[0].link));
	memset(w->load[0].sw, 0, w->u->graph.nsw * sizeof(*w->load[0].sw));
	memset(w->load[0].plane, 0,
		w->u->graph.nsw * sizeof(*w->load[0].plane));
	for (uint32_t k = 0; k < w->d->nsplit; k++)
		w->d->share_of[w->d->split[k]] = 0;
	w->d->nsplit = 0;
	for (uint32_t i = 0; i < w->d->n; i++)
		if (!w->d->other[i])
			w->d->chain[i].len = 0;
}

/*
 * In a damaged tree some cable must carry two LIDs where others carry one, and
 * would be twice as loaded. So those LIDs that find no cable free are split:
 * their sources, by class, come down over different cables.
 */
static void
share_out(struct down_path_search *w, const uint32_t *seq)
{
	down_path_reset(w);
	for (uint32_t k = 0; k < w->d->n; k++)
		if (!w->d->other[seq[k]])
			down_path_place(w, seq[k]);
}

void
down_path_begin(struct down_path_search *w)
{
	const struct updown *u = w->u;
	const struct nbr_class kin =
		u->tier_kin.mid != NULL
			? u->tier_kin
			: nbr_class_find_up(&u->graph, &u->tier);

	w->fair = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->fair));
	for (unsigned kind = 0; kind < 2; kind++) {
		w->load[kind].link = arena_array(u->graph.a,
			u->graph.first[u->graph.nsw], sizeof(uint32_t));
		w->load[kind].sw =
			arena_array(u->graph.a, u->graph.nsw, sizeof(uint32_t));
		w->load[kind].plane =
			arena_array(u->graph.a, u->graph.nsw, sizeof(uint32_t));
	}
	w->taken = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->taken));
	w->nearer = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->nearer));
	w->any = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->any));
	w->asked = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->asked));
	w->way = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->way));
	w->ups = arena_array(u->graph.a, u->graph.nsw, sizeof(*w->ups));
	w->below = nbr_class_below(&u->graph, &kin);
	for (unsigned k = 0; k < UPDN_CHAIN; k++)
		w->prefer[k] = UINT32_MAX;
}

static void
make_room(const struct updown *u, struct dest_table *d)
{
	uint32_t max = (uint32_t)u->graph.t->max_lid + 1;

	d->at = arena_array(u->m, u->graph.nsw, sizeof(*d->at));
	d->end = arena_array(u->m, u->graph.nsw, sizeof(*d->end));
	d->run = arena_array(u->m, u->graph.nsw, sizeof(*d->run));
	d->class = arena_array(u->m, u->graph.nsw, sizeof(*d->class));
	d->lid = arena_array(u->m, max, sizeof(*d->lid));
	d->dest = arena_array(u->m, max, sizeof(*d->dest));
	d->out = arena_array(u->m, max, sizeof(*d->out));
	d->other = arena_array(u->m, max, sizeof(*d->other));
	d->key = arena_array(u->graph.a, max, sizeof(*d->key));
	d->home = arena_array(u->m, max, sizeof(*d->home));
	d->chain = arena_array(u->m, max, sizeof(*d->chain));
	d->share_of = arena_array(u->m, max, sizeof(*d->share_of));
}

/* ---- keys: apexes, and turns on parallel cables ---- */

/* lcm of a and b where it is worth telling apart, else the greater one. */
static uint32_t
together(uint32_t a, uint32_t b)
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

/* Cables of s that lead up to an apex, of the first there is; 1 if none. */
static uint32_t
cables_up(const struct updown *u, const struct dest_table *d, sw_ix s)
{
	const uint64_t *above = u->tier_above[s];
	uint32_t k = 0, n = 0;

	while (k < d->napex &&
		(d->apex[k] == s || !bitset_has(above, d->apex[k])))
		k++;
	for (uint32_t g = u->graph.first[s];
		k < d->napex && g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (sw_is_above(u, s, peer) &&
			bitset_has(u->tier_above[peer], d->apex[k]))
			n += u->graph.group[g].n;
	}
	return n > 0 ? n : 1;
}

/*
 * How many ways of splitting a key must tell apart: over parallel cables, and
 * over several switches that lead to the same apex.
 */
static uint32_t
spread_of(const struct updown *u, const struct dest_table *d)
{
	uint32_t n = 1;

	for (uint32_t g = 0; g < u->graph.first[u->graph.nsw]; g++)
		n = together(n, u->graph.group[g].n);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			n = together(n, cables_up(u, d, s));
	return n;
}

static sw_ix
apex_of(const struct down_path *c)
{
	return c->sw[c->len - 1];
}

/* Number the apexes of hosts' LIDs, or of others', in the order of their use.
 */
static void
number_apexes(struct dest_table *d, bool others, uint32_t *number)
{
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix x = apex_of(&d->chain[i]);

		if ((d->other[i] != 0) != others || number[x] != 0)
			continue;
		d->apex[d->napex++] = x;
		number[x] = d->napex;
	}
}

/*
 * What a source makes of a key where several switches lead to each apex (see
 * take_turns in row_fill.c): which of them it goes up by, seen from a switch
 * of hosts in an undamaged tree.
 */
struct ups {
	const struct updown *u;
	uint32_t cables, groups, apexes, period;
};

static struct ups
ups_of_sources(const struct updown *u, const struct dest_table *d)
{
	struct ups up = {.u = u};
	uint32_t x, y;

	for (sw_ix s = 0; s < u->graph.nsw && up.groups < 2; s++) {
		uint32_t n = 0;

		if (!u->graph.live[s] || u->graph.weight[s] == 0)
			continue;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			n += sw_is_above(u, s, u->graph.group[g].peer) &&
			     bitset_has(u->tier_above[u->graph.group[g].peer],
				     d->apex[0]);
		up.groups = n;
		up.cables = n > 0 ? cables_up(u, d, s) : 0;
	}
	up.apexes = d->nmain;
	if (up.groups < 2 || up.apexes == 0)
		return (struct ups){.u = NULL};
	for (x = up.apexes, y = up.cables; y != 0;) {
		uint32_t c = x % y;

		x = y;
		y = c;
	}
	up.period = up.apexes / x * up.cables;
	return up;
}

static uint32_t
way_up(const struct dest_table *d, const struct ups *up, uint16_t key)
{
	uint32_t i = key % d->spread * up->apexes + key / d->spread;

	return (i + i / up->period) % up->cables % up->groups;
}

static bool
crosses(const struct down_path *a, const struct down_path *b)
{
	for (uint32_t k = 0; k < a->len; k++)
		for (uint32_t l = 0; l < b->len; l++)
			if (a->sw[k] == b->sw[l])
				return true;
	return false;
}

/* Which of the switches above its own a way comes down by. */
static uint32_t
way_down(const struct ups *up, const struct down_path *c)
{
	const struct updown *u = up->u;
	uint32_t n = 0;

	for (uint32_t g = u->graph.first[c->sw[0]];
		g < u->graph.first[c->sw[0] + 1]; g++) {
		if (!sw_is_above(u, c->sw[0], u->graph.group[g].peer))
			continue;
		if (c->len > 1 && u->graph.group[g].peer == c->sw[1])
			return n;
		n++;
	}
	return UINT32_MAX;
}

/* Sources beside the one port come to it by the switch that leads down to it,
 * and by that of the key to the other one, if it is elsewhere. */
static bool
meets_beside(const struct ups *up, const struct down_path *one,
	const struct down_path *other, uint32_t others_way)
{
	const struct updown *u = up->u;

	return one->len > 1 && way_down(up, one) == others_way &&
	       !bitset_has(u->tier_above[other->sw[0]], one->sw[1]);
}

/* Had LID i the way of LID k, would it meet another port of its node? */
static bool
would_meet(const struct dest_table *d, const struct ups *up, uint32_t i,
	uint32_t k)
{
	uint32_t way = up->groups > 0 ? way_up(d, up, d->key[k]) : 0;

	for (uint32_t j = d->home[i]; j != i; j = d->home[j]) {
		uint32_t its;

		if (crosses(&d->chain[j], &d->chain[k]))
			return true;
		if (up->groups == 0)
			continue; /* sources follow the ways down */
		its = way_up(d, up, d->key[j]);
		if (its == way ||
			meets_beside(up, &d->chain[j], &d->chain[k], way) ||
			meets_beside(up, &d->chain[k], &d->chain[j], its))
			return true;
	}
	return false;
}

static void
swap_ways(struct dest_table *d, uint32_t i, uint32_t k)
{
	struct down_path chain = d->chain[i];
	uint16_t key = d->key[i];

	d->chain[i] = d->chain[k];
	d->chain[k] = chain;
	d->key[i] = d->key[k];
	d->key[k] = key;
}

/* Two ports of a node on one switch: their ways end alike, whatever they are.
 */
static bool
is_beside(const struct dest_table *d, uint32_t i)
{
	for (uint32_t j = d->home[i]; j != i; j = d->home[j])
		if (d->dest[j] == d->dest[i])
			return true;
	return false;
}

/*
 * The first of two ports finds its way without knowing that the other will have
 * no choice; and ways down that have nothing in common are of no use where
 * sources go up to both by one switch. LIDs of the same switch change their
 * ways with each other until neither is so, which puts nothing more on any
 * cable.
 */
static void
part_homes(struct dest_table *d, const struct ups *up)
{
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix s = d->dest[i];

		if (d->home[i] == i || d->other[i] || d->share_of[i] != 0 ||
			!would_meet(d, up, i, i) || is_beside(d, i))
			continue;
		for (uint32_t k = d->at[s]; k < d->end[s]; k++) {
			if (d->other[k] || d->share_of[k] != 0 ||
				would_meet(d, up, i, k) ||
				(would_meet(d, up, k, i) &&
					!would_meet(d, up, k, k)))
				continue;
			swap_ways(d, i, k);
			break;
		}
	}
}

/*
 * Where all chains are known, number the apexes; LIDs of one apex take turns on
 * parallel cables. seq: LIDs in the order that they found ways.
 */
static void
assign_keys(const struct updown *u, struct dest_table *d, const uint32_t *seq)
{
	uint32_t *number =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*number));
	uint32_t *turn[2];
	struct ups up;

	d->apex = arena_array(u->graph.a, u->graph.nsw, sizeof(*d->apex));
	for (unsigned kind = 0; kind < 2; kind++)
		turn[kind] = arena_array(
			u->graph.a, u->graph.nsw, sizeof(*turn[kind]));
	number_apexes(d, false, number);
	d->nmain = d->napex;
	number_apexes(d, true, number);
	d->spread = spread_of(u, d);
	assert(d->spread > 0);
	/* Damaged: what replaces an apex can be told apart more finely. */
	if (d->nsplit > 0 && d->spread * SUBSTITUTES <= FINEST)
		d->spread *= SUBSTITUTES;
	if (d->napex * d->spread > UINT16_MAX)
		d->spread = 1;
	d->nkey = arena_array(
		u->graph.a, (size_t)d->napex * d->spread, sizeof(*d->nkey));
	up = ups_of_sources(u, d);
	for (uint32_t at = 0; at < d->n; at++) {
		uint32_t i = seq[at];
		sw_ix x = apex_of(&d->chain[i]);
		uint32_t k = number[x] - 1;
		uint32_t q = turn[d->other[i]][x]++ % d->spread;

		d->key[i] = (uint16_t)(k * d->spread + q);
		d->nkey[d->key[i]] += !d->other[i];
	}
	part_homes(d, &up);
}

/* ---- all of it ---- */

/*
 * Whole chains first. Then, if a cable carries more than its share or if ways
 * in use are to be kept, once more knowing what is fair. Where that splits so
 * many that this cannot be a damaged tree, nothing is gained by it.
 */
struct dest_table
down_path(const struct updown *u, const struct reachability *r, bool keep)
{
	struct dest_table d = {0};
	struct down_path_search w = {.u = u, .r = r, .d = &d};
	sw_ix *seq = family_order(u);
	uint32_t *lids;
	bool over = false;

	make_room(u, &d);
	down_path_begin(&w);
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		d.class[seq[i]] = (uint8_t)(i % UPDN_SHARES);
		if (u->graph.live[seq[i]])
			add_switch(u, &d, seq[i]);
	}
	multi_port_find(u, &d);
	lids = by_path(u, &d);
	make_chains(&w, lids, true);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		over |= down_path_fair(&w, s);
	if (u->order != ROUTE_SINGLE && keep)
		down_path_from_lft(&w, seq);
	else if (u->order != ROUTE_SINGLE && over)
		share_out(&w, lids);
	if ((uint64_t)d.nsplit * 4 > u->graph.nhosts) {
		down_path_reset(&w);
		make_chains(&w, lids, false);
	}
	assign_keys(u, &d, lids);
	return d;
}
