/*
 * judge: are these tables right? From the tables alone, by walking them.
 *
 * For each LID the entries of all switches form a forest towards its owner:
 * every switch is walked once, so all pairs cost one step each. The same walk
 * marks dependencies: a packet that comes in by port q of a switch and leaves
 * by port o makes channel (link into q) wait for channel (link out of o). All
 * traffic is taken to share one virtual lane and switches count as sources, so
 * a cycle among these dependencies is a possible deadlock (IBA 3.5.3; Dally and
 * Seitz 1987). Load is what every host sending to every other host puts on each
 * direction of a link between switches.
 */
#ifndef HEDDLE_TESTS_E2E_JUDGE_H
#define HEDDLE_TESTS_E2E_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "tests/e2e/ndtext.h"

struct judge_report {
	uint32_t hosts;	      /* CA and router ports with a cable */
	uint32_t aggregation; /* of them, SHARP nodes: no hosts for the load */
	uint32_t lids;	      /* destinations */
	uint32_t bad_lids;    /* ports without a LID, LIDs owned twice */
	uint32_t no_table;    /* switches whose table nobody read */
	uint64_t pairs;	      /* (source port, destination LID) */
	uint64_t unreachable; /* of them */
	uint64_t sw_pairs;    /* pairs whose source is a switch */
	uint64_t sw_unreachable;
	uint64_t loops; /* of unreachable: (switch, LID) that run in circles */
	uint32_t max_hops; /* most links between switches on any path */
	uint32_t channels; /* directions of cables that leave a switch */
	uint32_t cyclic;   /* channels on a cycle of dependencies */
	uint32_t behind;   /* channels that wait for those, hosts' included */
	uint64_t load_max; /* over directions of links between switches */
	double load_mean;
	struct buf problems; /* a line each, the first few of every kind */
};

/* Judge t's tables into *r, which judge_free empties. */
void judge_all(const struct ndtext *t, struct judge_report *r);

/*
 * Is it right? cycles_allowed: a routing that makes no promise about deadlock
 * is judged by the rest.
 */
bool judge_good(const struct judge_report *r, bool cycles_allowed);

/* Free what r owns. */
void judge_free(struct judge_report *r);

#endif
