#include "routing/improve/rebalance.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/link_load.h"
#include "routing/improve/rebalance_multi_port.h"
#include "routing/improve/rebalance_tree.h"
#include "sm/base/arena.h"
#include "sm/base/mem.h"

enum {
	STEP = 12,    /* the level sinks by 1/STEP of itself, */
	FINER = 4,    /* where that is too much by a FINER-th of that, */
	FINEST = 48,  /* down to 1/FINEST */
	PLENTY = 40,  /* moves for so many times the excess load are enough */
	LOOK = 2,     /* work per switch when a LID is looked at first, */
	AGAIN = 4,    /* 1/AGAIN per switch later; 1 per link */
	STEPS = 4,    /* entries that are changed at once */
	SLOWEST = 16, /* a pair on a slow link costs at most so many */
	NONE = LINK_MAP_NONE,
};

/* Rerouting what passes the first switch: the entries to change. */
struct move {
	uint32_t n;
	struct step {
		sw_ix sw;
		uint32_t link;
	} step[STEPS];
	int64_t cost; /* pairs that meet more than before, by weight */
};

/* The first step of a move, for a LID. */
struct choice {
	int64_t cost;
	uint32_t gain; /* pairs of the excess load that it takes off */
	uint32_t n;    /* entries */
	uint32_t link;
	uint16_t sw, lid;
};

/* Packets of other LIDs met on the path from a switch, by weight; and how many
 * more pairs its links have room for. */
struct met {
	int64_t sum, room;
};

/* A link for an entry that is not used yet; valid while `when` is e->now. */
struct spare {
	uint64_t when;
	uint32_t link;
};

struct rebalance {
	const struct topo *t;
	const struct rebalance_opts *wish;
	struct routes *r; /* being changed */
	struct arena *a;
	struct link_map net;
	uint32_t *pos;	 /* [nsw] place in the order, smaller is above */
	uint32_t *pairs; /* [nadj] */
	uint32_t *room;	 /* [nadj] pairs with which the level is reached */
	uint8_t *weight; /* [nadj] the fastest rate by the link's own */
	bool *fixed;	 /* by LID */
	struct rebalance_tree **tree;  /* by LID, NULL: not in the ring */
	struct rebalance_tree **other; /* ... in the tables to take over from */
	struct rebalance_tree_ring ring;
	struct rebalance_multi_port multi_port;
	uint64_t level; /* the load that no link is to exceed */
	uint64_t work;	/* left */
	uint64_t moves;
	bool any; /* also moves that make more packets meet, or LIDs for which
		     others must make room */

	/* Of the LID at hand. */
	uint16_t lid;
	sw_ix dest;
	struct rebalance_tree *x;
	uint8_t from;	/* distance of the link to be rebalanced, and */
	bool *via;	/* [nsw] switches as far or farther that send by it */
	uint16_t *user; /* [nuser] those that some packets pass */
	uint32_t nuser;
	struct met *met;       /* [nsw] */
	struct choice *choice; /* for the link at hand */
	size_t nchoice, max_choices;
	uint64_t gain;	     /* of all choices */
	uint64_t now;	     /* stamp: changes when spares are outdated */
	struct spare *spare; /* [nsw] */
};

/* ---- one LID ---- */

static uint32_t
lft_entry_of(const struct rebalance *e, sw_ix s)
{
	return link_map_entry(&e->net, e->r, s, e->lid);
}

/* The next switch from s. */
static sw_ix
next_of(const struct rebalance *e, sw_ix s)
{
	return e->net.head[e->x->next_link[s]];
}

/* The load of link c. */
static uint64_t
load_of(const struct rebalance *e, uint32_t c)
{
	return link_load_of_pairs(
		e->pairs[c], e->t->adj[c].rate, e->t->rate_max);
}

/* True if link c has no room for so many more pairs. */
static bool
is_too_busy(const struct rebalance *e, uint32_t c, uint32_t more)
{
	return e->pairs[c] + more > e->room[c];
}

/* The packets of other LIDs on link c of s: those of the same LID count as not
 * meeting. */
