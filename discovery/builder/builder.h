/*
 * draft: what the fabric has said so far, mutable, private to discovery.
 *
 * Sweeps and probes write answers into it; draft_freeze makes the immutable
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

struct draft;

struct draft *draft_new(void);
void draft_free(struct draft *d); /* NULL allowed */

/*
 * Building by hand: what text_parse and tests need to make a fabric without
 * asking one. Nodes are handles, so that duplicate GUIDs can be built too.
 */
typedef uint32_t draft_id;

/*
 * A node; desc NULL: not read. Its port GUIDs are guid (switch port 0) and
 * guid + port number (CA, router), until draft_set_port_guid; its vendor and
 * device are 0. CA ports are TP_ABSENT until linked. A switch starts with a
 * table of 49152 entries and nothing in it (top 0). nports 0..255.
 */
draft_id draft_add_node(struct draft *d, enum topo_type type, uint64_t guid,
	unsigned nports, const char *desc);

/*
 * A cable between two ports (both may be of one node, or one and the same
 * port); what was cabled to either before is unplugged. Ports that were never
 * read become LinkUp, Active, 4xHDR, MTU 4096, 4 VLs, extended speeds. Port
 * numbers are 1..nports (asserted).
 */
void draft_add_link(
	struct draft *d, draft_id a, unsigned pa, draft_id b, unsigned pb);

/* Pull the cable of a port, if there is one. Switch ports become Down, CA and
 * router ports TP_ABSENT: nobody can ask them any more. */
void draft_pull_link(struct draft *d, draft_id n, unsigned port);

/* The node and port that we send from (port 0 for a switch). Without this the
 * fabric has no place to look from and does not freeze. */
void draft_set_self(struct draft *d, draft_id n, unsigned port);

/* Attributes that draft_add_node does not take. */
void draft_set_ids(struct draft *d, draft_id n, uint64_t sysimg,
	uint32_t vendor, uint16_t device);
void draft_set_port_guid(
	struct draft *d, draft_id n, unsigned port, uint64_t guid);
uint64_t draft_port_guid(const struct draft *d, draft_id n, unsigned port);
/* Base LID the port was found with; makes a CA port present. */
void draft_set_found_lid(
	struct draft *d, draft_id n, unsigned port, uint16_t lid);
/* PortState (2 Init, 3 Armed, 4 Active) of a linked port. */
void draft_set_port_state(
	struct draft *d, draft_id n, unsigned port, uint8_t state);
/* Active width and speeds, as in struct topo_port. */
void draft_set_port_speed(struct draft *d, draft_id n, unsigned port,
	uint8_t width, uint8_t speed, uint8_t speed_ext);
void draft_set_enhanced_p0(struct draft *d, draft_id n, bool enhanced);
/* What a switch tells of its place in a tree: enum mad_role_kind. */
void draft_set_role(struct draft *d, draft_id n, uint8_t role);
/* LinearFDBCap and LinearFDBTop of a switch. */
void draft_set_lft(
	struct draft *d, draft_id n, uint16_t lft_cap, uint16_t lft_top);

/* Take a node away with its cables, as if it had been switched off. */
void draft_remove_node(struct draft *d, draft_id n);

/*
 * What a topology holds of a node that was just added, of the switch it is and
 * of its ports: flags, but those that freezing finds out; SwitchInfo as it was
 * answered, and PortInfo (NULL: not read). For who has a topology, or is told
 * of one. -1 and why: these bytes make no sense. A cable is put without making
 * anything of its ports, and so is the place that we send from.
 */
void draft_put_node(struct draft *d, draft_id n, const struct topo_node *as);
int draft_put_switch(struct draft *d, draft_id n, const uint8_t info[64],
	struct reason *why);
int draft_put_port(struct draft *d, draft_id n, const struct topo_port *as,
	const uint8_t info[64], struct reason *why);
void draft_put_cable(
	struct draft *d, draft_id a, unsigned pa, draft_id b, unsigned pb);
void draft_put_self(struct draft *d, draft_id n, unsigned port);

/*
 * A draft that gives t again when it is frozen, LIDs excepted: as found, not as
 * given. Node i of t is handle i.
 */
struct draft *draft_thaw(const struct topo *t);

/* A kind of switch that knows the SwitchRole attribute. */
struct draft_device {
	uint32_t vendor;
	uint32_t device; /* UINT32_MAX: all of the vendor */
};

/*
 * Ask these kinds of switches (copied) for their role from the next sweep on.
 * What a switch told is kept until a full sweep asks it again; one that said
 * it does not know the attribute is not asked again. Roles of switches that
 * are no longer to be asked are forgotten.
 */
void draft_ask_roles(
	struct draft *d, const struct draft_device *device, size_t n);

/* The node with this GUID (the first of duplicates); false: none. */
bool draft_find(const struct draft *d, uint64_t guid, draft_id *n);

/*
 * Freeze: nodes reachable from our own port, ours first, then by (distance,
 * GUID), so that an unchanged fabric gives an unchanged numbering. Directed
 * routes prefer fewest hops and avoid quarantined switches where they can.
 * generation becomes that of the topology. NULL and a reason while our own
 * node is unknown.
 */
struct topo *draft_freeze(
	struct draft *d, uint32_t generation, struct reason *why);

/*
 * Was a sweep begun, or a Set acknowledged, or anybody quarantined or renamed
 * since the last freeze? If not, another would give the same.
 */
bool draft_touched(const struct draft *d);

/* The node that the directed way path[1..hops] leads to from our port; false:
 * a cable of it is not known. */
bool draft_along(const struct draft *d, const uint8_t path[64], unsigned hops,
	draft_id *n);
uint64_t draft_guid(const struct draft *d, draft_id n);

/* Is our own port one of a switch? */
bool draft_self_is_switch(const struct draft *d);

/*
 * All that has been built, in pieces: what hangs together with our own port
 * first, then the others by size, each as seen from its first host, or from a
 * switch where it has none. Nodes without any cable are not pieces but loose.
 */
struct draft_pieces {
	struct topo **topo; /* a reference each */
	size_t n;
	size_t loose; /* nodes that nothing is cabled to, ours excepted */
};

/* -1 and why when our own port is not known: as draft_freeze. */
int draft_pieces(struct draft *d, uint32_t generation, struct draft_pieces *out,
	struct reason *why);
void draft_pieces_free(struct draft_pieces *p); /* zeroes allowed */

/*
 * Mark the switch (or CA) with this GUID as quarantined (why is kept for
 * draft_quarantine_why) or free it again. What the core decides after failed
 * Sets; discovery itself quarantines switches that do not answer.
 */
void draft_quarantine(struct draft *d, uint64_t guid, const char *why);
void draft_release(struct draft *d, uint64_t guid);

/* Why a node is quarantined, "" when it is not. */
const char *draft_quarantine_why(const struct draft *d, uint64_t guid);

/*
 * What the distribution wrote and the port acknowledged: keeps the draft's
 * PortInfo (state, LID) and SwitchInfo (top) true without reading them again.
 * info: the 64 bytes of the answer to Set(PortInfo).
 */
void draft_port_written(struct draft *d, uint64_t node_guid, unsigned port,
	const uint8_t info[64]);
void draft_switch_written(
	struct draft *d, uint64_t node_guid, const uint8_t info[64]);

/* The node with this GUID has another NodeDescription: it counts as not read.
 */
void draft_renamed(struct draft *d, uint64_t guid);

/* Oddities met (duplicate GUIDs, one-sided cables, impossible values), one
 * line each, appended to b; they are forgotten by this call. */
size_t draft_oddities(struct draft *d, struct buf *b);

#endif
