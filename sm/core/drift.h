/*
 * drift: device state that differs from what was acknowledged. After each
 * light sweep some switches are sampled in rotation, although nothing was
 * written there: one LFT block and port 0 of each, one block of its multicast
 * table (which run_mcast.c reads and repairs), a group and entries where it
 * chooses among ports; and some ports of hosts,
 * ours every time, for their LID, SM LID, GID prefix and M_Key. A difference
 * is the work of another writer, most likely another subnet manager, or the
 * device has rebooted. Then the tables of all switches are read and put in
 * order as after a take-over, for a host's port the ports alone by a full
 * sweep, and an alarm names the device and the other subnet managers that are
 * known. The other writer may have been in the middle of its work: after the
 * next light sweep all blocks are read once more, and again until no
 * difference is found; pairs that it blocked are searched for (drift_sl2vl.c).
 * If it happens again and again, each repair comes later: two managers that
 * undo each other's work for ever are worse than one that wins.
 *
 * A switch that acknowledges a write and does not hold it is a matter for
 * quarantine.c; a port that does so is reported here.
 */
#ifndef HEDDLE_SM_CORE_DRIFT_H
#define HEDDLE_SM_CORE_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_check.h"
#include "sm/base/map.h"

struct sm;
struct sm_peer;
struct topo;

/* Drift detection; drift.c. */
struct drift_state {
	uint32_t next_switch,
		round;	    /* the switch, and the block, to sample next */
	uint32_t next_port; /* by topo.by_pguid */
	bool all;	    /* sample every switch after this push */
	bool again;	    /* read all blocks after the next light sweep */
	bool left_so;	    /* a repair waits for its time */
	bool left_ports;    /* among what waits are ports of hosts */
	unsigned found;	    /* differences in this check ... */
	bool tables;	    /* ... of switches among them */
	unsigned times, switches;
	struct mono last_found, wait, wait_until;
	struct map flaws;	       /* (node, port) -> how often it failed */
	struct device_check_item flaw; /* the port of the alarm; GUID 0: none */
	struct mono flawed;
	bool master_seen;	  /* in this round of SMInfo questions */
	struct mono master_since; /* in all rounds since then; 0: in none */
};

/* Have this read by the next check. */
void drift_sample(struct sm *sm, const struct device_check_item *i);
void drift_light(struct sm *sm, struct mono now); /* sample some in rotation */
/* Add one block and port 0 of every switch, if a full check is due. */
void drift_sample_all(struct sm *sm, const struct topo *t);
/* A check is over: act on what differs. */
void drift_checked(struct sm *sm, struct mono now);
/* Port p of the view acknowledges an attribute and does not hold it. It is
 * asked and written again. */
void drift_port_disobeys(
	struct sm *sm, port_ix p, enum device_attr attr, struct mono now);
/* Other SMs are about to be asked for their SMInfo; one of them is a master
 * that we outrank. */
void drift_review(struct sm *sm);
/* Another manager, which is not obeyed, is master as well: an alarm if it was
 * so a second before. */
void drift_other_master(
	struct sm *sm, const struct sm_peer *p, struct mono now);
/* Another SM is master, or the core ends. */
void drift_reset(struct sm *sm);

#endif
