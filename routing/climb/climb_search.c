/*
 * climb_search: the cheapest path that climbs in a layer, where what it costs
 * is what it changes.
 *
 * A state is a group of links and the class of the link before it: by both the
 * layers follow in which a path goes on.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"

enum { NO_STATE = UINT32_MAX };

/* A state, in the list of those of equal cost. */
struct entry {
	uint32_t state, next;
	bool others; /* it has been reached, and other next hops have their
			turn */
};

struct climb_search_room {
	uint32_t now;	  /* number of the search */
	uint32_t *round;  /* [states] the search that cost and before are of */
	uint32_t *cost;	  /* [states] */
	uint32_t *before; /* [states] where it was reached from, or NO_STATE */
	uint32_t bucket[CLIMB_COST_MOST]; /* entries by cost, or NO_STATE */
	uint32_t most;	     /* highest cost of one, in the last search */
	struct entry *entry; /* nentries of them */
	uint32_t nentries;
	uint32_t open;	  /* ... in buckets */
	bool *seen;	  /* [nsw] none is, in between */
	uint32_t *asked;  /* [nsw] the search that change[] is of */
	uint32_t *change; /* [nsw] see cost_of_change */
};

void
climb_search_room(struct climb_search *q)
{
	const struct climb *x = q->x;
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U, states = (size_t)x->d->n * x->ins + 1U;
	size_t entries = 2 * states + (size_t)x->d->dep[x->d->n] * x->ins;
	struct climb_search_room *m = arena_alloc(a, sizeof(*m));

	/* most of what is not cleared is never touched */
	m->now = 0;
	m->most = CLIMB_COST_MOST - 1;
	m->round = arena_array(a, states, sizeof(*m->round));
	m->cost = arena_alloc(a, states * sizeof(*m->cost));
	m->before = arena_alloc(a, states * sizeof(*m->before));
	m->entry = arena_alloc(a, entries * sizeof(*m->entry));
	m->seen = arena_array(a, n, sizeof(*m->seen));
	m->asked = arena_array(a, n, sizeof(*m->asked));
	m->change = arena_array(a, n, sizeof(*m->change));
	q->path = arena_alloc(a, states * sizeof(*q->path));
	q->room = m;
}

static void
put_entry(
	struct climb_search_room *m, uint32_t state, bool others, uint32_t cost)
{
	if (cost >= CLIMB_COST_MOST)
		return;
	if (cost > m->most)
		m->most = cost;
	m->entry[m->nentries] = (struct entry){state, m->bucket[cost], others};
	m->bucket[cost] = m->nentries++;
	m->open++;
}

static void
offer_state(struct climb_search_room *m, uint32_t state, uint32_t before,
	uint32_t cost)
{
	if (cost >= CLIMB_COST_MOST ||
		(m->round[state] == m->now && m->cost[state] <= cost))
		return;
	m->round[state] = m->now;
	m->cost[state] = cost;
	m->before[state] = before;
	put_entry(m, state, false, cost);
}

/* What any next hop costs at least that is not the one in use. */
enum { COST_OTHER = CLIMB_COST_HOP + CLIMB_COST_CHANGE };

/* What another next hop costs at s, over whichever link it was reached. */
static uint32_t
cost_of_change(const struct climb_search *q, sw_ix s)
{
	struct climb_search_room *m = q->room;
	uint32_t breaks;

	if (m->asked[s] == m->now)
		return m->change[s];
	breaks = q->breaks(q->of, s);
	m->asked[s] = m->now;
	m->change[s] = CLIMB_COST_MOST;
	if (breaks != CLIMB_COST_MOST)
		m->change[s] =
			COST_OTHER +
			CLIMB_COST_BREAK *
				(breaks < CLIMB_BREAKS ? breaks : CLIMB_BREAKS);
	return m->change[s];
}

/* Go on from a state by the n groups from first on, for which it needs as many
 * dependencies to climb. */
