/* What of the view a query may see, and which ports it walks. */
#include "sm/base/be.h"
#include "sm/sa/sa_priv.h"

bool
sa_scope_sees(const struct sa_query *q, port_ix p)
{
	return q->trusted || view_partition_shared(q->view, q->from, p) != 0;
}

uint16_t
sa_scope_lid(const struct view *v, port_ix p)
{
	const struct topo *t = v->topo;

	if (t->node[t->port[p].node].type == TOPO_SWITCH)
		p = t->node[t->port[p].node].first_port;
	return t->port[p].lid;
}

void
sa_scope_ports(struct sa_query *q, bool all)
{
	const struct topo *t = q->view->topo;
	const struct topo_node *n;
	port_ix p;

	q->end = t->nports;
	if (!sa_query_has(q, 0))
		return;
	p = topo_by_lid(t, be_get16(q->want), NULL);
	if (p == TOPO_NONE) {
		q->end = 0;
		return;
	}
	/* records hold the base LID; a query may name any LID of the port */
	be_put16(q->want, t->port[p].lid);
	n = &t->node[t->port[p].node];
	if (all && n->type == TOPO_SWITCH) {
		q->at = n->first_port;
		q->end = (uint64_t)n->first_port + n->nports + 1;
	} else {
		q->at = p;
		q->end = (uint64_t)p + 1;
	}
}

bool
sa_scope_by_lid(const struct sa_query *q, uint16_t lid, struct sa_end *out)
{
	const struct topo *t = q->view->topo;
	port_ix p = topo_by_lid(t, lid, NULL);

	if (p == TOPO_NONE || !sa_scope_sees(q, p))
		return false;
	*out = (struct sa_end){p, lid, t->port[p].guid, 0};
	return true;
}
