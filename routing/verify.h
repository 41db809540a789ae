/*
 * verify: the judge. From tables alone, without a line of the engines' code:
 * does every pair that has a physical path reach, does nothing loop, is the
 * channel dependency graph of every virtual lane free of cycles.
 *
 * Every switch is a source (its own management traffic counts as traffic);
 * every LID is a destination. Quarantined switches (TN_QUARANTINED) and what
 * hangs on them are outside: pairs are counted between what is connected
 * without them. A dependency is a turn (switch, in-port, out-port), so the
 * graph is one bit matrix per switch. A turn back into the cable it came from
 * is discarded by hardware: such an entry counts as unreachable, not as a
 * dependency. Loads count host-to-host pairs (CA and router ports that are
 * not aggregation nodes) per directed cable between live switches, for base
 * LIDs; pairs that do not arrive load nothing.
 *
 * LIDs that live switches cannot reach at all (other component, behind a
 * quarantined switch, on no switch) count as cut off, not as unreachable.
 * Entries for them, and for LIDs that nobody owns, may end anywhere; but what
 * they send in a circle is a loop, and their turns are dependencies.
 *
 * Sources: Dally and Seitz 1987; shared/routing.md section 5 method: 64 LIDs
 * at a time, depths by memoised pointer chase, counts from the deepest up.
 */
#ifndef HEDDLE_ROUTING_VERIFY_H
#define HEDDLE_ROUTING_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/lft.h"
#include "sm/base/reason.h"

struct verify_report {
	bool ok;	      /* nothing unreachable, no loop, no cycle */
	uint64_t pairs;	      /* (switch, LID) pairs that have a path */
	uint64_t unreachable; /* of those: dead ends and wrong ejections */
	uint64_t loops;	      /* (switch, LID) pairs that run in a circle */
	uint64_t cut_off;     /* (switch, LID) pairs with no physical path */
	uint32_t cyclic_channels; /* on a cycle, or only reachable from one */
	uint32_t vls;		  /* lanes judged */
	uint64_t load_max; /* host pairs over the busiest cable direction */
	double load_mean;  /* over cable directions between switches */
	sw_ix load_sw;	   /* where the busiest one leaves */
	uint8_t load_port;
	unsigned hops_max; /* cables between switches on the longest path */
	double hops_mean;  /* over host pairs */
	char first[512];   /* the first fault in words: names and ports */
};

struct route_lanes;

/* Tables to judge: block[s * nblocks + b] of the switches of topo. */
struct verify_tables {
	const struct topo *topo;
	const struct lft_pool *pool;
	const lft_ref *block;
	uint32_t nblocks;
	const struct route_lanes *lanes; /* NULL: one lane */
};

/*
 * The turns that tables on one lane make, by the topology's numbers: record r
 * of switch s and in-port i is the sum of (ports + 1) of the switches before s,
 * plus i. Bit out of its row: something that arrives there leaves by out.
 */
struct verify_turns {
	uint32_t nrec;
	unsigned shift; /* log2 of the words in a row: 64 ports fit in one */
	uint64_t row[];
};

/*
 * Judge. 0 when everything holds, -1 with why (NULL allowed) set to the first
 * fault otherwise; *out is filled either way. Pure; its scratch is freed.
 */
int verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why);

/*
 * The same; *turns (to be freed) says what turns there are, NULL where tables
 * have more than one lane. Whoever compares routings need not look again.
 */
int verify_tables_turns(const struct verify_tables *in,
	struct verify_report *out, struct verify_turns **turns,
	struct reason *why);

#endif
