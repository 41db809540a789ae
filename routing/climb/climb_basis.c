#include "routing/climb/climb_basis.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

static void *
array_copy(struct arena *a, const void *what, size_t n, size_t size)
{
	void *to = arena_array(a, n + 1, size);

	memcpy(to, what, n * size);
	return to;
}

struct climb_basis *
climb_basis_new(const struct directions *d, const struct layer_orders *o,
	const uint16_t *dep, const uint64_t *load, struct arena *a)
{
	const struct swgraph *g = d->g;
	struct climb_basis *b = arena_alloc(a, sizeof(*b));
	unsigned ins = vl_map_ins(o->map);

	*b = (struct climb_basis){.nsw = g->nsw,
		.first =
			array_copy(a, g->first, g->nsw + 1U, sizeof(*b->first)),
		.peer = arena_array(a, d->n + 1U, sizeof(*b->peer)),
		.in = array_copy(a, o->in, d->n, sizeof(*b->in)),
		.out = array_copy(a, o->out, d->n, sizeof(*b->out)),
		.next = array_copy(a, d->dep, d->n + 1U, sizeof(*b->next)),
		.ins = ins,
		.dep = array_copy(
			a, dep, (size_t)ins * d->dep[d->n], sizeof(*dep)),
		.load = array_copy(a, load, g->t->nadj, sizeof(*load))};
	for (uint32_t c = 0; c < d->n; c++)
		b->peer[c] = g->group[c].peer;
	return b;
}

/* Groups of b, by those of a graph. */
struct match {
	const struct climb_basis *b;
	const struct directions *d;
	const sw_ix *was; /* [nsw] */
	const uint16_t *dep;
	uint32_t *group; /* [d->n] */
};

/* CLIMB_NO_GROUP: b lacks it. */
static void
match_groups(const struct match *m)
{
	const struct climb_basis *b = m->b;
	const struct swgraph *g = m->d->g;
	uint32_t *at = mem_alloc((b->nsw + 1U) * sizeof(*at));

	memset(at, 0xff, b->nsw * sizeof(*at));
	for (sw_ix s = 0; s < g->nsw; s++) {
		const uint32_t *end = &b->first[m->was[s]];

		for (uint32_t c = end[0]; c < end[1]; c++)
			at[b->peer[c]] = c;
		for (uint32_t c = g->first[s]; c < g->first[s + 1]; c++)
			m->group[c] = at[m->was[g->group[c].peer]];
		for (uint32_t c = end[0]; c < end[1]; c++)
			at[b->peer[c]] = UINT32_MAX;
	}
	free(at);
}

/* Whether what comes after group c climbs as it did. */
static bool
keeps_dependencies(const struct match *m, uint32_t c)
{
	const struct climb_basis *b = m->b;
	const struct directions *d = m->d;
	const struct swgraph *g = d->g;
	sw_ix to = g->group[c].peer;
	uint32_t old = b->next[m->group[c]] - b->first[m->was[to]];
	uint32_t all = b->next[b->first[b->nsw]];
	uint16_t lost = 0;

	for (unsigned in = 0; in < b->ins; in++) {
		const uint16_t *is = m->dep + (size_t)in * d->dep[d->n];
		const uint16_t *had = b->dep + (size_t)in * all;

		for (uint32_t i = g->first[to]; i < g->first[to + 1]; i++)
			if (m->group[i] != CLIMB_NO_GROUP)
				lost |= (uint16_t)(had[old + m->group[i]] &
						   ~is[directions_dep(
							   d, c, i)]);
	}
	return lost == 0;
}

bool
climb_basis_holds(const struct climb_basis *b, const sw_ix *was,
	const struct directions *d, const struct layer_orders *o,
	const uint16_t *dep)
{
	struct match m = {b, d, was, dep, NULL};
	bool holds = true;

	if (b->ins != vl_map_ins(o->map))
		return false;
	m.group = mem_alloc((d->n + 1U) * sizeof(*m.group));
	match_groups(&m);
	for (uint32_t c = 0; c < d->n && holds; c++)
		holds = m.group[c] == CLIMB_NO_GROUP ||
			(o->in[c] == b->in[m.group[c]] &&
				o->out[c] == b->out[m.group[c]] &&
				keeps_dependencies(&m, c));
	free(m.group);
	return holds;
}