static int64_t
pairs_with_others(const struct rebalance *e, sw_ix s, uint32_t c)
{
	return (int64_t)e->pairs[c] -
	       (e->x->next_link[s] == c ? (int64_t)e->x->flow[s] : 0);
}

static int64_t
weighted_pairs(const struct rebalance *e, uint32_t c)
{
	return (int64_t)e->pairs[c] * e->weight[c];
}

/* Find the packets met on the path from each switch, and the room on it. */
static void
find_met(struct rebalance *e)
{
	const struct rebalance_tree *x = e->x;

	e->met[e->dest] = (struct met){0, INT64_MAX};
	for (uint32_t i = 1; i < x->n; i++) {
		sw_ix s = x->seq[i];
		const struct met *on = &e->met[next_of(e, s)];
		uint32_t c = x->next_link[s];
		int64_t here = pairs_with_others(e, s, c);
		int64_t room = e->room[c] - here;

		e->met[s].sum = here * e->weight[c] + on->sum;
		e->met[s].room = room < on->room ? room : on->room;
	}
}

/* Find the switches that use link c for the LID. */
static void
find_users(struct rebalance *e, uint32_t c)
{
	const struct rebalance_tree *x = e->x;
	sw_ix s = e->net.tail[c];
	uint32_t i = x->n;

	e->nuser = 0;
	e->from = x->dist[s];
	while (i > 0 && x->dist[x->seq[i - 1]] >= e->from)
		i--;
	for (; i < x->n; i++) {
		sw_ix y = x->seq[i];

		e->via[y] = x->next_link[y] == c ||
			    (x->dist[y] > e->from && e->via[next_of(e, y)]);
		if (e->via[y] && x->flow[y] > 0)
			e->user[e->nuser++] = (uint16_t)y;
	}
}

/* True if a packet for the LID may pass s; half of all entries are never used.
 */
static bool
is_passed(const struct rebalance *e, sw_ix s)
{
	const struct topo_switch *sw = &e->t->sw[s];

	if (e->t->sw[s].nhost > 0)
		return true;
	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
		sw_ix x = e->net.head[c];
		uint32_t back = x == e->dest ? NONE : lft_entry_of(e, x);

		if (back != NONE && e->net.head[back] == s)
			return true;
	}
	return false;
}

static void
spend_work(struct rebalance *e, uint64_t work)
{
	e->work -= e->work < work ? e->work : work;
}

/* The tree of a LID in these tables, the one at *place or a new one. */
static struct rebalance_tree *
tree_at(struct rebalance *e, struct rebalance_tree **place,
	const struct routes *r, uint32_t lid)
{
	if (rebalance_tree_at(&e->ring, place, r, (uint16_t)lid))
		spend_work(e, (uint64_t)e->t->nsw * LOOK);
	return *place;
}

static void
load_lid(struct rebalance *e, uint32_t lid)
{
	e->x = tree_at(e, &e->tree[lid], e->r, lid);
}

/* ---- one entry ---- */

static bool
goes_down(const struct rebalance *e, sw_ix s, sw_ix next)
{
	return e->pos[next] > e->pos[s];
}

static bool
stays_in_part(const struct rebalance *e, sw_ix s, sw_ix next)
{
	return routes_in_one_part(e->r->part, s, next) &&
	       routes_in_one_part(e->r->part, s, e->dest);
}

static bool
is_via(const struct rebalance *e, sw_ix s)
{
	return e->x->dist[s] >= e->from && e->via[s];
}

/* True if packets that come to s keep off the link to be rebalanced, or could:
 * the entry of s is not used yet. */
static bool
is_open(const struct rebalance *e, sw_ix s)
{
	return !is_via(e, s) || e->x->flow[s] == 0;
}

/* True if s could use link c instead of its own one. */
static bool
is_legal_next_hop(const struct rebalance *e, sw_ix s, uint32_t c)
{
	const struct rebalance_tree *x = e->x;
	sw_ix to = e->net.head[c], next;
	bool down;

	if (x->dist[to] != x->dist[s] - 1 || !is_open(e, to) ||
		c == x->next_link[s] || e->net.tail[c] != s)
		return false;
	next = next_of(e, s);
	down = goes_down(e, s, next);
	return goes_down(e, s, to) == down &&
	       (!down || to == e->dest || goes_down(e, to, next_of(e, to))) &&
	       (!down || engine_may_go_down(e->r, to, e->dest)) &&
	       stays_in_part(e, s, next) && stays_in_part(e, s, to);
}

