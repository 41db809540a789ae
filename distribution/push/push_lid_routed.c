#include "distribution/push/push_lid_routed.h"

#include <stdlib.h>

#include "sm/base/mem.h"

enum {
	STRAYED_MAX = 4, /* in a row, from the first: this fabric does not carry
			    them */
	VALUES = 8	 /* of a block; with more values nothing is proven */
};

enum fit { FIT_UNKNOWN, FIT_LID, FIT_DIRECTED };

struct push_lid_routed {
	const struct plan *plan;
	const struct device_store *hw;
	uint8_t *fit; /* [nsw] enum fit */
	unsigned arrived, strayed;
};

struct push_lid_routed *
push_lid_routed_new(const struct plan *plan, const struct device_store *hw)
{
	struct push_lid_routed *l = mem_zalloc(1, sizeof(*l));

	l->plan = plan;
	l->hw = hw;
	l->fit = mem_zalloc(plan->topo->nsw, sizeof(*l->fit));
	return l;
}

void
push_lid_routed_free(struct push_lid_routed *l)
{
	if (l == NULL)
		return;
	free(l->fit);
	free(l);
}

/* Whether data passes from this end of a link to the other, now and later. */
static bool
link_carries_data(const struct push_lid_routed *l, port_ix p)
{
	const struct topo *t = l->plan->topo;
	const bool *downed = l->plan->downed;
	port_ix q = t->port[p].peer;

	return q != TOPO_NONE && t->port[p].state == PORT_ACTIVE &&
	       t->port[q].state == PORT_ACTIVE &&
	       (downed == NULL || (!downed[p] && !downed[q]));
}

static bool
has_lid(const struct topo *t, port_ix p)
{
	return t->port[p].lid != 0 && t->port[p].lid == t->port[p].found_lid;
}

/*
 * The out-port of switch s for this LID, in all that it may hold; or LFT_DROP.
 */
static uint8_t
settled_entry(const struct push_lid_routed *l, sw_ix s, uint16_t lid)
{
	const struct routes *r = l->plan->routes;
	uint8_t want = routes_port(r, s, lid);
	lft_ref may[VALUES];
	size_t n;

	if (lid > r->topo->sw[s].lft_top)
		return LFT_DROP;
	n = device_values(l->hw, r->topo->node[r->topo->sw[s].node].guid,
		lid / LFT_BLOCK, may, VALUES);
	if (n == 0 || n > VALUES)
		return LFT_DROP;
	for (size_t i = 0; i < n; i++)
		if (lft_bytes(r->pool, may[i])[lid % LFT_BLOCK] != want)
			return LFT_DROP;
	return want;
}

/* Whether what leaves switch s for port "to" is certain to arrive there. */
static bool
path_arrives(const struct push_lid_routed *l, sw_ix s, port_ix to)
{
	const struct topo *t = l->plan->topo;
	const struct topo_node *end = &t->node[t->port[to].node];
	uint16_t lid = t->port[to].lid;

	for (uint32_t hops = 0; hops <= TOPO_MAX_HOPS; hops++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		uint8_t out;
		port_ix p;

		out = settled_entry(l, s, lid);
		if (n == end)
			return out == 0;
		if (out == 0 || out > n->nports)
			return false;
		p = n->first_port + out;
		if (!link_carries_data(l, p))
			return false;
		p = t->port[p].peer;
		if (p == to)
			return true;
		s = t->node[t->port[p].node].sw;
		if (s == TOPO_NONE)
			return false;
	}
	return false;
}

static bool
is_proven(const struct push_lid_routed *l, sw_ix s)
{
	const struct topo *t = l->plan->topo;
	sw_ix first = topo_switch_of(t, t->sm_port);
	port_ix own = topo_port_of(t, t->sw[s].node, 0);

	if (first == TOPO_NONE || !has_lid(t, t->sm_port) || !has_lid(t, own))
		return false;
	if (t->port[t->sm_port].num != 0 && !link_carries_data(l, t->sm_port))
		return false;
	return path_arrives(l, first, own) && path_arrives(l, s, t->sm_port);
}

uint16_t
push_lid_routed_of(struct push_lid_routed *l, sw_ix s)
{
	const struct topo *t;

	if (l == NULL || push_lid_routed_useless(l))
		return 0;
	if (l->fit[s] == FIT_UNKNOWN)
		l->fit[s] = is_proven(l, s) ? FIT_LID : FIT_DIRECTED;
	t = l->plan->topo;
	return l->fit[s] == FIT_LID
		       ? t->port[topo_port_of(t, t->sw[s].node, 0)].lid
		       : 0;
}

void
push_lid_routed_answered(struct push_lid_routed *l, sw_ix s, bool strayed)
{
	if (strayed) {
		l->strayed++;
		l->fit[s] = FIT_DIRECTED;
	} else {
		l->arrived++;
	}
}

bool
push_lid_routed_useless(const struct push_lid_routed *l)
{
	return l != NULL && l->arrived == 0 && l->strayed >= STRAYED_MAX;
}
