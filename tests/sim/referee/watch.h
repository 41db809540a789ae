/*
 * watch: the judge of every moment. The referee looks at a fabric that is
 * quiet; the watch looks at each single change of a forwarding table or a
 * port, while the subnet manager is at work, and asks what the change made
 * possible for packets that are on their way right now:
 *
 *   loops    a LID whose packets go round: its way from the changed entry
 *            comes back to it, over links that carry data
 *   cycles   a dependency of channels that closes a cycle, all LIDs, and the
 *            first groups, on one virtual lane
 *   copies   a packet to a group that comes to a switch twice, whoever sent it
 *
 * Only what a change touches is looked at again. The watch keeps a copy of the
 * tables, and for each (switch, in-port, out-port) the number of LIDs that
 * turn there; a link that comes to life is asked for what it closes. A link is
 * alive when it is up and both ends are Armed or Active. A packet does not
 * leave by the port that it came in by, nor where SL2VL maps the turn (SL 0) to
 * VL 15: a switch discards it, and nobody waits.
 *
 * What a packet cannot do is not counted, what it could do is, whether or not
 * a host has that LID or sends to it.
 *
 * Where hosts send with several SLs and the watch is told which
 * (watch_lanes, watch_paths), a cycle counts only if packets that they send
 * close it on the lanes that the rows of SL2VL give them.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_WATCH_H
#define HEDDLE_TESTS_SIM_REFEREE_WATCH_H

#include <stdint.h>

#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"

struct watch;

struct watch_report {
	uint64_t changes; /* table entries that changed */
	uint64_t checks;  /* ways and dependencies that were followed */
	uint64_t loops;	  /* (change, LID) that made a loop */
	uint64_t cycles;  /* dependencies and links that closed a cycle */
	uint64_t copies;  /* (change, sender) that made one too many */
	struct mono first_loop, first_cycle, first_copy; /* when */
	struct reason loop, cycle, copy; /* the first of each, in words */
};

/*
 * Begin to watch s, whose only watch this is, from what it holds now. It must
 * be freed before s.
 */
struct watch *watch_new(struct sim *s);
void watch_free(struct watch *w); /* NULL allowed */

/* This switch does not answer: what it does with packets of its own hosts to
 * groups is nobody's fault, until its table is written again. */
void watch_excuse(struct watch *w, uint32_t node);

/* Tell lanes apart from now on. */
void watch_lanes(struct watch *w);

/* SLs that hosts are given. */
struct watch_sls {
	void *cookie;
	/* from one end port to another, by their GUIDs: a bit each */
	uint16_t (*of)(void *cookie, uint64_t from, uint64_t to);
	uint16_t groups; /* of packets to groups */
};

/* Path records say this from now on. */
void watch_paths(struct watch *w, const struct watch_sls *sls);

const struct watch_report *watch_report(const struct watch *w);

#endif
