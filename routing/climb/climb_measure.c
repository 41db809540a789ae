/*
 * climb_measure: lengths of shortest paths, whatever layers they climb in.
 */
#include <string.h>

#include "routing/climb/climb_priv.h"

void
climb_measure(struct climb *x, sw_ix t, uint32_t *links)
{
	const struct swgraph *g = x->g;
	uint32_t n = 0;

	memset(links, 0xff, g->nsw * sizeof(*links));
	links[t] = 0;
	x->wave[n++] = t;
	for (uint32_t at = 0; at < n; at++) {
		sw_ix v = x->wave[at];

		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			sw_ix u = g->group[i].peer;

			if (!g->live[u] || links[u] != UINT32_MAX)
				continue;
			links[u] = links[v] + 1;
			x->wave[n++] = u;
		}
	}
}
