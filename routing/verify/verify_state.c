/*
 * verify_state: what a judgement found out, kept for readers of its figures and
 * for the next judgement.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "sm/base/mem.h"

struct verify_state *
verify_state_new(struct cdg *g, const struct verify_tables *in,
	const struct verify_report *found, struct verify_dest *dest)
{
	struct verify_state *v = mem_zalloc(1, sizeof(*v));
	const struct topo *t = in->topo;

	v->refs = 1;
	v->g = g;
	v->ok = found->ok && found->by_rank;
	v->plain = found->plain;
	v->layers = in->layers != NULL ? route_layers_copy(in->layers)
				       : (struct route_layers){.n = 1};
	if (!v->ok) {
		g->t = NULL;
		return v;
	}
	v->guid = mem_alloc((g->n + 1U) * sizeof(*v->guid));
	for (uint32_t s = 0; s < g->n; s++)
		v->guid[s] = t->node[t->sw[g->sw[s]].node].guid;
	v->nlid = verify_walk_blocks(in) * LFT_BLOCK;
	v->dest = dest != NULL ? dest : verify_walk_dests(g, in, &v->nlid);
	g->t = NULL; /* may be freed before v is */
	return v;
}

struct verify_state *
verify_state_ref(struct verify_state *v)
{
	if (v != NULL)
		v->refs++;
	return v;
}

void
verify_state_unref(struct verify_state *v)
{
	if (v == NULL || --v->refs > 0)
		return;
	cdg_free(v->g);
	route_layers_free(&v->layers);
	free(v->guid);
	free(v->dest);
	free(v);
}

/* The port record of a switch port that leads to a live switch, or TOPO_NONE.
 */
static uint32_t
find_record(const struct cdg *g, sw_ix s, unsigned port)
{
	uint32_t x = g->ix[s];

	if (x == TOPO_NONE || port >= g->off[x + 1] - g->off[x] ||
		g->peer[g->off[x] + port] >> 8 == g->n)
		return TOPO_NONE;
	return g->off[x] + port;
}

uint64_t
verify_state_pairs(const struct verify_state *v, sw_ix s, unsigned port)
{
	uint32_t c = find_record(v->g, s, port);

	return c == TOPO_NONE ? 0 : v->g->load[c];
}

uint64_t
verify_state_load(const struct verify_state *v, sw_ix s, unsigned port)
{
	uint32_t c = find_record(v->g, s, port);

	return c == TOPO_NONE ? 0 : cdg_load(v->g, c);
}

size_t
verify_state_hops(const struct verify_state *v, const uint64_t **pairs)
{
	size_t n = v->g->n + 1U;

	*pairs = v->g->hops;
	while (n > 0 && (*pairs)[n - 1] == 0)
		n--;
	return n;
}

/* The rows of one layer, by the topology's numbers. */
static void
copy_rows(const struct cdg *g, const struct topo *t, const uint64_t *dep,
	unsigned shift, uint64_t *to)
{
	size_t few = (size_t)1 << g->shift, at = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint32_t nports = t->node[t->sw[s].node].nports + 1U;
		uint32_t live = g->ix[s];

		for (uint32_t i = 0; live != TOPO_NONE && i < nports; i++)
			memcpy(to + ((at + i) << shift),
				dep + ((size_t)(g->off[live] + i) << g->shift),
				few * sizeof(*to));
		at += nports;
	}
}

struct verify_dependencies *
verify_state_dependencies(
	const struct verify_state *v, const struct topo *t, uint16_t layers)
{
	const struct cdg *g = v->g;
	struct verify_dependencies *x;
	unsigned shift = 0;
	uint32_t nrec = 0;
	size_t words;

	for (sw_ix s = 0; s < t->nsw; s++) {
		unsigned nports = t->node[t->sw[s].node].nports;

		nrec += nports + 1U;
		while (nports >= 64U << shift)
			shift++;
	}
	words = (size_t)nrec << shift;
	x = mem_zalloc(1, sizeof(*x) + words * g->nlayers * sizeof(x->row[0]));
	x->nrec = nrec;
	x->layers = g->nlayers;
	x->shift = shift;
	for (unsigned l = 0; l < g->nlayers; l++) {
		uint64_t *dep;

		if ((layers >> l & 1) == 0)
			continue;
		dep = cdg_layer_dependencies(g, l);
		copy_rows(g, t, dep, shift, x->row + l * words);
		free(dep);
	}
	return x;
}
