/*
 * An oracle for up/down routes that shares nothing with their engine: the order
 * that they claim, distances by plain search over it, walks of every pair, the
 * dependency graph.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_UPDOWN_UPDOWN_ORACLE_H
#define HEDDLE_TESTS_UNIT_ROUTING_UPDOWN_UPDOWN_ORACLE_H

#include <stdlib.h>
#include <string.h>

#include "routing/core/routes.h"
#include "routing/updown/updown_state.h"
#include "sm/base/mem.h"
#include "tests/unit/suite.h"

enum { NEVER = 1000000 };

/* What the oracle knows of one result. */
struct oracle {
	const struct topo *t;
	const struct routes *r;
	uint32_t *pos;	 /* the switch order */
	bool *turned;	 /* in the sFtree subtree */
	uint32_t *below; /* [nsw] hops to the current destination, going down */
	uint32_t *any;	 /* ... by a legal path */
	bool *edge;	 /* [nadj * nadj] dependencies */
	uint64_t seed;
	bool joiners; /* extra subtree members exist: they do not go down first,
			 see sftree_extend.h */
};

static inline bool
is_quarantined(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_QUARANTINED) != 0;
}

/* The sFtree subtree first and reversed, then the rest; with extra members
 * (joiners) the routes give the order. */
static inline void
find_order(struct oracle *o)
{
	const struct topo *t = o->t;
	bool more = updown_state_sftree_root(o->r) != TOPO_NONE;

	if (more)
		o->turned[updown_state_sftree_root(o->r)] = true;
	while (more) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
				sw_ix up = t->adj[t->sw[s].adj + i].peer;

				if (!o->turned[s] || o->turned[up] ||
					is_quarantined(t, up) ||
					!routes_above(o->r, up, s))
					continue;
				o->turned[up] = more = true;
			}
	}
	for (sw_ix a = 0; a < t->nsw; a++)
		for (sw_ix b = 0; b < t->nsw; b++) {
			bool first = o->turned[b] != o->turned[a] ? o->turned[b]
				     : o->turned[b] ? routes_above(o->r, a, b)
						    : routes_above(o->r, b, a);

			o->pos[a] += b != a && first;
		}
	if (o->r->sw_order == NULL)
		return;
	o->joiners =
		memcmp(o->pos, o->r->sw_order, t->nsw * sizeof(*o->pos)) != 0;
	memcpy(o->pos, o->r->sw_order, t->nsw * sizeof(*o->pos));
}

/* Bellman and Ford, for one destination switch. */
static inline void
find_distances(struct oracle *o, sw_ix dest)
{
	const struct topo *t = o->t;
	bool more = true;

	for (sw_ix s = 0; s < t->nsw; s++)
		o->below[s] = o->any[s] = s == dest ? 0 : NEVER;
	for (; more;) {
		more = false;
		for (uint32_t i = 0; i < t->nsw * 255U; i++) {
			sw_ix s = i / 255;
			const struct topo_adj *a =
				&t->adj[t->sw[s].adj + i % 255];

			if (i % 255 >= t->sw[s].nadj || is_quarantined(t, s) ||
				is_quarantined(t, a->peer) ||
				o->pos[a->peer] < o->pos[s])
				continue;
			if (o->below[a->peer] + 1 < o->below[s]) {
				o->below[s] = o->below[a->peer] + 1;
				more = true;
			}
		}
	}
	/* From the top down, so that one pass settles it. */
	for (uint32_t p = 0; p < t->nsw; p++)
		for (sw_ix s = 0; s < t->nsw; s++) {
			if (o->pos[s] != p || is_quarantined(t, s))
				continue;
			o->any[s] = o->below[s];
			for (uint32_t i = 0;
				i < t->sw[s].nadj && o->below[s] >= NEVER;
				i++) {
				sw_ix up = t->adj[t->sw[s].adj + i].peer;

				if (!is_quarantined(t, up) && o->pos[up] < p &&
					o->any[up] + 1 < o->any[s])
					o->any[s] = o->any[up] + 1;
			}
		}
}

/* True if out is a port of s on a shortest legal path, as the rule says. */
static inline bool
is_candidate(const struct oracle *o, sw_ix s, uint8_t out)
{
	const struct topo *t = o->t;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

		if (a->out != out || is_quarantined(t, a->peer))
			continue;
		if (o->below[s] < NEVER)
			return o->pos[a->peer] > o->pos[s] &&
			       o->below[a->peer] + 1 == o->below[s];
		return o->pos[a->peer] < o->pos[s] &&
		       o->any[a->peer] + 1 == o->any[s];
	}
	return false;
}

