/*
 * switch_lids: the LIDs of a topology by the switch that delivers them: what an
 * engine that routes to switches has to write for each.
 */
#ifndef HEDDLE_ROUTING_GRAPH_SWITCH_LIDS_H
#define HEDDLE_ROUTING_GRAPH_SWITCH_LIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/arena.h"

struct switch_lids {
	sw_ix *of; /* [max_lid + 1] the live switch that delivers a LID, or
		      TOPO_NONE */
	uint32_t *first; /* [nsw + 1] those of s: lid[first[s] .. first[s + 1])
			  */
	uint16_t *lid;	 /* ascending for each switch */
	uint8_t *eject;	 /* [max_lid + 1] the port of its switch, 0: itself */
	bool *host;	 /* [max_lid + 1] the base LID of a compute host */
};

/* Of live switches, in arena a. */
void switch_lids_list(
	struct switch_lids *x, const struct topo *t, struct arena *a);

#endif
