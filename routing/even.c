#include "routing/even.h"

#include <stdlib.h>
#include <string.h>

#include "routing/homing.h"
#include "sm/base/arena.h"
#include "sm/base/mem.h"

enum {
	STEP = 16, /* the level sinks by such a part of itself */
	TREE = 8,  /* what to look at a LID costs for each switch, where to look
		      at  a cable costs 1 */
	STEPS = 4, /* entries that are changed at once */
	NONE = UINT32_MAX,
};

struct even {
	const struct topo *t;
	const struct even_wish *wish;
	struct routes *r;	   /* being changed */
	const struct routes *seen; /* whose ways are looked at */
	struct arena *a;
	uint32_t *pos;	 /* [nsw] place in the order, smaller is above */
	uint64_t *hosts; /* [nsw] */
	uint32_t *cable; /* [nports] of a switch's port: number in t->adj */
	sw_ix *tail;	 /* [nadj] whose cable it is, TOPO_NONE: not used */
	uint64_t *load;	 /* [nadj] */
	bool *fixed;	 /* by LID */
	uint64_t level;
	uint64_t work; /* left */
	uint64_t moves;
	bool any; /* entries that make more packets meet, too */

	/* Of the LID at hand. */
	uint16_t lid;
	sw_ix dest;
	uint32_t *way;	/* [nsw] cable, or NONE */
	uint32_t *dist; /* [nsw] cables to dest, NONE: none leads there */
	uint64_t *flow; /* [nsw] hosts whose packets pass */
	bool *via;	/* [nsw] over the cable to be relieved */
	sw_ix *seq;	/* [n] from dest on, by distance */
	uint32_t *at;	/* [nsw + 1] in seq, by distance */
	uint32_t n;
};

/* What passes the first switch, led another way. */
struct move {
	struct step {
		sw_ix sw;
		uint32_t cable;
	} step[STEPS];
	uint32_t n;
	uint64_t gain; /* how much of what has to go */
	int64_t cost;  /* pairs that meet more than before */
};

static bool
quarantined(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_QUARANTINED) != 0;
}

/* ---- what there is ---- */

static void
find_cables(struct even *e, const struct verify_state *v)
{
	const struct topo *t = e->t;

	e->cable = arena_array(e->a, t->nports, sizeof(*e->cable));
	e->tail = arena_array(e->a, t->nadj, sizeof(*e->tail));
	e->load = arena_array(e->a, t->nadj, sizeof(*e->load));
	memset(e->cable, 0xff, t->nports * sizeof(*e->cable));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			uint32_t c = t->sw[s].adj + i;
			const struct topo_adj *a = &t->adj[c];

			e->tail[c] = TOPO_NONE;
			if (quarantined(t, s) || quarantined(t, a->peer))
				continue;
			e->tail[c] = s;
			e->cable[topo_port_of(t, t->sw[s].node, a->out)] = c;
			e->load[c] = verify_state_load(v, s, a->out);
		}
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Hosts, and which LIDs to leave alone. */
static void
find_hosts(struct even *e)
{
	const struct topo *t = e->t;
	const struct engine_options *o = e->wish->job->options;
	uint64_t *all = arena_array(e->a, t->nend, sizeof(*all));
	uint32_t n = 0;

	e->hosts = arena_array(e->a, t->nsw, sizeof(*e->hosts));
	e->fixed = arena_array(e->a, t->max_lid + 1U, sizeof(*e->fixed));
	memset(e->fixed, true, t->max_lid + 1U);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nend; i++) {
			const struct topo_end *end = &t->end[t->sw[s].end + i];

			if (!end->host)
				continue;
			e->hosts[s]++;
			all[n++] = homing_key(t, o, end->port);
		}
	qsort(all, n, sizeof(*all), by_value);
	for (uint32_t i = 0; i < t->nend; i++) {
		port_ix p = t->end[i].port;
		uint64_t key = homing_key(t, o, p), *at;

		at = bsearch(&key, all, n, sizeof(key), by_value);
		if (t->end[i].host && at != NULL &&
			(at == all || at[-1] != key) &&
			(at + 1 == all + n || at[1] != key))
			e->fixed[t->port[p].lid] = false;
	}
}

/* ---- one LID ---- */

