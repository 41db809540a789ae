#include "routing/verify.h"

#include <stdlib.h>
#include <string.h>

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

struct verify_state {
	struct verify_graph *g;
};

int
verify_keep(const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why)
{
	struct verify_graph *g;

	(void)threads;
	memset(out, 0, sizeof(*out));
	out->load_sw = TOPO_NONE;
	out->vls = 1;
	if (keep != NULL)
		*keep = NULL;
	g = verify_graph_new(in->topo, why);
	if (g == NULL)
		return -1;
	verify_walk_all(g, in, out);
	judge_loads(g, out);
	verify_cycle_find(g, in, out);
	if (keep != NULL) {
		*keep = mem_zalloc(1, sizeof(**keep));
		(*keep)->g = g;
	} else {
		verify_graph_free(g);
	}
	out->ok = out->unreachable == 0 && out->loops == 0 &&
		  out->cyclic_channels == 0;
	return out->ok ? 0 : reason_set(why, "%s", out->first);
}

int
verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why)
{
	return verify_keep(in, 1, out, NULL, why);
}

void
verify_state_free(struct verify_state *v)
{
	if (v == NULL)
		return;
	verify_graph_free(v->g);
	free(v);
}

uint64_t
verify_state_load(const struct verify_state *v, sw_ix s, unsigned port)
{
	const struct verify_graph *g = v->g;
	uint32_t x = g->ix[s];

	if (x == TOPO_NONE || port >= g->off[x + 1] - g->off[x])
		return 0;
	return g->load[g->off[x] + port];
}

size_t
verify_state_hops(const struct verify_state *v, const uint64_t **pairs)
{
	*pairs = NULL;
	(void)v;
	return 0;
}
