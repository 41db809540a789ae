#include "routing/verify/dep_cycle.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { STARTS = 64 }; /* searches for a short cycle */

static uint32_t
next_of_matrix(const void *of, uint32_t c, unsigned *at)
{
	const struct dep_matrix *m = of;
	uint32_t d;

	do
		d = dep_graph_after(m->n, m->dep, c, at);
	while (d != TOPO_NONE && m->n->owner[d] == m->n->nsw);
	return d;
}

static uint32_t
prev_of_matrix(const void *of, uint32_t c, unsigned *at)
{
	const struct dep_matrix *m = of;

	return dep_graph_before(m->n, m->dep, c, at);
}

struct dep_channels
dep_cycle_matrix(const struct dep_matrix *m)
{
	return (struct dep_channels){
		m, m->n->nv, next_of_matrix, prev_of_matrix};
}

uint32_t
dep_cycle_trim(const struct dep_channels *d, bool back, bool *left)
{
	dep_neighbour *after = back ? d->prev : d->next;
	uint32_t *degree = mem_zalloc(d->n + 1U, sizeof(*degree));
	uint32_t *queue = mem_alloc((d->n + 1U) * sizeof(*queue));
	uint32_t tail = 0, stay = 0, x;
	unsigned at;

	for (uint32_t c = 0; c < d->n; c++) {
		at = 0;
		while (left[c] && (x = after(d->of, c, &at)) != TOPO_NONE)
			degree[x]++;
	}
	for (uint32_t c = 0; c < d->n; c++)
		if (left[c] && degree[c] == 0)
			queue[tail++] = c;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t c = queue[head];

		left[c] = false;
		at = 0;
		while ((x = after(d->of, c, &at)) != TOPO_NONE)
			if (left[x] && --degree[x] == 0)
				queue[tail++] = x;
	}
	for (uint32_t c = 0; c < d->n; c++)
		stay += left[c];
	free(degree);
	free(queue);
	return stay;
}

struct round {
	const struct dep_channels *d;
	const bool *left;
	uint32_t *from; /* breadth-first search tree; TOPO_NONE: not seen */
	uint32_t *queue;
};

/* A channel that follows c and is left. */
static uint32_t
next_left(const struct round *r, uint32_t c)
{
	unsigned at = 0;
	uint32_t x;

	do
		x = r->d->next(r->d->of, c, &at);
	while (x != TOPO_NONE && !r->left[x]);
	return x;
}

/* The shortest path from `start` back to itself, first channel first; returns
 * its length, 0 where there is none shorter than limit. */
static uint32_t
round_trip(struct round *r, uint32_t start, uint32_t *path, uint32_t limit)
{
	const struct dep_channels *d = r->d;
	uint32_t head = 0, tail = 0, n = 0, x;

	memset(r->from, 0xff, d->n * sizeof(*r->from));
	r->queue[tail++] = start;
	while (head < tail && r->from[start] == TOPO_NONE) {
		uint32_t c = r->queue[head++];
		unsigned at = 0;

		while ((x = d->next(d->of, c, &at)) != TOPO_NONE) {
			if (!r->left[x] || r->from[x] != TOPO_NONE)
				continue;
			r->from[x] = c;
			r->queue[tail++] = x;
		}
	}
	if (r->from[start] == TOPO_NONE)
		return 0;
	x = start;
	do {
		x = r->from[x];
		n++;
	} while (x != start && n < limit);
	if (n >= limit)
		return 0;
	for (uint32_t i = n; i-- > 0;) {
		x = r->from[x];
		path[i] = x;
	}
	return n;
}

/* A channel on a cycle: one that comes again on a walk. */
static uint32_t
find_cyclic(struct round *r)
{
	uint32_t c = 0;

	while (!r->left[c])
		c++;
	memset(r->from, 0xff, r->d->n * sizeof(*r->from));
	while (r->from[c] == TOPO_NONE) {
		r->from[c] = 0;
		c = next_left(r, c);
	}
	return c;
}

uint32_t
dep_cycle_shortest(
	const struct dep_channels *d, const bool *left, uint32_t *path)
{
	struct round r = {.d = d,
		.left = left,
		.from = mem_alloc(d->n * sizeof(*r.from)),
		.queue = mem_alloc((d->n + 1U) * sizeof(*r.queue))};
	uint32_t first = find_cyclic(&r), c = first;
	uint32_t best = round_trip(&r, first, path, UINT32_MAX), n;

	for (unsigned i = 1; i < STARTS; i++) {
		c = next_left(&r, c);
		if (c == first)
			break;
		n = round_trip(&r, c, path, best);
		best = n > 0 ? n : best;
	}
	free(r.from);
	free(r.queue);
	return best;
}