static void
offer_links(struct climb_search *q, uint32_t state, uint32_t first, uint32_t n,
	uint32_t cost)
{
	const struct climb *x = q->x;
	uint32_t c = state / x->ins, to = first * x->ins + x->in[c];
	const uint16_t *dep = x->dep +
			      (size_t)x->d->dep[x->d->n] * (state % x->ins) +
			      directions_dep(x->d, c, first);

	for (uint32_t i = 0; i < n; i++)
		if ((dep[i] >> q->layer & 1) != 0 &&
			x->g->live[x->g->group[first + i].peer])
			offer_state(q->room, to + i * x->ins, state, cost);
}

/* Go on from a state that has been reached: by the next hop in use; by others
 * later, when it is their turn at least. */
static void
offer_next_hop(struct climb_search *q, uint32_t state, uint32_t cost)
{
	const struct climb *x = q->x;
	uint32_t i = q->next_hop(q->of, x->g->group[state / x->ins].peer);

	if (i != CLIMB_NO_GROUP)
		offer_links(q, state, i, 1, cost + CLIMB_COST_HOP);
	put_entry(q->room, state, true, cost + COST_OTHER);
}

static void
offer_others(struct climb_search *q, uint32_t state)
{
	const struct swgraph *g = q->x->g;
	sw_ix s = g->group[state / q->x->ins].peer;

	offer_links(q, state, g->first[s], g->first[s + 1] - g->first[s],
		q->room->cost[state] + cost_of_change(q, s));
}

/* Begin at u: all its links. */
static void
offer_first(struct climb_search *q, sw_ix u)
{
	const struct climb *x = q->x;
	const struct swgraph *g = x->g;
	uint32_t next = q->next_hop(q->of, u), change = cost_of_change(q, u);

	for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
		if (g->live[g->group[i].peer])
			offer_state(q->room, i * x->ins, NO_STATE,
				i == next ? CLIMB_COST_HOP : change);
}

/* The path that ends with a state; false: it passes a switch twice. */
static bool
list_path(struct climb_search *q, uint32_t state)
{
	const struct climb *x = q->x;
	const struct climb_search_room *m = q->room;
	bool once = true;
	uint32_t n = 0;

	for (uint32_t i = state; i != NO_STATE; i = m->before[i])
		n++;
	q->length = n;
	for (uint32_t i = state; i != NO_STATE; i = m->before[i])
		q->path[--n] = i / x->ins;
	for (uint32_t i = 0; i < q->length; i++) {
		sw_ix s = x->d->from[q->path[i]];

		once = once && !m->seen[s];
		m->seen[s] = true;
	}
	for (uint32_t i = 0; i < q->length; i++)
		m->seen[x->d->from[q->path[i]]] = false;
	return once;
}

bool
climb_search_path(struct climb_search *q, sw_ix t, sw_ix u, unsigned layer)
{
	struct climb_search_room *m = q->room;
	const struct climb *x = q->x;

	q->t = t;
	q->layer = layer;
	m->now++;
	m->nentries = m->open = 0;
	memset(m->bucket, 0xff, (m->most + 1) * sizeof(*m->bucket));
	m->most = 0;
	offer_first(q, u);
	for (uint32_t cost = 0; m->open > 0; cost++)
		while (m->bucket[cost] != NO_STATE) {
			struct entry e = m->entry[m->bucket[cost]];
			uint32_t at = m->cost[e.state];

			m->bucket[cost] = e.next;
			m->open--;
			if (at + (e.others ? COST_OTHER : 0) != cost)
				continue;
			if (e.others)
				offer_others(q, e.state);
			else if (x->g->group[e.state / x->ins].peer == t) {
				q->cost = cost;
				return list_path(q, e.state);
			} else
				offer_next_hop(q, e.state, cost);
		}
	q->cost = CLIMB_COST_MOST;
	return false;
}
