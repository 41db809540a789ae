/*
 * climb_load: the load of links by the trees of all switches, the choice among
 * parallel links by it, and what the busiest one carries.
 */
#include "routing/climb/climb_priv.h"
#include "routing/core/link_load.h"

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

uint64_t
climb_highest_load(const struct topo *t, const uint64_t *load)
{
	uint64_t most = 0;

	for (uint32_t k = 0; k < t->nadj; k++) {
		uint64_t is;

		if (load[k] == 0)
			continue;
		is = link_load_of_pairs(load[k], t->adj[k].rate, t->rate_max);
		most = is > most ? is : most;
	}
	return most;
}
