#include "routing/graph/nbr_class.h"

#include <string.h>

#include "routing/updown/updown.h"

/* The neighbours of s on one side. */
struct list {
	const uint16_t *peer;
	uint32_t n;
};

static struct list
list_of(const struct updown *u, const struct nbr_class *kin, sw_ix s, bool up)
{
	uint32_t from = up ? u->first[s] : kin->mid[s];
	uint32_t to = up ? kin->mid[s] : u->first[s + 1];

	return (struct list){kin->peer + from, to - from};
}

static void
split(const struct updown *u, const struct sw_order *line,
	struct nbr_class *kin)
{
	kin->mid = arena_array(u->a, u->nsw, sizeof(*kin->mid));
	kin->peer = arena_array(u->a, u->first[u->nsw], sizeof(*kin->peer));
	for (sw_ix s = 0; s < u->nsw; s++) {
		uint32_t head = u->first[s], tail = u->first[s + 1];
		uint32_t place = line->pos[s];

		for (uint32_t g = head; g < u->first[s + 1]; g++) {
			uint16_t peer = u->group[g].peer;

			if (line->pos[peer] < place)
				kin->peer[head++] = peer;
			else
				kin->peer[--tail] = peer;
		}
		kin->mid[s] = head;
	}
}

static uint32_t
hash_neighbours(const struct list *l)
{
	uint32_t h = l->n;

	for (uint32_t i = 0; i < l->n; i++)
		h = (h ^ l->peer[i]) * 0x9e3779b1U;
	return h ^ h >> 15;
}

/* In a table of those that came first. */
static struct nbr_class_side
alike(const struct updown *u, const struct nbr_class *kin, bool up)
{
	struct nbr_class_side side = {
		arena_array(u->a, u->nsw, sizeof(*side.first)),
		arena_array(u->a, u->nsw, sizeof(*side.n))};
	uint32_t mask = 1;
	uint32_t *slot; /* one more than a switch */

	while (mask < 2 * u->nsw)
		mask = mask * 2 + 1;
	slot = arena_array(u->a, (size_t)mask + 1, sizeof(*slot));
	for (sw_ix s = 0; s < u->nsw; s++) {
		const struct list is = list_of(u, kin, s, up);
		uint32_t at = hash_neighbours(&is) & mask;
		sw_ix first = s;

		for (; slot[at] != 0; at = (at + 1) & mask) {
			struct list was = list_of(u, kin, slot[at] - 1, up);

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
nbr_class_find_up(const struct updown *u, const struct sw_order *line)
{
	struct nbr_class kin = {.down = {NULL, NULL}};

	split(u, line, &kin);
	kin.up = alike(u, &kin, true);
	return kin;
}

struct nbr_class
nbr_class_find(const struct updown *u, const struct sw_order *line)
{
	struct nbr_class kin = nbr_class_find_up(u, line);

	kin.down = alike(u, &kin, false);
	return kin;
}

struct nbr_class_groups
nbr_class_below(const struct updown *u, const struct nbr_class *kin)
{
	return (struct nbr_class_groups){
		.u = u,
		.kin = *kin,
		.seen = arena_array(u->a, u->nsw, sizeof(uint32_t)),
		.n = arena_array(u->a, u->nsw, sizeof(uint32_t)),
		.list = arena_array(u->a, u->first[u->nsw], sizeof(uint16_t)),
	};
}

const uint16_t *
nbr_class_groups(const struct nbr_class_groups *f, sw_ix s, uint32_t *n)
{
	const struct nbr_class *kin = &f->kin;
	uint16_t *list = f->list + f->u->first[s];
	uint32_t found = 0;

	if (f->n[s] == 0) {
		for (uint32_t i = kin->mid[s]; i < f->u->first[s + 1]; i++) {
			sw_ix x = kin->up.first[kin->peer[i]];

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

const uint64_t **
nbr_class_rows(const struct updown *u, const uint64_t *rows)
{
	const uint64_t **row = arena_array(u->a, u->nsw, sizeof(*row));

	for (sw_ix s = 0; s < u->nsw; s++)
		row[s] = rows + (size_t)s * u->words;
	return row;
}

struct nbr_class_union
nbr_class_unions(const struct updown *u, const struct nbr_class *kin, bool up)
{
	struct nbr_class_union sum = {.u = u, .kin = kin, .up = up, .round = 1};

	sum.when = arena_array(u->a, u->nsw, sizeof(*sum.when));
	sum.row = arena_array(u->a, u->nsw, sizeof(*sum.row));
	sum.own = arena_array(u->a, u->words, sizeof(*sum.own));
	return sum;
}

const uint64_t *
nbr_class_union(
	struct nbr_class_union *sum, sw_ix s, const uint64_t *const *set)
{
	const struct updown *u = sum->u;
	const struct nbr_class_side *side =
		sum->up ? &sum->kin->up : &sum->kin->down;
	const struct list l = list_of(u, sum->kin, s, sum->up);
	sw_ix first = side->first[s];
	uint64_t *row = sum->own;

	if (side->n[first] > 1) {
		if (sum->row[first] == NULL)
			sum->row[first] =
				arena_array(u->a, u->words, sizeof(*row));
		row = sum->row[first];
		if (sum->when[first] == sum->round)
			return row;
		sum->when[first] = sum->round;
	}
	memset(row, 0, u->words * sizeof(*row));
	for (uint32_t i = 0; i < l.n; i++)
		bitset_or(row, set[l.peer[i]], u->words);
	return row;
}
