/*
 * Links that flap and err in a run with health.action drain. What the manager
 * drains for that must be free of routes and trees at rest, must leave all
 * switches connected that are so with these links, and must be within the share
 * of a tier; where the quiet time is short, nothing stays drained.
 */
#include <stdlib.h>

#include "routing/tiers/tree.h"
#include "sm/base/mem.h"
#include "sm/base/union_find.h"
#include "sm/view/drains.h"
#include "tests/sim/chaos/chaos_int.h"

void
chaos_health_err(struct sim *s, const struct chaos_step *e)
{
	uint64_t was = sim_counter(s, e->node, e->port, MAD_PERF_SYMBOL_ERRORS);

	sim_hand_counter(
		s, e->node, e->port, MAD_PERF_SYMBOL_ERRORS, was + e->value);
}

void
chaos_health_clear(struct sim *s, const struct chaos_script *script)
{
	for (size_t i = 0; i < script->nsteps; i++) {
		const struct chaos_step *e = &script->step[i];

		if (e->kind == CHAOS_ERRORS &&
			sim_counter(s, e->node, e->port,
				MAD_PERF_SYMBOL_ERRORS) >= UINT16_MAX)
			sim_hand_counter(
				s, e->node, e->port, MAD_PERF_SYMBOL_ERRORS, 0);
	}
}

static bool
links_switches(const struct topo *t, port_ix p)
{
	return t->port[p].peer != TOPO_NONE && t->port[p].peer > p &&
	       topo_port_switch(t, p) != TOPO_NONE &&
	       topo_port_switch(t, t->port[p].peer) != TOPO_NONE;
}

static bool
is_drained_for_health(const struct sm *sm, const struct topo *t, port_ix p)
{
	const struct drain *d = drains_find_link(sm_drains(sm), t, p);

	return d != NULL && drains_is_of_health(d);
}

/* The number of pieces of the switches, without what is drained for health if
 * that is so. */
static unsigned
count_pieces(const struct sm *sm, bool without)
{
	const struct topo *t = sm_view(sm)->topo;
	uint32_t *in = mem_alloc(t->nnodes * sizeof(*in));
	unsigned n = t->nsw;

	for (node_ix i = 0; i < t->nnodes; i++)
		in[i] = i;
	for (port_ix p = 0; p < t->nports; p++) {
		uint32_t a, b;

		if (!links_switches(t, p) ||
			(without && is_drained_for_health(sm, t, p)))
			continue;
		a = union_find_of(in, t->port[p].node);
		b = union_find_of(in, t->port[t->port[p].peer].node);
		n -= a != b;
		in[a] = b;
	}
	free(in);
	return n;
}

static int
judge_share(const struct sm *sm, struct reason *why)
{
	const struct topo *t = sm_view(sm)->topo;
	const struct tree *tree = tree_kept(sm_view(sm)->routes);
	unsigned links = 0, drained = 0, tiers = 1;

	for (port_ix p = 0; p < t->nports; p++) {
		if (!links_switches(t, p))
			continue;
		links++;
		drained += is_drained_for_health(sm, t, p);
	}
	if (tree != NULL)
		tiers = tree->ntiers;
	/* each tier may have one, and its share of the rest; one more tier is
	 * of the switches that have none; links may have failed since */
	if (drained > tiers + 1 + links / 25)
		return reason_set(why, "of %u links %u are drained for health",
			links, drained);
	return 0;
}

int
chaos_health_judge(const struct sm *sm, struct reason *why)
{
	const struct drains *list = sm_drains(sm);
	struct drain_use use;

	for (size_t i = 0; i < list->n; i++) {
		const struct drain *d = &list->list[i];

		if (!drains_is_of_health(d))
			continue;
		drains_use(d, sm_view(sm)->routes, run_mcast_trees(sm),
			LID_MULTICAST_COUNT, &use);
		if (use.entries > 0 || use.trees > 0)
			return reason_set(why,
				"%llu entries and %u trees lead over \"%s\" "
				"port %u, which is drained for health",
				(unsigned long long)use.entries, use.trees,
				d->name, d->port);
	}
	if (count_pieces(sm, true) != count_pieces(sm, false))
		return reason_set(why,
			"what is drained for health holds the fabric "
			"together");
	return judge_share(sm, why);
}

unsigned
chaos_health_count(const struct sm *sm)
{
	const struct topo *t = sm_view(sm)->topo;
	unsigned n = 0;

	for (port_ix p = 0; p < t->nports; p++)
		n += links_switches(t, p) && is_drained_for_health(sm, t, p);
	return n;
}
