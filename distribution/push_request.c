#include "distribution/push_request.h"

#include <string.h>

int
push_request(const struct topo *t, node_ix node, uint64_t mkey,
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
