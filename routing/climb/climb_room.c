/*
 * climb_room: the arrays of a computation.
 */
#include "routing/climb/climb_priv.h"

void
climb_make_room(struct climb *x)
{
	const struct swgraph *g = x->g;
	struct arena *a = g->a;
	size_t n = g->nsw + 1U, pairs = (size_t)g->nsw * g->nsw + 1;

	x->next = arena_array(a, pairs, sizeof(*x->next));
	x->mask = arena_array(a, pairs, sizeof(*x->mask));
	x->tail = arena_array(a, pairs, sizeof(*x->tail));
	x->seq = arena_array(a, pairs, sizeof(*x->seq));
	x->nseq = arena_array(a, n, sizeof(*x->nseq));
	x->pinned = arena_array(a, pairs, sizeof(*x->pinned));
	x->made = arena_array(a, n, sizeof(*x->made));
	x->load = arena_array(a, x->d->n + 1U, sizeof(*x->load));
	x->escape = arena_array(a, n, sizeof(*x->escape));
	x->depth = arena_array(a, n, sizeof(*x->depth));
	x->cost = arena_array(a, n, sizeof(*x->cost));
	x->settled = arena_array(a, n, sizeof(*x->settled));
	x->offer = arena_array(a, n, sizeof(*x->offer));
	x->offered = arena_array(a, n, sizeof(*x->offered));
	x->leaves = arena_array(a, n, sizeof(*x->leaves));
	x->wave = arena_array(a, n, sizeof(*x->wave));
	x->behind = arena_array(a, n, sizeof(*x->behind));
	x->shortest = arena_array(a, n, sizeof(*x->shortest));
	x->level = arena_array(a, n, sizeof(*x->level));
	x->at = arena_array(a, n, sizeof(*x->at));
	x->after = arena_array(a, n, sizeof(*x->after));
	x->open = arena_array(a, n, sizeof(*x->open));
	x->degree = arena_array(a, n, sizeof(*x->degree));
	x->has_pins = arena_array(a, n, sizeof(*x->has_pins));
	x->size = arena_array(a, g->ncomp + 1U, sizeof(*x->size));
	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			x->size[g->comp[s]]++;
	for (uint32_t c = 0; c < x->d->n; c++)
		x->degree[x->d->from[c]] += g->live[g->group[c].peer];
	x->escape_to = TOPO_NONE;
}
