/*
 * vl_map: which VLs the packets of a layer take on a link between switches.
 *
 * Where layers have no map, layer i has VLs of its own, group i of each link.
 * Tori and dragonflies need less: a packet may change VL on its way, by the
 * link that it came over and the link that it leaves by, as SLtoVLMappingTable
 * allows (IBA volume 1, 14.2.5.8, a row for each in-port and out-port). So one
 * SL is enough for many paths, and layers that never wait for each other in a
 * cycle share VLs.
 *
 * A map sorts the links into classes, a class for packets that arrive by a port
 * of a switch and one for packets that leave by it, and gives a group of VLs by
 * (layer, class in, class out). In-class 0 is that of ports to hosts and of
 * port 0: the packet starts here. How many VLs a group has is decided by
 * routing/core/slvl.h.
 *
 * Layer 0 is for paths that need no map, and for multicast trees: it has group
 * 0 for itself, which packets of other layers take only on their first link
 * between switches. They come from no channel there, so what layer 0 does in
 * group 0 is judged by itself.
 *
 * Source: Skeie, Lysne, Theiss, Layered shortest path routing in InfiniBand
 * (IPDPS 2002) for layers; torus-2QoS of OpenSM and Kim, Dally et al. (ISCA
 * 2008) for what changes VL on the way.
 */
#ifndef HEDDLE_ROUTING_CORE_VL_MAP_H
#define HEDDLE_ROUTING_CORE_VL_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "discovery/topo.h"
#include "sm/base/reason.h"

enum {
	VL_MAP_LAYERS = 16,
	VL_MAP_IN = 8,	   /* classes of links by which packets arrive */
	VL_MAP_OUT = 16,   /* ... and by which they leave */
	VL_MAP_PLANES = 64 /* layers times in-classes */
};

struct vl_map {
	unsigned refs;
	uint8_t groups;	 /* of VLs, on every link between switches */
	uint8_t in, out; /* classes in use, 1 .. */
	uint8_t group[VL_MAP_LAYERS][VL_MAP_IN][VL_MAP_OUT];
	uint32_t nports;
	uint8_t port[]; /* [nports] of the topology: class in | class out << 4;
			   0: not between switches */
};

/* A map for the ports of t, all of class 0, with one reference. */
struct vl_map *vl_map_new(const struct topo *t);

/* One reference more, and one less; NULL allowed. */
static inline struct vl_map *
vl_map_share(struct vl_map *m)
{
	if (m != NULL)
		m->refs++;
	return m;
}

static inline void
vl_map_drop(struct vl_map *m)
{
	if (m != NULL && --m->refs == 0)
		free(m);
}

/*
 * Whether a map may be used for n layers of routes for t. -1 and why: a class
 * or a group is out of range, there are too many planes, a link between
 * switches has in-class 0, or layer 0 does not have group 0 for itself.
 */
int vl_map_check(const struct vl_map *m, const struct topo *t, unsigned n,
	struct reason *why);

/* True if both give the same group at every port of the same topology; NULL is
 * no map. */
bool vl_map_same(const struct vl_map *a, const struct vl_map *b);

/* The map for topology `to`, of which the ports are those of `from` with other
 * numbers; ports that `from` does not have are of class 0. */
struct vl_map *vl_map_for(
	const struct vl_map *m, const struct topo *from, const struct topo *to);

/* The class of packets that arrive by port p of a switch. */
static inline unsigned
vl_map_in(const struct vl_map *m, port_ix p)
{
	return m == NULL ? 0 : m->port[p] & 15U;
}

/* The class of packets that leave by port p of a switch. */
static inline unsigned
vl_map_out(const struct vl_map *m, port_ix p)
{
	return m == NULL ? 0 : m->port[p] >> 4;
}

static inline void
vl_map_put(struct vl_map *m, port_ix p, unsigned in, unsigned out)
{
	m->port[p] = (uint8_t)(in | out << 4);
}

/* The group of VLs of a layer between such links. */
static inline unsigned
vl_map_group(const struct vl_map *m, unsigned layer, unsigned in, unsigned out)
{
	return m == NULL ? layer : m->group[layer][in][out];
}

/* In-classes, of which there is one without a map. */
static inline unsigned
vl_map_ins(const struct vl_map *m)
{
	return m == NULL ? 1 : m->in;
}

#endif
