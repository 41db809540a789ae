/*
 * judge: judges forwarding tables from the tables alone, by walking them.
 *
 * For each LID the entries of all switches form a forest towards its owner:
 * every switch is walked once, so all pairs cost one step each. The same walk
 * marks dependencies: a packet that comes in by port q of a switch and leaves
 * by port o makes channel (link into q) wait for channel (link out of o). All
 * traffic is taken to share one VL and switches count as sources, so a cycle
 * among these dependencies is a possible deadlock (IBA 3.5.3; Dally and Seitz
 * 1987). Load is the number of host pairs, every host sending to every other,
 * on each direction of a link between switches.
 */
#ifndef HEDDLE_TESTS_E2E_JUDGE_H
#define HEDDLE_TESTS_E2E_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "tests/e2e/ndtext.h"

struct judge_report {
	uint32_t hosts;	      /* CA and router ports with a link */
	uint32_t aggregation; /* of these, SHARP nodes: they do not count for
				 the load */
	uint32_t lids;	      /* destinations */
	uint32_t bad_lids;    /* ports without a LID, LIDs owned twice */
	uint32_t no_table;    /* switches of which no table was read */
	uint64_t pairs;	      /* (source port, destination LID) */
	uint64_t unreachable; /* of these */
	uint64_t sw_pairs;    /* pairs with a switch as source */
	uint64_t sw_unreachable;
	uint64_t loops;	   /* of unreachable: (switch, LID) in a loop */
	uint32_t max_hops; /* most links between switches on any path */
	uint32_t channels; /* directions of links that leave a switch */
	uint32_t cyclic;   /* channels on a cycle of dependencies */
	uint32_t behind;   /* other channels that wait for these */
	uint64_t load_max; /* over directions of links between switches */
	double load_mean;
	struct buf problems; /* one per line, the first few of every kind */
};

/* Judge t's tables into *r, which judge_free empties. */
void judge_all(const struct ndtext *t, struct judge_report *r);

/*
 * True if the tables are right. cycles_allowed: a routing that promises no
 * freedom from deadlock is judged by the rest.
 */
bool judge_good(const struct judge_report *r, bool cycles_allowed);

/* Free what r owns. */
void judge_free(struct judge_report *r);

#endif