static uint32_t
way_of(const struct even *e, sw_ix s)
{
	const struct topo_node *n = &e->t->node[e->t->sw[s].node];
	uint8_t out = routes_port(e->seen, s, e->lid);

	return out > n->nports ? NONE : e->cable[n->first_port + out];
}

/* The next switch from s. */
static sw_ix
next_of(const struct even *e, sw_ix s)
{
	return e->t->adj[e->way[s]].peer;
}

/* Distances, by following entries until one is known. */
static void
find_dist(struct even *e, sw_ix from)
{
	uint32_t n = 0;
	sw_ix s = from;

	while (e->dist[s] == NONE && e->way[s] != NONE) {
		s = next_of(e, s);
		n++;
	}
	if (e->dist[s] == NONE)
		return;
	n += e->dist[s];
	for (s = from; e->dist[s] == NONE; s = next_of(e, s))
		e->dist[s] = n--;
}

/* Switches that reach the destination, by distance. */
static void
sort(struct even *e)
{
	uint32_t most = 0, sum = 0;

	memset(e->at, 0, e->t->nsw * sizeof(*e->at));
	for (sw_ix s = 0; s < e->t->nsw; s++) {
		if (e->dist[s] == NONE)
			continue;
		e->at[e->dist[s]]++;
		most = e->dist[s] > most ? e->dist[s] : most;
	}
	for (uint32_t k = 0; k <= most; k++) {
		sum += e->at[k];
		e->at[k] = sum - e->at[k];
	}
	for (sw_ix s = 0; s < e->t->nsw; s++)
		if (e->dist[s] != NONE)
			e->seq[e->at[e->dist[s]]++] = s;
	e->n = sum;
}

/* What passes each switch, and whether by cable c. */
static void
find_flow(struct even *e, uint32_t c)
{
	memcpy(e->flow, e->hosts, e->t->nsw * sizeof(*e->flow));
	memset(e->via, false, e->t->nsw * sizeof(*e->via));
	for (uint32_t i = 1; i < e->n; i++) {
		sw_ix s = e->seq[i];

		e->via[s] = e->way[s] == c || e->via[next_of(e, s)];
	}
	for (uint32_t i = e->n; i-- > 1;)
		e->flow[next_of(e, e->seq[i])] += e->flow[e->seq[i]];
}

/* The tree of ways to a LID, and what of it goes over cable c. */
static void
look_at(struct even *e, uint32_t c)
{
	uint32_t nsw = e->t->nsw;

	for (sw_ix s = 0; s < nsw; s++)
		e->way[s] = s == e->dest ? NONE : way_of(e, s);
	memset(e->dist, 0xff, nsw * sizeof(*e->dist));
	e->dist[e->dest] = 0;
	for (sw_ix s = 0; s < nsw; s++)
		find_dist(e, s);
	sort(e);
	find_flow(e, c);
}

/* May any packet for the LID pass s? Half of all entries are never used. */
static bool
is_passed(const struct even *e, sw_ix s)
{
	const struct topo_switch *sw = &e->t->sw[s];

	if (e->hosts[s] > 0)
		return true;
	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
		sw_ix x = e->t->adj[c].peer;
		uint32_t back = x == e->dest ? NONE : way_of(e, x);

		if (back != NONE && e->t->adj[back].peer == s)
			return true;
	}
	return false;
}

/* ---- one entry ---- */

static bool
goes_down(const struct even *e, sw_ix s, sw_ix next)
{
	return e->pos[next] > e->pos[s];
}

static bool
in_one_plane(const struct even *e, sw_ix s, sw_ix next)
{
	const uint8_t *plane = e->r->plane;

	return plane == NULL ||
	       !(((plane[s] ^ plane[next]) | (plane[s] ^ plane[e->dest])) &
		       ROUTE_PLANE);
}

/* Does what comes to s stay off the cable to be relieved, or could it? */
static bool
is_open(const struct even *e, sw_ix s)
{
	return !e->via[s] || e->flow[s] == 0;
}

/* Might s use cable c as well as its own one? */
static bool
legal(const struct even *e, sw_ix s, uint32_t c)
{
	sw_ix x = e->t->adj[c].peer, next;
	bool down;

	if (e->dist[x] != e->dist[s] - 1 || !is_open(e, x) || c == e->way[s] ||
		e->tail[c] != s)
		return false;
	next = next_of(e, s);
	down = goes_down(e, s, next);
	return goes_down(e, s, x) == down &&
	       (!down || x == e->dest || goes_down(e, x, next_of(e, x))) &&
	       in_one_plane(e, s, next) && in_one_plane(e, s, x);
}

