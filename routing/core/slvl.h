/*
 * slvl: the one place that gives out SLs and VLs.
 *
 * Two parties want them. Routing wants layers: packets of one pair of switches
 * stay in one layer on their whole path, and the dependencies of each layer
 * have no cycle. The administrator wants QoS levels: traffic that shares links
 * by weights. A packet belongs to a level and to a layer, and its SL says
 * which: SL = (level, layer). A number that the administrator gave to a level
 * is the SL of its first layer; the other SLs are given out layer by layer, so
 * that a number keeps its meaning when the number of layers changes.
 *
 * A link with v VLs has v / layers slots for levels; VL = layer * slots + slot.
 * Where layers have a map of VLs (vl_map.h), its groups take the place of
 * layers here, on links between switches.
 * The default level has the first slot; a level without a slot of its own on
 * some link shares, on that link alone, the slot of the level it names. So a VL
 * of a link is never in two layers: whatever the levels are, and whatever they
 * were before a change, every channel belongs to one layer, every dependency
 * stays in its layer, and a graph without a cycle stays without one. A link
 * with an end port is the first or the last of any path and in no cycle: layers
 * may share VLs there.
 *
 * Where the verifier found the tables without a cycle on a single layer (they
 * are plain), layers may share VLs anywhere: on a link that has fewer VLs than
 * there are layers, layer i folds onto VL i mod v. That concerns the rows of
 * the two ports that send into the link, but no SL and no entry. Why it is
 * sound: let a packet hold VL x of link a and wait for VL y of link b. Without
 * x and y this is the dependency of b on a, which the tables make. So a cycle
 * of (link, VL) would be a closed walk of dependencies, and there is none. The
 * argument does not ask which VL a row gives to which SL, so it holds for any
 * rows at all: different rows at every link, old and new rows side by side, the
 * rows of a switch that accepts none, rows for SLs of old connections, and rows
 * of a link that comes up with other VLs than it had. The same is true of a
 * mixture of old and new tables if its dependencies, of all layers together,
 * have no cycle (vl_graphs.c). Tables that are not plain need a VL for each
 * layer on every link, or they are refused (layer_links_fit).
 *
 * A connection keeps its SL for ever, also when levels change. Where the tables
 * are not plain, every layer has a band of SLs that are its own whatever the
 * levels are, so that such a connection stays in its layer as well; an
 * administrator's number counts if it lies in the band of the first layer.
 *
 * IBA volume 1: SL and VL 7.6, SLtoVLMappingTable 14.2.5.8.
 */
#ifndef HEDDLE_ROUTING_CORE_SLVL_H
#define HEDDLE_ROUTING_CORE_SLVL_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/route_layers.h"

enum {
	SLVL_MAX = 15,
	SLVL_LAYERS = 16, /* layers of routing */
	SLVL_SLS = 16,
	SLVL_DROP = 15, /* the VL that discards */
	SLVL_ROW = 8,	/* bytes of a row: SL 0 in the high nibble */
	SLVL_ANY = 16,	/* no SL in particular */
};

/* What is asked for. Level 0 is the default one. */
struct slvl_want {
	unsigned n; /* 0: no levels, all traffic is alike */
	struct {
		uint8_t sl;   /* of its first layer, or SLVL_ANY */
		uint8_t with; /* the level that it shares a slot with, where
				 slots are few */
	} level[SLVL_MAX];
	bool drop; /* SLs of no level are discarded; else: the default */
};

/* What is given. */
struct slvl {
	unsigned n;	   /* levels, at least 1 */
	unsigned separate; /* of these, have SLs of their own */
	unsigned layers;   /* layers of routing, at least 1 */
	bool wanted;	   /* levels were asked for */
	bool plain; /* layers may share VLs: as one they have no cycle either */
	bool together; /* all levels share one slot, everywhere */
	uint8_t with[SLVL_MAX];
	uint8_t sl[SLVL_MAX][SLVL_LAYERS];
	uint8_t level[SLVL_SLS], layer[SLVL_SLS]; /* by SL */
	bool drop[SLVL_SLS];
	const struct vl_map *map; /* borrowed; NULL: layer i has group i */
};

