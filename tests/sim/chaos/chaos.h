/*
 * chaos: a fabric, a subnet manager and a bad day, all from one seed.
 *
 * The seed picks a fabric, how its devices and the daemon are set up, and a
 * script of what goes wrong and when: cables pulled and put back, switches
 * that reboot or leave, hosts that come and go, nodes that hang or are slow,
 * bad contacts, bursts of loss, the daemon killed and started again; meanwhile
 * hosts join multicast groups and leave them. The real
 * core runs it on the virtual clock; the watch looks at every moment. Then
 * everything is well again, though not everything comes back, and when the
 * daemon has come to rest this must hold:
 *
 *   order    the referee finds nothing wrong in what the daemon can reach
 *   belief   the committed view's tables are those in the switches, and it
 *            has as many switches, end ports and links as there are
 *   groups   what a member sends comes to each other one once, and to nobody
 *            else, by the tables in the switches
 *   LIDs     no port has another LID than the first that was saved for it
 *   rest     nothing in flight, nothing dirty, nobody in quarantine
 *   memory   a second life of the daemon writes nothing; it only asks hosts to
 *            register anew
 *   keys     where there are partitions: those in force
 * (tests/sim/referee/tenants.h)
 *
 * and at no moment a LID went round, a cycle of dependencies was closed, or a
 * packet to a group came twice. The last four are judged where the limits say
 * so, and counted always. The same seed and limits give the same run on every
 * machine.
 */
#ifndef HEDDLE_TESTS_SIM_CHAOS_CHAOS_H
#define HEDDLE_TESTS_SIM_CHAOS_CHAOS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "sm/core/sm.h"

enum { CHAOS_PHASES = SM_CHECK + 1 };

/* What is judged beyond order, belief, LIDs and rest. */
enum {
	CHAOS_MEMORY = 1, /* a second life writes nothing */
	CHAOS_LOOPS = 2,  /* no LID goes round at any moment */
	CHAOS_CYCLES = 4, /* no dependency cycle at any moment */
	CHAOS_COPIES = 8, /* nothing comes twice to a switch at any moment */
};

struct chaos_limits {
	unsigned max_hosts; /* about: fabrics are picked below this */
	unsigned min_hosts; /* about; above 0 they are all large ones */
	unsigned judge;	    /* CHAOS_* that fail a seed; all are counted */
	bool tenants;	    /* with partitions, and reloads of them */
	bool lanes;	    /* with several lanes, and some levels of service */
};

struct chaos_report {
	struct reason why; /* what went wrong; "" when all is well */
	struct buf script; /* fabric, settings and events, a line each */
	unsigned switches, hosts, events;
	double seconds;				   /* virtual */
	uint64_t smps;				   /* acted on by the fabric */
	uint64_t blocks;			   /* LFT blocks written */
	unsigned runs;				   /* of the pipeline */
	uint64_t loops, cycles, copies, rewritten; /* the last: by a second
						      life */
	uint64_t mft_blocks;			   /* MFT blocks written */
	uint64_t changes;			   /* table entries */
	uint64_t checks; /* dependencies and ways that were followed */
	/* events that struck the daemon in a phase, groups' joins left out */
	unsigned struck[CHAOS_PHASES];
	struct reason loop, cycle, copy;
};

/* Run the day that seed describes. 0, or -1 and r->why. r is overwritten. */
int chaos_run(
	uint64_t seed, const struct chaos_limits *l, struct chaos_report *r);

void chaos_report_free(struct chaos_report *r);

#endif
