/*
 * multi_port_node: which host ports belong to one node. Ports belong together
 * if they have the system image GUID in common, or if the configuration puts
 * them into one group.
 */
#ifndef HEDDLE_ROUTING_GRAPH_MULTI_PORT_NODE_H
#define HEDDLE_ROUTING_GRAPH_MULTI_PORT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/engine.h"

/* The configuration of the port with this GUID, or NULL; o: NULL allowed. */
const struct route_multi_port *multi_port_node_option(
	const struct engine_options *o, uint64_t guid);

/*
 * The key that the ports of one node have in common, and no other port has: its
 * system image GUID, its node GUID where that is 0, or the configured group.
 */
uint64_t multi_port_node_key(
	const struct topo *t, const struct engine_options *o, port_ix p);

/* True if a node has several host ports that have a LID and hang on live
 * switches. */
bool multi_port_node_exists(
	const struct topo *t, const struct engine_options *o);

/*
 * Host ports that have a LID and hang on a live switch, those of one node
 * together, and the switches that they hang on.
 */
struct multi_port_node_member {
	uint64_t key;
	port_ix port;
};

struct multi_port_node_ports {
	struct multi_port_node_member *member; /* [n] by key, then port */
	size_t n;
	sw_ix *leaf; /* live switches with such ports */
	uint32_t nleaves;
};

/* Free with multi_port_node_ports_free. */
struct multi_port_node_ports multi_port_node_ports(
	const struct topo *t, const struct engine_options *o);
void multi_port_node_ports_free(struct multi_port_node_ports *p);

/* The number of ports from index i on that belong to one node. */
size_t multi_port_node_size(const struct multi_port_node_ports *p, size_t i);

/* The index of the first port with this key; p->n: none has it. */
size_t multi_port_node_find(
	const struct multi_port_node_ports *p, uint64_t key);

#endif
