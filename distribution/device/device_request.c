#include "distribution/device/device_request.h"

#include <string.h>

int
device_request(const struct topo *t, node_ix node, uint64_t mkey,
	struct xact_request *r)
{
	int hops;

	memset(r, 0, sizeof(*r));
	hops = topo_route(t, node, r->path);
	if (hops < 0)
		return -1;
	r->hops = (uint8_t)hops;
	r->mkey = mkey;
	r->target = t->node[node].guid;
	return 0;
}

/* A port of a host or router is reached through its own link. */
int
device_request_port(
	const struct topo *t, port_ix p, uint64_t mkey, struct xact_request *r)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_port *peer;

	if (t->node[port->node].type == TOPO_SWITCH || p == t->sm_port ||
		port->peer == TOPO_NONE)
		return device_request(t, port->node, mkey, r);
	peer = &t->port[port->peer];
	if (device_request(t, peer->node, mkey, r) != 0 ||
		r->hops >= TOPO_MAX_HOPS)
		return -1;
	r->path[++r->hops] = peer->num;
	r->target = t->node[port->node].guid;
	return 0;
}