/*
 * A next hop for an entry of s that is not used yet: the least loaded link.
 * NONE: all lead over the link to be rebalanced.
 */
static uint32_t
find_spare(const struct rebalance *e, sw_ix s)
{
	const struct topo_switch *sw = &e->t->sw[s];
	sw_ix next = next_of(e, s);
	uint64_t load, least = UINT64_MAX;
	uint32_t best = NONE;

	if (is_open(e, next) &&
		!rebalance_multi_port_is_excluded(&e->multi_port, next)) {
		best = e->x->next_link[s];
		least = load_of(e, best);
	}
	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
		load = load_of(e, c);
		if (load < least && is_legal_next_hop(e, s, c) &&
			!rebalance_multi_port_is_excluded(
				&e->multi_port, e->net.head[c])) {
			best = c;
			least = load;
		}
	}
	return best;
}

static uint32_t
spare_next_hop(struct rebalance *e, sw_ix s)
{
	if (e->spare[s].when != e->now)
		e->spare[s] = (struct spare){e->now, find_spare(e, s)};
	return e->spare[s].link;
}

/*
 * Try to lead what passes s by link c, up to where it joins its old path.
 * False: some link gets above the level.
 */
static bool
try_path(struct rebalance *e, sw_ix s, uint32_t c, struct move *m)
{
	const struct rebalance_tree *t = e->x;
	uint32_t add = t->flow[s];
	sw_ix old = s, x = s;

	m->n = 0;
	m->cost = 0;
	for (;;) {
		if (c != t->next_link[x]) {
			if (m->n == STEPS)
				return false;
			m->step[m->n++] = (struct step){x, c};
		}
		if (is_too_busy(e, c, add))
			return false;
		m->cost += pairs_with_others(e, x, c) * e->weight[c] -
			   pairs_with_others(e, old, t->next_link[old]) *
				   e->weight[t->next_link[old]];
		old = next_of(e, old);
		x = e->net.head[c];
		if (x == old)
			break;
		if (rebalance_multi_port_is_excluded(&e->multi_port, x))
			return false;
		c = t->next_link[x];
		if (t->flow[x] == 0 && (is_via(e, x) || is_too_busy(e, c, add)))
			c = spare_next_hop(e, x);
		if (c == NONE)
			return false;
	}
	m->cost *= (int64_t)add;
	return true;
}

/* Better: fewer entries where entries are kept, else fewer packets that meet.
 */
static bool
choice_is_better(const struct rebalance *e, const struct choice *a,
	const struct choice *b)
{
	if (b->gain == 0)
		return true;
	if (!e->wish->fresh && a->gain * b->n != b->gain * a->n)
		return a->gain * b->n > b->gain * a->n;
	return a->cost * (int64_t)b->gain < b->cost * (int64_t)a->gain;
}

/*
 * True if x may be a better choice than best: a quick estimate, as if it took
 * one entry and no link behind the next switch but one got too busy.
 */
static bool
choice_may_help(
	struct rebalance *e, struct choice *x, const struct choice *best)
{
	const struct rebalance_tree *t = e->x;
	uint32_t flow = t->flow[x->sw];
	sw_ix to = e->net.head[x->link];
	uint32_t next_link = t->next_link[to];

	x->n = 1;
	x->cost = weighted_pairs(e, x->link) - e->met[x->sw].sum;
	if (to != e->dest && t->flow[to] == 0 &&
		(is_via(e, to) || is_too_busy(e, next_link, flow))) {
		next_link = spare_next_hop(e, to);
		if (next_link == NONE || is_too_busy(e, next_link, flow))
			return false;
		x->cost += weighted_pairs(e, next_link);
		to = e->net.head[next_link];
	}
	if (!is_via(e, to)) {
		if (flow > e->met[to].room)
			return false;
		x->cost += e->met[to].sum;
	} else if (t->flow[to] > 0) {
		return false;
	}
	x->cost *= (int64_t)flow;
	return (x->cost <= 0 || e->any) && choice_is_better(e, x, best);
}

