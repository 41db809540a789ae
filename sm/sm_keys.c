/*
 * P_Keys on their way from the configuration to the view: made when a topology
 * has its LIDs, settled when the push is over.
 */
#include "sm/sm_priv.h"

void
sm_keys_make(struct sm *sm)
{
	ptables_reconcile(hw_ptables(sm->hw), sm->topo);
	pkeys_unref(sm->pkeys);
	sm->pkeys = pkeys_make(sm->cfg, sm->topo);
}

bool
sm_keys_settle(struct sm *sm)
{
	pkeys_settle(sm->pkeys, hw_ptables(sm->hw));
	return sm->view == NULL || sm->view->pkeys == NULL ||
	       !pkeys_same(sm->view->pkeys, sm->pkeys);
}

bool
sm_keys_renamed(const struct sm *sm, struct topo *fresh)
{
	struct pkeys *k;
	bool other;

	if (!pkeys_by_name(sm->cfg))
		return false;
	k = pkeys_make(sm->cfg, fresh);
	other = !pkeys_want_same(k, sm->view->pkeys);
	pkeys_unref(k);
	return other;
}