/* Packets would meet others there; of the same LID they never do. */
static int64_t
others(const struct even *e, sw_ix s, uint32_t c)
{
	return (int64_t)(e->load[c] - (e->way[s] == c ? e->flow[s] : 0));
}

/*
 * For what nobody uses yet: the cable from s by which it meets the fewest.
 * NONE: all lead over the one to be relieved.
 */
static uint32_t
spare(const struct even *e, sw_ix s)
{
	const struct topo_switch *sw = &e->t->sw[s];
	uint32_t best = is_open(e, next_of(e, s)) ? e->way[s] : NONE;

	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++)
		if ((best == NONE || e->load[c] < e->load[best]) &&
			legal(e, s, c))
			best = c;
	return best;
}

/*
 * Lead what passes m->sw by cable c, up to where it meets the way there is.
 * False: something gets above the level.
 */
static bool
try_way(const struct even *e, sw_ix s, uint32_t c, struct move *m)
{
	uint64_t add = e->flow[s];
	sw_ix old = s, x = s;

	m->n = 0;
	m->cost = 0;
	for (;;) {
		if (c != e->way[x]) {
			if (m->n == STEPS)
				return false;
			m->step[m->n++] = (struct step){x, c};
		}
		if (e->load[c] + add > e->level)
			return false;
		m->cost += others(e, x, c) - others(e, old, e->way[old]);
		old = next_of(e, old);
		x = e->t->adj[c].peer;
		if (x == old)
			break;
		c = e->way[x];
		if (e->flow[x] == 0 &&
			(e->via[x] || e->load[c] + add > e->level))
			c = spare(e, x);
		if (c == NONE)
			return false;
	}
	m->cost *= (int64_t)add;
	return true;
}

/* Few entries where they are kept, else few packets that meet. */
static bool
better(const struct even *e, const struct move *a, const struct move *b)
{
	if (b->gain == 0)
		return true;
	if (!e->wish->fresh && a->gain * b->n != b->gain * a->n)
		return a->gain * b->n > b->gain * a->n;
	return a->cost * (int64_t)b->gain < b->cost * (int64_t)a->gain;
}

static void
spend(struct even *e, uint64_t work)
{
	e->work -= e->work < work ? e->work : work;
}

/*
 * Of the cables from s to one neighbour, from number *c on: the idlest that is
 * not in use for the LID, or NONE. On to the next neighbour.
 */
static uint32_t
idlest(const struct even *e, sw_ix s, uint32_t *c)
{
	const struct topo_switch *sw = &e->t->sw[s];
	sw_ix peer = e->t->adj[*c].peer;
	uint32_t best = NONE;

	for (; *c < sw->adj + sw->nadj && e->t->adj[*c].peer == peer; ++*c)
		if (*c != e->way[s] && e->tail[*c] == s &&
			(best == NONE || e->load[*c] < e->load[best]))
			best = *c;
	return best;
}

/* The best entry of s to change, against the best so far. */
static void
try_switch(struct even *e, sw_ix s, uint64_t excess, struct move *best)
{
	const struct topo_switch *sw = &e->t->sw[s];
	uint64_t gain = e->flow[s] < excess ? e->flow[s] : excess;
	uint32_t at = sw->adj;

	if (gain == 0)
		return;
	spend(e, sw->nadj);
	while (at < sw->adj + sw->nadj) {
		struct move m = {.gain = gain};
		uint32_t c = idlest(e, s, &at);

		if (c != NONE && legal(e, s, c) && try_way(e, s, c, &m) &&
			(m.cost <= 0 || e->any) && better(e, &m, best))
			*best = m;
	}
}

/* Put what passes s on its way, or take it off. */
static void
carry(struct even *e, sw_ix s, uint64_t flow)
{
	for (; s != e->dest; s = next_of(e, s))
		e->load[e->way[s]] += flow;
}

/* Write the entry of s. */
static void
put(struct even *e, sw_ix s, uint8_t out)
{
	routes_put_entry(e->r, s, e->lid, out, e->wish->job->prev);
	e->moves++;
}

