#include "routing/graph/multi_port_node.h"

#include <stdlib.h>

#include "sm/base/mem.h"

const struct route_multi_port *
multi_port_node_option(const struct engine_options *o, uint64_t guid)
{
	size_t lo = 0, hi = o != NULL ? o->nmulti_port : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->multi_port[mid].guid == guid)
			return &o->multi_port[mid];
		if (o->multi_port[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

uint64_t
multi_port_node_key(
	const struct topo *t, const struct engine_options *o, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	const struct route_multi_port *h =
		multi_port_node_option(o, t->port[p].guid);

	if (h != NULL && h->group != ROUTE_MULTI_PORT_NODE)
		return ~(uint64_t)h->group;
	return n->sysimg != 0 ? n->sysimg : n->guid;
}

static int
by_key(const void *pa, const void *pb)
{
	const struct multi_port_node_member *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

struct multi_port_node_ports
multi_port_node_ports(const struct topo *t, const struct engine_options *o)
{
	struct multi_port_node_ports p = {0};

	p.member = mem_alloc((t->nend + 1U) * sizeof(*p.member));
	p.leaf = mem_alloc((t->nsw + 1U) * sizeof(*p.leaf));
	for (sw_ix s = 0; s < t->nsw; s++) {
		size_t before = p.n;

		for (uint32_t i = 0; topo_sw_live(t, s) && i < t->sw[s].nend;
			i++) {
			const struct topo_end *e = &t->end[t->sw[s].end + i];

			if (e->host && t->port[e->port].lid != 0)
				p.member[p.n++] =
					(struct multi_port_node_member){
						multi_port_node_key(
							t, o, e->port),
						e->port};
		}
		if (p.n > before)
			p.leaf[p.nleaves++] = s;
	}
	qsort(p.member, p.n, sizeof(*p.member), by_key);
	return p;
}

void
multi_port_node_ports_free(struct multi_port_node_ports *p)
{
	free(p->member);
	free(p->leaf);
	*p = (struct multi_port_node_ports){0};
}

size_t
multi_port_node_size(const struct multi_port_node_ports *p, size_t i)
{
	size_t n = 1;

	while (i + n < p->n && p->member[i + n].key == p->member[i].key)
		n++;
	return n;
}

size_t
multi_port_node_find(const struct multi_port_node_ports *p, uint64_t key)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->member[mid].key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n && p->member[lo].key == key ? lo : p->n;
}
