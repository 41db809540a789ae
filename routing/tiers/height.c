#include <string.h>

#include "routing/tiers/tree_priv.h"

/* The round in progress. */
struct rising {
	bool *wait;  /* [nsw] candidates of this round */
	sw_ix *list; /* ... as a list */
	uint32_t n;
	uint32_t *down, *level; /* cables to what is placed, to candidates */
};

/* May s be placed from below? Roots come when nothing else does. */
static bool
wanted(const struct tree_work *w, sw_ix s, bool roots)
{
	return w->g.live[s] && w->high[s] == UINT32_MAX &&
	       w->like[s] == TOPO_NONE &&
	       (roots || w->role[s] != ROUTE_ROLE_ROOT);
}

/* Is a neighbour of s in this height? */
static bool
touches(const struct tree_work *w, sw_ix s, uint32_t h)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (w->high[g->group[i].peer] == h)
			return true;
	return false;
}

static void
gather(const struct tree_work *w, struct rising *r, uint32_t h, bool roots)
{
	const struct swgraph *g = &w->g;

	r->n = 0;
	for (sw_ix s = 0; s < g->nsw; s++) {
		r->wait[s] = wanted(w, s, roots) && touches(w, s, h);
		if (r->wait[s])
			r->list[r->n++] = s;
	}
}

static void
count_cables(const struct tree_work *w, struct rising *r)
{
	const struct swgraph *g = &w->g;

	for (uint32_t k = 0; k < r->n; k++) {
		sw_ix s = r->list[k];

		r->down[s] = r->level[s] = 0;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (w->high[peer] != UINT32_MAX)
				r->down[s] += g->group[i].n;
			else if (r->wait[peer])
				r->level[s] += g->group[i].n;
		}
	}
}

/* Candidates that have the largest share of their cables to others. */
static bool
send_back(struct tree_work *w, struct rising *r)
{
	uint32_t level = 0, down = 1, left = 0;

	count_cables(w, r);
	for (uint32_t k = 0; k < r->n; k++) {
		sw_ix s = r->list[k];

		if (r->level[s] > r->down[s] &&
			(uint64_t)r->level[s] * down >
				(uint64_t)level * r->down[s]) {
			level = r->level[s];
			down = r->down[s];
		}
	}
	if (level == 0)
		return false;
	w->restless = true;
	for (uint32_t k = 0; k < r->n; k++) {
		sw_ix s = r->list[k];

		if ((uint64_t)r->level[s] * down !=
			(uint64_t)level * r->down[s])
			r->list[left++] = s;
	}
	if (left == 0)
		return false; /* all alike: a level with cables inside */
	for (uint32_t k = 0; k < r->n; k++)
		r->wait[r->list[k]] = false;
	memset(r->wait, 0, w->g.nsw * sizeof(*r->wait));
	for (uint32_t k = 0; k < left; k++)
		r->wait[r->list[k]] = true;
	r->n = left;
	return true;
}

/* Tier by tier upwards until nothing is left to place. */
static void
rise(struct tree_work *w, struct rising *r, bool roots)
{
	uint32_t top = 0;

	for (uint32_t h = 0; h <= top; h++) {
		for (sw_ix s = 0; s < w->g.nsw; s++)
			if (w->high[s] != UINT32_MAX && w->high[s] > top)
				top = w->high[s];
		gather(w, r, h, roots);
		while (send_back(w, r))
			;
		for (uint32_t k = 0; k < r->n; k++)
			w->high[r->list[k]] = h + 1;
		top = r->n > 0 && h + 1 > top ? h + 1 : top;
	}
}

/* Roots are above all that they are cabled to. */
static void
place_roots(struct tree_work *w)
{
	const struct swgraph *g = &w->g;

	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t h = UINT32_MAX;

		if (!wanted(w, s, true) || w->role[s] != ROUTE_ROLE_ROOT)
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (w->role[peer] != ROUTE_ROLE_ROOT &&
				w->high[peer] != UINT32_MAX &&
				(h == UINT32_MAX || w->high[peer] >= h))
				h = w->high[peer] + 1;
		}
		w->high[s] = h;
	}
}

/* What most cables of s to placed switches say: one below, or one above. */
static uint32_t
vote(const struct tree_work *w, sw_ix s)
{
	const struct swgraph *g = &w->g;
	uint32_t best = UINT32_MAX, most = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t says = UINT32_MAX, n = 0;

		for (uint32_t j = i; j < g->first[s + 1]; j++) {
			sw_ix peer = g->group[j].peer;
			uint32_t h = w->high[peer];

			if (h == UINT32_MAX)
				continue;
			h += h == 0 || host_dist_is_above(w, s, peer) ? 1U
								      : -1U;
			if (says == UINT32_MAX)
				says = h;
			n += says == h ? g->group[j].n : 0;
		}
		if (n > most || (n == most && says < best)) {
			most = n;
			best = says;
		}
	}
	return best;
}

void
height_infer_rest(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	uint32_t *to = arena_array(g->a, g->nsw, sizeof(*to));
	bool more = true;

	while (more) {
		more = false;
		for (sw_ix s = 0; s < g->nsw; s++) {
			to[s] = w->high[s];
			if (!g->live[s] || w->high[s] != UINT32_MAX)
				continue;
			w->restless = true;
			if (w->like[s] != TOPO_NONE)
				to[s] = w->high[w->like[s]];
			if (to[s] == UINT32_MAX)
				to[s] = vote(w, s);
			more |= to[s] != UINT32_MAX;
		}
		memcpy(w->high, to, g->nsw * sizeof(*to));
	}
}

void
height_infer(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	struct rising r;

	r.wait = arena_array(g->a, g->nsw, sizeof(*r.wait));
	r.list = arena_array(g->a, g->nsw, sizeof(*r.list));
	r.down = arena_array(g->a, g->nsw, sizeof(*r.down));
	r.level = arena_array(g->a, g->nsw, sizeof(*r.level));
	for (sw_ix s = 0; s < g->nsw; s++)
		w->high[s] = g->live[s] && w->leaf[s] ? 0 : UINT32_MAX;
	rise(w, &r, false);
	place_roots(w);
	rise(w, &r, true);
	height_infer_rest(w);
}
