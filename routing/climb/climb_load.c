/*
 * climb_load: the load of links by the trees of all switches, and the choice
 * among parallel links by it.
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

uint32_t
climb_choose_link(const struct climb *x, sw_ix u, uint32_t c, uint16_t lid,
	const uint64_t *load, bool *kept)
{
	const struct link_group *links = &x->g->group[c];
	uint8_t was = x->job->keep ? climb_former_port(x, u, lid) : LFT_DROP;
	uint32_t best = links->adj;

	*kept = false;
	for (uint32_t k = links->adj; k < links->adj + links->n; k++) {
		if (x->g->t->adj[k].out == was) {
			*kept = true;
			return k;
		}
		if (load[k] < load[best])
			best = k;
	}
	return best;
}
