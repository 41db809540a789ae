/*
 * topo_diff: the switches with other links than in the topology that the routes
 * in force were made for. Found once; the repair of tables and the tree reader
 * use it.
 */
#include "discovery/topo_diff.h"

#include <string.h>

/* True if every LID belongs to the port of the same number in both. */
static bool
same_lids(const struct topo *t, const struct topo *was)
{
	return t->max_lid == was->max_lid &&
	       memcmp(t->by_lid, was->by_lid,
		       ((size_t)t->max_lid + 1) * sizeof(*t->by_lid)) == 0;
}

static bool
same_end(const struct topo *t, const struct topo *was, uint32_t i, uint32_t j)
{
	const struct topo_port *a = &t->port[t->end[i].port];
	const struct topo_port *b = &was->port[was->end[j].port];

	return a->lid == b->lid && a->lmc == b->lmc;
}

/* True if the switches have the same numbers and the same LIDs on them. */
static bool
same_switches(const struct topo *t, const struct topo *was)
{
	bool same = same_lids(t, was);

	if (t->nsw != was->nsw || t->max_lid != was->max_lid)
		return false;
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *a = &t->sw[s], *b = &was->sw[s];
		const struct topo_node *x = &t->node[a->node];
		const struct topo_node *y = &was->node[b->node];

		if (x->guid != y->guid || a->nend != b->nend ||
			((x->flags ^ y->flags) & TN_QUARANTINED))
			return false;
		for (uint32_t i = 0; i < a->nend; i++) {
			const struct topo_end *e = &t->end[a->end + i];
			const struct topo_end *f = &was->end[b->end + i];

			if (e->out != f->out || e->host != f->host ||
				((!same || e->port != f->port) &&
					!same_end(t, was, a->end + i,
						b->end + i)))
				return false;
		}
	}
	return true;
}

/* True if they lead to the same switches by the same ports. */
static bool
have_same_ends(const struct topo *t, const struct topo *was, sw_ix s)
{
	const struct topo_switch *a = &t->sw[s], *b = &was->sw[s];

	if (a->nadj != b->nadj)
		return false;
	if (topo_same_links(t, was, s))
		return true;
	for (uint32_t i = 0; i < a->nadj; i++) {
		const struct topo_adj *x = &t->adj[a->adj + i];
		const struct topo_adj *y = &was->adj[b->adj + i];

		if (x->peer != y->peer || x->out != y->out)
			return false;
	}
	return true;
}

const struct topo_diff *
topo_diff(const struct topo *t, const struct topo *was, struct arena *a)
{
	struct topo_diff *since;

	if (!same_switches(t, was))
		return NULL;
	since = arena_alloc(a, sizeof(*since));
	since->was = was;
	since->seed = arena_array(a, t->nsw, sizeof(*since->seed));
	since->list = arena_array(a, t->nsw, sizeof(*since->list));
	for (sw_ix s = 0; s < t->nsw; s++) {
		since->seed[s] = !have_same_ends(t, was, s);
		if (since->seed[s])
			since->list[since->n++] = s;
	}
	return since;
}
