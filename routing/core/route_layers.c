#include "routing/core/route_layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct layer_row *
layer_row_new(uint32_t n)
{
	struct layer_row *r = mem_zalloc(1, sizeof(*r) + layer_row_bytes(n));

	r->refs = 1;
	r->n = n;
	return r;
}

struct layer_row *
layer_row_share(struct layer_row *r)
{
	if (r != NULL)
		r->refs++;
	return r;
}

void
layer_row_drop(struct layer_row *r)
{
	if (r != NULL && --r->refs == 0)
		free(r);
}

bool
layer_row_same(const struct layer_row *a, const struct layer_row *b)
{
	const struct layer_row *some = a != NULL ? a : b;

	if (a == b)
		return true;
	if (a != NULL && b != NULL)
		return a->n == b->n &&
		       memcmp(a->of, b->of, layer_row_bytes(a->n)) == 0;
	for (size_t i = 0; i < layer_row_bytes(some->n); i++)
		if (some->of[i] != 0)
			return false;
	return true;
}

void
route_layers_put(struct route_layers *l, sw_ix dst, struct layer_row *row,
	struct layer_row *like)
{
	assert(dst < l->nsw && row->n == l->nsw);
	if (like != NULL && layer_row_same(row, like)) {
		layer_row_drop(row);
		row = layer_row_share(like);
	}
	if (l->row == NULL)
		l->row = mem_zalloc(l->nsw, sizeof(struct layer_row *));
	layer_row_drop(l->row[dst]);
	l->row[dst] = row;
}

struct route_layers
route_layers_copy(const struct route_layers *l)
{
	struct route_layers c = *l;

	if (l->row == NULL)
		return c;
	c.row = mem_dup(l->row, l->nsw * sizeof(struct layer_row *));
	for (uint32_t s = 0; s < l->nsw; s++)
		(void)layer_row_share(c.row[s]);
	return c;
}

void
route_layers_free(struct route_layers *l)
{
	for (uint32_t s = 0; l->row != NULL && s < l->nsw; s++)
		layer_row_drop(l->row[s]);
	free(l->row);
	l->row = NULL;
}
