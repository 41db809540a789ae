/*
 * After a restart the routes in force are what was read back from the
 * switches, in the order that was remembered: a second life changes nothing
 * that need not change. How good fresh tables would be is remembered too, for
 * the fabric that was routed last. After a takeover no order is known: a fresh
 * one is chosen, and what is legal in it stays. NULL where nothing is known.
 */
#include "sm/core/sm_priv.h"

struct routes *
run_routes_from_lft(const struct sm *sm)
{
	const struct topo *t = sm->topo;
	struct routes *r;
	node_ix n;
	uint32_t b;
	sw_ix s;

	if (sm->counts.lft_reads == 0)
		return NULL;
	r = routes_new(sm->topo, sm->pool);
	r->engine = "found";
	r->order = sm->rank_order;
	n = topo_by_node_guid(t, sm->turn);
	r->sftree_root = n == TOPO_NONE ? TOPO_NONE : t->node[n].sw;
	r->order_restored = t->hash == sm->routed && sm->rank_known;
	r->fresh_load = r->order_restored ? sm->load : 0;
	routes_restore(r, sm->rank, sm->nrank);
	for (s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		for (b = 0; b < r->nblocks; b++) {
			lft_ref ref = device_block(sm->hw, guid, b);

			if (ref != DEVICE_UNKNOWN)
				*routes_slot(r, s, b) =
					lft_share(sm->pool, ref);
		}
	}
	return r;
}
