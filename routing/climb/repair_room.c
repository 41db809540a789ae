/*
 * repair_room: the arrays of a repair.
 */
#include "routing/climb/repair_priv.h"

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
		.owner = x->lids.of,
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
