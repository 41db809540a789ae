/*
 * watch: the judge of every moment. The referee judges a fabric that is quiet;
 * the watch judges each single change of a forwarding table or a port while the
 * subnet manager is at work, for what the change makes possible for packets
 * that are on their way right now:
 *
 *   loops    a LID with packets in a loop: its path from the changed entry
 *            comes back to it, over links that carry data
 *   cycles   a dependency of channels that closes a cycle, all LIDs, and the
 *            first groups, on one VL
 *   copies   a packet to a group that comes to a switch twice, from any host;
 *            see watch_excuse
 *
 * Only what a change touches is judged again. The watch keeps a copy of the
 * tables, and for each (switch, in-port, out-port) the number of LIDs that make
 * this dependency; a link that comes up is checked for loops and cycles that it
 * closes. A link is alive if it is up and both ends are Armed or Active. A
 * packet does not leave by the port that it came in by, nor by one where SL2VL
 * maps its SL (0) to VL 15: the switch discards it, and no packet waits.
 *
 * A switch that routes adaptively has several next hops for a LID
 * (tests/sim/model/sim_hops.h). Each counts, the ordered one and all
 * alternatives on any SL, so that a loop or a cycle by whatever packets might
 * choose is one.
 *
 * What no packet can do is not counted; what one could do is, whether or not a
 * host has that LID or sends to it.
 *
 * If hosts send with several SLs and the watch is told which (watch_vls,
 * watch_paths), a cycle counts only if packets that hosts send close it on the
 * VLs that the rows of SL2VL give them.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_WATCH_H
#define HEDDLE_TESTS_SIM_REFEREE_WATCH_H

#include <stdint.h>

#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"

struct watch;

struct watch_report {
	uint64_t changes; /* table entries that changed */
	uint64_t checks;  /* paths and dependencies followed */
	uint64_t loops;	  /* (change, LID) that made a loop */
	uint64_t cycles;  /* dependencies and links that closed a cycle */
	uint64_t copies;  /* (change, sender) that caused a second copy */
	struct mono first_loop, first_cycle, first_copy; /* when */
	struct reason loop, cycle, copy; /* the first of each, in words */
};

/*
 * Begin to watch s from its present state; s has no other watch. Must be freed
 * before s.
 */
struct watch *watch_new(struct sim *s);
void watch_free(struct watch *w); /* NULL allowed */

/*
 * Whether a switch is excused because it does not answer: packets to groups may
 * come twice where both ways lead through excused switches. It is excused until
 * its table is written again at the latest.
 */
void watch_excuse(struct watch *w, uint32_t node, bool excused);

/* Judge VLs separately from now on. given: whether path records are given now;
 * NULL: always. */
void watch_vls(struct watch *w, bool (*given)(void *cookie), void *cookie);

/* The SLs that hosts are given in path records. */
struct watch_sls {
	void *cookie;
	/* from one end port to another, by their GUIDs: a bit each */
	uint16_t (*of)(void *cookie, uint64_t from, uint64_t to);
	uint16_t groups; /* of packets to groups */
};

/* Path records have these SLs from now on. */
void watch_paths(struct watch *w, const struct watch_sls *sls);

const struct watch_report *watch_report(const struct watch *w);

#endif