static inline uint32_t
cable_of(const struct topo *t, sw_ix s, uint8_t out)
{
	for (uint32_t i = 0; i < t->sw[s].nadj; i++)
		if (t->adj[t->sw[s].adj + i].out == out)
			return t->sw[s].adj + i;
	return TOPO_NONE;
}

/* True if a step by link c, after one by link last, obeys the order. */
static inline bool
obeys_order(const struct oracle *o, uint32_t last, sw_ix s, uint32_t c)
{
	const struct topo *t = o->t;
	bool up = c != TOPO_NONE && o->pos[t->adj[c].peer] < o->pos[s];
	sw_ix from;

	if (!o->joiners)
		return c != TOPO_NONE && is_candidate(o, s, t->adj[c].out);
	if (last == TOPO_NONE || c == TOPO_NONE || !up)
		return c != TOPO_NONE;
	for (from = 0; last >= t->sw[from].adj + t->sw[from].nadj;)
		from++;
	return o->pos[s] < o->pos[from];
}

/* Walks from every switch to lid; dependencies go into o->edge. */
static inline void
walk_all(struct oracle *o, sw_ix dest, uint16_t lid)
{
	const struct topo *t = o->t;

	for (sw_ix from = 0; from < t->nsw; from++) {
		uint32_t last = TOPO_NONE, steps = 0;

		if (is_quarantined(t, from) || o->any[from] >= NEVER)
			continue;
		for (sw_ix s = from; s != dest; steps++) {
			uint8_t out = routes_port(o->r, s, lid);
			uint32_t c = cable_of(t, s, out);

			ck_assert_msg(obeys_order(o, last, s, c),
				"seed %llu: switch %u LID %u port %u is no way",
				(unsigned long long)o->seed, s, lid, out);
			ck_assert_uint_lt(steps, t->nsw);
			if (last != TOPO_NONE)
				o->edge[(size_t)last * t->nadj + c] = true;
			last = c;
			s = t->adj[c].peer;
		}
		ck_assert(o->joiners || steps == o->any[from]);
	}
}

static inline bool
has_cycle(const struct oracle *o, uint32_t c, uint8_t *state)
{
	if (state[c] != 0)
		return state[c] == 1;
	state[c] = 1;
	for (uint32_t d = 0; d < o->t->nadj; d++)
		if (o->edge[(size_t)c * o->t->nadj + d] &&
			has_cycle(o, d, state))
			return true;
	state[c] = 2;
	return false;
}

/* Down-up dependencies of the recorded order are inside the sFtree subtree
 * only. */
static inline void
check_dependencies(const struct oracle *o)
{
	const struct topo *t = o->t;

	for (uint32_t c = 0; c < t->nadj; c++)
		for (uint32_t d = 0; d < t->nadj; d++) {
			sw_ix mid = t->adj[c].peer, to = t->adj[d].peer;
			sw_ix from = TOPO_NONE;

			if (!o->edge[(size_t)c * t->nadj + d])
				continue;
			for (sw_ix s = 0; s < t->nsw; s++)
				if (c >= t->sw[s].adj &&
					c < t->sw[s].adj + t->sw[s].nadj)
					from = s;
			ck_assert_msg(
				o->joiners || !routes_above(o->r, from, mid) ||
					!routes_above(o->r, to, mid) ||
					(o->turned[from] && o->turned[mid] &&
						o->turned[to]),
				"seed %llu: down-up turn %u %u %u",
				(unsigned long long)o->seed, from, mid, to);
		}
}

static inline struct oracle
oracle_new(const struct routes *r, uint64_t seed)
{
	const struct topo *t = r->topo;
	struct oracle o = {.t = t, .r = r, .seed = seed};

	o.pos = mem_zalloc(t->nsw, sizeof(*o.pos));
	o.turned = mem_zalloc(t->nsw, sizeof(*o.turned));
	o.below = mem_zalloc(t->nsw, sizeof(*o.below));
	o.any = mem_zalloc(t->nsw, sizeof(*o.any));
	o.edge = mem_zalloc((size_t)t->nadj * t->nadj, sizeof(*o.edge));
	find_order(&o);
	return o;
}

static inline void
oracle_free(struct oracle *o)
{
	free(o->pos);
	free(o->turned);
	free(o->below);
	free(o->any);
	free(o->edge);
}

#endif
