/*
 * referee: judges whether the simulated fabric is in order, from the tables in
 * the simulated switches, never from what the subnet manager believes, and by
 * code that shares nothing with its verifier.
 *
 * In scope is what the subnet manager can reach over links that are up, through
 * nodes that are present and not hung. Everything in scope must be right:
 *
 *   ports    every link Active at both ends
 *   LIDs     every end port has one, unicast, no other port's
 *   paths    from every switch (hence from every host) to every LID, by links
 *            that are up, through switches in scope, into port 0 or the host
 *   VLs      no packet is dropped because SL2VL has no VL for it
 *   channels the dependency graph of all these paths has no cycle on any VL,
 *            switches' traffic included: channels are (link, VL), and the VL
 *            of a packet is the one in the switches' SL2VL. If that is the
 *            same everywhere, one VL stands for all
 *
 * Of a switch that routes adaptively (tests/sim/model/sim_hops.h) every port
 * that packets may take counts: each leads on, by none can they go round, and
 * the dependencies of all are in the graph. With several VLs a packet by an
 * alternative is taken to come on any of them, which is more than can be.
 *
 * A path is followed once per switch and LID and remembered, so that 1000
 * switches and 10,000 LIDs take a fraction of a second.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_REFEREE_H
#define HEDDLE_TESTS_SIM_REFEREE_REFEREE_H

#include <stdint.h>

#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"

struct referee_report {
	unsigned switches, end_ports, lids; /* in scope */
	uint64_t pairs;			    /* (switch, LID) paths followed */
	uint64_t holes;			    /* of these: no path */
	uint64_t loops;			    /* of these: a forwarding loop */
	uint64_t blocked;      /* (in-port, LID) with packets that get no VL */
	unsigned linked;       /* ports with a link to a node in scope */
	unsigned not_active;   /* of these */
	unsigned bad_lids;     /* missing, multicast or double */
	unsigned vls;	       /* VLs judged separately */
	unsigned cyclic;       /* channels on or behind a cycle */
	unsigned cycle_length; /* of the short one in the reason */
	unsigned max_hops;     /* switches on the longest path */
	uint64_t max_load;     /* most host pairs on a switch-switch channel */
	double mean_load;      /* mean over switch-switch channels */
};

/* What is judged; the rest is assumed to be right. */
enum referee_what {
	REFEREE_ACTIVE = 1,
	REFEREE_LIDS = 2,
	REFEREE_WAYS = 4,
	REFEREE_CYCLES = 8, /* needs REFEREE_WAYS */
	REFEREE_LOAD = 16,  /* needs REFEREE_WAYS */
	REFEREE_ALL = 31,
};

/*
 * Judge the fabric as seen from the node sm. 0 if everything is in order;
 * otherwise -1 and a reason with the first fault of each kind. out is filled in
 * either case.
 *
 * Load counts pairs of CAs, aggregation nodes (device 0xcf09) left out.
 */
int referee_fabric(const struct sim *s, uint32_t sm, unsigned what,
	struct referee_report *out, struct reason *why);

/*
 * The SLs that packets from one LID to another may bear, a bit each, as in path
 * records. from is a host's first LID, or a switch's.
 */
struct referee_sls {
	void *cookie;
	uint16_t (*of)(void *cookie, uint16_t from, uint16_t to);
};

/*
 * The same with these SLs. NULL: any of the 16, and it suffices if one of them
 * is not dropped.
 *
 */
int referee_with_sls(const struct sim *s, uint32_t sm, unsigned what,
	const struct referee_sls *sls, struct referee_report *out,
	struct reason *why);

#endif
