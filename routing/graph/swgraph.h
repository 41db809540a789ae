/*
 * swgraph: the graph of switches that routes are computed in: links as groups
 * of parallel ones, components, hosts per switch. A tool for any engine.
 *
 * Folder routing/graph: a topology -> the graph of its switches, classes of
 * equal neighbours, nodes with several ports. Callers: routing/tiers,
 * routing/updown and routing/improve. Read next: routing/graph/nbr_class.h.
 */
#ifndef HEDDLE_ROUTING_GRAPH_SWGRAPH_H
#define HEDDLE_ROUTING_GRAPH_SWGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "discovery/topo_diff.h"
#include "routing/core/engine.h"
#include "sm/base/arena.h"

/* All links between two switches; 16 bits are enough for switch numbers. */
struct link_group {
	uint16_t peer;
	uint16_t n;
	uint32_t adj; /* the first of them in topo.adj */
};

/*
 * A switch order, total: pos[s], smaller is above; seq[] lists it from the top.
 */
struct sw_order {
	uint32_t *pos;
	sw_ix *seq;
};

struct swgraph {
	/* Given. */
	const struct route_job *job;
	const struct topo *t;
	struct arena *a;
	const struct swgraph *like; /* the same graph, built; or NULL */
	const uint8_t *plane; /* [nsw] links between two planes are left out;
				 NULL: there is one plane */

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
	uint64_t *hosts; /* [ncomp] compute host ports, 0 where weights are 1 */
	/*
	 * Against the routes in force; NULL: none are, or more than links
	 * differs.
	 */
	const struct topo_diff *topo_diff;
};

/*
 * Build it from what is given. What is the same as in g->like is shared with
 * it, if there are no planes.
 */
void swgraph_build(struct swgraph *g);
/*
 * Fill in components, weights and hosts anew, from live[] and the groups alone.
 */
void swgraph_components(struct swgraph *g);

/* The group of links from s to peer, or UINT32_MAX. */
uint32_t swgraph_group(const struct swgraph *g, sw_ix s, sw_ix peer);

/* The places of live switches in the order of their GUIDs, [nsw] in the graph's
 * arena; UINT32_MAX of others. */
uint32_t *swgraph_by_guid(const struct swgraph *g);

/* "leaf1" in quotes, or the GUID where the name was not read. */
struct swgraph_name {
	char s[72];
};
struct swgraph_name swgraph_name(const struct swgraph *g, sw_ix s);

#endif
