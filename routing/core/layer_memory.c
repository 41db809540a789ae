#include "routing/core/layer_memory.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { AWAY = 4 }; /* switches that are away for each that is there, at most */

struct layer_memory *
layer_memory_new(unsigned layers, uint32_t n)
{
	struct layer_memory *m = mem_zalloc(1, sizeof(*m));
	size_t pairs = (size_t)n * (n + 1U) / 2;

	m->refs = 1;
	m->layers = layers;
	m->n = n;
	m->guid = mem_zalloc(n + 1U, sizeof(*m->guid));
	m->layer = mem_alloc(pairs + 1);
	memset(m->layer, LAYER_MEMORY_NONE, pairs + 1);
	return m;
}

struct layer_memory *
layer_memory_ref(struct layer_memory *m)
{
	if (m != NULL)
		m->refs++;
	return m;
}

void
layer_memory_unref(struct layer_memory *m)
{
	if (m == NULL || --m->refs > 0)
		return;
	map_free(&m->by_guid);
	free(m->guid);
	free(m->layer);
	free(m);
}

/* A copy with room for all switches of r, of which is[] become the numbers. */
static struct layer_memory *
widen_memory(const struct layer_memory *m, const struct routes *r, uint32_t *is)
{
	const struct topo *t = r->topo;
	uint32_t n = m != NULL ? m->n : 0, old = n;
	struct layer_memory *out;
	struct map by_guid = {0};

	for (size_t i = 0; m != NULL && i < m->n; i++)
		map_put(&by_guid, m->guid[i], (uint32_t)i);
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		if (!map_get(&by_guid, guid, &is[s])) {
			is[s] = n++;
			map_put(&by_guid, guid, is[s]);
		}
	}
	out = layer_memory_new(r->layers.n, n);
	out->by_guid = by_guid;
	for (uint32_t i = 0; i < old; i++)
		out->guid[i] = m->guid[i];
	for (sw_ix s = 0; s < t->nsw; s++)
		out->guid[is[s]] = t->node[t->sw[s].node].guid;
	if (m != NULL)
		memcpy(out->layer, m->layer, (size_t)old * (old + 1U) / 2);
	return out;
}

/* Whether m goes on beside r: of as many layers, and most of it is there. */
static bool
goes_on(const struct layer_memory *m, const struct routes *r)
{
	return m != NULL && m->layers == r->layers.n &&
	       m->n <= (1 + AWAY) * (uint64_t)r->topo->nsw;
}

struct layer_memory *
layer_memory_learn(struct layer_memory *m, const struct routes *r)
{
	const struct topo *t = r->topo;
	struct layer_memory *out;
	uint32_t *is;

	if (r->layers.n < 2)
		return layer_memory_ref(m);
	is = mem_alloc((t->nsw + 1U) * sizeof(*is));
	out = widen_memory(goes_on(m, r) ? m : NULL, r, is);
	for (sw_ix a = 0; a < t->nsw; a++)
		for (sw_ix b = 0; b <= a; b++) {
			port_ix p = t->node[t->sw[b].node].first_port;

			if (routes_port(r, a, t->port[p].lid) != LFT_DROP)
				*layer_memory_at(out, is[a], is[b]) =
					routes_layer(&r->layers, a, b);
		}
	free(is);
	return out;
}
