/*
 * Drains in a run: all are forced, and none may cut anything off, which the
 * other judges see. What is drained has to be free of routes and trees at rest,
 * unless the switches hang together only by what is drained.
 */
#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/base/union_find.h"
#include "sm/mad/port_values.h"
#include "sm/view/drains.h"
#include "tests/sim/chaos/chaos_int.h"

void
chaos_drain_say(struct sm *sm, const struct fabric *f,
	const struct chaos_step *e, struct mono now)
{
	const struct sm_drain ask = {.guid = f->node[e->node].guid,
		.port = e->port,
		.duration = e->value > 0 ? mono_ms(e->value) : MONO_NEVER,
		.force = true,
		.by = "chaos",
		.reason = ""};
	struct reason why;
	uint32_t generation;

	if (sm == NULL)
		return;
	if (e->kind == CHAOS_DRAIN)
		(void)sm_drain(sm, &ask, now, &generation, &why);
	else
		(void)sm_undrain(sm,
			&(struct sm_undrain){ask.guid, ask.port, "chaos"}, now,
			&generation, &why);
}

static bool
is_drained(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];

	return ((port->flags | t->port[t->node[port->node].first_port].flags) &
		       TP_DRAINED) != 0;
}

/* Whether all switches that are not drained are joined by links that are not,
 * and each that is drained has a link to one of them. */
static bool
can_be_free(const struct topo *t)
{
	uint32_t *in = mem_alloc(t->nnodes * sizeof(*in)), first = TOPO_NONE;
	bool *linked = mem_zalloc(t->nnodes, sizeof(*linked)), free_all = true;

	for (node_ix n = 0; n < t->nnodes; n++)
		in[n] = n;
	for (port_ix p = 0; p < t->nports; p++) {
		port_ix q = t->port[p].peer;
		node_ix a = t->port[p].node;
		node_ix b = q != TOPO_NONE ? t->port[q].node : TOPO_NONE;

		if (q == TOPO_NONE || t->node[a].sw == TOPO_NONE ||
			t->node[b].sw == TOPO_NONE)
			continue;
		if (!is_drained(t, p) && !is_drained(t, q))
			in[union_find_of(in, a)] = union_find_of(in, b);
		linked[a] |= (t->port[t->node[b].first_port].flags &
				     TP_DRAINED) == 0;
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix n = t->sw[s].node;
		bool drained = (t->port[t->node[n].first_port].flags &
				       TP_DRAINED) != 0;

		if (drained) {
			free_all &= linked[n];
			continue;
		}
		if (first == TOPO_NONE)
			first = union_find_of(in, n);
		free_all &= union_find_of(in, n) == first;
	}
	free(in);
	free(linked);
	return free_all;
}

/* A link to a drained switch may be what is left of that switch's links. */
static bool
is_of_drained_switch(const struct topo *t, const struct drain *d)
{
	node_ix n = topo_by_node_guid(t, d->guid);
	port_ix p, q;

	if (n == TOPO_NONE || d->port == 0 || d->port > t->node[n].nports)
		return false;
	p = topo_port_of(t, n, d->port);
	q = t->port[p].peer;
	return (t->port[t->node[n].first_port].flags & TP_DRAINED) != 0 ||
	       (q != TOPO_NONE &&
		       (t->port[t->node[t->port[q].node].first_port].flags &
			       TP_DRAINED) != 0);
}

int
chaos_drain_judge(const struct sm *sm, struct reason *why)
{
	const struct drains *list = sm_drains(sm);
	const struct view *v = sm_view(sm);
	bool can = can_be_free(v->topo);
	struct drain_use use;

	for (size_t i = 0; i < list->n; i++) {
		const struct drain *d = &list->list[i];

		if (d->until.ns != MONO_NEVER.ns)
			return reason_set(
				why, "the drain of \"%s\" is to end", d->name);
		drains_use(d, v->routes, run_mcast_trees(sm),
			LID_MULTICAST_COUNT, &use);
		if (!can || is_of_drained_switch(v->topo, d) ||
			(use.entries == 0 && use.trees == 0))
			continue;
		return reason_set(why,
			"%llu entries, first for LID %u, and %u trees lead "
			"over the drained \"%s\" port %u",
			(unsigned long long)use.entries, use.lid, use.trees,
			d->name, d->port);
	}
	return 0;
}