static void
set(struct even *e, sw_ix s, uint32_t c)
{
	put(e, s, e->t->adj[c].out);
	e->way[s] = c;
}

static void
make(struct even *e, const struct move *m)
{
	sw_ix s = m->step[0].sw;

	carry(e, s, 0 - e->flow[s]);
	for (uint32_t i = 0; i < m->n; i++)
		set(e, m->step[i].sw, m->step[i].cable);
	carry(e, s, e->flow[s]);
}

/* ---- one cable ---- */

/* Lead what is sent to the LID by cable c another way, as much as must. */
static bool
relieve_of(struct even *e, uint32_t c)
{
	sw_ix s = e->tail[c];
	struct move best;
	bool any = false;

	e->dest = topo_switch_of(e->t, e->t->by_lid[e->lid]);
	spend(e, e->t->sw[s].nadj);
	if (!in_one_plane(e, s, e->t->adj[c].peer) || !is_passed(e, s))
		return false;
	look_at(e, c);
	spend(e, (uint64_t)e->t->nsw * TREE);
	do {
		best = (struct move){.gain = 0};
		for (uint32_t i = 1; i < e->n; i++)
			if (e->via[e->seq[i]])
				try_switch(e, e->seq[i], e->load[c] - e->level,
					&best);
		if (best.gain == 0)
			break;
		make(e, &best);
		find_flow(e, c);
		any = true;
	} while (e->load[c] > e->level);
	return any;
}

/* Lead LIDs of cable c another way, until it is not above the level. */
static void
relieve(struct even *e, uint32_t c)
{
	uint32_t last = e->t->max_lid;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t lid = 1; lid <= last && e->load[c] > e->level;
			lid++) {
			e->lid = (uint16_t)lid;
			if (!e->fixed[lid] && e->work > 0 &&
				way_of(e, e->tail[c]) == c)
				more |= relieve_of(e, c);
		}
	}
}

/* ---- all entries of a LID ---- */

/* Put all that is sent to the LID on its ways, or take it off. */
static void
carry_all(struct even *e, bool off)
{
	for (uint32_t i = 1; i < e->n; i++) {
		sw_ix s = e->seq[i];

		e->load[e->way[s]] += off ? 0 - e->flow[s] : e->flow[s];
	}
}

static bool
fits(const struct even *e)
{
	for (uint32_t i = 1; i < e->n; i++) {
		sw_ix s = e->seq[i];

		if (e->flow[s] > 0 &&
			e->load[e->way[s]] + e->flow[s] > e->level)
			return false;
	}
	return true;
}

/* All entries for the LID as they are in the other tables. */
static void
copy_lid(struct even *e)
{
	const struct routes *from = e->wish->from;

	for (sw_ix s = 0; s < e->t->nsw; s++)
		if (routes_port(e->r, s, e->lid) !=
			routes_port(from, s, e->lid))
			put(e, s, routes_port(from, s, e->lid));
	e->fixed[e->lid] = true;
}

/*
 * Lead the LID as the other tables do, off cable c. Something gets above the
 * level then? Only if any: others must make room.
 */
static void
take_lid(struct even *e, uint32_t c)
{
	sw_ix s = e->tail[c];
	uint64_t was;

	look_at(e, c);
	spend(e, (uint64_t)e->t->nsw * TREE);
	was = e->flow[s];
	if (was == 0)
		return;
	carry_all(e, true);
	e->seen = e->wish->from;
	look_at(e, c);
	spend(e, (uint64_t)e->t->nsw * TREE);
	if ((e->way[s] != c || e->flow[s] < was) && (e->any || fits(e))) {
		carry_all(e, false);
		copy_lid(e);
		e->seen = e->r;
		return;
	}
	e->seen = e->r;
	look_at(e, c);
	carry_all(e, false);
}

/* Take LIDs off cable c, until it is not above the level. */
static void
take(struct even *e, uint32_t c)
{
	sw_ix s = e->tail[c];
	uint32_t last = e->t->max_lid;

	for (uint32_t lid = 1; lid <= last && e->load[c] > e->level; lid++) {
		e->lid = (uint16_t)lid;
		if (e->fixed[lid] || e->work == 0 || way_of(e, s) != c)
			continue;
		e->dest = topo_switch_of(e->t, e->t->by_lid[lid]);
		take_lid(e, c);
	}
}

