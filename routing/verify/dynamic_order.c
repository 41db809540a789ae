#include "routing/verify/dynamic_order.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { VISITS = 1000000 }; /* about a tenth of a second */

/* Only dependencies inside one component can be on a cycle. */
static bool
in_one_component(const struct dynamic_order *o, uint32_t v, uint32_t w)
{
	return o->comp == NULL || (o->comp[v] != 0 && o->comp[v] == o->comp[w]);
}

/* Whether v names a node that has a place in the order. */
static bool
is_ordered(const struct dynamic_order *o, uint32_t v)
{
	return in_one_component(o, v, v) && dep_graph_node(o->n, v) == v;
}

/* Number all nodes on cycles of the mixture; false if there is no order. */
static bool
sort_topologically(struct dynamic_order *o)
{
	const struct dep_graph *n = o->n;
	uint32_t *need = mem_zalloc(n->nv, sizeof(*need));
	uint32_t head = 0, tail = 0, all = 0, w;
	unsigned at;

	for (uint32_t v = 0; v < n->nv; v++) {
		if (!is_ordered(o, v))
			continue;
		all++;
		at = 0;
		while ((w = dep_graph_after(n, o->dep, v, &at)) != TOPO_NONE)
			need[w] += in_one_component(o, v, w);
	}
	for (uint32_t v = 0; v < n->nv; v++)
		if (is_ordered(o, v) && need[v] == 0)
			o->pool[tail++] = v;
	for (; head < tail; head++) {
		uint32_t v = o->pool[head];

		o->pos[v] = head;
		at = 0;
		while ((w = dep_graph_after(n, o->dep, v, &at)) != TOPO_NONE)
			if (in_one_component(o, v, w) && --need[w] == 0)
				o->pool[tail++] = w;
	}
	free(need);
	return tail == all;
}

bool
dynamic_order_new(struct dynamic_order *o, const struct dep_graph *n,
	const uint32_t *comp, const uint64_t *dep)
{
	*o = (struct dynamic_order){.n = n, .comp = comp, .left = VISITS};
	o->dep = mem_dup(dep, dep_graph_words(n) * sizeof(*dep));
	o->pos = mem_zalloc(n->nv, sizeof(*o->pos));
	o->mark = mem_zalloc(n->nv, sizeof(*o->mark));
	o->fore = mem_alloc(n->nv * sizeof(*o->fore));
	o->back = mem_alloc(n->nv * sizeof(*o->back));
	o->pool = mem_alloc(n->nv * sizeof(*o->pool));
	return sort_topologically(o);
}

void
dynamic_order_free(struct dynamic_order *o)
{
	free(o->dep);
	free(o->pos);
	free(o->mark);
	free(o->fore);
	free(o->back);
	free(o->pool);
}

/* Find what follows y and is not behind x; false when x itself is among it. */
static bool
search_fore(struct dynamic_order *o, uint32_t x, uint32_t y)
{
	bool found = x == y || o->left == 0;

	o->nfore = 0;
	o->mark[y] = 1;
	o->fore[o->nfore++] = y;
	for (uint32_t i = 0; i < o->nfore && !found; i++) {
		uint32_t v = o->fore[i], w;
		unsigned at = 0;

		while (!found && (w = dep_graph_after(o->n, o->dep, v, &at)) !=
					 TOPO_NONE) {
			if (!in_one_component(o, v, w) || o->mark[w] ||
				o->pos[w] > o->pos[x])
				continue;
			found = w == x;
			o->mark[w] = 1;
			o->fore[o->nfore++] = w;
		}
	}
	for (uint32_t i = 0; i < o->nfore; i++)
		o->mark[o->fore[i]] = 0;
	o->left -= o->nfore < o->left ? o->nfore : o->left;
	return !found;
}

/* Find what leads to x and is not before y. */
static void
search_back(struct dynamic_order *o, uint32_t x, uint32_t y)
{
	o->nback = 0;
	o->mark[x] = 1;
	o->back[o->nback++] = x;
	for (uint32_t i = 0; i < o->nback; i++) {
		uint32_t v = o->back[i], w;
		unsigned in = 0;

		while ((w = dep_graph_before(o->n, o->dep, v, &in)) !=
			TOPO_NONE) {
			if (!in_one_component(o, v, w) || o->mark[w] ||
				o->pos[w] < o->pos[y])
				continue;
			o->mark[w] = 1;
			o->back[o->nback++] = w;
		}
	}
	for (uint32_t i = 0; i < o->nback; i++)
		o->mark[o->back[i]] = 0;
}

static void
sort_by_pos(const struct dynamic_order *o, uint32_t *list, uint32_t n)
{
	/* shell sort: short lists, no context to hand over */
	for (uint32_t gap = n / 2; gap > 0; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			uint32_t x = list[i], k = i;

			for (; k >= gap && o->pos[list[k - gap]] > o->pos[x];
				k -= gap)
				list[k] = list[k - gap];
			list[k] = x;
		}
}

/*
 * Put what leads to x first, what follows y after it, in the places they had.
 */
static void
reorder_found(struct dynamic_order *o)
{
	uint32_t i = 0, k = 0, n = 0;

	sort_by_pos(o, o->back, o->nback);
	sort_by_pos(o, o->fore, o->nfore);
	while (i < o->nback || k < o->nfore) {
		bool back = k == o->nfore ||
			    (i < o->nback &&
				    o->pos[o->back[i]] < o->pos[o->fore[k]]);

		o->pool[n++] = o->pos[back ? o->back[i++] : o->fore[k++]];
	}
	for (i = 0; i < o->nback; i++)
		o->pos[o->back[i]] = o->pool[i];
	for (k = 0; k < o->nfore; k++)
		o->pos[o->fore[k]] = o->pool[o->nback + k];
}

bool
dynamic_order_add(struct dynamic_order *o, uint32_t v, unsigned out)
{
	uint32_t w = dep_graph_node(o->n, dep_graph_head(o->n, v, out));
	uint32_t x = dep_graph_node(o->n, v);

	if (in_one_component(o, x, w) && o->pos[w] <= o->pos[x] &&
		!dep_graph_has(o->n, o->dep, v, out)) {
		if (!search_fore(o, x, w))
			return false;
		search_back(o, x, w);
		reorder_found(o);
	}
	dep_graph_put(o->n, o->dep, v, out);
	return true;
}

void
dynamic_order_remove(struct dynamic_order *o, uint32_t v, unsigned out)
{
	dep_graph_clear(o->n, o->dep, v, out);
}
