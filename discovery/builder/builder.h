/*
 * draft: what the fabric has said so far, mutable, private to discovery.
 *
 * Sweeps and probes write answers into it; builder_freeze makes the immutable
 * topology from it. It lives as long as the daemon: a probe of two switches
 * changes two switches here and freezes again, instead of reading the whole
 * fabric. Nodes are known by GUID, cables by their two ends; a cable that was
 * seen from one end only is believed until the other end contradicts it (both
 * ends are then dropped and probed again).
 *
 * Duplicate GUIDs: a second node that answers to a known GUID from another
 * place is kept as a node of its own, flagged TN_DUPLICATE, and reported; the
 * fabric is still routed.
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
 * Building by hand: what topo_text_parse and tests need to make a fabric
 * without asking one. Nodes are handles, so that duplicate GUIDs can be built
 * too.
 */
typedef uint32_t builder_id;

/*
 * A node; desc NULL: not read. Its port GUIDs are guid (switch port 0) and
 * guid + port number (CA, router), until builder_set_port_guid; its vendor and
 * device are 0. CA ports are TP_ABSENT until linked. A switch starts with a
 * table of 49152 entries and nothing in it (top 0). nports 0..255.
 */
builder_id builder_add_node(struct builder *d, enum topo_type type,
	uint64_t guid, unsigned nports, const char *desc);

/*
 * A cable between two ports (both may be of one node, or one and the same
 * port); what was cabled to either before is unplugged. Ports that were never
 * read become LinkUp, Active, 4xHDR, MTU 4096, 4 VLs, extended speeds. Port
 * numbers are 1..nports (asserted).
 */
void builder_add_link(struct builder *d, builder_id a, unsigned pa,
	builder_id b, unsigned pb);

/* Pull the cable of a port, if there is one. Switch ports become Down, CA and
 * router ports TP_ABSENT: nobody can ask them any more. */
void builder_remove_link(struct builder *d, builder_id n, unsigned port);

/* The node and port that we send from (port 0 for a switch). Without this the
 * fabric has no place to look from and does not freeze. */
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
/* What a switch tells of its place in a tree: enum mad_role_kind. */
void builder_set_role(struct builder *d, builder_id n, uint8_t role);
/* LinearFDBCap and LinearFDBTop of a switch. */
void builder_set_lft(
	struct builder *d, builder_id n, uint16_t lft_cap, uint16_t lft_top);

/* Take a node away with its cables, as if it had been switched off. */
void builder_remove_node(struct builder *d, builder_id n);

/*
 * What a topology holds of a node that was just added, of the switch it is and
 * of its ports: flags, but those that freezing finds out; SwitchInfo as it was
 * answered, and PortInfo (NULL: not read). For who has a topology, or is told
 * of one. -1 and why: these bytes make no sense. A cable is put without making
 * anything of its ports, and so is the place that we send from.
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
 * A draft that gives t again when it is frozen, LIDs excepted: as found, not as
 * given. Node i of t is handle i.
 */
struct builder *builder_from_topo(const struct topo *t);

/* A kind of switch that knows the SwitchRole attribute. */
struct builder_device {
	uint32_t vendor;
	uint32_t device; /* UINT32_MAX: all of the vendor */
};

/*
 * Ask these kinds of switches (copied) for their role from the next sweep on.
 * What a switch told is kept until a full sweep asks it again; one that said
 * it does not know the attribute is not asked again. Roles of switches that
 * are no longer to be asked are forgotten.
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
 * Was a sweep begun, or a Set acknowledged, or anybody quarantined or renamed
 * since the last freeze? If not, another would give the same.
 */
bool builder_touched(const struct builder *d);

/* The node that the directed way path[1..hops] leads to from our port; false:
 * a cable of it is not known. */
bool builder_node_at(const struct builder *d, const uint8_t path[64],
	unsigned hops, builder_id *n);
uint64_t builder_guid(const struct builder *d, builder_id n);

/* Is our own port one of a switch? */
bool builder_self_is_switch(const struct builder *d);

/*
 * All that has been built, in pieces: what hangs together with our own port
 * first, then the others by size, each as seen from its first host, or from a
 * switch where it has none. Nodes without any cable are not pieces but loose.
 */
struct builder_components {
	struct topo **topo; /* a reference each */
	size_t n;
	size_t loose; /* nodes that nothing is cabled to, ours excepted */
};

/* -1 and why when our own port is not known: as builder_freeze. */
int builder_components(struct builder *d, uint32_t generation,
	struct builder_components *out, struct reason *why);
void builder_components_free(struct builder_components *p); /* zeroes allowed */

/*
 * Mark the switch (or CA) with this GUID as quarantined (why is kept for
 * builder_quarantine_why) or free it again. What the core decides after failed
 * Sets; discovery itself quarantines switches that do not answer.
 */
void builder_quarantine(struct builder *d, uint64_t guid, const char *why);
void builder_release(struct builder *d, uint64_t guid);

/* Why a node is quarantined, "" when it is not. */
const char *builder_quarantine_why(const struct builder *d, uint64_t guid);

/*
 * What the distribution wrote and the port acknowledged: keeps the draft's
 * PortInfo (state, LID) and SwitchInfo (top) true without reading them again.
 * info: the 64 bytes of the answer to Set(PortInfo).
 */
void builder_port_written(struct builder *d, uint64_t node_guid, unsigned port,
	const uint8_t info[64]);
void builder_switch_written(
	struct builder *d, uint64_t node_guid, const uint8_t info[64]);

/* The node with this GUID has another NodeDescription: it counts as not read.
 */
void builder_renamed(struct builder *d, uint64_t guid);

/* Oddities met (duplicate GUIDs, one-sided cables, impossible values), one
 * line each, appended to b; they are forgotten by this call. */
size_t builder_oddities(struct builder *d, struct buf *b);

#endif
