/*
 * port_key: a port as the key of a map, for data that outlives one topology:
 * port handles are valid in one topology only.
 */
#ifndef HEDDLE_DISCOVERY_PORT_KEY_H
#define HEDDLE_DISCOVERY_PORT_KEY_H

#include <stdint.h>

/* Port of a node: GUIDs of one vendor differ in their low 48 bits. */
static inline uint64_t
port_key(uint64_t node_guid, unsigned port)
{
	return node_guid ^ (uint64_t)port << 56;
}

#endif
