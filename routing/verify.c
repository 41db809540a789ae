#include "routing/verify.h"

#include <string.h>

#include "routing/verify_graph.h"

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

int
verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why)
{
	struct verify_graph *g;

	memset(out, 0, sizeof(*out));
	out->load_sw = TOPO_NONE;
	out->vls = 1;
	g = verify_graph_new(in->topo, why);
	if (g == NULL)
		return -1;
	verify_walk_all(g, in, out);
	judge_loads(g, out);
	verify_cycle_find(g, in, out);
	verify_graph_free(g);
	out->ok = out->unreachable == 0 && out->loops == 0 &&
		  out->cyclic_channels == 0;
	return out->ok ? 0 : reason_set(why, "%s", out->first);
}
