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
sa_scope_number(struct sa_query *q, enum sa_over over, uint32_t per)
{
	const struct topo *t = q->view->topo;
	uint64_t first = 0, n = over == SA_SWITCHES ? t->nsw : t->nports;
	const struct topo_node *node;
	port_ix p;

	if (over == SA_NUMBERS)
		n = 1;
	if (over != SA_NUMBERS && sa_query_has(q, 0)) {
		p = topo_by_lid(t, be_get16(q->want), NULL);
		if (p == TOPO_NONE)
			return;
		node = &t->node[t->port[p].node];
		if (over == SA_SWITCHES && node->sw == TOPO_NONE)
			return;
		/* records hold the base LID; a query may name any of them */
		be_put16(q->want, t->port[p].lid);
		first = over == SA_SWITCHES ? node->sw : p;
		n = 1;
		if (over == SA_PORTS && node->type == TOPO_SWITCH) {
			first = node->first_port;
			n = node->nports + 1U;
		}
	}
	q->at = first * per;
	q->end = q->at + n * per;
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
