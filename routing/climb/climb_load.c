/*
 * climb_load: the load of links by the trees of all switches.
 */
#include "routing/climb/climb_priv.h"

void
climb_add_load(struct climb *x, sw_ix t, bool add)
{
	const struct swgraph *g = x->g;
	const sw_ix *seq = x->seq + climb_pair(x, t, 0);

	for (uint32_t k = 0; k < x->nseq[t]; k++)
		x->behind[seq[k]] = g->weight[seq[k]];
	for (uint32_t k = x->nseq[t]; k-- > 1;) {
		uint32_t c = x->next[climb_pair(x, t, seq[k])];
		uint64_t pairs = x->behind[seq[k]] * g->weight[t];

		x->load[c] = add ? x->load[c] + pairs : x->load[c] - pairs;
		x->behind[g->group[c].peer] += x->behind[seq[k]];
	}
}