/* True if x is possible and better, with its exact cost. */
static bool
choice_still_valid(
	struct rebalance *e, struct choice *x, const struct choice *best)
{
	struct move m;

	if (!is_legal_next_hop(e, x->sw, x->link) ||
		!try_path(e, x->sw, x->link, &m))
		return false;
	x->n = m.n;
	x->cost = m.cost;
	return (x->cost <= 0 || e->any) && choice_is_better(e, x, best);
}

/* What passes s for the LID is about to be rerouted: exclude the switches that
 * it must keep off. */
static void
exclude_shared_switches(struct rebalance *e, sw_ix s)
{
	spend_work(e, rebalance_multi_port_exclude(
			      &e->multi_port, e->r, e->lid, e->x, s));
	e->now += rebalance_multi_port_has(
		&e->multi_port, e->lid); /* all spares are outdated */
}

/* The best entry of s to change. */
static struct choice
try_switch(struct rebalance *e, sw_ix s, uint32_t excess)
{
	const struct topo_switch *sw = &e->t->sw[s];
	const uint8_t *dist = e->x->dist;
	uint32_t flow = e->x->flow[s];
	struct choice best = {.gain = 0},
		      x = {.sw = (uint16_t)s, .lid = e->lid};

	if (flow > e->level)
		return best;
	spend_work(e, sw->nadj);
	exclude_shared_switches(e, s);
	x.gain = flow < excess ? flow : excess;
	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
		if (is_too_busy(e, c, flow) ||
			dist[e->net.head[c]] != dist[s] - 1)
			continue;
		x.link = c;
		if (choice_may_help(e, &x, &best) &&
			choice_still_valid(e, &x, &best))
			best = x;
	}
	return best;
}

/* Add flow to the path from s, or (modulo 2^32) subtract it. */
static void
move_flow(struct rebalance *e, sw_ix s, uint32_t flow)
{
	for (; s != e->dest; s = next_of(e, s)) {
		e->pairs[e->x->next_link[s]] += flow;
		e->x->flow[next_of(e, s)] += flow;
	}
}

/* Write the entry of s. */
static void
set_entry(struct rebalance *e, sw_ix s, uint8_t out)
{
	routes_put_entry(e->r, s, e->lid, out, e->wish->job->prev);
	e->moves++;
}

/* The LID goes by the steps of the move from now on, with the pairs of all
 * switches behind its first one. */
static void
apply_move(struct rebalance *e, const struct move *m)
{
	sw_ix s = m->step[0].sw;
	uint32_t flow = e->x->flow[s];

	move_flow(e, s, 0 - flow);
	for (uint32_t i = 0; i < m->n; i++) {
		set_entry(e, m->step[i].sw, e->t->adj[m->step[i].link].out);
		e->x->next_link[m->step[i].sw] = m->step[i].link;
	}
	move_flow(e, s, flow);
}

/* ---- one link ---- */

/* Make lid the LID at hand, and find what is sent to it by link c. */
static void
select_lid(struct rebalance *e, uint32_t lid, uint32_t c)
{
	e->lid = (uint16_t)lid;
	e->dest = topo_switch_of(e->t, e->t->by_lid[lid]);
	load_lid(e, lid);
	find_users(e, c);
	e->now++;
	spend_work(e, e->t->nsw / AGAIN);
}

/* Find choices that take what is sent to the LID off link c. */
static void
find_moves(struct rebalance *e, uint32_t lid, uint32_t c)
{
	select_lid(e, lid, c);
	find_met(e);
	for (uint32_t i = 0; i < e->nuser; i++) {
		struct choice x =
			try_switch(e, e->user[i], e->pairs[c] - e->room[c]);

		if (x.gain == 0)
			continue;
		if (e->nchoice == e->max_choices)
			e->choice = mem_grow(e->choice, e->nchoice,
				&e->max_choices, sizeof(*e->choice));
		e->choice[e->nchoice++] = x;
		e->gain += x.gain;
	}
}

