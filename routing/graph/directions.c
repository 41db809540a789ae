#include "routing/graph/directions.h"

void
directions_build(struct directions *d, const struct swgraph *g)
{
	uint32_t n = g->first[g->nsw];

	*d = (struct directions){.g = g,
		.n = n,
		.back = arena_array(g->a, n + 1U, sizeof(*d->back)),
		.from = arena_array(g->a, n + 1U, sizeof(*d->from)),
		.dep = arena_array(g->a, n + 2U, sizeof(*d->dep))};
	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix p = g->group[i].peer;

			d->from[i] = s;
			d->dep[i + 1] =
				d->dep[i] + g->first[p + 1] - g->first[p];
			for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++)
				if (g->group[k].peer == s)
					d->back[i] = k;
		}
}
