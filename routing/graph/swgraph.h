/*
 * swgraph: the graph of switches that routes are made in: links as groups of
 * parallel ones, components, where hosts are. A tool for any engine.
 */
#ifndef HEDDLE_ROUTING_GRAPH_SWGRAPH_H
#define HEDDLE_ROUTING_GRAPH_SWGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "discovery/topo_diff.h"
#include "routing/core/engine.h"
#include "sm/base/arena.h"

/* All cables between two switches, whose numbers 16 bits are enough for. */
struct link_group {
	uint16_t peer;
	uint16_t n;
	uint32_t adj; /* the first of them in topo.adj */
};

/* A total order: pos[s], smaller is above; seq[] lists it from the top. */
struct sw_order {
	uint32_t *pos;
	sw_ix *seq;
};

struct swgraph {
	/* Given. */
	const struct route_job *job;
	const struct topo *t;
	struct arena *a;
	const struct swgraph *like; /* is the same, made; or NULL */
	const uint8_t *plane; /* [nsw] cables from one plane to another are
				 none; NULL: there is one plane */

	/* Made. */
	uint32_t nsw;
	uint32_t words;	 /* of a bit set over switches, a multiple of 4 */
	bool *live;	 /* not quarantined */
	uint32_t *first; /* groups of s: group[first[s] .. first[s + 1]) */
	struct link_group *group;
	uint32_t *comp; /* component of live switches */
	uint32_t ncomp;
	uint32_t *weight; /* compute host ports at a switch; in components
			     without any, 1 */
	uint64_t nhosts;  /* sum of weights */
	uint64_t *hosts;  /* [ncomp] compute host ports there, really */
	const struct topo_diff
		*topo_diff; /* the routes in force; NULL: there are
			    none, or more than cables differs */
};

/* Make it, from what is given; what is the same as in g->like, while there are
 * no planes, is shared with it. */
void swgraph_build(struct swgraph *g);
/* ... of live[] and groups alone: components, weights, hosts. */
void swgraph_components(struct swgraph *g);

#endif
