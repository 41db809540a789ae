/*
 * device_request: the frame of every Get and Set about a port of a topology:
 * directed route, and the SMA that the request counts against. There is
 * one rule, topo_route_port: a switch's SMA answers for all its ports, and each
 * port of a host or router is asked over its own link.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_REQUEST_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_REQUEST_H

#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/attribute.h"
#include "sm/transport/xact.h"

/*
 * Fill r but for its data: to the SMA of a switch (asserted), whatever port the
 * request is about. 0, or -1: more than 63 hops away, or no link leads there.
 */
int device_request(const struct topo *t, node_ix node, struct xact_request *r);

/*
 * The same for a block of an attribute, with AttributeID and modifier;
 * device_request_sma is the port whose SMA is asked: port 0 of a switch for
 * what it holds as a whole, whatever its port p is.
 */
port_ix device_request_sma(
	const struct topo *t, port_ix p, enum device_attr attr);
int device_request_block(const struct topo *t, port_ix p, enum device_attr attr,
	uint32_t block, struct xact_request *r);

#endif