/* Apply a choice, if it is still possible after others were applied. */
static void
apply_choice_if_better(struct rebalance *e, const struct choice *x, uint32_t c)
{
	struct move m = {.n = 0};

	select_lid(e, x->lid, c);
	exclude_shared_switches(e, x->sw);
	if (is_via(e, x->sw) && e->x->flow[x->sw] > 0 &&
		is_legal_next_hop(e, x->sw, x->link) &&
		try_path(e, x->sw, x->link, &m))
		apply_move(e, &m);
}

/* True if packets to the LID use link c, and the entry may be changed. */
static bool
is_movable_lid(struct rebalance *e, uint32_t lid, uint32_t c)
{
	sw_ix s = e->net.tail[c];

	e->lid = (uint16_t)lid;
	if (e->fixed[lid] || lft_entry_of(e, s) != c)
		return false;
	e->dest = topo_switch_of(e->t, e->t->by_lid[lid]);
	spend_work(e, 1);
	if (!stays_in_part(e, s, e->net.head[c]) ||
		(e->tree[lid] == NULL && !is_passed(e, s)))
		return false;
	load_lid(e, lid);
	return e->x->flow[s] > 0;
}

/* Find choices for the LIDs of link c, until there are plenty. */
static void
find_choices(struct rebalance *e, uint32_t c)
{
	uint64_t plenty = (uint64_t)(e->pairs[c] - e->room[c]) * PLENTY;

	e->nchoice = 0;
	e->gain = 0;
	for (uint32_t lid = 1; lid <= e->t->max_lid && e->work > 0; lid++)
		if (e->gain < plenty && is_movable_lid(e, lid, c))
			find_moves(e, lid, c);
}

/* Apply the best choices until link c is not above the level. True: some were
 * applied. */
static bool
apply_best_choices(struct rebalance *e, uint32_t c)
{
	uint64_t before = e->moves;

	while (e->nchoice > 0 && is_too_busy(e, c, 0)) {
		struct choice *x = e->choice;

		for (size_t i = 1; i < e->nchoice; i++)
			if (choice_is_better(e, &e->choice[i], x))
				x = &e->choice[i];
		apply_choice_if_better(e, x, c);
		*x = e->choice[--e->nchoice];
	}
	return e->moves > before;
}

/* Reroute LIDs of link c, until it is not above the level. */
static void
rebalance_link(struct rebalance *e, uint32_t c)
{
	bool more = true;

	while (more && is_too_busy(e, c, 0) && e->work > 0) {
		find_choices(e, c);
		more = apply_best_choices(e, c);
	}
}

/* ---- all entries of a LID ---- */

/* Add all that is sent to the LID to the loads, or take it off. */
static void
carry_all(struct rebalance *e, const struct rebalance_tree *x, bool off)
{
	for (uint32_t i = 1; i < x->n; i++) {
		sw_ix s = x->seq[i];

		e->pairs[x->next_link[s]] += off ? 0 - x->flow[s] : x->flow[s];
	}
}

static bool
fits_below_level(const struct rebalance *e, const struct rebalance_tree *x)
{
	for (uint32_t i = 1; i < x->n; i++) {
		sw_ix s = x->seq[i];

		if (x->flow[s] > 0 &&
			is_too_busy(e, x->next_link[s], x->flow[s]))
			return false;
	}
	return true;
}

/* All entries for the LID as they are in the other tables. */
static void
copy_lid(struct rebalance *e)
{
	const struct routes *from = e->wish->from;

	for (sw_ix s = 0; s < e->t->nsw; s++)
		if (routes_port(e->r, s, e->lid) !=
			routes_port(from, s, e->lid))
			set_entry(e, s, routes_port(from, s, e->lid));
	e->fixed[e->lid] = true;
}

/*
 * Take over the LID from the other tables, if that takes load off link c. If
 * some link gets above the level then, only with e->any: other LIDs must make
 * room.
 */
