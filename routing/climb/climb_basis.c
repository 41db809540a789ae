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

	*b = (struct climb_basis){.nsw = g->nsw,
		.first =
			array_copy(a, g->first, g->nsw + 1U, sizeof(*b->first)),
		.peer = arena_array(a, d->n + 1U, sizeof(*b->peer)),
		.in = array_copy(a, o->in, d->n, sizeof(*b->in)),
		.out = array_copy(a, o->out, d->n, sizeof(*b->out)),
		.next = array_copy(a, d->dep, d->n + 1U, sizeof(*b->next)),
		.ins = vl_map_ins(o->map),
		.dep = dep,
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
	bool *same;	 /* [nsw] a switch has the groups that it had */
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
		m->same[s] = end[1] - end[0] == g->first[s + 1] - g->first[s];
		for (uint32_t c = g->first[s]; c < g->first[s + 1]; c++) {
			m->group[c] = at[m->was[g->group[c].peer]];
			m->same[s] &= m->group[c] - end[0] == c - g->first[s];
		}
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

/*
 * Groups from c on that come one after the other in b too, as what comes after
 * them does, where all that comes after them climbs in the same layers as it
 * did; how many.
 */
static uint32_t
count_alike(const struct match *m, uint32_t c)
{
	const struct climb_basis *b = m->b;
	const struct directions *d = m->d;
	size_t was = b->next[b->first[b->nsw]], is = d->dep[d->n];
	uint32_t end = c, n;
	bool alike = true;

	while (end < d->n && m->group[end] == m->group[c] + (end - c) &&
		m->same[d->g->group[end].peer])
		end++;
	n = d->dep[end] - d->dep[c];
	for (unsigned in = 0; in < b->ins && alike && n > 0; in++)
		alike = memcmp(m->dep + in * is + d->dep[c],
				b->dep + in * was + b->next[m->group[c]],
				n * sizeof(*m->dep)) == 0;
	return alike ? end - c : 0;
}

/* Whether all dependencies do. */
static bool
keep_all_dependencies(const struct match *m)
{
	bool keep = true;

	for (uint32_t c = 0; c < m->d->n && keep;) {
		uint32_t n =
			m->group[c] == CLIMB_NO_GROUP ? 1 : count_alike(m, c);

		if (n == 0) {
			keep = keeps_dependencies(m, c);
			n = 1;
		}
		c += n;
	}
	return keep;
}

bool
climb_basis_holds(const struct climb_basis *b, const sw_ix *was,
	const struct directions *d, const struct layer_orders *o,
	const uint16_t *dep)
{
	struct match m = {b, d, was, dep, NULL, NULL};
	bool holds = true;

	if (b->ins != vl_map_ins(o->map))
		return false;
	m.group = mem_alloc((d->n + 1U) * sizeof(*m.group));
	m.same = mem_zalloc(d->g->nsw + 1U, sizeof(*m.same));
	match_groups(&m);
	for (uint32_t c = 0; c < d->n && holds; c++)
		holds = m.group[c] == CLIMB_NO_GROUP ||
			(o->in[c] == b->in[m.group[c]] &&
				o->out[c] == b->out[m.group[c]]);
	holds = holds && keep_all_dependencies(&m);
	free(m.group);
	free(m.same);
	return holds;
}
