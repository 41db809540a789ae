/*
 * device_request: what any question or order to a node of a topology looks like
 * on the wire: directed, with the key, counted against the node's own cap.
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
 * The same, to arrive at port p itself: a host answers for the port that it is
 * asked through.
 */
int device_request_port(
	const struct topo *t, port_ix p, uint64_t mkey, struct xact_request *r);

#endif
