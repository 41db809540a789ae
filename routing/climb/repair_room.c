/*
 * repair_room: the arrays of a repair, and the switches of LIDs.
 */
#include <string.h>

#include "routing/climb/repair_priv.h"

sw_ix *
repair_list_owners(
	const struct switch_lids *lids, const struct topo *t, struct arena *a)
{
	sw_ix *owner = arena_array(a, t->max_lid + 1U, sizeof(*owner));

	memset(owner, 0xff, (t->max_lid + 1U) * sizeof(*owner));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = lids->first[s]; i < lids->first[s + 1]; i++)
			owner[lids->lid[i]] = s;
	return owner;
}

struct repair
repair_make_room(struct climb *x)
{
	const struct routes *prev = x->job->prev;
	struct arena *a = x->g->a;
	size_t n = x->g->nsw + 1U;
	size_t was = prev != NULL ? prev->topo->nsw + 1U : 1;
	struct repair_line *line = arena_array(a, n, sizeof(*line));

	for (size_t i = 0; i < n; i++)
		line[i].block = UINT32_MAX;
	return (struct repair){.x = x,
		.line = line,
		.was = arena_array(a, n, sizeof(sw_ix)),
		.is = arena_array(a, was, sizeof(sw_ix)),
		.load = arena_array(a, x->g->t->nadj + 1U, sizeof(uint64_t)),
		.gain = arena_array(a, x->g->t->nadj + 1U, sizeof(struct gain)),
		.owned = arena_array(a, n, sizeof(bool)),
		.tight = arena_array(a, n, sizeof(bool)),
		.state = arena_array(a, n, sizeof(uint8_t)),
		.touched = arena_array(a, n, sizeof(sw_ix)),
		.orphan = arena_array(a, n, sizeof(sw_ix)),
		.all = arena_array(a, n, sizeof(sw_ix)),
		.stack = arena_array(a, n, sizeof(sw_ix)),
		.trail = arena_array(a, n, sizeof(uint32_t)),
		.level = arena_array(a, n, sizeof(uint32_t)),
		.next = arena_array(a, n, sizeof(uint32_t)),
		.link = arena_array(a, n, sizeof(uint32_t)),
		.cost = arena_array(a, n, sizeof(uint64_t)),
		.mask = arena_array(a, n, sizeof(uint16_t)),
		.tail = arena_array(a, n, sizeof(uint16_t)),
		.onward = arena_array(a, n, sizeof(struct climb_onward))};
}
