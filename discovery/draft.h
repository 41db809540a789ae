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
#ifndef HEDDLE_DISCOVERY_DRAFT_H
#define HEDDLE_DISCOVERY_DRAFT_H

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
 * Freeze: nodes reachable from our own port, ours first, then by (distance,
 * GUID), so that an unchanged fabric gives an unchanged numbering. Directed
 * routes prefer fewest hops and avoid quarantined switches where they can.
 * generation becomes that of the topology. NULL and a reason while our own
 * node is unknown.
 */
struct topo *draft_freeze(
	struct draft *d, uint32_t generation, struct reason *why);

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

/* Oddities met (duplicate GUIDs, one-sided cables, impossible values), one
 * line each, appended to b; they are forgotten by this call. */
size_t draft_oddities(struct draft *d, struct buf *b);

#endif
