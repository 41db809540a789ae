#include <stdlib.h>

#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"

/* The first port of a node with a link, 0: none. */
static unsigned
cabled_port(const struct builder_node *n)
{
	for (unsigned p = 1; p <= n->nports; p++)
		if (n->port[p].peer != BUILDER_NONE)
			return p;
	return 0;
}

/* Freeze the component of our own port, and mark its nodes as seen. */
static void
freeze_component(struct builder *d, uint32_t generation, bool *seen,
	struct builder_components *out)
{
	struct reason none;
	struct topo *t = builder_freeze(d, generation, &none);

	for (builder_id i = 0; i < d->nnodes; i++)
		seen[i] |= d->node[i] != NULL &&
			   d->node[i]->reach != BUILDER_UNREACHED;
	out->topo[out->n++] = t;
}

/* Where to freeze from next: the first host that is not seen, or else another
 * node. BUILDER_NONE: all are seen. */
static builder_id
next_seat(const struct builder *d, const bool *seen, unsigned *port)
{
	builder_id best = BUILDER_NONE;

	for (builder_id i = 0; i < d->nnodes; i++) {
		const struct builder_node *n = d->node[i];
		unsigned p = n == NULL || seen[i] ? 0 : cabled_port(n);

		if (p == 0 || (n->type == TOPO_SWITCH && best != BUILDER_NONE))
			continue;
		best = i;
		*port = n->type == TOPO_SWITCH ? 0 : p;
		if (n->type == TOPO_CA)
			break;
	}
	return best;
}

static int
by_size(const void *pa, const void *pb)
{
	const struct topo *a = *(struct topo *const *)pa;
	const struct topo *b = *(struct topo *const *)pb;

	if (a->nnodes != b->nnodes)
		return a->nnodes > b->nnodes ? -1 : 1;
	return a->node[0].guid < b->node[0].guid
		       ? -1
		       : a->node[0].guid > b->node[0].guid;
}

int
builder_components(struct builder *d, uint32_t generation,
	struct builder_components *out, struct reason *why)
{
	builder_id self = d->self, seat;
	unsigned self_port = d->self_port, port = 0;
	bool *seen;

	*out = (struct builder_components){0};
	if (self == BUILDER_NONE)
		return reason_set(why, "our own port has not been read yet");
	seen = mem_zalloc(d->nnodes, sizeof(*seen));
	out->topo = mem_zalloc(d->nnodes, sizeof(struct topo *));
	freeze_component(d, generation, seen, out);
	while ((seat = next_seat(d, seen, &port)) != BUILDER_NONE) {
		builder_set_self(d, seat, port);
		freeze_component(d, generation, seen, out);
	}
	for (builder_id i = 0; i < d->nnodes; i++)
		out->loose += d->node[i] != NULL && !seen[i];
	builder_set_self(d, self, self_port);
	if (out->n > 2)
		qsort(out->topo + 1, out->n - 1, sizeof(struct topo *),
			by_size);
	free(seen);
	return 0;
}

void
builder_components_free(struct builder_components *p)
{
	for (size_t i = 0; i < p->n; i++)
		topo_unref(p->topo[i]);
	free(p->topo);
	*p = (struct builder_components){0};
}
