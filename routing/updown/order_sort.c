/* The tier order: switches sorted by rank, then by GUID. */
#include <stdlib.h>

#include "routing/updown/updown.h"

struct place {
	uint64_t guid;
	uint32_t rank;
	sw_ix sw;
};

static int
by_place(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

static bool
is_flat(const struct updown *u, sw_ix s)
{
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (u->rank[u->graph.group[g].peer] < u->rank[s])
			return false;
	return true;
}

void
order_sort(struct updown *u)
{
	struct place *p = arena_array(u->graph.a, u->graph.nsw, sizeof(*p));
	const struct topo *t = u->graph.t;

	u->tier_above = NULL;
	u->tier_class =
		(struct nbr_class){NULL, NULL, {NULL, NULL}, {NULL, NULL}};
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		p[s] = (struct place){
			t->node[t->sw[s].node].guid, u->rank[s], s};
	if (u->graph.nsw > 0)
		qsort(p, u->graph.nsw, sizeof(*p), by_place);
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		u->tier.seq[i] = u->sw_order.seq[i] = p[i].sw;
		u->tier.pos[p[i].sw] = u->sw_order.pos[p[i].sw] = i;
		u->flat[p[i].sw] = is_flat(u, p[i].sw);
	}
}
