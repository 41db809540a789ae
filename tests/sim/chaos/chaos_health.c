/*
 * Links that flap and err in a run with health.action drain. What the manager
 * drains for that must be free of routes and trees at rest, must leave all
 * switches connected that are so with these links, and is within the share of
 * its tier when it is drained; where the quiet time is short, nothing stays
 * drained.
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

/* The tier of a link is that of its lower end; all links without one are one
 * tier, with number n. */
static uint32_t
tier_of(const struct topo *t, const struct tree *tree, port_ix p, uint32_t n)
{
	sw_ix a = topo_port_switch(t, p);
	sw_ix b = topo_port_switch(t, t->port[p].peer);
	uint32_t tier;

	if (tree == NULL || tree->treeless[a] || tree->treeless[b])
		return n;
	tier = tree->tier[a] > tree->tier[b] ? tree->tier[a] : tree->tier[b];
	return tier < n ? tier : n;
}

int
chaos_health_judge_share(const struct sm *sm, struct reason *why)
{
	const struct view *v = sm_view(sm);
	const struct tree *tree = tree_kept(v->routes);
	uint32_t n = tree != NULL ? tree->ntiers : 0;
	unsigned *links = mem_zalloc(n + 1, sizeof(*links));
	unsigned *drained = mem_zalloc(n + 1, sizeof(*drained));
	int rc = 0;

	for (port_ix p = 0; p < v->topo->nports; p++) {
		uint32_t tier;

		if (!links_switches(v->topo, p))
			continue;
		tier = tier_of(v->topo, tree, p, n);
		links[tier]++;
		drained[tier] += is_drained_for_health(sm, v->topo, p);
	}
	for (uint32_t i = 0; i <= n && rc == 0; i++)
		if (drained[i] > 1 && drained[i] * 100 > links[i] * 2)
			rc = reason_set(why,
				"of %u links of tier %u %u are drained for "
				"health",
				links[i], i, drained[i]);
	free(links);
	free(drained);
	return rc;
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
	return 0;
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
