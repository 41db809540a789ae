#include "discovery/builder/builder.h"
#include "discovery/builder/builder_priv.h"

/* Flags that freezing sets by itself. */
enum {
	NODE_FOUND = TN_QUARANTINED | TN_SM | TN_FRESH | TN_AGGREGATION,
	PORT_FOUND = TP_UNREAD | TP_SELF | TP_OURS | TP_IDLE,
};

void
builder_put_node(struct builder *d, builder_id n, const struct topo_node *as)
{
	struct builder_node *node = d->node[n];

	builder_set_ids(d, n, as->sysimg, as->vendor, as->device);
	node->revision = as->revision;
	node->partition_cap = as->partition_cap;
	node->flags = as->flags & (uint8_t)~NODE_FOUND;
	if (as->role != 0)
		builder_set_role(d, n, as->role);
	if (as->flags & TN_QUARANTINED)
		builder_node_quarantine(d, n, "quarantined before");
}

int
builder_put_switch(struct builder *d, builder_id n, const uint8_t info[64],
	struct reason *why)
{
	return builder_switch_info(d, n, info, why);
}

int
builder_put_port(struct builder *d, builder_id n, const struct topo_port *as,
	const uint8_t info[64], struct reason *why)
{
	struct builder_port *p = &d->node[n]->port[as->num];

	portinfo_pool_drop(&d->infos, &p->info);
	*p = (struct builder_port){
		.guid = as->guid, .peer = p->peer, .peer_port = p->peer_port};
	if (info != NULL && builder_port_info(d, n, as->num, info,
				    (as->flags & TP_EXT_SPEED) != 0, why) < 0)
		return -1;
	p->flags = as->flags & (uint8_t)~PORT_FOUND;
	if (as->num == 0) /* asked for, as with builder_drain */
		p->flags |= as->flags & TP_IDLE;
	p->lid = as->found_lid;
	return 0;
}

void
builder_put_link(
	struct builder *d, builder_id a, unsigned pa, builder_id b, unsigned pb)
{
	builder_link(d, a, (uint8_t)pa, b, (uint8_t)pb);
}

void
builder_put_self(struct builder *d, builder_id n, unsigned port)
{
	d->self = n;
	d->self_port = port;
	d->routed = false;
}

static void
add_topo_node(struct builder *d, const struct topo *t, node_ix n)
{
	const struct topo_node *node = &t->node[n];
	struct reason none;
	builder_id id =
		builder_add_node(d, (enum topo_type)node->type, node->guid,
			node->nports, node->desc != 0 ? topo_desc(t, n) : NULL);

	builder_put_node(d, id, node);
	if (node->sw != TOPO_NONE)
		(void)builder_put_switch(d, id, t->sinfo[node->sw], &none);
	for (unsigned i = 0; i <= node->nports; i++) {
		port_ix p = topo_port_of(t, n, i);

		(void)builder_put_port(d, id, &t->port[p],
			t->info_at[p] != 0 ? topo_info(t, p) : NULL, &none);
	}
}

struct builder *
builder_from_topo(const struct topo *t)
{
	struct builder *d = builder_new();

	for (node_ix n = 0; n < t->nnodes; n++)
		add_topo_node(d, t, n);
	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_port *a = &t->port[p], *b;

		if (a->peer == TOPO_NONE || a->peer < p)
			continue;
		b = &t->port[a->peer];
		builder_put_link(d, a->node, a->num, b->node, b->num);
	}
	builder_put_self(d, 0, t->port[t->sm_port].num);
	return d;
}
