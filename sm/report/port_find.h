/*
 * port_find: the port or switch that a user names: by a LID in decimal, a GUID
 * with 0x (of a port or a node), a node's name, whole words of a name or a part
 * of one. The best kind of match decides; where it fits several nodes, they are
 * listed.
 */
#ifndef HEDDLE_SM_REPORT_PORT_FIND_H
#define HEDDLE_SM_REPORT_PORT_FIND_H

#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/reason.h"

/*
 * The port that `what` names, and in *lid the LID meant: the one written, else
 * the port's base LID. A node stands for its first port that has a LID.
 * TOPO_NONE and a reason if no port matches, or more than one.
 */
port_ix port_find(const struct topo *t, const char *what, uint16_t *lid,
	struct reason *why);

/*
 * The node, or the port of it, that `text` names: NODE, or NODE/PORT with the
 * port's number; *port is 0 for NODE. 0, or -1 and a reason.
 */
int port_find_end(const struct topo *t, const char *text, node_ix *node,
	unsigned *port, struct reason *why);

/* The switch that `what` names, or TOPO_NONE and a reason. */
sw_ix port_find_switch(
	const struct topo *t, const char *what, struct reason *why);

#endif