/* Where a row of SLtoVLMappingTable is: the VLs of the link that it is for, and
 * the classes of the map of VLs, where there is one. */
struct slvl_hop {
	unsigned vls;
	bool end; /* the link leads to an end port, or from one */
	uint8_t in, out;
};

/*
 * Give out SLs. Where layers times levels are more than there are SLs, the last
 * levels get the SLs of the level they share with (separate < n).
 */
void slvl_allocate(const struct slvl_want *w, unsigned layers, bool plain,
	struct slvl *out);

/* The same for the layers of routes, of which the map is borrowed. */
void slvl_of_layers(const struct slvl_want *w,
	const struct route_layers *layers, struct slvl *out);

/* Groups of VLs that links between switches need. */
unsigned slvl_groups(const struct slvl *l);

/*
 * The hop from ports of class `in` to port out, of which the link has this
 * number of VLs; the classes, 1 without a map; and those of the ports in `all`
 * of a node, a bit each, that are of a class.
 */
struct slvl_hop slvl_hop_at(const struct slvl *l, const struct topo *t,
	unsigned in, port_ix out, unsigned vls);
unsigned slvl_ins(const struct slvl *l);
void slvl_in_ports(const struct slvl *l, const struct topo *t, node_ix n,
	unsigned in, const uint64_t all[4], uint64_t of[4]);

/*
 * Levels that a link with this number of VLs separates, at most l->n; end: it
 * leads to an end port, or from one. There, and in plain tables, levels come
 * first and layers share the VLs that are left.
 */
unsigned slvl_slots(const struct slvl *l, unsigned vls, bool end);

/* Groups of VLs that a link between switches with this number of VLs
 * separates. */
unsigned slvl_separate_groups(const struct slvl *l, unsigned vls);

/* The VL of an SL on such a link; SLVL_DROP where it has none. */
uint8_t slvl_vl(const struct slvl *l, unsigned sl, struct slvl_hop hop);

/* A row of SLtoVLMappingTable for such a link. */
void slvl_row(const struct slvl *l, struct slvl_hop hop, uint8_t row[SLVL_ROW]);

/* The VL of a level in a group of such a link; SLVL_DROP where it has none. On
 * end links the groups are the layers. */
uint8_t slvl_group_vl(const struct slvl *l, unsigned level, unsigned group,
	unsigned vls, bool end);

/*
 * Whether a row of such a link between switches, of these levels or others,
 * leaves each SL to the VLs of its layer, or discards it.
 */
bool slvl_keeps_layers(
	const struct slvl *l, struct slvl_hop hop, const uint8_t row[SLVL_ROW]);

/* The SLs of some layers of routing; a bit each. */
uint16_t slvl_sls(const struct slvl *l, uint16_t layers);

/* Data VLs by a code of VLCap or OperationalVLs. */
unsigned slvl_vls(uint8_t code);

/*
 * Data VLs of the link at port p: those in operation, or, while it is not up,
 * those that both ends have and max (a code as in PortInfo, 0: any) allows. 0:
 * there is no link.
 */
unsigned slvl_link(const struct topo *t, port_ix p, uint8_t max);

/* Lists of VLArbitrationTable that QoS levels need. */
enum slvl_lists { SLVL_NO_LIST, SLVL_LOW_LIST, SLVL_BOTH_LISTS };

/* As slvl_link, as far as these lists of the port have an entry for each VL. */
unsigned slvl_weighted(
	const struct topo *t, port_ix p, uint8_t max, enum slvl_lists lists);

/*
 * The same as a code of OperationalVLs: what a port has to be set to when its
 * link comes up. Where one end has come up before the other, the value in
 * operation at that end counts, as far as the VLCap of the other end allows;
 * the old value of the other end does not.
 */
uint8_t slvl_link_code(const struct topo *t, port_ix p, uint8_t max);

/* True if the node of port p can map SLs to VLs at all. */
bool slvl_maps(const struct topo *t, port_ix p);

/* True if the link at port p has an end port at one of its ends. */
bool slvl_end(const struct topo *t, port_ix p);

#endif
