/*
 * chaos: a fabric, a subnet manager and a series of faults, all from one seed.
 *
 * The seed picks a fabric, the settings of its devices and of the daemon, and a
 * script of faults and their times: links that go down and up, switches that
 * reboot or leave, hosts that come and go, nodes that hang or are slow, bad
 * contacts, bursts of loss, the daemon killed and restarted; meanwhile hosts
 * join multicast groups and leave them. The real core runs it on the virtual
 * clock; the watch judges every moment. Then all faults end, though not
 * everything comes back, and when the daemon has come to rest this must hold:
 *
 *   order    the referee finds nothing wrong in what the daemon can reach
 *   belief   the committed view's tables are those in the switches, and it
 *            has exactly the switches, end ports and links in scope
 *   groups   a packet of a member comes to each other member once, and to no
 *            other node, by the tables in the switches
 *   LIDs     no port has another LID than the first that was saved for it
 *   rest     nothing in flight, nothing dirty, no node in quarantine
 *   memory   the restarted daemon writes nothing; it only asks hosts to
 *            register anew
 *   keys     with partitions: ports have the keys in force
 *            (tests/sim/referee/tenants.h)
 *   drains   with drains: no route leads over what is drained, where the
 *            switches are connected without it
 *   health   with links that flap and err: no route leads over what is drained
 *            for that, the fabric hangs together without it, it is not too
 *            much, and on every other day it is used again
 *
 * and at no moment packets to a LID were in a loop, a cycle of dependencies was
 * closed, or a packet to a group came twice. The last four are judged if the
 * limits say so, and counted always. The same seed and limits give the same run
 * on every machine.
 */
#ifndef HEDDLE_TESTS_SIM_CHAOS_CHAOS_H
#define HEDDLE_TESTS_SIM_CHAOS_CHAOS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "sm/core/sm.h"

enum { CHAOS_PHASES = SM_CHECK + 1 };

/* Judged beyond order, belief, LIDs and rest. */
enum {
	CHAOS_MEMORY = 1, /* a restart writes nothing */
	CHAOS_LOOPS = 2,  /* no loop at any moment */
	CHAOS_CYCLES = 4, /* no dependency cycle at any moment */
	CHAOS_COPIES = 8, /* no second copy of a packet to a group at a switch,
			     at any moment */
};

struct chaos_limits {
	unsigned max_hosts; /* about: fabrics are smaller */
	unsigned min_hosts; /* about; above 0 all fabrics are large */
	unsigned judge;	    /* CHAOS_* that make a seed fail; all are counted */
	bool tenants;	    /* with partitions, and reloads of them */
	bool health;	    /* links flap and err, and are drained for that */
	bool drains;	    /* switches and links are drained, by force */
	bool replay; /* the day is recorded, and lived again: the core sends
			the same messages in the same order */
	bool lanes;  /* with several routing layers, and sometimes QoS levels */
	bool adaptive; /* most switches choose among ports */
	/* The engine, on fabrics that it is for: "dor", "torus", "dragonfly",
	 * "nue" (any fabric, on 1 to 8 layers). NULL: what the daemon takes, on
	 * any fabric. */
	const char *engine;
};

struct chaos_report {
	struct reason why; /* what went wrong; "" if nothing */
	struct buf script; /* fabric, settings and events, a line each */
	unsigned switches, hosts, events;
	double seconds;				   /* virtual */
	uint64_t smps;				   /* acted on by the fabric */
	uint64_t blocks;			   /* LFT blocks written */
	unsigned runs;				   /* of the pipeline */
	uint64_t loops, cycles, copies, rewritten; /* the last: by a restart */
	uint64_t isolated;   /* drains for health that began */
	uint64_t mft_blocks; /* MFT blocks written */
	uint64_t changes;    /* table entries */
	uint64_t checks;     /* dependencies and paths followed */
	uint64_t replayed;   /* messages that a replay sent again */
	/* events by phase of the daemon, without joins of groups */
	unsigned struck[CHAOS_PHASES];
	struct reason loop, cycle, copy;
};

/* Run the script of the seed. 0, or -1 and r->why. r is overwritten. */
int chaos_run(
	uint64_t seed, const struct chaos_limits *l, struct chaos_report *r);

void chaos_report_free(struct chaos_report *r);

#endif
