/*
 * device_request: the frame of every Get and Set to a node of a topology:
 * directed route, M_Key, and the node that the request counts against.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_REQUEST_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_REQUEST_H

#include <stdint.h>

#include "discovery/topo.h"
#include "sm/transport/xact.h"

/*
 * Fill r but for its data: directed to the node of this topology. 0, or -1:
 * more than 63 hops away.
 */
int device_request(const struct topo *t, node_ix node, uint64_t mkey,
	struct xact_request *r);

/*
 * The same, to arrive at port p itself: a host answers for the port that the
 * request comes in by.
 */
int device_request_port(
	const struct topo *t, port_ix p, uint64_t mkey, struct xact_request *r);

#endif
