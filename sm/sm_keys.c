/*
 * P_Keys on their way from the configuration to the view: made when a topology
 * has its LIDs, settled when the push is over.
 */
#include <stdio.h>
#include <string.h>

#include "sm/sm_priv.h"

void
sm_keys_make(struct sm *sm)
{
	ptables_reconcile(hw_ptables(sm->hw), sm->topo);
	pkeys_unref(sm->pkeys);
	sm->pkeys = pkeys_make(sm->cfg, sm->topo);
}

void
sm_keys_read(struct sm *sm)
{
	const struct ptable_want want = pkeys_wanted(sm->pkeys);

	sm->ptable_read = ptable_read_new(sm->topo, hw_ptables(sm->hw), &want,
		sm->x, sm->cfg->fabric.m_key);
}

/* Are all blocks of the port known? */
static bool
known(const struct sm *sm, port_ix p)
{
	const struct topo *t = sm->topo;
	uint16_t key[PTABLE_BLOCK];
	unsigned n = ptable_blocks(ptable_cap(t, p));

	for (unsigned b = 0; b < n; b++)
		if (!ptables_block(hw_ptables(sm->hw),
			    t->node[t->port[p].node].guid, t->port[p].num, b,
			    key))
			return false;
	return true;
}

void
sm_keys_review(struct sm *sm)
{
	const struct ptable_want want = pkeys_wanted(sm->pkeys);
	const struct plan_unfit *u = sm->plan->unfit;
	const struct topo *t = sm->topo;
	char text[sizeof(sm->stat.keys)] = "";

	for (port_ix p = 0; p < t->nports; p++)
		if ((topo_has_lid(t, p) || ptable_guards(t, &want, p)) &&
			!known(sm, p))
			sm_commit_retry(sm, t, p);
	if (sm->plan->nunfit > 0)
		(void)snprintf(text, sizeof(text),
			"port %u of 0x%016llx %s has room for %u P_Keys and "
			"shall have %u (%zu such ports)",
			t->port[u->port].num,
			(unsigned long long)t->node[t->port[u->port].node].guid,
			topo_desc(t, t->port[u->port].node), u->cap, u->keys,
			sm->plan->nunfit);
	if (text[0] != '\0' && strcmp(text, sm->stat.keys) != 0)
		log_error("partitions: %s", text);
	memcpy(sm->stat.keys, text, sizeof(text));
	if (sm->stat.alarm[0] == '\0')
		(void)snprintf(
			sm->stat.alarm, sizeof(sm->stat.alarm), "%s", text);
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
