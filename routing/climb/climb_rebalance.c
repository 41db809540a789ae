/*
 * climb_rebalance: entries of new tables are moved off the busiest links.
 *
 * Trees are balanced one after the other, by the sum of loads along a path:
 * that leaves some links busier than they must be, since of two paths of the
 * same sum one may lead over the busiest link of all. So, step by step, the
 * load that is allowed falls a little below that of the busiest link, and what
 * is above it is moved to where there is room (repair_rebalance.c): first to
 * paths that are as short, then to those that are a little longer. It ends
 * where the busiest link finds no relief, or carries no more than a host's own.
 *
 * Pairs keep their layers, and all paths climb in them; what finds none with
 * room stays. So tables are as legal as they were.
 */
#include "routing/climb/repair_priv.h"
#include "routing/core/link_load.h"

/* Steps are 1/step of the load; paths may become this many links longer. In a
 * bipartite graph, as a grid is, there are none that are one link longer. */
static const struct {
	uint32_t longer, step;
} stages[] = {{0, 32}, {2, 32}, {2, 256}};

/* Loads fall towards `least`, a step after the other. */
static void
lower_loads(struct repair *m, uint64_t least, uint32_t longer, uint32_t step)
{
	const volatile bool *cancel = m->x->job->cancel;
	uint64_t is = climb_highest_load(m->x->g->t, m->load), was = is + 1;

	while (is < was && is > least && (cancel == NULL || !*cancel)) {
		uint64_t goal = is - is / step - 1;

		was = is;
		repair_unload(m, goal < least ? least : goal, longer);
		is = climb_highest_load(m->x->g->t, m->load);
	}
}

void
climb_rebalance(struct climb *x, struct routes *r, uint64_t *load)
{
	struct repair m = repair_make_room(x);
	const struct topo *t = x->g->t;
	uint64_t hosts = 0, least;

	for (sw_ix s = 0; s < t->nsw; s++)
		hosts += x->g->live[s] ? t->sw[s].nhost : 0;
	least = hosts > 0 ? link_load_of_host(t, hosts) : UINT64_MAX;
	m.r = r;
	m.load = load;
	for (unsigned i = 0; i < sizeof(stages) / sizeof(*stages); i++)
		lower_loads(&m, least, stages[i].longer, stages[i].step);
	routes_count_changes(r, x->job->prev);
}
