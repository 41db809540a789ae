#include "routing/verify.h"

#include <string.h>

#include "routing/routes.h"
#include "routing/verify_graph.h"
#include "sm/base/mem.h"

/* The busiest cable direction, the mean, and the mean number of hops. */
static void
judge_loads(const struct verify_graph *g, struct verify_report *out)
{
	uint64_t cables = 0, sum = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		for (uint32_t c = g->off[s]; c < g->off[s + 1]; c++) {
			if (g->peer[c] >> 8 == g->n)
				continue;
			cables++;
			sum += g->load[c];
			if (g->load[c] <= out->load_max)
				continue;
			out->load_max = g->load[c];
			out->load_sw = g->sw[s];
			out->load_port = (uint8_t)(c - g->off[s]);
		}
	}
	if (cables > 0)
		out->load_mean = (double)sum / (double)cables;
	if (g->host_pairs > 0)
		out->hops_mean = (double)sum / (double)g->host_pairs;
}

/* The graph's turns by the topology's numbers. */
static struct verify_turns *
turns_of(const struct verify_graph *g)
{
	const struct topo *t = g->t;
	struct verify_turns *x;
	size_t words, at = 0;
	unsigned shift = 0;
	uint32_t nrec = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		unsigned nports = t->node[t->sw[s].node].nports;

		nrec += nports + 1U;
		while (nports >= 64U << shift)
			shift++;
	}
	words = ((size_t)nrec << shift) * sizeof(x->row[0]);
	x = mem_alloc(sizeof(*x) + words);
	memset(x->row, 0, words);
	x->nrec = nrec;
	x->shift = shift;
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint32_t nports = t->node[t->sw[s].node].nports + 1U;
		uint32_t live = g->ix[s];
		size_t few = (size_t)1 << g->shift;

		for (uint32_t i = 0; live != TOPO_NONE && i < nports; i++)
			memcpy(x->row + ((at + i) << shift),
				g->turn + ((size_t)(g->off[live] + i)
						  << g->shift),
				few * sizeof(x->row[0]));
		at += nports;
	}
	return x;
}

int
verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why)
{
	return verify_tables_turns(in, out, NULL, why);
}

int
verify_tables_turns(const struct verify_tables *in, struct verify_report *out,
	struct verify_turns **turns, struct reason *why)
{
	struct verify_graph *g;

	if (turns != NULL)
		*turns = NULL;
	memset(out, 0, sizeof(*out));
	out->load_sw = TOPO_NONE;
	out->vls = 1;
	g = verify_graph_new(in->topo, why);
	if (g == NULL)
		return -1;
	verify_walk_all(g, in, out);
	judge_loads(g, out);
	verify_cycle_find(g, in, out);
	if (turns != NULL && (in->lanes == NULL || in->lanes->n == 1))
		*turns = turns_of(g);
	verify_graph_free(g);
	out->ok = out->unreachable == 0 && out->loops == 0 &&
		  out->cyclic_channels == 0;
	return out->ok ? 0 : reason_set(why, "%s", out->first);
}
