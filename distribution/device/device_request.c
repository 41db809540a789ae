#include "distribution/device/device_request.h"

#include <assert.h>
#include <string.h>

/* To the SMA that answers for port p. */
static int
request_port(const struct topo *t, port_ix p, struct xact_request *r)
{
	int hops;

	memset(r, 0, sizeof(*r));
	hops = topo_route_port(t, p, r->path);
	if (hops < 0)
		return -1;
	r->hops = (uint8_t)hops;
	r->target = topo_sma_guid(t, p);
	r->own_port = topo_has_lid(t, p);
	return 0;
}

int
device_request(const struct topo *t, node_ix node, struct xact_request *r)
{
	assert(t->node[node].type == TOPO_SWITCH);
	return request_port(t, topo_port_of(t, node, 0), r);
}

port_ix
device_request_sma(const struct topo *t, port_ix p, enum device_attr attr)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	return n->type == TOPO_SWITCH && device_attribute[attr].by_port0
		       ? n->first_port
		       : p;
}

int
device_request_block(const struct topo *t, port_ix p, enum device_attr attr,
	uint32_t block, struct xact_request *r)
{
	const struct device_attribute *a = &device_attribute[attr];

	if (request_port(t, device_request_sma(t, p, attr), r) != 0)
		return -1;
	r->attr = a->attr;
	r->mod = a->modifier(t, p, block);
	return 0;
}
