#include "sm/core/pair_layers.h"

#include <stdlib.h>

#include "sm/base/mem.h"

static size_t
pair_at(size_t a, size_t b)
{
	return a < b ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b;
}

void
pair_layers_load(struct pair_layers *p, const struct state_file *s)
{
	*p = (struct pair_layers){0};
	if (s->npairs == 0)
		return;
	p->layers = s->layers;
	p->n = (uint32_t)s->npairs;
	p->layer = mem_alloc(pair_at(p->n, 0) * sizeof(*p->layer));
	for (uint32_t i = 0; i < p->n; i++) {
		map_put(&p->by_guid, s->pairs[i].guid, i);
		for (uint32_t k = 0; k <= i; k++) {
			char digit = s->pairs[i].layer[k];

			p->layer[pair_at(i, k)] =
				(uint8_t)(digit <= '9' ? digit - '0'
						       : digit - 'a' + 10);
		}
	}
}

void
pair_layers_free(struct pair_layers *p)
{
	map_free(&p->by_guid);
	free(p->layer);
	*p = (struct pair_layers){0};
}

void
pair_layers_restore(const struct pair_layers *p, const struct topo *t,
	struct route_layers *out)
{
	uint32_t *at = mem_alloc((t->nsw + 1U) * sizeof(*at));

	if (p->layers > 1) {
		out->n = (uint8_t)p->layers;
		out->nsw = t->nsw;
	}
	for (sw_ix s = 0; s < t->nsw; s++)
		if (!map_get(&p->by_guid, t->node[t->sw[s].node].guid, &at[s]))
			at[s] = UINT32_MAX;
	for (sw_ix b = 0; p->layers > 1 && b < t->nsw; b++) {
		struct layer_row *row = layer_row_new(t->nsw);

		for (sw_ix a = 0; a < t->nsw; a++)
			if (at[a] != UINT32_MAX && at[b] != UINT32_MAX)
				layer_row_put(row, a,
					p->layer[pair_at(at[a], at[b])]);
		route_layers_put(out, b, row, NULL);
	}
	free(at);
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
