/*
 * builder: what the fabric has said so far, mutable; the inside is private to
 * discovery.
 *
 * Sweeps and probes write answers into it; builder_freeze makes the immutable
 * topology from it. It lives as long as the daemon: a probe of two switches
 * changes two switches here and freezes again, instead of reading the whole
 * fabric. Nodes are known by GUID, links by their two ends; a link that was
 * seen from one end only is believed until the other end contradicts it (both
 * ends are then dropped and probed again).
 *
 * Duplicate GUIDs: a second node that has a known GUID and answers from another
 * place is kept as a node of its own, flagged TN_DUPLICATE, and reported; the
 * fabric is still routed.
 *
 * Folder discovery/builder: answers, or calls that build by hand -> one mutable
 * record of the fabric -> topologies. Callers: discovery/sweep, discovery/text,
 * sm/core, sm/what_if and sm/audit. Read next: discovery/topo.h, which it
 * makes.
 */
#ifndef HEDDLE_DISCOVERY_BUILDER_BUILDER_H
#define HEDDLE_DISCOVERY_BUILDER_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

struct builder;

struct builder *builder_new(void);
void builder_free(struct builder *d); /* NULL allowed */

/*
 * Building by hand: what topo_text_parse_pieces and tests need to make a fabric
 * without asking one. Nodes are handles, so that duplicate GUIDs can be built
 * too.
 */
typedef uint32_t builder_id;

/* Ports of nodes that are added from now on have this VLCap (a code of
 * PortInfo) in place of that of 4 VLs. */
void builder_assume_vls(struct builder *d, uint8_t vl_cap);

/*
 * A node; desc NULL: not read. Its port GUIDs are guid (switch port 0) and
 * guid + port number (CA, router), until builder_set_port_guid; its vendor and
 * device are 0. CA ports are TP_ABSENT until linked. A switch starts with a
 * table of 49152 entries and nothing in it (top 0). nports 0..255.
 */
builder_id builder_add_node(struct builder *d, enum topo_type type,
	uint64_t guid, unsigned nports, const char *desc);

/*
 * A link between two ports (both may be of one node, or one and the same port);
 * an earlier link of either is removed. Ports that were never read become
 * LinkUp, Active, 4xHDR, MTU 4096, 4 VLs, extended speeds. Port numbers are
 * 1..nports (asserted).
 */
void builder_add_link(struct builder *d, builder_id a, unsigned pa,
	builder_id b, unsigned pb);

/* Remove the link of a port, if there is one. Switch ports become Down, CA and
 * router ports TP_ABSENT: they cannot be asked any more. */
void builder_remove_link(struct builder *d, builder_id n, unsigned port);

/* The node and port that we send from (port 0 for a switch). Without them
 * builder_freeze fails. */
void builder_set_self(struct builder *d, builder_id n, unsigned port);

/* Attributes that builder_add_node does not take. */
void builder_set_ids(struct builder *d, builder_id n, uint64_t sysimg,
	uint32_t vendor, uint16_t device);
void builder_set_port_guid(
	struct builder *d, builder_id n, unsigned port, uint64_t guid);
uint64_t builder_port_guid(
	const struct builder *d, builder_id n, unsigned port);
/* Base LID the port was found with; makes a CA port present. */
void builder_set_found_lid(
	struct builder *d, builder_id n, unsigned port, uint16_t lid);
/* PortState (2 Init, 3 Armed, 4 Active) of a linked port. */
void builder_set_port_state(
	struct builder *d, builder_id n, unsigned port, uint8_t state);
/* Active width and speeds, as in struct topo_port. */
void builder_set_port_speed(struct builder *d, builder_id n, unsigned port,
	uint8_t width, uint8_t speed, uint8_t speed_ext);
void builder_set_enhanced_p0(struct builder *d, builder_id n, bool enhanced);
/* The role in a tree that a switch reports: enum mad_role_kind. */
void builder_set_role(struct builder *d, builder_id n, uint8_t role);
/* LinearFDBCap and LinearFDBTop of a switch. */
void builder_set_lft(
	struct builder *d, builder_id n, uint16_t lft_cap, uint16_t lft_top);

/* Remove a node with its links, as if it had been switched off. */
void builder_remove_node(struct builder *d, builder_id n);

/*
 * Copy the records of a topology, for callers that have one or are given one:
 * of a node that was just added; of the switch it is, SwitchInfo in wire bytes;
 * of a port, with PortInfo in wire bytes (NULL: not read). Flags that freezing
 * sets are left out. -1 and why: the bytes make no sense. builder_put_link and
 * builder_put_self leave the records of the ports as they are.
 */
void builder_put_node(
	struct builder *d, builder_id n, const struct topo_node *as);
int builder_put_switch(struct builder *d, builder_id n, const uint8_t info[64],
	struct reason *why);
int builder_put_port(struct builder *d, builder_id n,
	const struct topo_port *as, const uint8_t info[64], struct reason *why);
void builder_put_link(struct builder *d, builder_id a, unsigned pa,
	builder_id b, unsigned pb);
