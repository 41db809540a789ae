/*
 * in_flight: what may still be on its way when it is no longer waited for:
 * packets by older tables, late copies of Sets, Sets of the run before a
 * restart or of another master; and the mark by which the next start knows
 * that tables were being written.
 */
#ifndef HEDDLE_SM_CORE_IN_FLIGHT_H
#define HEDDLE_SM_CORE_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad.h"

struct sm;

/* in_flight.c */
struct in_flight {
	bool recorded; /* the next start finds the mark of a push */
	bool previous_blocks_unknown; /* pairs may be blocked unrecorded */
	struct mono late_sets_until;  /* late Sets may arrive; or MONO_NEVER */
	struct mono groups_moved_at;  /* LIDs lost ports of adaptive groups; or
					 MONO_NEVER */
	struct mono adaptive_off_at;  /* adaptive routing was switched off; or
					 MONO_NEVER */
};

/* How long packets of older tables may be on their way; late copies of a Set.
 */
struct mono in_flight_drain(const struct sm *sm);
/* How long a late copy of a Set may be on its way. */
struct mono in_flight_stray(const struct sm *sm);
/* Tables are about to be written; or no Set may be under way any more. mcast:
 * multicast tables are being written. */
void in_flight_writing(struct sm *sm);
/* ... the mark of a push goes, if nothing else is under way. */
void in_flight_written(struct sm *sm, bool mcast);
/* Blocks that are in doubt are checked when no copy of a Set can arrive. */
void in_flight_read_doubts(struct sm *sm, struct mono now);
/* The core starts: the previous run may have ended while it wrote. */
void in_flight_restart(struct sm *sm, struct mono now);
/* Another master may have sent Sets until then. */
void in_flight_inherit(struct sm *sm, struct mono then);
/* True while such Sets may arrive: nothing is read, nor written. */
bool in_flight_expects_sets(const struct sm *sm, struct mono now);
/* cookie: the sm. Whether a switch has other settings than it acknowledged. */
bool in_flight_switch_differs(
	void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA]);
/* cookie: the sm. A switch acknowledged this SwitchInfo: the builder has it. */
void in_flight_switch_written(
	void *cookie, uint64_t node_guid, const uint8_t info[MAD_DATA]);

#endif
