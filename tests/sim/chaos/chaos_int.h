/*
 * chaos_int: the script of a run, shared by the file that makes it
 * (chaos_script.c) and the ones that play it.
 */
#ifndef HEDDLE_TESTS_SIM_CHAOS_CHAOS_INT_H
#define HEDDLE_TESTS_SIM_CHAOS_CHAOS_INT_H

#include "sm/base/rng.h"
#include "tests/sim/chaos/chaos.h"
#include "tests/sim/model/sim.h"
#include "tests/sim/referee/tenants.h"
#include "tests/topo/fabric.h"

enum chaos_kind {
	CHAOS_LINK_DOWN,
	CHAOS_LINK_UP,
	CHAOS_REBOOT,
	CHAOS_NODE_OUT,
	CHAOS_NODE_IN,
	CHAOS_HANG,
	CHAOS_SLOW,
	CHAOS_WAKE,
	CHAOS_FLAP,
	CHAOS_LOSS,
	CHAOS_NO_LOSS,
	CHAOS_RENAME,
	CHAOS_RESWEEP,
	CHAOS_KILL,
	CHAOS_START,
	CHAOS_RELOAD,
	CHAOS_TAMPER,
	CHAOS_JOIN,
	CHAOS_LEAVE,
	CHAOS_DRAIN,
	CHAOS_UNDRAIN,
	CHAOS_ERRORS,
	CHAOS_KINDS,
};

struct chaos_step {
	struct mono at;
	enum chaos_kind kind;
	uint32_t node, port;
	uint32_t value; /* millionths, microseconds, milliseconds of a drain,
			   times, errors, or a group */
};

struct chaos_script {
	struct fabric *f;
	struct sim_options sim;
	char what[160]; /* the fabric in words */
	char yaml[640];
	struct mono route_delay;
	uint32_t other_sm; /* host of a second SM of lower priority, or
			      FABRIC_NONE */
	uint32_t speaker;  /* host that joins for all members, or FABRIC_NONE */
	struct chaos_step *step; /* by time */
	size_t nsteps, cap;
	struct mono end;	 /* of the faults */
	struct tenants *tenants; /* or NULL */
	bool health;		 /* bad links are drained, ... */
	bool back;		 /* ... and used again on the same day */
	uint8_t narrow;	   /* VLCap of some links between switches; 0: all are
			      alike */
	struct rng cables; /* picks those links */
};

/* Make the script of a seed; free what it holds. */
void chaos_script_make(
	struct chaos_script *s, uint64_t seed, const struct chaos_limits *l);
void chaos_script_free(struct chaos_script *s);

/* Append a step's line: when, what, where. */
void chaos_script_print(const struct chaos_script *s,
	const struct chaos_step *step, struct buf *out);

/* chaos_group.c: multicast groups in a run. */
struct chaos_group {
	struct sim *s;
	const struct fabric *f;
	struct sim_endpoint *ep; /* joins for all members; NULL: no groups */
	uint32_t node;		 /* the node of ep */
	uint64_t answers;	 /* with status 0 */
};
void chaos_group_begin(struct chaos_group *g, uint32_t speaker);
/* Join or leave; does not wait for the answer. */
void chaos_group_say(struct chaos_group *g, const struct chaos_step *e);
/*
 * Whether the switches carry a packet from any member to every member that the
 * daemon knows, once each, and to no other node. 0, or -1 and why.
 */
struct sm;
int chaos_group_judge(
	const struct chaos_group *g, const struct sm *sm, struct reason *why);

/* chaos_drain.c: drain, or undrain, if the daemon is there. */
void chaos_drain_say(struct sm *sm, const struct fabric *f,
	const struct chaos_step *e, struct mono now);
/* Whether what is drained is free, where it can be. 0, or -1 and why. */
int chaos_drain_judge(const struct sm *sm, struct reason *why);

/* chaos_events.c: whether the events told what the status says; started: the
 * daemon was, more than once. 0, or -1 and why. */
struct world;
int chaos_events_judge(const struct world *w, bool started, struct reason *why);

/* chaos_health.c: at the moment of a drain for health: whether its tier has no
 * more of them than it may. 0, or -1 and why. */
int chaos_health_judge_share(const struct sm *sm, struct reason *why);
/* A port counts symbol errors. */
void chaos_health_err(struct sim *s, const struct chaos_step *e);
/* An administrator clears the counters that are at the end of their range:
 * until then they tell nothing, and no quiet time passes. */
void chaos_health_clear(struct sim *s, const struct chaos_script *script);
/* Whether what is drained for health may be. 0, or -1 and why. */
int chaos_health_judge(const struct sm *sm, struct reason *why);
/* How many links are drained for health; those that are not there, and may not
 * come back, do not count. */
unsigned chaos_health_count(const struct sm *sm);

#endif
