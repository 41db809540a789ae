#include "routing/graph/nbr_class.h"

#include <string.h>

#include "sm/base/bitset.h"
#include "sm/base/hash.h"

/* The neighbours of s on one side. */
struct list {
	const uint16_t *peer;
	uint32_t n;
};

static struct list
neighbour_list(const struct swgraph *g, const struct nbr_class *classes,
	sw_ix s, bool up)
{
	uint32_t from = up ? g->first[s] : classes->mid[s];
	uint32_t to = up ? classes->mid[s] : g->first[s + 1];

	return (struct list){classes->peer + from, to - from};
}

static void
split_neighbours(const struct swgraph *g, const struct sw_order *line,
	struct nbr_class *classes)
{
	classes->mid = arena_array(g->a, g->nsw, sizeof(*classes->mid));
	classes->peer =
		arena_array(g->a, g->first[g->nsw], sizeof(*classes->peer));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t head = g->first[s], tail = g->first[s + 1];
		uint32_t place = line->pos[s];

		for (uint32_t i = head; i < g->first[s + 1]; i++) {
			uint16_t peer = g->group[i].peer;

			if (line->pos[peer] < place)
				classes->peer[head++] = peer;
			else
				classes->peer[--tail] = peer;
		}
		classes->mid[s] = head;
	}
}

static uint32_t
hash_neighbours(const struct list *l)
{
	uint64_t h = l->n;

	for (uint32_t i = 0; i < l->n; i++)
		h = hash_mix(h, l->peer[i]);
	return (uint32_t)h;
}

/* The classes on one side, by a hash table of their first switches. */
static struct nbr_class_side
group_equal_neighbours(
	const struct swgraph *g, const struct nbr_class *classes, bool up)
{
	struct nbr_class_side side = {
		arena_array(g->a, g->nsw, sizeof(*side.first)),
		arena_array(g->a, g->nsw, sizeof(*side.n))};
	uint32_t mask = 1;
	uint32_t *slot; /* a first switch + 1; 0: free */

	while (mask < 2 * g->nsw)
		mask = mask * 2 + 1;
	slot = arena_array(g->a, (size_t)mask + 1, sizeof(*slot));
	for (sw_ix s = 0; s < g->nsw; s++) {
		const struct list is = neighbour_list(g, classes, s, up);
		uint32_t at = hash_neighbours(&is) & mask;
		sw_ix first = s;

		for (; slot[at] != 0; at = (at + 1) & mask) {
			struct list was =
				neighbour_list(g, classes, slot[at] - 1, up);

			if (was.n == is.n &&
				memcmp(was.peer, is.peer,
					is.n * sizeof(*is.peer)) == 0) {
				first = slot[at] - 1;
				break;
			}
		}
		slot[at] = first + 1;
		side.first[s] = first;
		side.n[first]++;
	}
	return side;
}

struct nbr_class
nbr_class_find_up(const struct swgraph *g, const struct sw_order *line)
{
	struct nbr_class classes = {.down = {NULL, NULL}};

	split_neighbours(g, line, &classes);
	classes.up = group_equal_neighbours(g, &classes, true);
	return classes;
}

struct nbr_class
nbr_class_find(const struct swgraph *g, const struct sw_order *line)
{
	struct nbr_class classes = nbr_class_find_up(g, line);

	classes.down = group_equal_neighbours(g, &classes, false);
	return classes;
}

struct nbr_class_groups
nbr_class_below(const struct swgraph *g, const struct nbr_class *classes)
{
	return (struct nbr_class_groups){
		.g = g,
		.classes = *classes,
		.seen = arena_array(g->a, g->nsw, sizeof(uint32_t)),
		.n = arena_array(g->a, g->nsw, sizeof(uint32_t)),
		.list = arena_array(g->a, g->first[g->nsw], sizeof(uint16_t)),
	};
}

const uint16_t *
nbr_class_groups(const struct nbr_class_groups *f, sw_ix s, uint32_t *n)
{
	const struct nbr_class *classes = &f->classes;
	uint16_t *list = f->list + f->g->first[s];
	uint32_t found = 0;

	if (f->n[s] == 0) {
		for (uint32_t i = classes->mid[s]; i < f->g->first[s + 1];
			i++) {
			sw_ix x = classes->up.first[classes->peer[i]];

			if (f->seen[x] == s + 1)
				continue;
			f->seen[x] = s + 1;
			list[found++] = (uint16_t)x;
		}
		f->n[s] = found + 1;
	}
	*n = f->n[s] - 1;
	return list;
}

struct nbr_class_union
nbr_class_unions(
	const struct swgraph *g, const struct nbr_class *classes, bool up)
{
	struct nbr_class_union sum = {
		.g = g, .classes = classes, .up = up, .round = 1};

	sum.when = arena_array(g->a, g->nsw, sizeof(*sum.when));
	sum.row = arena_array(g->a, g->nsw, sizeof(*sum.row));
	sum.own = arena_array(g->a, g->words, sizeof(*sum.own));
	return sum;
}

const uint64_t *
nbr_class_union(
	struct nbr_class_union *sum, sw_ix s, const uint64_t *const *set)
{
	const struct swgraph *g = sum->g;
	const struct nbr_class_side *side =
		sum->up ? &sum->classes->up : &sum->classes->down;
	const struct list l = neighbour_list(g, sum->classes, s, sum->up);
	sw_ix first = side->first[s];
	uint64_t *row = sum->own;

	if (side->n[first] > 1) {
		if (sum->row[first] == NULL)
			sum->row[first] =
				arena_array(g->a, g->words, sizeof(*row));
		row = sum->row[first];
		if (sum->when[first] == sum->round)
			return row;
		sum->when[first] = sum->round;
	}
	memset(row, 0, g->words * sizeof(*row));
	for (uint32_t i = 0; i < l.n; i++)
		bitset_or(row, set[l.peer[i]], g->words);
	return row;
}
