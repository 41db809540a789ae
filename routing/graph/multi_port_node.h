/*
 * multi_port_node: which ports of hosts are of one node. Ports belong together
 * that have the system image GUID in common, or that the configuration puts
 * into one group.
 */
#ifndef HEDDLE_ROUTING_GRAPH_MULTI_PORT_NODE_H
#define HEDDLE_ROUTING_GRAPH_MULTI_PORT_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/engine.h"

/* What is configured of the port with this GUID, or NULL; o: NULL allowed. */
const struct route_multi_port *multi_port_node_option(
	const struct engine_options *o, uint64_t guid);

/*
 * What ports of one node have in common, and no others: its system image, or
 * the group that it is configured to be in.
 */
uint64_t multi_port_node_key(
	const struct topo *t, const struct engine_options *o, port_ix p);

/* Hosts' ports that have a LID and hang on a live switch, those of one node
 * together, and where they hang. */
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

/* How many of the ports from number i on belong to one node. */
size_t multi_port_node_size(const struct multi_port_node_ports *p, size_t i);

/* The number of the first port with this key, p->n: none has it. */
size_t multi_port_node_find(
	const struct multi_port_node_ports *p, uint64_t key);

#endif