void builder_put_self(struct builder *d, builder_id n, unsigned port);

/*
 * A builder that gives t again when it is frozen, except for LIDs: ports have
 * the LIDs they were found with, not the assigned ones. Node i of t is handle
 * i.
 */
struct builder *builder_from_topo(const struct topo *t);

/* A kind of switch that has the SwitchRole attribute. */
struct builder_device {
	uint32_t vendor;
	uint32_t device; /* UINT32_MAX: all of the vendor */
};

/*
 * Ask these kinds of switches (copied) for their role from the next sweep on. A
 * reported role is kept until a full sweep asks for it again; a switch that
 * does not know the attribute is not asked again. Roles of switches that are no
 * longer to be asked are forgotten.
 */
void builder_ask_roles(
	struct builder *d, const struct builder_device *device, size_t n);

/* The node with this GUID (the first of duplicates); false: none. */
bool builder_find(const struct builder *d, uint64_t guid, builder_id *n);

/*
 * Freeze: nodes reachable from our own port, ours first, then by (distance,
 * GUID), so that an unchanged fabric gives an unchanged numbering. Directed
 * routes prefer fewest hops and avoid quarantined switches where they can.
 * generation becomes that of the topology. NULL and a reason while our own
 * node is unknown.
 */
struct topo *builder_freeze(
	struct builder *d, uint32_t generation, struct reason *why);

/*
 * True if, since the last freeze, a sweep was begun, a Set acknowledged, a node
 * quarantined, released or renamed, or the kinds of switches that are asked for
 * roles were set. Otherwise another freeze gives the same topology.
 */
bool builder_touched(const struct builder *d);

/* The node that the directed route path[1..hops] leads to from our port; false:
 * a link of it is not known. */
bool builder_node_at(const struct builder *d, const uint8_t path[64],
	unsigned hops, builder_id *n);
uint64_t builder_guid(const struct builder *d, builder_id n);

/* True if our own node is a switch. */
bool builder_self_is_switch(const struct builder *d);

/*
 * All that has been built, as connected components: that of our own port first,
 * then the others by size, each as seen from its first host, or from a switch
 * where it has none. Nodes without any link are no components but loose.
 */
struct builder_components {
	struct topo **topo; /* a reference each */
	size_t n;
	size_t loose; /* nodes without a link, ours excepted */
};

/* -1 and why when our own port is not known: as builder_freeze. */
int builder_components(struct builder *d, uint32_t generation,
	struct builder_components *out, struct reason *why);
void builder_components_free(struct builder_components *p); /* zeroes allowed */

/*
 * Mark the switch (or CA) with this GUID as quarantined (why is kept for
 * builder_quarantine_why), until a sweep has read all of it. The core does so
 * after failed Sets; discovery itself quarantines switches that do not answer.
 */
void builder_quarantine(struct builder *d, uint64_t guid, const char *why);

/*
 * The switch with this GUID refuses rows of SL2VL, whatever its capabilities
 * say: topologies have it as one that cannot map SLs, as long as it is known
 * here.
 */
void builder_keeps_rows(struct builder *d, uint64_t guid);

/* Why a node is quarantined, or cannot be asked; "" when it is neither. */
const char *builder_quarantine_why(const struct builder *d, uint64_t guid);

/*
 * True if only switches that do not answer lead to the node, as of the last
 * builder_freeze: it cannot be asked, and is not quarantined itself.
 */
bool builder_is_cut_off(const struct builder *d, uint64_t guid);

/*
 * No link and no switch is drained any more; then some are, by node GUID and
 * port: the link of this port, or with port 0 all links of the switch. From the
 * next freeze on no route leads over them, except where nothing else connects
 * (builder_drain.c). narrow: a switch with hosts keeps the links to one
 * neighbour alone, too. A GUID or port that is not there changes nothing: the
 * caller asks again before each freeze.
 */
void builder_drain_none(struct builder *d);
void builder_drain(
	struct builder *d, uint64_t guid, unsigned port, bool narrow);

/*
 * Store what the distribution wrote and the device acknowledged: keeps PortInfo
 * (state, LID) and SwitchInfo (top) true without reading them again. info: the
 * 64 bytes of the answer to the Set.
 */
void builder_port_written(struct builder *d, uint64_t node_guid, unsigned port,
	const uint8_t info[64]);
/* Whether this SwitchInfo has other settings than were last read or
 * acknowledged: LinearFDBTop, MulticastFDBTop, the default ports, or
 * LifeTimeValue. */
bool builder_switch_differs(
	const struct builder *d, uint64_t node_guid, const uint8_t info[64]);
void builder_switch_written(
	struct builder *d, uint64_t node_guid, const uint8_t info[64]);

/* The node with this GUID has another NodeDescription: it counts as not read.
 */
void builder_renamed(struct builder *d, uint64_t guid);

/* Append the oddities met (duplicate GUIDs, one-sided links, impossible values)
 * to b, one line each, and forget them. Returns how many were met. */
size_t builder_oddities(struct builder *d, struct buf *b);

#endif
