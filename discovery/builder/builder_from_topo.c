#include "discovery/builder/builder.h"
#include "discovery/builder/builder_priv.h"

/* What freezing finds out by itself. */
enum {
	NODE_FOUND = TN_QUARANTINED | TN_SM | TN_FRESH | TN_AGGREGATION,
	PORT_FOUND = TP_UNREAD | TP_SELF | TP_OURS,
};

void
draft_put_node(struct draft *d, draft_id n, const struct topo_node *as)
{
	struct draft_node *node = d->node[n];

	draft_set_ids(d, n, as->sysimg, as->vendor, as->device);
	node->revision = as->revision;
	node->partition_cap = as->partition_cap;
	node->flags = as->flags & (uint8_t)~NODE_FOUND;
	if (as->role != 0)
		draft_set_role(d, n, as->role);
	if (as->flags & TN_QUARANTINED)
		draft_node_quarantine(d, n, "quarantined before");
}

int
draft_put_switch(
	struct draft *d, draft_id n, const uint8_t info[64], struct reason *why)
{
	return draft_switch_info(d, n, info, why);
}

int
draft_put_port(struct draft *d, draft_id n, const struct topo_port *as,
	const uint8_t info[64], struct reason *why)
{
	struct draft_port *p = &d->node[n]->port[as->num];

	infos_drop(&d->infos, &p->info);
	*p = (struct draft_port){
		.guid = as->guid, .peer = p->peer, .peer_port = p->peer_port};
	if (info != NULL && draft_port_info(d, n, as->num, info,
				    (as->flags & TP_EXT_SPEED) != 0, why) < 0)
		return -1;
	p->flags = as->flags & (uint8_t)~PORT_FOUND;
	p->lid = as->found_lid;
	return 0;
}

void
draft_put_cable(
	struct draft *d, draft_id a, unsigned pa, draft_id b, unsigned pb)
{
	draft_link(d, a, (uint8_t)pa, b, (uint8_t)pb);
}

void
draft_put_self(struct draft *d, draft_id n, unsigned port)
{
	d->self = n;
	d->self_port = port;
	d->routed = false;
}

static void
thaw_node(struct draft *d, const struct topo *t, node_ix n)
{
	const struct topo_node *node = &t->node[n];
	struct reason none;
	draft_id id = draft_add_node(d, (enum topo_type)node->type, node->guid,
		node->nports, node->desc != 0 ? topo_desc(t, n) : NULL);

	draft_put_node(d, id, node);
	if (node->sw != TOPO_NONE)
		(void)draft_put_switch(d, id, t->sinfo[node->sw], &none);
	for (unsigned i = 0; i <= node->nports; i++) {
		port_ix p = topo_port_of(t, n, i);

		(void)draft_put_port(d, id, &t->port[p],
			t->info_at[p] != 0 ? topo_info(t, p) : NULL, &none);
	}
}

struct draft *
draft_thaw(const struct topo *t)
{
	struct draft *d = draft_new();

	for (node_ix n = 0; n < t->nnodes; n++)
		thaw_node(d, t, n);
	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_port *a = &t->port[p], *b;

		if (a->peer == TOPO_NONE || a->peer < p)
			continue;
		b = &t->port[a->peer];
		draft_put_cable(d, a->node, a->num, b->node, b->num);
	}
	draft_put_self(d, 0, t->port[t->sm_port].num);
	return d;
}
