/*
 * referee: is the simulated fabric in order? Judged from the tables in the
 * simulated switches, never from what the subnet manager believes, and by
 * code that shares nothing with its verifier.
 *
 * In scope is what the subnet manager can reach by cables that are up, through
 * nodes that are there and not hung. In scope everything must be right:
 *
 *   ports    every link Active at both ends
 *   LIDs     every end port has one, unicast, nobody else's
 *   ways     from every switch (hence from every host) to every LID, by links
 *            that are up, through switches in scope, into port 0 or the host
 *   lanes    no packet is dropped by an SL2VL that has no lane for it
 *   channels the dependency graph of all these ways has no cycle on any lane,
 *            switches' traffic included: channels are (link, lane), and which
 *            lane a packet takes is what SL2VL says in the switches. Where it
 *            says the same everywhere, one lane stands for all
 *
 * A way is followed once per switch and LID and remembered, so that 1000
 * switches and 10,000 LIDs take a fraction of a second.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_REFEREE_H
#define HEDDLE_TESTS_SIM_REFEREE_REFEREE_H

#include <stdint.h>

#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"

struct referee_report {
	unsigned switches, end_ports, lids; /* in scope */
	uint64_t pairs;			    /* (switch, LID) ways looked at */
	uint64_t holes;			    /* of these: no way */
	uint64_t loops;			    /* of these: round and round */
	uint64_t blocked;      /* (in-port, LID) whose packets have no lane */
	unsigned linked;       /* ports with a link to a node in scope */
	unsigned not_active;   /* of these */
	unsigned bad_lids;     /* missing, multicast or double */
	unsigned lanes;	       /* that were told apart */
	unsigned cyclic;       /* channels on or behind a cycle */
	unsigned cycle_length; /* of the short one that is named */
	unsigned max_hops;     /* switches on the longest way */
	uint64_t max_load;     /* most host pairs on a switch-switch channel */
	double mean_load;      /* mean over switch-switch channels */
};

/* What is looked at; the rest is taken for granted. */
enum referee_what {
	REFEREE_ACTIVE = 1,
	REFEREE_LIDS = 2,
	REFEREE_WAYS = 4,
	REFEREE_CYCLES = 8, /* needs REFEREE_WAYS */
	REFEREE_LOAD = 16,  /* needs REFEREE_WAYS */
	REFEREE_ALL = 31,
};

/*
 * Judge the fabric as the node sm sees it. 0 when everything is in order; -1
 * and a reason that names the first fault of each kind otherwise. out is
 * filled in either case.
 *
 * Load counts pairs of CAs, aggregation nodes (device 0xcf09) left out.
 */
int referee_fabric(const struct sim *s, uint32_t sm, unsigned what,
	struct referee_report *out, struct reason *why);

/*
 * Which SLs packets from one LID to another may bear, a bit each: what path
 * records say. from is a host's first LID, or a switch's.
 */
struct referee_sls {
	void *cookie;
	uint16_t (*of)(void *cookie, uint16_t from, uint16_t to);
};

/* The same with these SLs; NULL: any of the 16, and one that arrives will do.
 */
int referee_with_sls(const struct sim *s, uint32_t sm, unsigned what,
	const struct referee_sls *sls, struct referee_report *out,
	struct reason *why);

#endif
