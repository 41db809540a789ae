/*
 * link_map: the links between live switches of a topology, by their number in
 * topo.adj, and which of them an entry of the tables leads to. Passes that
 * change routes after an engine (rebalance.h, disjoint.h) follow paths by it.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_LINK_MAP_H
#define HEDDLE_ROUTING_IMPROVE_LINK_MAP_H

#include "routing/core/routes.h"
#include "sm/base/arena.h"

enum { LINK_MAP_NONE = UINT32_MAX };

struct link_map {
	const struct topo *t;
	uint32_t *by_port; /* [nports] of switches, LINK_MAP_NONE: no link */
	sw_ix *tail;	   /* [nadj] the switch here, TOPO_NONE: not in use */
	sw_ix *head;	   /* [nadj] the switch at the other end */
	struct link_map_switch {
		port_ix first_port;
		uint8_t nports;
	} * sw; /* [nsw] */
};

void link_map_new(struct link_map *m, const struct topo *t, struct arena *a);

/* The host pairs on each link, as they were judged: [nadj]. */
uint32_t *link_map_pairs(const struct link_map *m, const struct verify_state *v,
	struct arena *a);

/* The link at port out of switch s, or LINK_MAP_NONE. */
static inline uint32_t
link_map_at(const struct link_map *m, sw_ix s, uint8_t out)
{
	const struct link_map_switch *sw = &m->sw[s];

	return out > sw->nports ? LINK_MAP_NONE
				: m->by_port[sw->first_port + out];
}

/* The link by which switch s sends to a LID, or LINK_MAP_NONE. */
static inline uint32_t
link_map_entry(
	const struct link_map *m, const struct routes *r, sw_ix s, uint16_t lid)
{
	return link_map_at(m, s, routes_port(r, s, lid));
}

#endif
