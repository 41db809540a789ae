#include <stdlib.h>

#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"

/* The first cabled port of a node, 0: none. */
static unsigned
cabled_port(const struct draft_node *n)
{
	for (unsigned p = 1; p <= n->nports; p++)
		if (n->port[p].peer != DRAFT_NONE)
			return p;
	return 0;
}

/* Freeze what our port sees, and note it. */
static void
take(struct draft *d, uint32_t generation, bool *seen, struct draft_pieces *out)
{
	struct reason none;
	struct topo *t = draft_freeze(d, generation, &none);

	for (draft_id i = 0; i < d->nnodes; i++)
		seen[i] |= d->node[i] != NULL &&
			   d->node[i]->reach != DRAFT_UNREACHED;
	out->topo[out->n++] = t;
}

/* Where to look from next: a host, or else a switch. DRAFT_NONE: all is seen.
 */
static draft_id
next_seat(const struct draft *d, const bool *seen, unsigned *port)
{
	draft_id best = DRAFT_NONE;

	for (draft_id i = 0; i < d->nnodes; i++) {
		const struct draft_node *n = d->node[i];
		unsigned p = n == NULL || seen[i] ? 0 : cabled_port(n);

		if (p == 0 || (n->type == TOPO_SWITCH && best != DRAFT_NONE))
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
draft_pieces(struct draft *d, uint32_t generation, struct draft_pieces *out,
	struct reason *why)
{
	draft_id self = d->self, seat;
	unsigned self_port = d->self_port, port = 0;
	bool *seen;

	*out = (struct draft_pieces){0};
	if (self == DRAFT_NONE)
		return reason_set(why, "our own port has not been read yet");
	seen = mem_zalloc(d->nnodes, sizeof(*seen));
	out->topo = mem_zalloc(d->nnodes, sizeof(struct topo *));
	take(d, generation, seen, out);
	while ((seat = next_seat(d, seen, &port)) != DRAFT_NONE) {
		draft_set_self(d, seat, port);
		take(d, generation, seen, out);
	}
	for (draft_id i = 0; i < d->nnodes; i++)
		out->loose += d->node[i] != NULL && !seen[i];
	draft_set_self(d, self, self_port);
	if (out->n > 2)
		qsort(out->topo + 1, out->n - 1, sizeof(struct topo *),
			by_size);
	free(seen);
	return 0;
}

void
draft_pieces_free(struct draft_pieces *p)
{
	for (size_t i = 0; i < p->n; i++)
		topo_unref(p->topo[i]);
	free(p->topo);
	*p = (struct draft_pieces){0};
}