static void
take_lid(struct rebalance *e, uint32_t c)
{
	sw_ix s = e->net.tail[c];
	const struct rebalance_tree *to;

	load_lid(e, e->lid);
	if (e->x->flow[s] == 0)
		return;
	to = tree_at(e, &e->other[e->lid], e->wish->from, e->lid);
	spend_work(e, e->t->nsw / AGAIN);
	if (rebalance_multi_port_shares(&e->multi_port, e->r, e->lid, to))
		return;
	carry_all(e, e->x, true);
	if ((to->next_link[s] != c || to->flow[s] < e->x->flow[s]) &&
		(e->any || fits_below_level(e, to))) {
		carry_all(e, to, false);
		copy_lid(e);
		return;
	}
	carry_all(e, e->x, false);
}

/* Take over LIDs of link c, until it is not above the level. */
static void
take_lids(struct rebalance *e, uint32_t c)
{
	sw_ix s = e->net.tail[c];
	uint32_t last = e->t->max_lid;

	for (uint32_t lid = 1; lid <= last && is_too_busy(e, c, 0); lid++) {
		e->lid = (uint16_t)lid;
		if (!e->fixed[lid] && e->work > 0 && lft_entry_of(e, s) == c)
			take_lid(e, c);
	}
}

/* True if the tables have the same switch order, and the same parts. */
static bool
in_same_order(const struct rebalance *e, const struct routes *from)
{
	uint32_t nsw = e->t->nsw;
	uint32_t *pos = arena_array(e->a, nsw, sizeof(*pos));

	routes_order(from, pos);
	return memcmp(pos, e->pos, nsw * sizeof(*pos)) == 0 &&
	       (from->part == NULL) == (e->r->part == NULL) &&
	       (from->part == NULL || memcmp(from->part, e->r->part, nsw) == 0);
}

/* ---- all links ---- */

struct busy {
	uint64_t load;
	uint32_t link;
};

static int
by_load(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->load != y->load)
		return x->load > y->load ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

/* Find all links above the level, the busiest first; returns how many. */
static uint32_t
find_busy(const struct rebalance *e, struct busy *busy)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < e->t->nadj; c++)
		if (is_too_busy(e, c, 0))
			busy[n++] = (struct busy){load_of(e, c), c};
	qsort(busy, n, sizeof(*busy), by_load);
	return n;
}

/*
 * Rebalance all links above the level: first by moves that make no more packets
 * meet, then, or at once where entries are kept, by any move.
 */
static void
rebalance_busy_links(struct rebalance *e, struct busy *busy)
{
	uint32_t n = find_busy(e, busy);

	for (unsigned round = e->wish->fresh ? 0 : 1; round < 2; round++) {
		e->any = round > 0;
		for (uint32_t i = 0; i < n; i++)
			rebalance_link(e, busy[i].link);
	}
}

/* The load of the busiest of the links with at most this weight. */
static uint64_t
busiest_load(const struct rebalance *e, unsigned weight)
{
	uint64_t most = 0, load;

	for (uint32_t c = 0; c < e->t->nadj; c++) {
		load = load_of(e, c);
		if (load > most && e->weight[c] <= weight)
			most = load;
	}
	return most;
}

static void
set_level(struct rebalance *e, uint64_t level)
{
	const struct topo *t = e->t;

	e->level = level;
	for (uint32_t c = 0; c < t->nadj; c++) {
		uint64_t room =
			link_load_room(level, t->adj[c].rate, t->rate_max);

		e->room[c] = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	}
}

/* The weight that most links have. */
static unsigned
common_weight(const struct rebalance *e)
{
	uint32_t count[SLOWEST + 1] = {0};
	unsigned common = 1;

	for (uint32_t c = 0; c < e->t->nadj; c++)
		count[e->weight[c]] += e->net.tail[c] != TOPO_NONE;
	for (unsigned w = 2; w <= SLOWEST; w++)
		if (count[w] > count[common])
			common = w;
	return common;
}

/*
 * Fresh tables: change single entries while the level sinks down to the goal.
 * Where the busiest load does not fall, smaller steps are tried; if it does not
 * fall with these either, the other links would gain nothing. A link that is
 * slower than most may have many times the load of the others, too much for
 * steps: first such links are brought to what the others have.
 */
