#include "routing/graph/switch_lids.h"

/* The live switch of a LID, or TOPO_NONE. */
static sw_ix
switch_of_lid(const struct topo *t, uint32_t lid)
{
	port_ix p = t->by_lid[lid];
	sw_ix s = p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);

	return s != TOPO_NONE && topo_sw_live(t, s) ? s : TOPO_NONE;
}

void
switch_lids_list(struct switch_lids *x, const struct topo *t, struct arena *a)
{
	uint32_t *at;

	x->of = arena_array(a, t->max_lid + 1U, sizeof(*x->of));
	x->of[0] = TOPO_NONE;
	x->first = arena_array(a, t->nsw + 2U, sizeof(*x->first));
	x->lid = arena_array(a, t->max_lid + 1U, sizeof(*x->lid));
	x->eject = arena_array(a, t->max_lid + 1U, 1);
	x->host = arena_array(a, t->max_lid + 1U, sizeof(*x->host));
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		sw_ix s = x->of[lid] = switch_of_lid(t, lid);

		if (s != TOPO_NONE)
			x->first[s + 2]++;
	}
	for (sw_ix s = 0; s < t->nsw; s++)
		x->first[s + 2] += x->first[s + 1];
	at = x->first + 1; /* moves to the end of each list as it is filled */
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		sw_ix s = x->of[lid];
		port_ix p = t->by_lid[lid];

		if (s == TOPO_NONE)
			continue;
		x->lid[at[s]++] = (uint16_t)lid;
		x->eject[lid] = t->node[t->port[p].node].sw == s
					? 0
					: t->port[t->port[p].peer].num;
		x->host[lid] = topo_is_host(t, p) && t->port[p].lid == lid;
	}
}
