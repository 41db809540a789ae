#include "sm/core/pair_layers.h"

#include <stdlib.h>

#include "sm/base/mem.h"

struct layer_memory *
pair_layers_load(const struct state_file *s)
{
	struct layer_memory *m;

	if (s->npairs == 0)
		return NULL;
	m = layer_memory_new(s->layers, (uint32_t)s->npairs);
	for (uint32_t i = 0; i < m->n; i++) {
		m->guid[i] = s->pairs[i].guid;
		map_put(&m->by_guid, m->guid[i], i);
		for (uint32_t k = 0; k <= i; k++) {
			char digit = s->pairs[i].layer[k];

			*layer_memory_at(m, i, k) =
				(uint8_t)(digit <= '9' ? digit - '0'
						       : digit - 'a' + 10);
		}
	}
	return m;
}

/* The layers of packets to switch b; at[]: the numbers of switches in m. */
static struct layer_row *
restore_row(
	const struct layer_memory *m, const uint32_t *at, uint32_t nsw, sw_ix b)
{
	struct layer_row *row = layer_row_new(nsw);

	for (sw_ix a = 0; a < nsw; a++) {
		uint8_t layer = LAYER_MEMORY_NONE;

		if (at[a] != UINT32_MAX && at[b] != UINT32_MAX)
			layer = *layer_memory_at(m, at[a], at[b]);
		if (layer != LAYER_MEMORY_NONE)
			layer_row_put(row, a, layer);
	}
	return row;
}

void
pair_layers_restore(const struct layer_memory *m, const struct topo *t,
	struct route_layers *out)
{
	uint32_t *at;

	if (m == NULL || m->layers < 2)
		return;
	at = mem_alloc((t->nsw + 1U) * sizeof(*at));
	out->n = (uint8_t)m->layers;
	out->nsw = t->nsw;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (!map_get(&m->by_guid, t->node[t->sw[s].node].guid, &at[s]))
			at[s] = UINT32_MAX;
	for (sw_ix b = 0; b < t->nsw; b++)
		route_layers_put(out, b, restore_row(m, at, t->nsw, b), NULL);
	free(at);
}

void
pair_layers_gather_kept(
	const struct layer_memory *m, struct state_file *s, struct arena *a)
{
	struct state_file_pairs *rec;

	if (m == NULL || m->layers != s->layers)
		return;
	rec = arena_array(a, m->n, sizeof(*rec));
	for (uint32_t i = 0; i < m->n; i++) {
		char *digit = arena_array(a, i + 2U, 1);

		for (uint32_t k = 0; k <= i; k++) {
			uint8_t layer = *layer_memory_at(m, i, k);

			if (layer == LAYER_MEMORY_NONE)
				return;
			digit[k] = "0123456789abcdef"[layer];
		}
		rec[i] = (struct state_file_pairs){m->guid[i], digit};
	}
	s->pairs = rec;
	s->npairs = m->n;
}

void
pair_layers_gather(
	const struct routes *r, struct state_file *s, struct arena *a)
{
	const struct topo *t = r->topo;
	struct state_file_pairs *rec;
	sw_ix *is;
	size_t n = 0;

	if (r->layers.n < 2 || r->layers.n != s->layers)
		return;
	rec = arena_array(a, t->nsw, sizeof(*rec));
	is = arena_array(a, t->nsw, sizeof(*is));
	for (sw_ix i = 0; i < t->nsw; i++) {
		uint64_t guid = t->node[t->sw[i].node].guid;
		char *digit = arena_array(a, n + 2, 1);

		if (topo_by_node_guid(t, guid) != t->sw[i].node)
			continue; /* another one of its GUID has it */
		is[n] = i;
		for (size_t k = 0; k <= n; k++)
			digit[k] = "0123456789abcdef"[routes_layer(
				&r->layers, i, is[k])];
		rec[n++] = (struct state_file_pairs){guid, digit};
	}
	s->pairs = rec;
	s->npairs = n;
}
