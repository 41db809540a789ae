#include "sm/view/view_redundancy.h"

#include <stdlib.h>

#include "sm/base/mem.h"

struct view_redundancy *
view_redundancy_count(const struct view *v,
	const struct engine_options *options, const atomic_bool *cancel)
{
	const struct routes *r = v->routes;
	const struct verify_tables in = {
		v->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct redundancy_report all;
	struct view_redundancy *h;

	if (redundancy_find_unless(&in, options, cancel, &all) != 0)
		return NULL;
	h = mem_zalloc(1, sizeof(*h));
	h->refs = 1;
	h->nodes = all.n;
	h->point = redundancy_points(&all, &h->npoints);
	h->node = mem_alloc((all.single + 1) * sizeof(*h->node));
	for (size_t i = 0; i < all.n; i++)
		if (all.node[i].cut > 0)
			h->node[h->nsingle++] = all.node[i];
	redundancy_free(&all);
	return h;
}

struct view_redundancy *
view_redundancy_ref(struct view_redundancy *h)
{
	if (h != NULL)
		h->refs++;
	return h;
}

void
view_redundancy_unref(struct view_redundancy *h)
{
	if (h == NULL || --h->refs > 0)
		return;
	free(h->node);
	free(h->point);
	free(h);
}
