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
};

struct climb_search_room {
	uint32_t now;	  /* number of the search */
	uint32_t *round;  /* [states] the search that cost and before are of */
	uint32_t *cost;	  /* [states] */
	uint32_t *before; /* [states] where it was reached from, or NO_STATE */
	uint32_t bucket[CLIMB_COST_MOST]; /* entries by cost, or NO_STATE */
	struct entry *entry;		  /* nentries of them */
	uint32_t nentries;
	bool *seen; /* [nsw] none is, in between */
};

struct climb_search *
climb_search_new(const struct climb *x, climb_cost_of *cost_of, void *of)
{
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U, states = (size_t)x->d->n * x->ins + 1U;
	size_t entries = states + (size_t)x->d->dep[x->d->n] * x->ins;
	struct climb_search *q = arena_alloc(a, sizeof(*q));
	struct climb_search_room *room = arena_alloc(a, sizeof(*room));

	/* most of what is not cleared is never touched */
	room->now = 0;
	room->round = arena_array(a, states, sizeof(*room->round));
	room->cost = arena_alloc(a, states * sizeof(*room->cost));
	room->before = arena_alloc(a, states * sizeof(*room->before));
	room->entry = arena_alloc(a, entries * sizeof(*room->entry));
	room->seen = arena_array(a, n, sizeof(*room->seen));
	*q = (struct climb_search){.x = x,
		.cost_of = cost_of,
		.of = of,
		.path = arena_alloc(a, states * sizeof(*q->path)),
		.room = room};
	return q;
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
	m->entry[m->nentries] = (struct entry){state, m->bucket[cost]};
	m->bucket[cost] = m->nentries++;
}

/* Go on from a state: group c, reached by a link of a class. */
static void
offer_links(struct climb_search *q, uint32_t state)
{
	const struct climb *x = q->x;
	const struct swgraph *g = x->g;
	uint32_t c = state / x->ins;
	unsigned in = state % x->ins;
	sw_ix s = g->group[c].peer;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (g->live[g->group[i].peer] &&
			(climb_dep(x, in, c, i) >> q->layer & 1) != 0)
			offer_state(q->room, i * x->ins + x->in[c], state,
				q->room->cost[state] + q->cost_of(q->of, s, i));
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
	const struct swgraph *g = x->g;

	q->t = t;
	q->layer = layer;
	m->now++;
	m->nentries = 0;
	memset(m->bucket, 0xff, sizeof(m->bucket));
	for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
		if (g->live[g->group[i].peer])
			offer_state(m, i * x->ins, NO_STATE,
				q->cost_of(q->of, u, i));
	for (uint32_t cost = 0; cost < CLIMB_COST_MOST; cost++)
		while (m->bucket[cost] != NO_STATE) {
			const struct entry *e = &m->entry[m->bucket[cost]];
			uint32_t state = e->state;

			m->bucket[cost] = e->next;
			if (m->cost[state] != cost)
				continue;
			if (g->group[state / x->ins].peer == t)
				return list_path(q, state);
			offer_links(q, state);
		}
	return false;
}