/* Do tables obey the same order, and the same planes? */
static bool
in_same_order(const struct even *e, const struct routes *from)
{
	uint32_t nsw = e->t->nsw;
	uint32_t *pos = arena_array(e->a, nsw, sizeof(*pos));

	routes_line(from, pos);
	return memcmp(pos, e->pos, nsw * sizeof(*pos)) == 0 &&
	       (from->plane == NULL) == (e->r->plane == NULL) &&
	       (from->plane == NULL ||
		       memcmp(from->plane, e->r->plane, nsw) == 0);
}

/* ---- all of them ---- */

struct busy {
	uint64_t load;
	uint32_t cable;
};

static int
by_load(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->load != y->load)
		return x->load > y->load ? -1 : 1;
	return x->cable < y->cable ? -1 : x->cable > y->cable;
}

/* All cables above the level, the busiest first: how many. */
static uint32_t
find_busy(const struct even *e, struct busy *busy)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < e->t->nadj; c++)
		if (e->load[c] > e->level)
			busy[n++] = (struct busy){e->load[c], c};
	qsort(busy, n, sizeof(*busy), by_load);
	return n;
}

/*
 * Relieve them: by what makes fewer packets meet, then, or if entries are dear
 * at once, by what does not.
 */
static void
sink(struct even *e, struct busy *busy)
{
	uint32_t n = find_busy(e, busy);

	for (unsigned round = e->wish->fresh ? 0 : 1; round < 2; round++) {
		e->any = round > 0;
		for (uint32_t i = 0; i < n; i++)
			relieve(e, busy[i].cable);
	}
}

/*
 * Single entries: where they are dear as long as any serves, else while the
 * level sinks down to the goal.
 */
static void
change_entries(struct even *e, struct busy *busy)
{
	uint64_t goal = e->wish->goal, before;

	while (e->level > goal && e->work > 0) {
		e->level -= e->level / STEP + 1;
		if (!e->wish->fresh || e->level < goal)
			e->level = goal;
		do {
			before = e->moves;
			sink(e, busy);
		} while (!e->wish->fresh && e->moves > before && e->work > 0);
	}
}

/* Those that find room; then, one after the other, those that must find it. */
static void
change_lids(struct even *e, struct busy *busy)
{
	uint64_t before;

	if (!in_same_order(e, e->wish->from))
		return;
	e->level = e->wish->goal;
	do {
		uint32_t n = find_busy(e, busy);

		before = e->moves;
		for (uint32_t i = 0; i < 2 * n; i++) {
			e->any = i >= n;
			take(e, busy[i % n].cable);
		}
	} while (e->moves > before);
}

static void
begin(struct even *e, const struct routes *r)
{
	uint32_t nsw = r->topo->nsw;

	e->pos = arena_array(e->a, nsw, sizeof(*e->pos));
	e->way = arena_array(e->a, nsw, sizeof(*e->way));
	e->dist = arena_array(e->a, nsw, sizeof(*e->dist));
	e->flow = arena_array(e->a, nsw, sizeof(*e->flow));
	e->via = arena_array(e->a, nsw, sizeof(*e->via));
	e->seq = arena_array(e->a, nsw, sizeof(*e->seq));
	e->at = arena_array(e->a, nsw, sizeof(*e->at));
	routes_line(r, e->pos);
	find_cables(e, r->verified);
	find_hosts(e);
	e->work = e->wish->work;
}

struct routes *
even_routes(const struct routes *r, const struct even_wish *w)
{
	struct even e = {.t = r->topo, .wish = w, .a = arena_new()};
	struct busy *busy = arena_array(e.a, r->topo->nadj, sizeof(*busy));

	e.r = routes_for(r, r->topo);
	e.seen = e.r;
	begin(&e, r);
	e.level = r->report.load_max;
	if (w->from != NULL)
		change_lids(&e, busy);
	else
		change_entries(&e, busy);
	arena_free(e.a);
	verify_state_unref(e.r->verified);
	e.r->verified = NULL;
	free(e.r->turns);
	e.r->turns = NULL;
	if (e.moves > 0)
		return e.r;
	routes_unref(e.r);
	return NULL;
}
