/*
 * Inference looks at a fabric from afar. Who then stands among its neighbours
 * as nobody does in a tree is asked again, one by one: at which height would
 * fewer of its cables lead elsewhere than to the next one? The largest gain
 * comes first, and each step leaves fewer contradictions.
 */
#include "routing/tiers/tree_priv.h"

struct settle {
	struct tree_work *w;
	uint32_t *most; /* [ncomp] the greatest height */
	uint32_t *gain; /* [nsw] by moving to to[] */
	uint32_t *to;
};

/* What is wrong with s at this height: a cable counts for more than hosts. */
static uint32_t
wrong(const struct tree_work *w, sw_ix s, uint32_t high)
{
	const struct swgraph *g = &w->g;
	uint32_t n = high > 0 && tree_has_hosts(w, s);

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t other = w->high[g->group[i].peer];

		if (other != high + 1 && high != other + 1)
			n += 2U * g->group[i].n;
	}
	return n;
}

/* Do most cables of s lead elsewhere than to the next height? */
static bool
is_astray(const struct tree_work *w, sw_ix s, uint32_t wrong)
{
	const struct swgraph *g = &w->g;
	uint32_t n = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		n += g->group[i].n;
	return wrong > n;
}

/* Who has hosts may become a leaf, nobody else; a leaf stays one, however few
 * of its cables lead up. */
static bool
may(const struct tree_work *w, sw_ix s, uint32_t high)
{
	if (tree_has_hosts(w, s))
		return high == 0;
	return high > 0 && is_astray(w, s, wrong(w, s, w->high[s]));
}

static void
weigh(struct settle *l, sw_ix s)
{
	const struct tree_work *w = l->w;
	uint32_t now = wrong(w, s, w->high[s]);

	l->gain[s] = 0;
	if (now <= 1 || w->role[s] != ROUTE_ROLE_NONE)
		return; /* hosts alone: their place is known by distances */
	for (uint32_t h = 0; h <= l->most[w->g.comp[s]]; h++) {
		uint32_t n = wrong(w, s, h);

		if (n >= now || now - n <= l->gain[s] || !may(w, s, h))
			continue;
		l->gain[s] = now - n;
		l->to[s] = h;
	}
}

static sw_ix
next(const struct settle *l)
{
	const struct tree_work *w = l->w;
	sw_ix best = TOPO_NONE;

	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (l->gain[s] > 0 &&
			(best == TOPO_NONE || l->gain[s] > l->gain[best] ||
				(l->gain[s] == l->gain[best] &&
					tree_guid(w, s) < tree_guid(w, best))))
			best = s;
	return best;
}

static void
begin(struct settle *l)
{
	const struct tree_work *w = l->w;
	const struct swgraph *g = &w->g;

	l->most = arena_array(g->a, g->ncomp, sizeof(*l->most));
	l->gain = arena_array(g->a, g->nsw, sizeof(*l->gain));
	l->to = arena_array(g->a, g->nsw, sizeof(*l->to));
	for (sw_ix s = 0; s < g->nsw; s++)
		if (w->high[s] != UINT32_MAX &&
			w->high[s] > l->most[g->comp[s]])
			l->most[g->comp[s]] = w->high[s];
	for (sw_ix s = 0; s < g->nsw; s++)
		if (w->high[s] != UINT32_MAX)
			weigh(l, s);
}

void
rank_refine(struct tree_work *w)
{
	struct settle l = {.w = w};
	const struct swgraph *g = &w->g;

	begin(&l);
	for (sw_ix s = next(&l); s != TOPO_NONE; s = next(&l)) {
		w->restless = true;
		w->high[s] = l.to[s];
		w->leaf[s] = l.to[s] == 0;
		weigh(&l, s);
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			if (w->high[g->group[i].peer] != UINT32_MAX)
				weigh(&l, g->group[i].peer);
	}
}