static void
change_entries(struct rebalance *e, struct busy *busy)
{
	uint64_t goal = e->wish->goal, was;
	uint64_t is = busiest_load(e, SLOWEST);
	uint64_t level = busiest_load(e, common_weight(e));
	uint32_t part = STEP;

	if (is > level && is > goal) {
		set_level(e, level > goal ? level : goal);
		rebalance_busy_links(e, busy);
		is = busiest_load(e, SLOWEST);
	}
	while (is > goal && part <= FINEST && e->work > 0) {
		was = is;
		level = was - was / part - 1;
		set_level(e, level < goal ? goal : level);
		rebalance_busy_links(e, busy);
		is = busiest_load(e, SLOWEST);
		part *= is == was ? FINER : 1;
	}
}

/* Kept entries: the level is the goal at once; repeat while moves are found. */
static void
change_few(struct rebalance *e, struct busy *busy)
{
	uint64_t before;

	set_level(e, e->wish->goal);
	do {
		before = e->moves;
		rebalance_busy_links(e, busy);
	} while (e->moves > before && e->work > 0);
}

/* Take over LIDs: first those that find room; then, link by link, any, so that
 * other LIDs must make room. */
static void
change_lids(struct rebalance *e, struct busy *busy)
{
	uint64_t before;

	if (!in_same_order(e, e->wish->from))
		return;
	set_level(e, e->wish->goal);
	do {
		uint32_t n = find_busy(e, busy);

		before = e->moves;
		for (uint32_t i = 0; i < 2 * n; i++) {
			e->any = i >= n;
			take_lids(e, busy[i % n].link);
		}
	} while (e->moves > before);
}

static void
weigh_links(struct rebalance *e)
{
	const struct topo *t = e->t;

	e->weight = arena_array(e->a, t->nadj, sizeof(*e->weight));
	for (uint32_t c = 0; c < t->nadj; c++) {
		uint32_t rate = t->adj[c].rate;
		uint32_t weight = (t->rate_max + rate / 2) / rate;

		weight += weight == 0; /* faster than all links in use */
		e->weight[c] = (uint8_t)(weight < SLOWEST ? weight : SLOWEST);
	}
}

static void
prepare_rebalance(struct rebalance *e, const struct routes *r)
{
	uint32_t nsw = r->topo->nsw, nlid = r->topo->max_lid + 1U;

	e->pos = arena_array(e->a, nsw, sizeof(*e->pos));
	e->via = arena_array(e->a, nsw, sizeof(*e->via));
	e->user = arena_array(e->a, nsw, sizeof(*e->user));
	e->met = arena_array(e->a, nsw, sizeof(*e->met));
	e->spare = arena_array(e->a, nsw, sizeof(*e->spare));
	e->tree = arena_array(e->a, nlid, sizeof(*e->tree));
	e->fixed = arena_array(e->a, nlid, sizeof(*e->fixed));
	e->other = arena_array(e->a, nlid, sizeof(*e->other));
	e->room = arena_array(e->a, r->topo->nadj, sizeof(*e->room));
	weigh_links(e);
	routes_order(r, e->pos);
	link_map_new(&e->net, e->t, e->a);
	e->pairs = link_map_pairs(&e->net, r->verified, e->a);
	rebalance_tree_begin(&e->ring, &e->net, e->a);
	rebalance_multi_port_begin(
		&e->multi_port, &e->ring, e->wish->job->options, e->fixed);
	e->work = e->wish->work;
}

struct routes *
rebalance_routes(const struct routes *r, const struct rebalance_opts *w)
{
	struct rebalance e = {.t = r->topo, .wish = w, .a = arena_new()};
	struct busy *busy = arena_array(e.a, r->topo->nadj, sizeof(*busy));

	e.r = routes_for(r, r->topo);
	prepare_rebalance(&e, r);
	if (w->from != NULL)
		change_lids(&e, busy);
	else if (w->fresh)
		change_entries(&e, busy);
	else
		change_few(&e, busy);
	free(e.choice);
	arena_free(e.a);
	verify_state_unref(e.r->verified);
	e.r->verified = NULL;
	free(e.r->deps);
	e.r->deps = NULL;
	if (e.moves > 0)
		return e.r;
	routes_unref(e.r);
	return NULL;
}
